// Files of a spreadsheet as they are shown: bytes become text, text becomes rows. The store reads them anew.

/** The encoding that a byte order mark names, for a decoder; null without a mark. */
const markOf = (/** @type {Uint8Array} */ [first, second, third]) => {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xef && second === 0xbb && third === 0xbf ? "utf-8" : null;
};

/** Encoding of a file, by the store's name for it: UTF-8 if its bytes are valid UTF-8, otherwise Windows-1252. */
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

/** What a file is: its encoding, and its lines that hold something, each with its number and cells. */
export const readFile = (buffer) => {
  const bytes = new Uint8Array(buffer);
  const encoding = encodingOf(bytes);
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
