// Contents of the columns of a statement file: read from its first rows and guessed by its headings and values.

const ROWS = 400;
const DELIMITERS = [",", ";", "\t", "|"];
/** Headings in lower case for each field, the best first. */
const HEADINGS = {
  date: [
    "date",
    "tanggal transaksi",
    "tanggal",
    "transaction date",
    "tgl_tran",
    "datum",
    "created_utc",
    "creation date",
    "posting date",
    "booking date",
    "tgl",
    "trans date",
    "time",
  ],
  time: ["time", "jam", "jam_tran"],
  zone: ["timezone", "time zone"],
  reference: [
    "reference",
    "reference no.",
    "referensi",
    "no. referensi",
    "transaction id",
    "payment id",
    "txn id",
    "source_id",
    "modification reference",
    "psp reference",
    "rrn",
    "order id",
  ],
  description: [
    "description",
    "keterangan",
    "uraian",
    "desk_tran",
    "naam / omschrijving",
    "omschrijving",
    "deskripsi",
    "remark",
    "details",
    "narrative",
    "memo",
  ],
  amount: ["amount", "jumlah", "nominal", "mutasi", "bedrag (eur)", "transaction amount", "net amount", "betrag"],
  sign: ["af bij", "db/cr", "d/k", "cr/db", "dk", "sign"],
  gross: ["gross", "bruto", "total collected", "gross amount", "transaction value", "amount"],
  fee: ["fee", "fees", "mdr", "biaya", "commission (nc)", "markup (nc)", "scheme fees (nc)", "interchange (nc)"],
  net: ["net", "neto", "net total", "net amount", "nett"],
  debit: ["debit", "debet", "mutasi_debet", "withdrawal", "paid out"],
  credit: ["credit", "kredit", "mutasi_kredit", "deposit", "paid in"],
  gross_debit: ["gross debit (gc)"],
  gross_credit: ["gross credit (gc)"],
  net_debit: ["net debit (nc)"],
  net_credit: ["net credit (nc)"],
  type: ["type", "event type", "reporting_category", "jenis"],
  status: ["status", "payment status", "transaction status"],
  batch: ["batch", "batch number", "automatic_payout_id", "deposit id", "settlement id"],
  store_ref: ["store", "merchant id", "mid", "terminal", "tid", "location", "toko"],
  currency: ["currency", "mata uang", "gross currency"],
  account: ["account no", "norek", "account"],
};
const OF_BANK = [
  "date",
  "time",
  "reference",
  "description",
  "amount",
  "sign",
  "debit",
  "credit",
  "type",
  "status",
  "currency",
  "account",
  "store_ref",
];
const OF_PROVIDER = [
  "date",
  "time",
  "zone",
  "reference",
  "description",
  "gross",
  "fee",
  "net",
  "amount",
  "gross_debit",
  "gross_credit",
  "net_debit",
  "net_credit",
  "type",
  "status",
  "batch",
  "store_ref",
  "currency",
  "account",
];
/** Fields that the files of a kind of source may have, as they are offered. */
export const fieldsOf = (kind) => (kind === "bank" ? OF_BANK : OF_PROVIDER);
/**
 * Date formats, each with an example.
 * @type {[format: string, example: string, shape: RegExp][]}
 */
export const DATES = [
  ["%Y-%m-%d", "2026-11-20", /^\d{4}-\d{1,2}-\d{1,2}$/],
  ["%Y-%m-%d %H:%M:%S", "2026-11-20 08:15:00", /^\d{4}-\d{1,2}-\d{1,2}[T ]\d/],
  ["%Y%m%d", "20261120", /^(19|20)\d{6}$/],
  ["%d/%m/%Y", "20/11/2026", /^\d{1,2}\/\d{1,2}\/\d{4}/],
  ["%m/%d/%Y", "11/20/2026", /^\d{1,2}\/\d{1,2}\/\d{4}/],
  ["%d/%m/%y", "20/11/26", /^\d{1,2}\/\d{1,2}\/\d{2}$/],
  ["%d-%m-%Y", "20-11-2026", /^\d{1,2}-\d{1,2}-\d{4}/],
  ["%d.%m.%Y", "20.11.2026", /^\d{1,2}\.\d{1,2}\.\d{4}/],
  ["%d/%m", "20/11", /^\d{1,2}\/\d{1,2}$/],
  ["%d %b %Y", "20 Nov 2026", /^\d{1,2} [A-Za-z]{3} \d{4}/],
];

/** Known files, by their headings, with their format. */
export const TEMPLATES = [
  {
    name: "Stripe",
    heads: ["automatic_payout_id", "reporting_category"],
    csv: {
      date_format: "%Y-%m-%d %H:%M:%S",
      decimal: ".",
      columns: {
        date: "created_utc",
        reference: "source_id",
        type: "reporting_category",
        batch: "automatic_payout_id",
      },
      types: { charge: "sale", dispute: "chargeback", dispute_reversal: "chargeback_reversal" },
    },
  },
  {
    name: "Adyen",
    heads: ["Psp Reference", "Modification Reference"],
    csv: {
      date_format: "%Y-%m-%d %H:%M:%S",
      columns: {
        date: "Creation Date",
        zone: "TimeZone",
        reference: "Modification Reference",
        batch: "Batch Number",
        gross_debit: "Gross Debit (GC)",
        gross_credit: "Gross Credit (GC)",
        net_debit: "Net Debit (NC)",
        net_credit: "Net Credit (NC)",
        fee: ["Commission (NC)", "Markup (NC)", "Scheme Fees (NC)", "Interchange (NC)"],
      },
    },
  },
  {
    name: "Square",
    heads: ["Total Collected", "Deposit ID"],
    csv: {
      date_format: "%m/%d/%Y",
      required: ["batch"],
      columns: {
        time: "Time",
        zone: "Time Zone",
        reference: "Payment ID",
        gross: "Total Collected",
        net: "Net Total",
        fee: "Fees",
        batch: "Deposit ID",
        type: "Event Type",
      },
    },
  },
  {
    name: "PayPal",
    heads: ["Reference Txn ID", "Balance Impact"],
    csv: { decimal: ".", date_format: "%m/%d/%Y", columns: { reference: "Transaction ID" } },
  },
  {
    name: "BRI",
    heads: ["TGL_TRAN", "MUTASI_DEBET"],
    csv: {
      date_format: "%Y-%m-%d %H:%M:%S",
      columns: { date: "TGL_TRAN", description: "DESK_TRAN", debit: "MUTASI_DEBET", credit: "MUTASI_KREDIT" },
    },
  },
  {
    name: "Bank Mandiri",
    heads: ["Val. Date", "Transaction Code"],
    csv: {
      decimal: ".",
      date_format: "%d/%m/%y",
      columns: { date: "Date", description: 5, reference: "Reference No." },
    },
  },
  {
    name: "ING",
    heads: ["Af Bij", "Mededelingen"],
    csv: {
      date_format: "%Y%m%d",
      columns: { date: "Datum", description: "Naam / Omschrijving", amount: "Bedrag (EUR)" },
    },
  },
  {
    name: "QRIS",
    heads: ["TXN ID", "Transaction Value"],
    csv: {
      date_format: "%Y-%m-%d %H:%M:%S",
      columns: { date: "Transaction Date", reference: "TXN ID", gross: "Transaction Value" },
    },
  },
];

/** Returns the text of a file and its encoding. */
export const decoded = (bytes) => {
  const head = new Uint8Array(bytes.slice(0, 3));
  if (head[0] === 0xff && head[1] === 0xfe) return ["utf-16", new TextDecoder("utf-16le").decode(bytes)];
  if (head[0] === 0xfe && head[1] === 0xff) return ["utf-16", new TextDecoder("utf-16be").decode(bytes)];
  try {
    return ["utf-8", new TextDecoder("utf-8", { fatal: true }).decode(bytes)];
  } catch {
    return ["windows-1252", new TextDecoder("windows-1252").decode(bytes)];
  }
};

/** Returns the cells of each row; a quoted cell may contain the delimiter and line breaks. */
export const rowsOf = (text, delimiter, most = ROWS) => {
  const rows = [];
  let [row, cell, quoted] = [[], "", false];
  const end = () => {
    row.push(cell);
    cell = "";
  };
  for (let at = 0; at < text.length && rows.length < most; at += 1) {
    const one = text[at];
    if (quoted && one === '"' && text[at + 1] === '"') {
      cell += one;
      at += 1;
    } else if (one === '"' && (quoted || !cell.trim())) {
      quoted = !quoted;
      cell = quoted ? "" : cell;
    } else if (quoted) cell += one;
    else if (one === delimiter) end();
    else if (one === "\n") {
      end();
      rows.push(row);
      row = [];
    } else if (one !== "\r") cell += one;
  }
  if ((cell || row.length) && rows.length < most) {
    end();
    rows.push(row);
  }
  return rows;
};

/** Returns the delimiter that gives the most rows the same number of cells. */
const delimiterOf = (text) => {
  const worth = (delimiter) => {
    const counts = new Map();
    for (const { length } of rowsOf(text, delimiter, 60))
      if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1);
    const [cells, rows] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [0, 0];
    return rows * 100 + cells;
  };
  return DELIMITERS.map((one) => [worth(one), one]).sort((a, b) => Number(b[0]) - Number(a[0]))[0][1];
};

const plain = (text) => text.trim().replace(/^'/, "");
const isDate = (text) => DATES.some(([, , shape]) => shape.test(plain(text)));
const isFigure = (text) => /^[-+(]?\s*(rp|idr|[$\u20ac])?\s*[-+]?\d[\d.,\s]*\)?\s*(cr|db|d|k)?$/i.test(plain(text));
const known = (text) => Object.values(HEADINGS).some((names) => names.includes(text.trim().toLowerCase()));

/** Returns the index of the row with headings, or -1 without one. */
const headOf = (rows) => {
  const at = rows.findIndex((row) => row.length > 1 && row.filter(known).length >= 2 && !row.some(isDate));
  return at;
};

/** Returns the date format of a column; a day above 12 shows which of the first two figures is the month. */
export const dateOf = (values) => {
  const given = values.map(plain).filter(isDate);
  const first = given.some((text) => Number(text.split("/")[0]) > 12);
  const second = given.some((text) => Number(text.split("/")[1]) > 12);
  const fits = DATES.filter(([, , shape]) => given.length && given.every((text) => shape.test(text)));
  return (fits.find(([format]) => (format === "%m/%d/%Y") === (second && !first)) ?? fits[0])?.[0] ?? "%Y-%m-%d";
};

/** Returns the field of each column by its heading; of several columns the best match. */
const byHeading = (heads, kind) => {
  const fields = heads.map(() => "");
  for (const field of fieldsOf(kind)) {
    const names = HEADINGS[field];
    const places = heads.map((head, at) => [names.indexOf(head.trim().toLowerCase()), at]);
    const free = places.filter(([rank, at]) => rank >= 0 && !fields[at]).sort((a, b) => a[0] - b[0]);
    for (const [, at] of field === "fee" ? free : free.slice(0, 1)) fields[at] = field;
  }
  return fields;
};

/** Without headings: the first column of dates, the one of figures, and the longest text. */
const byValue = (rows) => {
  const width = Math.max(...rows.map((row) => row.length));
  const column = (at) => rows.map((row) => row[at] ?? "").filter((text) => text.trim());
  const all = Array.from({ length: width }, (_, at) => column(at));
  const fields = all.map(() => "");
  const put = (field, at) => at >= 0 && !fields[at] && (fields[at] = field);
  put(
    "date",
    all.findIndex((values) => values.length && values.every(isDate)),
  );
  put(
    "amount",
    all.findIndex((values, at) => !fields[at] && values.length && values.every(isFigure)),
  );
  const long = all.map((values, at) => [fields[at] ? 0 : values.join("").length, at]).sort((a, b) => b[0] - a[0])[0];
  if (long && long[0]) put("description", long[1]);
  return fields;
};

/**
 * What is known of a file before anybody says anything: its first rows, its headings, and what each column seems to
 * hold.
 * @param {ArrayBuffer} bytes
 * @param {string} kind Of the source.
 */
export const survey = (bytes, kind) => {
  const [encoding, text] = decoded(bytes);
  const delimiter = delimiterOf(text);
  const rows = rowsOf(text, delimiter);
  const head = headOf(rows);
  const heads = head < 0 ? [] : rows[head];
  const body = rows.slice(head + 1).filter((row) => row.some((cell) => cell.trim()));
  const wide = head < 0 ? body : body.filter((row) => row.length >= heads.length - 1);
  const template = TEMPLATES.find((one) => one.heads.every((name) => heads.map((text) => text.trim()).includes(name)));
  const fields = template
    ? fromColumns(template.csv.columns, heads, kind)
    : head < 0
      ? byValue(wide)
      : byHeading(heads, kind);
  const dated = fields.indexOf("date");
  const date = template?.csv.date_format ?? dateOf(dated < 0 ? [] : wide.map((row) => row[dated] ?? ""));
  return { encoding, delimiter, heads, rows: wide, fields, date, template: template?.name ?? "" };
};

/** The field of each column as a format has them; a field that it does not name has the heading of its name. */
export const fromColumns = (columns, heads, kind) => {
  const fields = heads.map(() => "");
  const named = heads.map((head) => head.trim().toLowerCase());
  for (const [field, column] of Object.entries(columns ?? {}))
    for (const one of [column].flat()) {
      const at = typeof one === "number" ? one - 1 : named.indexOf(one.trim().toLowerCase());
      if (at >= 0 && at < fields.length) fields[at] = field;
    }
  for (const field of fieldsOf(kind)) {
    const at = named.indexOf(field);
    if (!(field in (columns ?? {})) && at >= 0 && !fields[at]) fields[at] = field;
  }
  return fields;
};

/** Columns as the source stores them: by heading if the headings are unique, otherwise by number. */
export const columnsOf = (fields, heads) => {
  const chosen = fields.map((field, at) => [field, at]).filter(([field]) => field);
  const names = heads.map((head) => head.trim().toLowerCase());
  const plainly = chosen.every(([, at]) => names[at] && names.indexOf(names[at]) === names.lastIndexOf(names[at]));
  const columns = {};
  for (const [field, at] of chosen) {
    const one = plainly ? heads[at].trim() : at + 1;
    columns[field] = field in columns ? [columns[field], one].flat() : one;
  }
  return columns;
};
