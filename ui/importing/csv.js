// Files of a spreadsheet for a preview: bytes become text, text becomes rows. The server parses them again.

/** Encodings of files, as the server names them, with their names for a person. */
export const ENCODINGS = [
  ["utf-8", "UTF-8"],
  ["utf-16", "UTF-16"],
  ["windows-1252", "Windows-1252"],
  ["iso-8859-1", "ISO-8859-1"],
];

/** The encoding that a byte order mark names, for a decoder; null without a mark. */
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
/** Lines by which the separator is found. */
const LOOKED_AT = 20;

/** The cells of a line; quotes by RFC 4180. */
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
const filled = (row) => row.filter(Boolean).length;

/**
 * The encoding of a file and its lines that are not empty, each with its number and cells. A byte order mark overrides
 * the encoding that was chosen.
 */
export const readFile = (buffer, chosen = "") => {
  const bytes = new Uint8Array(buffer);
  const encoding = chosen || encodingOf(bytes);
  const lines = new TextDecoder(markOf(bytes) ?? encoding).decode(bytes).split(/\r\n|\n|\r/);
  const named = /^sep=(.)$/i.exec(lines[0] ?? "")?.[1];
  const many = (mark) => lines.slice(0, LOOKED_AT).reduce((most, line) => Math.max(most, line.split(mark).length), 0);
  const separator = named ?? SEPARATORS.reduce((best, mark) => (many(mark) > many(best) ? mark : best));
  const rows = lines
    .map((line, at) => ({ line: at + 1, text: line, cells: cells(line, separator) }))
    .slice(named ? 1 : 0)
    .filter((row) => filled(row.cells));
  return { encoding, rows };
};

/** The line that names the columns: the first with as many cells as any of the first ones. */
export const headerOf = (rows) => {
  const first = rows.slice(0, LOOKED_AT);
  const most = Math.max(...first.map((row) => filled(row.cells)));
  return first.find((row) => filled(row.cells) === most) ?? first[0];
};
