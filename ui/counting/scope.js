// The scope of a count, in words.
import { t } from "../kit/i18n.js";

export const scopeOf = ({ scope, category }) => category ?? (scope === "skus" ? t("Chosen products") : t("Everything"));
