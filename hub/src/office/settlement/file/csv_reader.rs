//! Statements as CSV: every bad row is named, and then nothing of the file is used.

use crate::office::settlement::file::amount::amount;
use crate::office::settlement::file::format::{ColumnName, Delimiter, Encoding, FIELDS, Format};
use crate::office::settlement::file::line::{Bounds, check_line};
use domain::model::base::refusal::FieldProblem;
use domain::rules::books::settlement::import::{Figures, TextLine};
use domain::rules::books::settlement::{LineKind, SourceKind};
use jiff::civil::Date;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Delimiters that are looked for, of equal ones the first.
const DELIMITERS: [u8; 4] = [b';', b',', b'\t', b'|'];
/// What bytes 0x80 to 0x9f are in windows-1252; the others are as in Unicode.
const WINDOWS_1252: [char; 32] = [
    '\u{20ac}', '\u{81}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{2c6}',
    '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8d}', '\u{17d}', '\u{8f}', '\u{90}', '\u{2018}',
    '\u{2019}', '\u{201c}', '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{2dc}', '\u{2122}', '\u{161}',
    '\u{203a}', '\u{153}', '\u{9d}', '\u{17e}', '\u{178}',
];

/// A row by its number in the file.
type NumberedRow = (u64, csv::StringRecord);

/// Reads the lines of a file.
///
/// # Errors
/// Each bad cell with its row.
pub fn read(
    bytes: &[u8],
    format: &Format,
    kind: SourceKind,
    bounds: &Bounds,
) -> Result<Vec<TextLine>, Vec<FieldProblem>> {
    let mut bytes = Cow::Borrowed(bytes);
    if !bytes.contains(&b'\n') {
        // Rows end by CR alone: they are counted and skipped like others.
        bytes.to_mut().iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
    }
    let text = decoded(&bytes, format.encoding).map_err(|row| vec![at(row, None, "is not UTF-8")])?;
    let skipped = u64::from(format.skip_rows);
    let text = rest_after(&text, format.skip_rows);
    let mut rows = rows(text, format, skipped)?.into_iter();
    let Some((header_row, header)) = rows.next() else {
        return Err(vec![at(1, None, "is empty: a statement has a header and lines")]);
    };
    let columns = columns(&header, format, kind).map_err(|problem| vec![at(header_row, None, &problem)])?;
    let mut rows: Vec<NumberedRow> =
        rows.filter(|(_, row)| row.iter().any(|cell| !cell.is_empty())).collect();
    let kept = rows.len().saturating_sub(usize::try_from(format.skip_footer).unwrap_or(usize::MAX));
    rows.truncate(kept);
    if rows.is_empty() {
        return Err(vec![at(header_row, None, "is followed by no line")]);
    }
    bounds.limits.check_rows(rows.len()).map_err(|problem| vec![at(header_row, None, &problem)])?;
    let (mut lines, mut problems) = (Vec::new(), Vec::new());
    for (number, row) in rows {
        let cells = Cells { number, row: &row, columns: &columns, format };
        match cells.line(kind, bounds) {
            Ok(line) => lines.push(line),
            Err(wrong) => problems.extend(wrong),
        }
    }
    if problems.is_empty() { Ok(lines) } else { Err(problems) }
}

fn at(row: u64, field: Option<&str>, problem: &str) -> FieldProblem {
    let path = match field {
        Some(field) => format!("row {row}.{field}"),
        None => format!("row {row}"),
    };
    FieldProblem { path, problem: problem.to_owned() }
}

/// The text of a file; or the row that is none.
fn decoded(bytes: &[u8], encoding: Encoding) -> Result<String, u64> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match encoding {
        Encoding::Utf8 => std::str::from_utf8(bytes).map(str::to_owned).map_err(|error| {
            let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let rows = good.iter().filter(|byte| **byte == b'\n').count();
            u64::try_from(rows).unwrap_or(u64::MAX).saturating_add(1)
        }),
        Encoding::Windows1252 => Ok(bytes.iter().map(|byte| of_windows(*byte)).collect()),
    }
}

fn of_windows(byte: u8) -> char {
    let place = usize::from(byte).checked_sub(0x80);
    place.and_then(|place| WINDOWS_1252.get(place)).copied().unwrap_or(char::from(byte))
}

/// The text after so many lines.
fn rest_after(text: &str, lines: u32) -> &str {
    (0..lines).fold(text, |text, _| text.split_once('\n').map_or("", |(_, rest)| rest))
}

fn rows(text: &str, format: &Format, skipped: u64) -> Result<Vec<NumberedRow>, Vec<FieldProblem>> {
    let delimiter = match format.delimiter {
        Delimiter::Auto => most_frequent(text),
        Delimiter::Comma => b',',
        Delimiter::Semicolon => b';',
        Delimiter::Tab => b'\t',
        Delimiter::Bar => b'|',
    };
    let mut builder = csv::ReaderBuilder::new();
    builder.delimiter(delimiter).flexible(true).has_headers(false).trim(csv::Trim::All);
    let mut reader = builder.from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| vec![at(skipped.saturating_add(1), None, &error.to_string())])?;
        let number = row.position().map_or(1, csv::Position::line).saturating_add(skipped);
        rows.push((number, row));
    }
    Ok(rows)
}

/// The delimiter that the first row has most of outside quotes.
fn most_frequent(text: &str) -> u8 {
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut quoted = false;
    for byte in text.bytes() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => break,
            _ if quoted => {}
            _ => {
                let found = DELIMITERS.iter().zip(&mut counts).find(|(delimiter, _)| **delimiter == byte);
                if let Some((_, count)) = found {
                    *count = count.saturating_add(1);
                }
            }
        }
    }
    let ranked = DELIMITERS.iter().zip(counts).rev().max_by_key(|(_, count)| *count);
    ranked.map_or(b',', |(delimiter, _)| *delimiter)
}

/// Where each field is.
fn columns(
    header: &csv::StringRecord,
    format: &Format,
    kind: SourceKind,
) -> Result<BTreeMap<&'static str, usize>, String> {
    let names: Vec<String> = header.iter().map(|name| name.trim().to_lowercase()).collect();
    let mut columns = BTreeMap::new();
    for field in FIELDS {
        let place = match format.columns.get(field) {
            Some(ColumnName::Number(number)) => {
                let place = usize::try_from(*number).ok().and_then(|number| number.checked_sub(1));
                Some(
                    place
                        .filter(|place| *place < names.len())
                        .ok_or_else(|| format!("has no column {number}, which is to be {field}"))?,
                )
            }
            Some(ColumnName::Header(name)) => {
                let wanted = name.trim().to_lowercase();
                let place = names.iter().position(|name| *name == wanted);
                Some(place.ok_or_else(|| format!("has no column \"{name}\", which is to be {field}"))?)
            }
            None => names.iter().position(|name| name == field),
        };
        if let Some(place) = place {
            columns.insert(field, place);
        }
    }
    let has = |field: &str| columns.contains_key(field);
    if !has("date") {
        return Err("has no column date".to_owned());
    }
    let both = has("debit") && has("credit");
    let amounts = match kind {
        SourceKind::Provider => has("amount") || has("gross") || has("net") || both,
        SourceKind::Bank => has("amount") || has("net") || both,
    };
    if amounts { Ok(columns) } else { Err("has no column with an amount".to_owned()) }
}

/// The cells of a row by their fields.
struct Cells<'a> {
    number: u64,
    row: &'a csv::StringRecord,
    columns: &'a BTreeMap<&'static str, usize>,
    format: &'a Format,
}

impl Cells<'_> {
    fn cell(&self, field: &str) -> &str {
        self.columns.get(field).and_then(|place| self.row.get(*place)).unwrap_or_default()
    }

    fn text(&self, field: &str) -> Option<String> {
        Some(self.cell(field).to_owned()).filter(|text| !text.is_empty())
    }

    fn line(&self, kind: SourceKind, bounds: &Bounds) -> Result<TextLine, Vec<FieldProblem>> {
        let mut problems = Vec::new();
        let mut wrong = |field: &str, problem: &str| problems.push(at(self.number, Some(field), problem));
        let date = Date::strptime(&self.format.date_format, self.cell("date"));
        if date.is_err() {
            wrong("date", &format!("is no day of the form {}", self.format.date_format));
        }
        let mut figure = |field: &str| {
            let text = self.cell(field);
            if text.is_empty() {
                return None;
            }
            amount(text, self.format.decimal).map_err(|problem| wrong(field, problem)).ok()
        };
        let mut figures = Figures {
            amount: figure("amount"),
            gross: figure("gross"),
            fee: figure("fee"),
            net: figure("net"),
        };
        let (debit, credit) = (figure("debit"), figure("credit"));
        if debit.is_some() || credit.is_some() {
            let sum =
                credit.unwrap_or(0).saturating_abs().saturating_sub(debit.unwrap_or(0).saturating_abs());
            figures.amount = Some(sum);
        }
        if self.format.negate {
            for figure in [&mut figures.amount, &mut figures.gross, &mut figures.net] {
                *figure = figure.map(i64::saturating_neg);
            }
        }
        let (Ok(date), true) = (date, problems.is_empty()) else { return Err(problems) };
        let [gross, fee, net] =
            figures.of(kind).map_err(|problem| vec![at(self.number, Some("amount"), problem)])?;
        let said = self.cell("type").to_lowercase();
        let typed = self.format.types.iter().find(|(text, _)| text.to_lowercase() == said);
        let named = LineKind::parse(typed.map_or(said.as_str(), |(_, kind)| kind.as_str()));
        if named.is_none() && !said.is_empty() {
            let problem =
                format!("{:?} is no type of a line, and csv.types does not name it", self.cell("type"));
            return Err(vec![at(self.number, Some("type"), &problem)]);
        }
        let line = TextLine {
            date,
            reference: self.cell("reference").to_owned(),
            description: self.cell("description").to_owned(),
            kind: named.unwrap_or(LineKind::by_sign(kind, gross.or(net).unwrap_or(0))),
            batch: self.text("batch"),
            store_ref: self.text("store_ref"),
            gross,
            fee,
            net,
        };
        let problems = check_line(&line, bounds);
        if problems.is_empty() {
            return Ok(line);
        }
        Err(problems.into_iter().map(|(field, problem)| at(self.number, Some(field), &problem)).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;
    use crate::config::Limits;
    use jiff::civil::date;

    fn bounds() -> Bounds {
        Bounds { today: date(2026, 11, 21), limits: Limits { import_rows: 10, ..Limits::default() } }
    }

    fn story() -> Format {
        let header = |field: &str, name: &str| (field.to_owned(), ColumnName::Header(name.to_owned()));
        Format {
            date_format: "%d/%m/%Y".to_owned(),
            columns: BTreeMap::from([
                header("date", "tanggal"),
                header("reference", "Referensi"),
                header("amount", " Bruto "),
                header("fee", "Biaya"),
            ]),
            ..Format::default()
        }
    }

    #[test]
    fn a_providers_file_is_read_as_spreadsheets_write_it() {
        let file = "\u{feff}Tanggal;Referensi;Bruto;Biaya;Batch\r\n20/11/2026;C-1001;155.400;2.331;77\r\n\
                    20/11/2026;R-1001;-62.160;0;77\r\n;;;;\r\n";
        let lines = read(file.as_bytes(), &story(), SourceKind::Provider, &bounds()).unwrap();
        let figures: Vec<_> = lines.iter().map(|line| (line.gross, line.fee, line.net, line.kind)).collect();
        let expected = [
            (Some(155_400), Some(2_331), Some(153_069), LineKind::Sale),
            (Some(-62_160), Some(0), Some(-62_160), LineKind::Refund),
        ];
        assert_eq!(figures, expected);
        assert_eq!((lines[0].reference.as_str(), lines[0].batch.as_deref()), ("C-1001", Some("77")));
    }

    #[test]
    fn a_banks_file_has_nets_alone() {
        let file =
            "date,reference,amount\n2026-11-19,QR 18NOV,110223\n2026-11-20,\"PARKIR, \n\"\"A\"\"\",(5000)\n";
        let lines = read(file.as_bytes(), &Format::default(), SourceKind::Bank, &bounds()).unwrap();
        assert_eq!(lines.iter().map(|line| line.net).collect::<Vec<_>>(), [Some(110_223), Some(-5_000)]);
        assert_eq!(lines[1].reference, "PARKIR, \n\"A\"");
        let sides = "date|debit|credit\n2026-11-19|5.000|\n2026-11-19||7.000\n";
        let lines = read(sides.as_bytes(), &Format::default(), SourceKind::Bank, &bounds()).unwrap();
        assert_eq!(lines.iter().map(|line| line.net).collect::<Vec<_>>(), [Some(-5_000), Some(7_000)]);
        // Of a machine that ends rows by CR alone.
        let old = Format { skip_rows: 1, ..Format::default() };
        let file = "Bank\rdate,amount\r2026-11-19,5\r2026-11-19,x\r";
        let wrong = read(file.as_bytes(), &old, SourceKind::Bank, &bounds()).unwrap_err();
        assert_eq!(wrong.iter().map(|field| field.path.as_str()).collect::<Vec<_>>(), ["row 4.amount"]);
    }

    #[test]
    fn every_bad_row_is_named() {
        let file = "date,reference,amount\n2026-11-22,a,1\n2026-11-20,b,=1\n20.11.2026,c,1.5\n2020-01-01,d,7\n\
                    2026-11-20,e\0,7\n2026-11-20,f,\n";
        let wrong = read(file.as_bytes(), &Format::default(), SourceKind::Bank, &bounds()).unwrap_err();
        let paths: Vec<&str> = wrong.iter().map(|field| field.path.as_str()).collect();
        let expected = [
            "row 2.date",
            "row 3.amount",
            "row 4.date",
            "row 4.amount",
            "row 5.date",
            "row 6.reference",
            "row 7.amount",
        ];
        assert_eq!(paths, expected);
    }

    #[test]
    fn a_type_that_nobody_knows_is_refused_and_none_goes_by_the_sign() {
        let format = Format {
            types: BTreeMap::from([("Tolakan".to_owned(), "chargeback".to_owned())]),
            ..Format::default()
        };
        let read = |types: [&str; 3]| {
            let [a, b, c] = types;
            let file = format!(
                "date,reference,amount,fee,type\n2026-11-20,a,1,0,{a}\n2026-11-20,b,-1,0,{b}\n2026-11-20,c,-1,0,{c}\n"
            );
            read(file.as_bytes(), &format, SourceKind::Provider, &bounds())
        };
        let kinds: Vec<_> = read(["Sale", "", "tolakan"]).unwrap().iter().map(|line| line.kind).collect();
        assert_eq!(kinds, [LineKind::Sale, LineKind::Refund, LineKind::Chargeback]);
        let wrong = read(["sale", "chargebck", "tolakan"]).unwrap_err();
        assert_eq!(wrong.len(), 1);
        assert_eq!(wrong[0].path, "row 3.type");
        assert!(wrong[0].problem.starts_with("\"chargebck\""), "{}", wrong[0].problem);
    }

    #[test]
    fn a_file_that_is_none_is_refused_as_a_whole() {
        let path = |bytes: &[u8], format: &Format| {
            read(bytes, format, SourceKind::Bank, &bounds()).unwrap_err().remove(0).path
        };
        let plain = Format::default();
        assert_eq!(path(b"", &plain), "row 1");
        assert_eq!(path(b"date,amount\n", &plain), "row 1");
        assert_eq!(path(b"date,reference\n2026-11-20,x\n", &plain), "row 1");
        assert_eq!(path(b"date,amount\n2026-11-20,1\n\xff,1\n", &plain), "row 3");
        let skips = Format { skip_rows: 2, skip_footer: 1, ..Format::default() };
        let file = b"Bank\n20 Nov\ndate,amount\n2026-11-20,1\nTotal,1\n";
        assert_eq!(read(file, &skips, SourceKind::Bank, &bounds()).unwrap().len(), 1);
        let many = format!("date,amount\n{}", "2026-11-20,1\n".repeat(11));
        assert_eq!(path(many.as_bytes(), &plain), "row 1");
    }

    #[test]
    fn older_programs_write_windows_1252() {
        let format = Format { encoding: Encoding::Windows1252, ..Format::default() };
        let file = b"date,reference,amount\n2026-11-20,Caf\xe9 \x80,1\n";
        assert_eq!(read(file, &format, SourceKind::Bank, &bounds()).unwrap()[0].reference, "Café €");
    }

    #[test]
    fn the_delimiter_is_the_one_that_the_header_has_most_of() {
        for (header, delimiter) in
            [("a;b;c,d", b';'), ("a,b;c", b';'), ("\"a;;;\",b", b','), ("a\tb", b'\t'), ("a|b", b'|')]
        {
            assert_eq!(most_frequent(header), delimiter, "{header}");
        }
    }
}
