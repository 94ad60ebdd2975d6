// Forms for settings of stores and of head office.
import { t } from "../kit/i18n.js";
import "./texts.js";

/** Kinds of settings: of a number, or the possible words. */
export const KIND = {
  "company.name": "line",
  "company.address": "area",
  "company.tax_number": "line",
  "company.currency": "line",
  "store.address": "area",
  "store.name": "line",
  "store.receipt_footer": "area",
  "store.tax_id": "line",
  "holds.expire_after": "text",
  "points.expire_after": "text",
  "payments.methods": "words",
  "payments.cash_rounding_mode": ["nearest", "customer", "shop"],
  "tax.prices_include_tax": "switch",
  "payments.cash_rounding": "money",
  "points.earn_per": "money",
  "points.offline_limit": "count",
  "pricing.override": ["flag", "manager", "reject"],
  "stock.negative": ["allow", "reject"],
  "returns.unreceipted_any_price": "switch",
  "shifts.blind": "switch",
  "approval.adjustment_value": "money",
  "approval.pay_out_value": "money",
  "returns.cashier_limit": "money",
  "returns.unreceipted_max": "money",
  "shifts.variance_tolerance": "money",
};
/** Returns the kind of a setting; one that is not listed is recognised by name and value. */
export const settingKind = (name, value) =>
  KIND[name] ??
  (typeof value === "boolean"
    ? "switch"
    : name.endsWith("_bp")
      ? "rate"
      : /limit|amount|rounding$/.test(name)
        ? "money"
        : "count");

/** Kinds of texts that are printed; they may be empty. */
const ON_PAPER = ["line", "area"];

/** Settings that apply from the next shift. */
export const OF_SHIFTS = /^(tax|payments|points)\./;

/** The field of a form in which a setting is changed. */
export const settingField = (name, value) => {
  const kind = settingKind(name, value);
  const one = { name: "value", label: t(`setting.${name}`), value: value ?? undefined, focus: true, required: true };
  if (Array.isArray(kind)) return { ...one, kind: "choice", choices: kind.map((word) => [word, t(`setting.${word}`)]) };
  if (kind === "switch")
    return {
      ...one,
      kind: "choice",
      value: String(value ?? false),
      choices: [
        ["true", t("yes")],
        ["false", t("no")],
      ],
    };
  if (kind === "words")
    return { ...one, kind: "text", value: (value ?? []).join(", "), hint: t("Separated by commas. Must include cash") };
  if (kind === "rate") return { ...one, kind: "rate", max: 10_000, hint: t("Per cent") };
  if (ON_PAPER.includes(kind)) return { ...one, kind: kind === "line" ? "text" : kind, required: false };
  return kind === "text" ? { ...one, hint: t("For example 30m, 2h or 1d") } : { ...one, kind };
};

const listed = (text) =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);

/** Returns the value of a setting from the text of its field; `value` is the former one. */
export const settingValue = (name, value, given) => {
  const kind = settingKind(name, value);
  if (kind === "switch") return given === "true";
  if (kind === "words") return [given ?? []].flat().flatMap(listed);
  return given ?? (ON_PAPER.includes(kind) ? "" : null);
};
