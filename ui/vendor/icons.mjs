// One sprite of the icons that the pages name.
import { readFileSync, writeFileSync } from "node:fs";
const names = ["menu","scan-barcode","cloud","cloud-off","arrow-up-from-line","refresh-cw","triangle-alert","tag","user-round","x","pause",
  "list-restart","percent","undo-2","ellipsis","clock","chevron-right","chevron-left","banknote","credit-card","qr-code","landmark","ticket",
  "star","check","circle-check","circle-x","info","printer","lock","log-out","log-in","plus","minus","trash-2","search","package","truck",
  "clipboard-list","clipboard-check","users","shield-check","smartphone","house","chart-column","settings","arrow-left","receipt","calculator",
  "wallet","languages","moon","key-round","inbox","history","store","delete","wifi-off","download","keyboard","shopping-basket",
  "layout-dashboard","scale","book-open-text","package-check","badge-percent","scroll-text","list-filter","chevron-down","chevron-up","calendar"];
const body = names.map((name) => {
  const text = readFileSync(`node_modules/lucide-static/icons/${name}.svg`, "utf8");
  const inner = text.replace(/^[\s\S]*?<svg[^>]*>/, "").replace("</svg>", "").replace(/\s*\n\s*/g, "").trim();
  return `<symbol id="${name}" viewBox="0 0 24 24">${inner}</symbol>`;
});
writeFileSync("icons.svg", `<svg xmlns="http://www.w3.org/2000/svg">\n<!-- lucide-static, ISC: icons.LICENSE -->\n${body.join("\n")}\n</svg>\n`);
