// A sale is put on hold, and its note is kept until the sale is paid: it is held again under the same name.
import { t } from "../kit/i18n.js";
import "./texts.js";

const NOTES = "hold.notes";
const NOTES_MAX = 50;
const notes = () => JSON.parse(localStorage.getItem(NOTES) ?? "[]");

/** Keeps the note of a recalled sale. */
export const keepNote = (id, note) => {
  if (note) localStorage.setItem(NOTES, JSON.stringify([[id, note], ...notes()].slice(0, NOTES_MAX)));
};

const keptNote = (id) => notes().find(([of]) => of === id)?.[1];

/** Holds the open sale, or says why it can't. */
export const holdSale = async (app, typed) => {
  const { basket } = app;
  await basket.settled();
  const { sale } = basket;
  if (!sale) return false;
  if (sale.state === "partially_paid") {
    app.say("warn", t("A partly paid sale can't be held. Finish or undo the payment"), {
      label: t("Pay"),
      act: () => app.show("pay"),
    });
    return false;
  }
  const note = typed || keptNote(sale.transaction_id);
  await app.command({
    url: "/api/pos/holds",
    body: { transaction_id: sale.transaction_id, ...(note ? { note } : {}) },
    label: "Hold sale",
    amount: sale.total,
  });
  basket.clear();
  return true;
};
