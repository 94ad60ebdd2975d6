// Entries of a document in the books, by day.
import { html } from "../vendor/lit.js";
import { day } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ifSome, link } from "../records/cells.js";
import { section } from "../records/record.js";

export const inBooks = (entries) =>
  ifSome(entries, (list) =>
    section(
      t("Entries"),
      html`<ul class="pad rowx">
        ${list.map(
          ({ entry_id: id, entry_date: date }) =>
            html`<li>${link(["journal", id], `${t("Entry of")} ${day(date)}`)}</li>`,
        )}
      </ul>`,
    ),
  );
