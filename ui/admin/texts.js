// Adds the texts of Store Admin, of goods and of the desk to those of every page.
import { addTexts } from "../kit/i18n.js";
import desk from "../desk/texts.id.json" with { type: "json" };
import goodsEn from "../goods/texts.en.json" with { type: "json" };
import goodsId from "../goods/texts.id.json" with { type: "json" };
import en from "./texts.en.json" with { type: "json" };
import id from "./texts.id.json" with { type: "json" };

addTexts({ en: goodsEn, id: { ...desk, ...goodsId } });
addTexts({ en, id });
