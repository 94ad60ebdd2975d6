// Credit notes of suppliers, and payments to them.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { decimal, isoDay } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import "./texts.js";
import {
  badge,
  col,
  days,
  differsBy,
  figure,
  ifSome,
  inMoney,
  link,
  moment,
  person,
  steps,
  store,
  supplier,
} from "../records/cells.js";
import { nameOf } from "../records/names.js";
import { ofSupplier } from "./payables.js";
import { facts, figures, section, table } from "../records/record.js";
import { ofDays, ofState } from "../records/records.js";

const NOTE_STATES = ["expected", "draft", "approved", "applied"];
const why = () => ({ name: "reason", label: t("Reason"), kind: "area", required: true });

const creditNotes = {
  path: "/api/finance/credit-notes",
  needs: ["suppliers"],
  list: (page) => ({
    title: t("Credit notes"),
    create: { label: t("Record a credit note"), act: () => page.app.go("credit-notes", "new") },
    filters: [ofState([...NOTE_STATES, "cancelled"]), ofSupplier(), ...ofDays()],
    open: (one) => address(["credit-notes", one.credit_note_id]),
    columns: [
      col(
        t("Number"),
        (one) =>
          html`<bdi>${one.credit_note_no ?? t("not received yet")}</bdi> <span class="muted">${one.doc_no}</span>`,
      ),
      col(t("Supplier"), (one) => supplier(one.supplier_id)),
      col(t("Reason"), (one) => t(`credit.${one.kind}`)),
      col(t("Date"), (one) => days(one.date), "d"),
      col(t("Total"), (one) => inMoney(one.total), "num"),
      col(t("Open"), (one) => inMoney(one.open), "num d"),
      col(t("Status"), (one) => badge(one.state)),
    ],
    none: t("No credit notes yet. One is expected when you return invoiced goods"),
  }),
};

/** Returns open invoices, the earliest due first. */
const openBills = async (app, supplierId) => {
  const found = await Promise.all(
    ["approved", "partially_paid"].map((state) =>
      app.get("/api/finance/invoices", {}, { supplier_id: supplierId, state, limit: 500 }),
    ),
  );
  return found
    .flatMap(({ items }) => items)
    .filter(({ open }) => open > 0)
    .sort((a, b) => a.due_date.localeCompare(b.due_date));
};
const billChoices = (bills) =>
  bills.map((bill) => [bill.invoice_id, `${bill.invoice_no}, ${t("open {amount}", { amount: decimal(bill.open) })}`]);

/** Button that applies the rest of a credit note or payment to one of the supplier's invoices. */
const applyToInvoice = (page, { bills }, open, url) => {
  const [first] = bills;
  return {
    label: t("Apply to an invoice"),
    image: "scale",
    kind: "primary",
    why: first ? null : t("no open invoice from this supplier"),
    act: page.step({
      label: t("Apply"),
      url,
      question: {
        title: t("Which invoice?"),
        list: [
          { name: "invoice_id", label: t("Invoice"), kind: "choice", choices: billChoices(bills), focus: true },
          {
            name: "amount",
            label: t("Amount"),
            kind: "money",
            value: Math.min(open, first?.open ?? 0),
            required: true,
          },
        ],
        body: ({ invoice_id: id, amount }) => ({ allocations: [{ invoice_id: id, amount }] }),
      },
    }),
  };
};

const creditNote = {
  back: () => ["credit-notes", t("Credit notes")],
  needs: ["suppliers"],
  load: async (app, { id }) => {
    const one = await app.get("/api/finance/credit-notes/:id", { id });
    return { ...one, bills: one.open > 0 ? await openBills(app, one.supplier_id) : [] };
  },
  view: (one, page) => {
    const is = (...states) => states.includes(one.state);
    return {
      name: one.credit_note_no ?? one.doc_no,
      badges: badge(one.state),
      actions: [
        is("draft") && {
          label: t("Cancel\u2026"),
          act: page.step({
            label: t("Cancel credit note"),
            url: path("/api/finance/credit-notes/:id/cancel", { id: one.credit_note_id }),
            question: { title: t("Cancel this credit note?"), danger: true, list: [why()] },
          }),
        },
        is("expected") && {
          label: t("Document received"),
          image: "check",
          kind: "primary",
          act: page.step({
            label: t("Confirm"),
            url: path("/api/finance/credit-notes/:id/confirm", { id: one.credit_note_id }),
            message: t("Confirmed. You can apply it to an invoice"),
            question: {
              title: t("From the supplier's document"),
              text: t("Any difference from the expected amount is posted to purchase variance and tax"),
              list: [
                { name: "credit_note_no", label: t("Supplier's document number"), required: true, focus: true },
                { name: "date", label: t("Day"), kind: "date", value: isoDay(), required: true },
                { name: "net", label: t("Net"), kind: "money", value: one.net, required: true },
                { name: "tax", label: t("Tax"), kind: "money", value: one.tax, required: true },
              ],
            },
          }),
        },
        is("draft") && {
          label: t("Approve"),
          image: "check",
          kind: "primary",
          act: page.step({
            label: t("Approve"),
            url: path("/api/finance/credit-notes/:id/approve", { id: one.credit_note_id }),
            question: {
              title: t("Approve {name}?", { name: one.credit_note_no ?? one.doc_no }),
              text: t("Your debt to {supplier} decreases by {amount}; the change is posted", {
                amount: decimal(one.total),
                supplier: nameOf("suppliers", one.supplier_id),
              }),
            },
          }),
        },
        is("approved") &&
          applyToInvoice(page, one, one.open, path("/api/finance/credit-notes/:id/apply", { id: one.credit_note_id })),
      ],
      parts: [
        steps(is("cancelled") ? ["draft", "cancelled"] : NOTE_STATES, one.state),
        figures([
          [t("Total"), decimal(one.total), supplier(one.supplier_id)],
          [t("Net"), decimal(one.net)],
          [t("Tax"), decimal(one.tax)],
          [t("Applied to invoices"), decimal(one.applied)],
          [t("Open"), decimal(one.open)],
        ]),
        table(
          t("Lines"),
          [
            col(t("Invoice line"), (row) => row.invoice_line_no ?? "\u2013"),
            col(t("Delivery"), (row) =>
              row.receiving_id ? link(["receipts", row.receiving_id], t("View"), { store_id: row.store_id }) : nothing,
            ),
            col(t("Book"), (row) => store(row.store_id)),
            col(t("Net"), (row) => inMoney(row.net), "num"),
            col(t("Tax"), (row) => inMoney(row.tax), "num"),
          ],
          one.lines,
        ),
        section(
          t("Details"),
          facts([
            [t("Reason"), t(`credit.${one.kind}`)],
            [t("Our number"), one.doc_no],
            [t("Date"), days(one.date)],
            [t("Invoice"), one.invoice_id ? link(["invoices", one.invoice_id], t("View")) : null],
            [
              t("Returned goods"),
              one.supplier_return_id
                ? link(["supplier-returns", one.supplier_return_id], t("View"), { store_id: one.lines[0]?.store_id })
                : null,
            ],
            [t("Created"), moment(one.created_at)],
            [t("By"), one.created_by ? person(one.created_by) : t("rules")],
            [t("Note"), one.note],
            [t("Entries"), link(["journal"], t("View"), { cause_id: one.credit_note_id })],
          ]),
        ),
      ],
    };
  },
};

const payments = {
  path: "/api/finance/payments",
  needs: ["suppliers"],
  list: (page) => ({
    title: t("Payments"),
    create: { label: t("Pay due invoices"), act: () => page.app.go("payments", "new") },
    filters: [ofSupplier(), ofState(["posted", "reversed"]), ...ofDays()],
    open: (one) => address(["payments", one.payment_id]),
    columns: [
      col(t("Number"), (one) => one.doc_no),
      col(t("Supplier"), (one) => supplier(one.supplier_id)),
      col(t("Day"), (one) => days(one.date)),
      col(t("Account"), (one) => one.account, "d"),
      col(t("Reference"), (one) => one.reference ?? nothing, "d"),
      col(t("Invoices"), (one) => figure(one.allocations.length), "num d2"),
      col(t("In advance"), (one) => inMoney(one.unallocated), "num d2"),
      col(t("Amount"), (one) => inMoney(one.amount), "num"),
      col(t("Status"), (one) => badge(one.state)),
    ],
    none: t("No payments yet"),
  }),
};

const payment = {
  back: () => ["payments", t("Payments")],
  needs: ["suppliers", "accounts"],
  load: async (app, { id }) => {
    const one = await app.get("/api/finance/payments/:id", { id });
    const bills = await Promise.all(
      one.allocations.map(({ invoice_id: of }) => app.get("/api/finance/invoices/:id", { id: of })),
    );
    return {
      ...one,
      numbers: Object.fromEntries(bills.map((bill) => [bill.invoice_id, bill.invoice_no])),
      bills: one.unallocated > 0 ? await openBills(app, one.supplier_id) : [],
    };
  },
  view: (one, page) => {
    const posted = one.state === "posted";
    return {
      name: one.doc_no,
      badges: badge(one.state),
      actions: [
        posted && {
          label: t("Reverse\u2026"),
          image: "undo-2",
          act: page.step({
            label: t("Reverse"),
            url: path("/api/finance/payments/:id/reverse", { id: one.payment_id }),
            question: {
              title: t("Reverse this payment?"),
              danger: true,
              text: t(
                "A reversing entry is posted and the invoices are open again. A payment that the bank has reported can't be reversed",
              ),
              list: [why()],
            },
          }),
        },
        posted &&
          one.unallocated > 0 &&
          applyToInvoice(
            page,
            one,
            one.unallocated,
            path("/api/finance/payments/:id/allocate", { id: one.payment_id }),
          ),
      ],
      parts: [
        figures([
          [t("Amount"), decimal(one.amount), supplier(one.supplier_id)],
          [t("Day"), days(one.date)],
          [
            t("From account"),
            one.account,
            nameOf("accounts", one.account) === one.account ? null : nameOf("accounts", one.account),
          ],
          [t("Paid in advance"), decimal(one.unallocated)],
        ]),
        table(
          t("Invoices"),
          [
            col(t("Invoice"), (row) => link(["invoices", row.invoice_id], one.numbers[row.invoice_id])),
            col(t("Settled"), (row) => inMoney(row.amount), "num"),
            col(t("Discount"), (row) => inMoney(row.discount), "num"),
            col(t("Paid"), (row) => inMoney(row.amount - row.discount), "num"),
          ],
          one.allocations,
          t("All paid in advance"),
        ),
        ifSome(one.credits, (list) =>
          table(
            t("Credit notes"),
            [
              col(t("Credit note"), (row) => link(["credit-notes", row.credit_note_id], t("View"))),
              col(t("On invoice"), (row) =>
                link(["invoices", row.invoice_id], one.numbers[row.invoice_id] ?? t("View")),
              ),
              col(t("Amount"), (row) => differsBy(-row.amount), "num"),
            ],
            list,
          ),
        ),
        section(
          t("Details"),
          facts([
            [t("Reference"), one.reference],
            [t("Book"), store(one.store_id)],
            [t("Created"), moment(one.created_at)],
            [t("By"), person(one.created_by)],
            [t("Reason for reversal"), one.reversed_reason],
            [t("Entries"), link(["journal"], t("View"), { cause_id: one.payment_id })],
          ]),
        ),
      ],
    };
  },
};

export const pages = { "credit-notes": creditNotes, "credit-note": creditNote, payments, payment };
