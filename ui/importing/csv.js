// Reads a file of a spreadsheet for its preview. The server reads the file again.

/** Encodings of files, as the server names them, with their names for a person. */
export const ENCODINGS = [
  ["utf-8", "UTF-8"],
  ["utf-16", "UTF-16"],
  ["windows-1252", "Windows-1252"],
  ["iso-8859-1", "ISO-8859-1"],
];

/** The encoding that a byte order mark names, for `TextDecoder`; null without a mark. */
const markOf = (/** @type {Uint8Array} */ [first, second, third]) => {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xef && second === 0xbb && third === 0xbf ? "utf-8" : null;
};

/** Encoding of a file without a choice: UTF-8 if its bytes are valid UTF-8, otherwise Windows-1252. */
const encodingOf = (bytes) => {
  if (markOf(bytes)?.startsWith("utf-16")) return "utf-16";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return "utf-8";
  } catch {
    return "windows-1252";
  }
};

const SEPARATORS = [";", ",", "\t", "|"];
/** First lines by which the separator and the header are found. */
const FIRST_LINES = 20;

/** The cells of a line. Quotes are read as in RFC 4180. */
const cells = (line, separator) => {
  const found = [];
  let cell = "";
  let quoted = false;
  for (const mark of line) {
    if (mark === '"') quoted = !quoted;
    else if (mark === separator && !quoted) {
      found.push(cell.trim());
      cell = "";
    } else cell += mark;
  }
  return [...found, cell.trim()];
};
const filledCells = (row) => row.filter(Boolean).length;

/**
 * The encoding of a file and its lines that are not empty, each with its number and cells. A byte order mark overrides
 * the encoding that was chosen.
 */
export const readFile = (buffer, chosen = "") => {
  const bytes = new Uint8Array(buffer);
  const encoding = chosen || encodingOf(bytes);
  const lines = new TextDecoder(markOf(bytes) ?? encoding).decode(bytes).split(/\r\n|\n|\r/);
  const named = /^sep=(.)$/i.exec(lines[0] ?? "")?.[1];
  const columns = (mark) =>
    lines.slice(0, FIRST_LINES).reduce((most, line) => Math.max(most, line.split(mark).length), 0);
  const separator = named ?? SEPARATORS.reduce((best, mark) => (columns(mark) > columns(best) ? mark : best));
  const rows = lines
    .map((line, at) => ({ line: at + 1, text: line, cells: cells(line, separator) }))
    .slice(named ? 1 : 0)
    .filter((row) => filledCells(row.cells));
  return { encoding, rows };
};

/** The line that names the columns: of the first lines, the first one with the most cells. */
export const headerOf = (rows) => {
  const first = rows.slice(0, FIRST_LINES);
  const most = Math.max(...first.map((row) => filledCells(row.cells)));
  return first.find((row) => filledCells(row.cells) === most) ?? first[0];
};
