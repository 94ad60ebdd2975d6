//! Statements as CAMT.053, whatever its version: elements are known by their local names. What declares a document type is
//! refused, so that no entity is ever expanded.

use crate::office::settlement::file::amount::amount;
use crate::office::settlement::file::format::Decimal;
use crate::office::settlement::file::line::{Bounds, check_line};
use domain::model::base::refusal::FieldProblem;
use domain::rules::books::settlement::LineKind;
use domain::rules::books::settlement::import::TextLine;
use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;

/// Nothing of a statement is nested as deep.
const DEPTH_MAX: usize = 64;
/// Of descriptions.
const TEXT_BYTES_MAX: usize = 500;
/// Stands where a payer gave no reference.
const NOT_PROVIDED: &str = "NOTPROVIDED";

/// What a file tells.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CamtStatement {
    /// What it begins with.
    pub opening: Option<i64>,
    /// What it ends with.
    pub closing: Option<i64>,
    /// Its booked entries.
    pub lines: Vec<TextLine>,
}

/// An entry or a balance, as far as it is read: texts by the path below it.
type Texts = Vec<(String, String)>;

/// A file on its way into lines.
struct Walk<'a> {
    bounds: &'a Bounds,
    path: Vec<String>,
    text: String,
    texts: Texts,
    statements: usize,
    entries: usize,
    told: CamtStatement,
    problems: Vec<FieldProblem>,
}

/// Reads the lines of a file.
///
/// # Errors
/// Each bad entry, or what is wrong with the file.
pub fn read(bytes: &[u8], bounds: &Bounds) -> Result<CamtStatement, Vec<FieldProblem>> {
    let text = std::str::from_utf8(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let text = text.map_err(|_| whole("is not UTF-8"))?;
    let mut reader = Reader::from_str(text);
    let mut walk = Walk {
        bounds,
        path: Vec::new(),
        text: String::new(),
        texts: Texts::new(),
        statements: 0,
        entries: 0,
        told: CamtStatement::default(),
        problems: Vec::new(),
    };
    loop {
        let event = reader.read_event().map_err(|error| whole(&format!("is no XML: {error}")))?;
        if matches!(event, Event::Eof) {
            break;
        }
        walk.take(event).map_err(|problem| whole(&problem))?;
    }
    match () {
        () if !walk.problems.is_empty() => Err(walk.problems),
        () if !walk.path.is_empty() => Err(whole("breaks off")),
        () if walk.statements != 1 => Err(whole("must have one statement (Stmt)")),
        () if walk.told.lines.is_empty() => Err(whole("has no booked entry (Ntry)")),
        () => match bounds.limits.check_rows(walk.told.lines.len()) {
            Ok(()) => Ok(walk.told),
            Err(problem) => Err(whole(&problem)),
        },
    }
}

fn whole(problem: &str) -> Vec<FieldProblem> {
    vec![FieldProblem { path: "file".to_owned(), problem: problem.to_owned() }]
}

impl Walk<'_> {
    /// One piece of the file.
    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        let unreadable = |error: &dyn std::fmt::Display| format!("is no XML: {error}");
        match event {
            Event::DocType(_) => return Err("must not declare a document type".to_owned()),
            Event::Start(start) => {
                if self.path.len() >= DEPTH_MAX {
                    return Err("is nested too deep".to_owned());
                }
                let name = String::from_utf8_lossy(start.local_name().into_inner()).into_owned();
                if ["Ntry", "Bal"].contains(&name.as_str()) {
                    self.texts.clear();
                }
                self.path.push(name);
                self.text.clear();
            }
            Event::Text(text) => self.text.push_str(&text.decode().map_err(|error| unreadable(&error))?),
            Event::CData(text) => self.text.push_str(&text.decode().map_err(|error| unreadable(&error))?),
            Event::GeneralRef(named) => {
                let name = named.decode().map_err(|error| unreadable(&error))?;
                match named.resolve_char_ref() {
                    Ok(Some(character)) => self.text.push(character),
                    _ => match resolve_predefined_entity(&name) {
                        Some(known) => self.text.push_str(known),
                        None => return Err(format!("names the unknown entity {name}")),
                    },
                }
            }
            Event::End(_) => self.end(),
            _ => {}
        }
        Ok(())
    }

    /// An element is over.
    fn end(&mut self) {
        let text = std::mem::take(&mut self.text).trim().to_owned();
        let within = self.path.iter().rposition(|name| name == "Ntry" || name == "Bal");
        if let Some(below) = within.and_then(|place| self.path.get(place.saturating_add(1)..))
            && !below.is_empty()
            && !text.is_empty()
        {
            self.texts.push((below.join("/"), text));
        }
        match self.path.pop().as_deref() {
            Some("Ntry") => self.entry(),
            Some("Bal") => self.balance(),
            Some("Stmt") => self.statements = self.statements.saturating_add(1),
            _ => {}
        }
    }

    /// The first text of a path.
    fn first(&self, path: &str) -> Option<&str> {
        self.texts.iter().find(|(known, _)| known == path).map(|(_, text)| text.as_str())
    }

    /// What it is worth: money to us is above 0.
    fn signed(&self) -> Result<i64, &'static str> {
        let figure = amount(self.first("Amt").unwrap_or_default(), Decimal::Point)?;
        match self.first("CdtDbtInd") {
            Some("CRDT") => Ok(figure),
            Some("DBIT") => Ok(figure.saturating_neg()),
            _ => Err("must have CdtDbtInd CRDT or DBIT"),
        }
    }

    fn entry(&mut self) {
        self.entries = self.entries.saturating_add(1);
        let booked = self.first("Sts").or_else(|| self.first("Sts/Cd")).unwrap_or("BOOK");
        if booked != "BOOK" {
            return;
        }
        let (mut wrong, number) = (Vec::new(), self.entries);
        let date = self.first("BookgDt/Dt").or_else(|| self.first("BookgDt/DtTm")).unwrap_or_default();
        let date = date.get(..10).and_then(|date| date.parse().ok());
        let net = self.signed();
        if let Err(problem) = net {
            wrong.push(("amount", problem.to_owned()));
        }
        match date {
            None => wrong.push(("date", "must have a BookgDt".to_owned())),
            Some(date) if wrong.is_empty() => {
                let line = self.line(date, net.unwrap_or_default());
                wrong = check_line(&line, self.bounds);
                self.told.lines.push(line);
            }
            Some(_) => {}
        }
        self.problems.extend(
            wrong
                .into_iter()
                .map(|(field, problem)| FieldProblem { path: format!("entry {number}.{field}"), problem }),
        );
    }

    fn line(&self, date: jiff::civil::Date, net: i64) -> TextLine {
        let names =
            ["NtryDtls/TxDtls/Refs/EndToEndId", "AcctSvcrRef", "NtryDtls/TxDtls/Refs/AcctSvcrRef", "NtryRef"];
        let reference = names.iter().filter_map(|name| self.first(name)).find(|found| *found != NOT_PROVIDED);
        let words = self.texts.iter().filter(|(path, _)| path == "NtryDtls/TxDtls/RmtInf/Ustrd");
        let mut description = words.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(" ");
        if description.is_empty() {
            self.first("AddtlNtryInf").unwrap_or_default().clone_into(&mut description);
        }
        let cut = (0..=TEXT_BYTES_MAX).rev().find(|end| description.is_char_boundary(*end)).unwrap_or(0);
        description.truncate(cut);
        TextLine {
            date,
            reference: reference.unwrap_or_default().to_owned(),
            description,
            kind: LineKind::Other,
            batch: None,
            store_ref: None,
            gross: None,
            fee: None,
            net: Some(net),
        }
    }

    fn balance(&mut self) {
        let opens = match self.first("Tp/CdOrPrtry/Cd") {
            Some("OPBD") => true,
            Some("CLBD") => false,
            _ => return,
        };
        match self.signed() {
            Ok(figure) if opens => self.told.opening = Some(figure),
            Ok(figure) => self.told.closing = Some(figure),
            Err(problem) => self.problems.push(FieldProblem {
                path: if opens { "opening_balance".to_owned() } else { "closing_balance".to_owned() },
                problem: problem.to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;
    use crate::config::Limits;
    use jiff::civil::date;

    fn bounds() -> Bounds {
        Bounds {
            today: date(2026, 11, 21),
            limits: Limits { import_rows: 3, import_bytes: 1024, ..Limits::default() },
        }
    }

    fn entry(amount: &str, sign: &str, rest: &str) -> String {
        format!(
            "<Ntry><Amt Ccy=\"IDR\">{amount}</Amt><CdtDbtInd>{sign}</CdtDbtInd><BookgDt><Dt>2026-11-20</Dt></BookgDt>\
             {rest}</Ntry>"
        )
    }

    fn file(entries: &str) -> String {
        let balance = |code: &str, amount: &str| {
            format!(
                "<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt>{amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>"
            )
        };
        format!(
            "<?xml version=\"1.0\"?><n:Document xmlns:n=\"urn:iso\"><BkToCstmrStmt><Stmt>{}{}{entries}</Stmt>\
             </BkToCstmrStmt></n:Document>",
            balance("OPBD", "1000.00"),
            balance("CLBD", "111223")
        )
    }

    #[test]
    fn entries_become_lines() {
        let details = "<Sts><Cd>BOOK</Cd></Sts><NtryRef>7</NtryRef><NtryDtls><TxDtls><Refs><EndToEndId>NOTPROVIDED\
                       </EndToEndId></Refs><RmtInf><Ustrd>QR &amp; co</Ustrd><Ustrd>18NOV</Ustrd></RmtInf></TxDtls>\
                       </NtryDtls>";
        let plain = "<AcctSvcrRef>A-1</AcctSvcrRef><AddtlNtryInf>PARKIR</AddtlNtryInf>";
        let pending = entry("1", "CRDT", "<Sts>PDNG</Sts>");
        let text = file(&(entry("110223.00", "CRDT", details) + &pending + &entry("5", "DBIT", plain)));
        let told = read(text.as_bytes(), &bounds()).unwrap();
        assert_eq!((told.opening, told.closing), (Some(1_000), Some(111_223)));
        let lines: Vec<_> = told
            .lines
            .iter()
            .map(|line| (line.reference.as_str(), line.description.as_str(), line.net))
            .collect();
        assert_eq!(lines, [("7", "QR & co 18NOV", Some(110_223)), ("A-1", "PARKIR", Some(-5))]);
        assert_eq!(told.lines[0].date, date(2026, 11, 20));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let bomb = "<!DOCTYPE x [<!ENTITY a \"b\">]>".to_owned() + &file(&entry("1", "CRDT", ""));
        let many: String = (0..4).map(|_| entry("1", "CRDT", "")).collect();
        for (text, path, problem) in [
            (bomb, "file", "document type"),
            (file(""), "file", "no booked entry"),
            (file(&many), "file", "at most 3 are imported at once (limits.import_rows)"),
            (file(&entry("1.50", "CRDT", "")), "entry 1.amount", "whole"),
            (file(&entry("1", "x", "")), "entry 1.amount", "CdtDbtInd"),
            (file(&entry("1", "CRDT", "").replace("2026-11-20", "today")), "entry 1.date", "BookgDt"),
            (file(&entry("1", "CRDT", "").replace("2026-11-20", "2026-11-30")), "entry 1.date", "must be"),
            (file(&entry("1", "CRDT", "<NtryRef>&nbsp;</NtryRef>")), "file", "unknown entity"),
            (file(&entry("1", "CRDT", "")).replace("</Stmt>", ""), "file", "no XML"),
            ("<Document>".to_owned(), "file", "breaks off"),
            ("<x/>".to_owned(), "file", "one statement"),
            ("<a>".repeat(65), "file", "nested too deep"),
        ] {
            let problems = read(text.as_bytes(), &bounds()).unwrap_err();
            assert_eq!(problems[0].path, path, "{text}: {problems:?}");
            assert!(problems[0].problem.contains(problem), "{text}: {problems:?}");
        }
        assert!(read(b"\xff", &bounds()).is_err());
    }
}
