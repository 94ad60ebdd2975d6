// Adds the texts of the portal and of the desk to those of every page.
import { addTexts } from "../kit/i18n.js";
import desk from "../desk/texts.id.json" with { type: "json" };
import en from "./texts.en.json" with { type: "json" };
import id from "./texts.id.json" with { type: "json" };

addTexts({ en, id: { ...desk, ...id } });
