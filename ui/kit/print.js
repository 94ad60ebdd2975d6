// Paper by the browser: a roll as long as its text.

/** A roll's width by the characters of a line, and how high a line is; its margins are 3 mm. */
const ROLLS = { 32: [58, 3.36], 42: [80, 3.53] };
const MARGIN_MM = 3;
const roll = new CSSStyleSheet();

/** Text for the receipt printer, by the browser; `sheet` is the paper where it is none of a roll. */
export const printText = (app, text, sheet) => {
  const paper = document.getElementById("paper");
  const columns = app.settings?.printing?.characters ?? 42;
  const [width, line] = ROLLS[columns] ?? ROLLS[42];
  paper.textContent = text;
  paper.dataset.columns = columns;
  // As long as the text: a roll is cut where it ends.
  const length = Math.ceil(text.split("\n").length * line) + 3 * MARGIN_MM;
  roll.replaceSync(sheet ?? `@page { size:${width}mm ${length}mm; margin:${MARGIN_MM}mm 4mm }`);
  document.adoptedStyleSheets = [roll];
  addEventListener(
    "afterprint",
    () => {
      paper.textContent = "";
      document.adoptedStyleSheets = [];
    },
    { once: true },
  );
  print();
  app.focusPage();
};
