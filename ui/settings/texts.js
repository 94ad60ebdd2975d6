// Adds the texts of forms for settings to those of every page.
import { addTexts } from "../kit/i18n.js";
import en from "./texts.en.json" with { type: "json" };
import id from "./texts.id.json" with { type: "json" };

addTexts({ en, id });
