// Column mapper for a statement file: the first rows with a choice above each column, and the format in words.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { icon } from "../kit/controls.js";
import { t } from "../kit/i18n.js";
import { columnsOf, DATES, fieldsOf, fromColumns, survey, TEMPLATES } from "./columns.js";
import { MARKS } from "./source_format.js";

const SAMPLE = 5;
/** Several columns may be added up to one fee; anything else is in one column. */
const ADDED = "fee";

/** Returns the guess about a file for a source; a stored format has precedence. */
export const begin = (bytes, source, csv) => {
  const seen = survey(bytes, source.kind);
  const kept = Object.keys(csv?.columns ?? {}).length > 0 && fromColumns(csv.columns, seen.heads, source.kind);
  const fits = kept && kept.some(Boolean) && Object.keys(csv.columns).every((field) => kept.includes(field));
  return {
    ...seen,
    kind: source.kind,
    fields: fits ? kept : seen.fields,
    date: fits ? csv.date_format : seen.date,
    decimal: csv?.decimal ?? "auto",
    negate: csv?.negate ?? false,
  };
};

/** Returns the format to store with the source; fields that are not asked here keep their values. */
export const formatOf = (map, csv) => {
  const template = TEMPLATES.find(({ name }) => name === map.template)?.csv;
  return {
    ...csv,
    delimiter: "auto",
    encoding: map.encoding,
    skip_rows: 0,
    skip_footer: 0,
    decimal: map.decimal,
    negate: map.negate,
    date_format: map.date,
    columns: columnsOf(map.fields, map.heads),
    types: { ...csv?.types, ...template?.types },
    required: template?.required ?? csv?.required ?? [],
  };
};

const missing = ({ fields }) => {
  const has = (...names) => names.some((name) => fields.includes(name));
  if (!has("date")) return t("Choose the column that holds the day");
  return has("amount", "gross", "net", "debit", "credit", "gross_debit", "gross_credit")
    ? null
    : t("Choose the column that holds the amount");
};

const choose = (page, at, field) => {
  const fields = page.columns.fields.map((one, index) =>
    index === at ? field : field && field !== ADDED && one === field ? "" : one,
  );
  page.remap({ fields });
};

const applied = (page, name) => {
  const { columns: map } = page;
  const template = TEMPLATES.find((one) => one.name === name);
  page.remap(
    template
      ? {
          template: name,
          fields: fromColumns(template.csv.columns, map.heads, map.kind),
          date: template.csv.date_format,
          decimal: template.csv.decimal ?? "auto",
        }
      : { template: "" },
  );
};

const select = (id, label, value, choices, onChoose) =>
  html`<div class="field">
    <label for=${id}>${label}</label
    ><select class="input" id=${id} @change=${(event) => onChoose(event.target.value)}>
      ${choices.map(([key, text]) => html`<option value=${key} ?selected=${key === value}>${text}</option>`)}
    </select>
  </div>`;

/** Stores the format with the source and reads the file again. */
const keep = (page) =>
  page.once(async () => {
    const { columns: map, source, file } = page;
    const url = path("/api/statement-sources/:id", { id: source });
    const { csv } = await page.app.get(url);
    await page.app.change("PATCH", url, { csv: formatOf(map, csv) });
    await page.look(file);
  });

const heading = (map, at) => map.heads[at]?.trim() || t("no heading");
const chooser = (page, at) =>
  html`<select
    class="input"
    aria-label=${t("Column {n}: {name}", { n: at + 1, name: heading(page.columns, at) })}
    @change=${(event) => choose(page, at, event.target.value)}
  >
    <option value="">${t("Not used")}</option>
    ${fieldsOf(page.columns.kind).map(
      (field) =>
        html`<option value=${field} ?selected=${field === page.columns.fields[at]}>${t(`line.${field}`)}</option>`,
    )}
  </select>`;

/** The rows of the file under the chosen meaning of each column; on narrow screens the columns are stacked. */
const sample = (page) => {
  const { columns: map } = page;
  const rows = map.rows.slice(0, SAMPLE);
  const width = Math.max(map.heads.length, ...rows.map((row) => row.length));
  const columns = Array.from({ length: width }, (_, at) => at);
  const kind = (at) => (map.fields[at] ? "used" : "muted");
  return html`<div class="scroll sample-wide">
      <table class="grid sample" id="columns">
        <thead>
          <tr>
            ${columns.map((at) => html`<th scope="col">${chooser(page, at)}<bdi>${heading(map, at)}</bdi></th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${columns.map((at) => html`<td class=${kind(at)}><bdi>${row[at] ?? ""}</bdi></td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <ul class="sample-narrow pad">
      ${columns.map(
        (at) =>
          html`<li>
            <b><bdi>${heading(map, at)}</bdi></b>
            <p class="muted">${rows.map((row) => html`<bdi>${row[at] ?? ""}</bdi> `)}</p>
            ${chooser(page, at)}
          </li>`,
      )}
    </ul>`;
};

/** The content of the page while the columns are chosen. */
export const mapper = (page) => {
  const { columns: map, file } = page;
  const why = missing(map);
  return html`<section class="panel part" id="mapper">
    <header class="part-head">
      <h2>${t("Columns of {name}", { name: file.name })}</h2>
      ${map.template ? html`<span class="badge ok">${t("Recognized: {name}", { name: map.template })}</span>` : nothing}
    </header>
    <div class="pad stack s">
      <p class="muted">${t("Choose what each column holds. The choice is remembered for this source")}</p>
      <div class="filters unfolded">
        ${select(
          "map-template",
          t("Template"),
          map.template,
          [["", t("None")], ...TEMPLATES.map(({ name }) => [name, name])],
          (name) => applied(page, name),
        )}${select(
          "map-date",
          t("Days look like"),
          map.date,
          [
            ...DATES.map(([format, example]) => [format, example]),
            ...(DATES.some(([format]) => format === map.date) ? [] : [[map.date, map.date]]),
          ],
          (date) => page.remap({ date }),
        )}${select(
          "map-decimal",
          t("Amounts look like"),
          map.decimal,
          [["auto", t("detected")], ...MARKS()],
          (decimal) => page.remap({ decimal }),
        )}
      </div>
    </div>
    ${sample(page)}
    <div class="pad stack s">
      <label class="rowx"
        ><input
          type="checkbox"
          .checked=${map.negate}
          @change=${(event) => page.remap({ negate: event.target.checked })}
        /><span>${t("Incoming money is negative")}</span></label
      >
      <p class="rowx wrap">
        <button
          class="btn primary"
          id="map-keep"
          ?disabled=${page.busy || Boolean(why)}
          title=${why ?? nothing}
          @click=${() => keep(page)}
        >
          ${icon("check")}${t("Preview")}</button
        >${why ? html`<span class="muted">${why}</span>` : nothing}
      </p>
    </div>
  </section>`;
};
