//! The rows of a file of separated values. Nothing of a file is gathered here: each row is given when it is asked for.

use std::borrow::Cow;

/// Most columns of a row.
pub const COLUMNS_MAX: usize = 256;
/// Most rows of a file that hold nothing.
pub const BLANK_ROWS_MAX: usize = 100_000;
/// The longest cell in quotes, in bytes. A quote that is not closed within it is part of the text.
const QUOTED_BYTES_MAX: usize = 64 * 1024;
/// Separators that are looked for; of equally good ones the first.
const SEPARATORS: [char; 4] = [';', ',', '\t', '|'];
/// Number of lines that are looked at for the separator.
const LOOKED_AT: usize = 20;

/// A row with the number of its first line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<'a> {
    /// From 1, as an editor counts.
    pub line: u64,
    /// Cells without outer spaces.
    pub cells: Vec<Cow<'a, str>>,
    /// Whether a cell begins with a quote that is not closed: the cells behind it may be others.
    pub is_unclosed: bool,
}

impl Row<'_> {
    /// The cell at a place from 0; empty where the row is shorter.
    pub fn cell(&self, place: usize) -> &str {
        self.cells.get(place).map_or("", |cell| cell.as_ref())
    }
}

/// Reason why a file can't be read on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowError {
    /// The line where that shows.
    pub line: u64,
    /// Description of the problem, for people.
    pub problem: String,
}

/// End of a cell.
enum End {
    Separator,
    Row,
}

/// The non-empty rows of a text, in order.
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    rest: &'a str,
    separator: char,
    line: u64,
    blank: usize,
    failed: bool,
    /// Whether a cell of the row that is read has a quote without an end.
    is_unclosed: bool,
    /// Cells of the widest row so far.
    widest: usize,
}

impl<'a> Rows<'a> {
    /// The rows after `skipped` lines; without a separator, the one that the rows agree on. A first line such as
    /// `sep=;` names the separator and is not a row.
    pub fn new(text: &'a str, separator: Option<char>, skipped: u32) -> Self {
        let named = text.lines().next().and_then(named_separator);
        let skipped = if named.is_some() { skipped.max(1) } else { skipped };
        let (mut rest, mut line) = (text, 1_u64);
        for _ in 0..skipped {
            if rest.is_empty() {
                break;
            }
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
            line = line.saturating_add(1);
        }
        let separator = named.or(separator).unwrap_or_else(|| most_agreed(rest));
        Self { rest, separator, line, blank: 0, failed: false, is_unclosed: false, widest: 0 }
    }

    /// Delimiter of the cells.
    pub fn separator(&self) -> char {
        self.separator
    }

    fn read_row(&mut self) -> Result<Row<'a>, RowError> {
        let line = self.line;
        self.is_unclosed = false;
        let mut cells = Vec::new();
        loop {
            let (cell, end) = self.read_cell();
            if cells.len() == COLUMNS_MAX {
                let problem = format!("has more than {COLUMNS_MAX} columns");
                return Err(RowError { line, problem });
            }
            cells.push(cell);
            if matches!(end, End::Row) {
                self.widest = self.widest.max(cells.len());
                return Ok(Row { line, cells, is_unclosed: self.is_unclosed });
            }
        }
    }

    fn read_cell(&mut self) -> (Cow<'a, str>, End) {
        let indented = self.rest.trim_start_matches(' ');
        if let Some(opened) = indented.strip_prefix('"')
            && let Some((text, behind)) = quoted(opened)
            && !self.swallows(opened, behind)
        {
            self.line = self.line.saturating_add(lines(opened, behind));
            let (tail, end) = self.up_to_end(behind);
            return match tail.trim() {
                "" => (trimmed(text), end),
                tail => (Cow::Owned(text.trim().to_owned() + tail), end),
            };
        }
        self.is_unclosed |= indented.starts_with('"');
        let (text, end) = self.up_to_end(self.rest);
        (Cow::Borrowed(text.trim()), end)
    }

    /// Whether a quote ends in another cell than it begins in: rows are in between, or text follows its end.
    fn swallows(&self, opened: &str, behind: &str) -> bool {
        let end = opened.len().checked_sub(behind.len()).and_then(|end| end.checked_sub(1));
        let within = end.and_then(|end| opened.get(..end)).unwrap_or_default();
        let tail = behind.split([self.separator, '\n']).next().unwrap_or_default();
        let is_whole = tail.trim().is_empty();
        (!is_whole && within.contains([self.separator, '\n']))
            || within.split('\n').skip(1).any(|line| self.is_row(line))
    }

    /// Whether a line within a cell reads as a row: it has as many separators as the widest one, or a day and cells.
    fn is_row(&self, line: &str) -> bool {
        let separators = line.matches(self.separator).count();
        let (first, _) = line.split_once(self.separator).unwrap_or_default();
        let is_wide = self.widest > 2 && separators.saturating_add(1) >= self.widest;
        is_wide || (separators > 0 && separators.saturating_add(2) >= self.widest && begins_with_day(first))
    }

    /// The text up to the end of a cell; the rest follows that end.
    fn up_to_end(&mut self, text: &'a str) -> (&'a str, End) {
        let separator = self.separator;
        let Some((cell, rest)) = text.split_once([separator, '\n']) else {
            self.rest = "";
            self.line = self.line.saturating_add(1);
            return (text, End::Row);
        };
        self.rest = rest;
        let ends_row = text.get(cell.len()..).is_some_and(|end| end.starts_with('\n'));
        if ends_row {
            self.line = self.line.saturating_add(1);
            return (cell, End::Row);
        }
        (cell, End::Separator)
    }
}

impl<'a> Iterator for Rows<'a> {
    type Item = Result<Row<'a>, RowError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() && !self.failed {
            let row = self.read_row();
            match row {
                Ok(row) if row.cells.iter().all(|cell| cell.is_empty()) => {
                    self.blank = self.blank.saturating_add(1);
                    if self.blank > BLANK_ROWS_MAX {
                        self.failed = true;
                        let problem = format!("follows more than {BLANK_ROWS_MAX} blank rows");
                        return Some(Err(RowError { line: row.line, problem }));
                    }
                }
                row => {
                    self.failed = row.is_err();
                    return Some(row);
                }
            }
        }
        None
    }
}

/// The text of a quoted cell, and the text after its closing quote.
fn quoted(opened: &str) -> Option<(Cow<'_, str>, &str)> {
    let (mut unescaped, mut from) = (String::new(), 0_usize);
    loop {
        let rest = opened.get(from..)?;
        let place = rest.find('"')?;
        let at = from.checked_add(place)?;
        if at > QUOTED_BYTES_MAX {
            return None;
        }
        let behind = opened.get(at.checked_add(1)?..)?;
        if !behind.starts_with('"') {
            let last = opened.get(from..at)?;
            let text = match unescaped.is_empty() {
                true => Cow::Borrowed(last),
                false => Cow::Owned(unescaped + last),
            };
            return Some((text, behind));
        }
        unescaped.push_str(opened.get(from..=at)?);
        from = at.checked_add(2)?;
    }
}

/// Whether a cell begins with digits as a day has them: `18/11`, `18.11.2026`, `2026-11-18 10:00`, `20261118`.
fn begins_with_day(cell: &str) -> bool {
    let cell = cell.trim_matches(['"', '\'', ' ']);
    let day = cell.split([' ', 'T']).next().unwrap_or_default();
    let parts: Vec<&str> = day.split(['/', '-', '.']).collect();
    let digits = parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    digits && matches!(lengths.as_slice(), [8] | [1 | 2, 1 | 2] | [1 | 2, 1 | 2, 2 | 4] | [4, 1 | 2, 1 | 2])
}

fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

/// Number of lines that end between the beginning of a text and its end.
fn lines(text: &str, end: &str) -> u64 {
    let within = text.len().checked_sub(end.len()).and_then(|length| text.get(..length));
    u64::try_from(within.unwrap_or_default().matches('\n').count()).unwrap_or(u64::MAX)
}

/// The separator that a line such as `sep=;` names.
fn named_separator(line: &str) -> Option<char> {
    let line = line.trim_end_matches([' ', '"']).trim_start_matches('"');
    let start = line.get(..4)?;
    if !start.eq_ignore_ascii_case("sep=") {
        return None;
    }
    let named = line.get(4..)?;
    let mut characters = named.chars();
    let first = characters.next()?;
    characters.next().is_none().then_some(first).filter(|c| !c.is_alphanumeric())
}

/// The separator that most of the first lines have in equal numbers outside of quotes; of several, the one with more
/// occurrences in a line.
fn most_agreed(text: &str) -> char {
    let mut counts: Vec<[usize; SEPARATORS.len()]> = Vec::new();
    let mut line = [0_usize; SEPARATORS.len()];
    let mut is_quoted = false;
    for c in text.chars().take(QUOTED_BYTES_MAX) {
        match c {
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '\n' => {
                counts.push(std::mem::take(&mut line));
                if counts.len() == LOOKED_AT {
                    break;
                }
            }
            _ => {
                let found = SEPARATORS.iter().zip(&mut line).find(|(separator, _)| **separator == c);
                if let Some((_, count)) = found {
                    *count = count.saturating_add(1);
                }
            }
        }
    }
    counts.push(line);
    let score = |place: usize| {
        let of = || counts.iter().filter_map(|line| line.get(place).copied()).filter(|count| *count > 0);
        let agreeing = |count: usize| of().filter(|other| *other == count).count();
        of().map(|count| (agreeing(count), count)).max().unwrap_or_default()
    };
    let ranked = SEPARATORS.iter().enumerate().rev().max_by_key(|(place, _)| score(*place));
    ranked.filter(|(place, _)| score(*place) > (0, 0)).map_or(',', |(_, separator)| *separator)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;

    fn read(text: &str, separator: Option<char>, skipped: u32) -> Vec<(u64, Vec<String>)> {
        let row = |row: Result<Row<'_>, RowError>| {
            let row = row.unwrap();
            (row.line, row.cells.into_iter().map(Cow::into_owned).collect())
        };
        Rows::new(text, separator, skipped).map(row).collect()
    }

    #[test]
    fn rows_have_the_numbers_of_their_lines() {
        let text = "Bank\n\na,b\n\n,\n\"x\ny\",\"say \"\"hi\"\"\"\n 1 , 2 \n";
        let rows = read(text, None, 1);
        let joined: Vec<_> = rows.iter().map(|(line, cells)| (*line, cells.join("|"))).collect();
        let expected = [(3, "a|b"), (6, "x\ny|say \"hi\""), (8, "1|2")];
        assert_eq!(joined, expected.map(|(line, cells)| (line, cells.to_owned())));
    }

    #[test]
    fn a_quote_that_is_not_closed_is_text() {
        assert_eq!(read("a,b\n1,\"x\n2,y\n", None, 0).get(1).unwrap().1, ["1", "\"x"]);
        assert_eq!(read("\"a\"b,=\"c\"\n", Some(','), 0).first().unwrap().1, ["ab", "=\"c\""]);
    }

    #[test]
    fn quotes_that_are_not_closed_swallow_no_rows() {
        let text = "Tanggal,Uraian,Nominal,Saldo\n17/11/2026,SETOR A,100000,1100000\n\
                    18/11/2026,\"14 LAPTOP SLEEVE,50000,1150000\n18/11/2026,SETOR B,60000,1210000\n\
                    19/11/2026,SETOR C,70000,1280000\n20/11/2026,\"15 LAPTOP SLEEVE,80000,1360000\n\
                    20/11/2026,SETOR D,90000,1450000\n";
        let rows = read(text, None, 0);
        let cells: Vec<_> =
            rows.iter().map(|(line, cells)| (*line, cells.len(), cells[2].as_str())).collect();
        let figures = ["Nominal", "100000", "50000", "60000", "70000", "80000", "90000"];
        let expected: Vec<_> = (1..).zip(figures).map(|(line, figure)| (line, 4, figure)).collect();
        assert_eq!(cells, expected);
        // A cell of several lines, also with days and separators in its text, is one cell.
        for cell in ["Jl. Mawar 1,\nJakarta", "paid\n18/11/2026 by card", "a\n\nb, c"] {
            let text = format!("date,text,amount,balance\n18/11/2026,\"{cell}\",5,6\n");
            assert_eq!(read(&text, None, 0)[1].1, ["18/11/2026", cell, "5", "6"]);
        }
        let text = "a,b,c\n1,\"14 LAPTOP,2,\"x\" y\n3,4,5\n";
        assert_eq!(read(text, None, 0)[1].1, ["1", "\"14 LAPTOP", "2", "xy"]);
    }

    #[test]
    fn the_separator_is_named_or_agreed_on() {
        for (text, separator) in [
            ("sep=|\na,b|c\n", '|'),
            ("a;b;c,d", ';'),
            ("a,b;c", ';'),
            ("\"a;;;\",b", ','),
            ("a\tb", '\t'),
            ("Toko, Contoh\ndate;amount\n1;2,5\n2;3\n", ';'),
            ("date\n", ','),
            ("No\tDebit\n1\tRp 1.000,00\n", '\t'),
        ] {
            assert_eq!(Rows::new(text, None, 0).separator(), separator, "{text}");
        }
        assert_eq!(read("sep=;\na;b\n", None, 0), [(2, vec!["a".to_owned(), "b".to_owned()])]);
    }

    #[test]
    fn columns_and_blank_rows_are_bounded() {
        let wide = ",".repeat(COLUMNS_MAX);
        assert!(Rows::new(&wide, None, 0).next().unwrap().unwrap_err().problem.contains("256 columns"));
        let blank = ",\n".repeat(BLANK_ROWS_MAX + 1);
        let mut rows = Rows::new(&blank, None, 0);
        assert!(rows.next().unwrap().unwrap_err().problem.contains("blank rows"));
        assert!(rows.next().is_none());
    }

    #[test]
    fn lines_beyond_the_end_are_not_skipped_one_by_one() {
        assert_eq!(read("a\n", None, u32::MAX), []);
    }
}
