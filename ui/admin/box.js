// The pages of the box itself: its parts, its data, its settings, who did what; and the letters that go to pages.
import { t } from "../shared/i18n.js";

const MANAGE = ["store_manager", "admin"];
const BEGINS = true;

/** Rows of the menu: address, icon, name, who may, whether a group begins. */
export const BOX = [
  ["machine", "list-restart", () => t("Machine"), MANAGE, BEGINS], ["audit", "scroll-text", () => t("Audit"), MANAGE], ["settings", "settings", () => t("Settings"), MANAGE],
];
export const BOX_LATER = { machine: () => import("./machine.js"), audit: () => import("./audit.js"), settings: () => import("./settings.js") };

/** The letter after `g`, by page; a page without one is reached by Ctrl K. */
export const LETTERS = {
  today: "t", stock: "s", receiving: "r", counts: "c", members: "m", people: "p", sync: "h", machine: "b", audit: "a", settings: "x", devices: "y",
};

/** What may be done there, for whoever types it. */
export const ACTIONS = [
  ["machine", "download", () => t("Back up now")], ["machine", "shield-check", () => t("Check everything that is stored")], ["machine", "list-restart", () => t("Restart a part of the store")],
  ["sync", "refresh-cw", () => t("Ask head office now")], ["sync", "history", () => t("Restore a value that lost")], ["people", "lock", () => t("New password for somebody")], ["people", "log-out", () => t("End somebody's sessions")],
];
