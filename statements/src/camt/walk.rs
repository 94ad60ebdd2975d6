//! The elements of a file, one after the other: relevant ones are found by their path, the rest is skipped.

use crate::amount::fraction_problem;
use crate::camt::Wanted;
use crate::camt::entry::{Booked, Entry};
use crate::camt::money::Ccy;
use crate::camt::names::interned;
use crate::camt::statement::{AccountName, Balance, Statement};
use crate::line::{Bounds, check_line};
use crate::set_aside::{Reason, RowsSetAside, SetAside};
use domain::model::base::refusal::FieldProblem;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};

/// Statements are never nested this deep.
const DEPTH_MAX: usize = 64;
/// Longest name of an element, in bytes.
const NAME_BYTES_MAX: usize = 64;
/// Longest attributes of an element, in bytes.
const ATTRIBUTES_BYTES_MAX: usize = 4_096;
/// Bytes of a text that are kept; no field has as many.
const TEXT_BYTES_MAX: usize = 2_048;
/// Longest number of an account and of a statement, in bytes.
const NUMBER_BYTES_MAX: usize = 64;
/// Statements of a file.
const STATEMENTS_MAX: usize = 1_000;
/// Most other accounts of a file that are remembered.
const OTHERS_MAX: usize = 100;
/// Bad entries that are named.
const PROBLEMS_MAX: usize = 1_000;

/// A file on its way into lines.
pub(super) struct Walk<'a> {
    bounds: &'a Bounds,
    wanted: &'a Wanted<'a>,
    path: Vec<&'static str>,
    text: String,
    currency: Option<String>,
    /// Position in the path of the statement that is being read.
    at: Option<usize>,
    statement: Statement,
    /// It belongs to another account: its entries are skipped.
    passed: bool,
    balance: Balance,
    entry: Entry,
    entries: usize,
    rows: usize,
    /// Account that is read.
    pub account: Option<AccountName>,
    pub statements: Vec<Statement>,
    pub others: Vec<AccountName>,
    pub aside: RowsSetAside,
    pub problems: Vec<FieldProblem>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(wanted: &'a Wanted<'a>, bounds: &'a Bounds) -> Self {
        Self {
            bounds,
            wanted,
            path: Vec::new(),
            text: String::new(),
            currency: None,
            at: None,
            statement: Statement::default(),
            passed: false,
            balance: Balance::default(),
            entry: Entry::default(),
            entries: 0,
            rows: 0,
            account: None,
            statements: Vec::new(),
            others: Vec::new(),
            aside: RowsSetAside::default(),
            problems: Vec::new(),
        }
    }

    /// Whether each element that began has ended.
    pub(super) fn is_over(&self) -> bool {
        self.path.is_empty()
    }

    /// One piece of the file.
    ///
    /// # Errors
    /// Description of the problem, for people.
    pub(super) fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        let unreadable = |error: &dyn std::fmt::Display| format!("is not XML: {error}");
        match event {
            Event::DocType(_) => return Err("must not declare a document type".to_owned()),
            Event::Start(start) => self.begin(&start)?,
            Event::Text(text) => self.add(&text.decode().map_err(|error| unreadable(&error))?),
            Event::CData(text) => self.add(&text.decode().map_err(|error| unreadable(&error))?),
            Event::GeneralRef(named) => {
                let name = named.decode().map_err(|error| unreadable(&error))?;
                match named.resolve_char_ref() {
                    Ok(Some(character)) => self.add(character.encode_utf8(&mut [0; 4])),
                    _ => match resolve_predefined_entity(&name) {
                        Some(known) => self.add(known),
                        None => return Err("uses an entity that XML does not define".to_owned()),
                    },
                }
            }
            Event::End(_) => self.end()?,
            _ => {}
        }
        Ok(())
    }

    /// Adds more of a text; text beyond the longest field is dropped.
    fn add(&mut self, text: &str) {
        let room = TEXT_BYTES_MAX.saturating_sub(self.text.len()).min(text.len());
        let end = (0..=room).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        self.text.push_str(text.get(..end).unwrap_or_default());
    }

    fn begin(&mut self, start: &BytesStart<'_>) -> Result<(), String> {
        if self.path.len() >= DEPTH_MAX {
            return Err("has too many levels".to_owned());
        }
        if start.name().into_inner().len() > NAME_BYTES_MAX {
            return Err(format!("has an element whose name is longer than {NAME_BYTES_MAX} bytes"));
        }
        if start.attributes_raw().len() > ATTRIBUTES_BYTES_MAX {
            return Err(format!("has an element with more than {ATTRIBUTES_BYTES_MAX} bytes of attributes"));
        }
        let name = interned(start.local_name().into_inner());
        self.text.clear();
        self.currency = match name {
            "Amt" | "TtlChrgsAndTaxAmt" => currency(start),
            _ => None,
        };
        match (name, self.below()) {
            ("Stmt", None) => {
                self.at = Some(self.path.len());
                (self.statement, self.passed) = (Statement::default(), false);
            }
            ("Bal", Some([])) => self.balance = Balance::default(),
            ("Ntry", Some([])) => self.entry = Entry::default(),
            ("TxDtls", Some(["Ntry", "NtryDtls"])) if !self.passed => {
                self.bounds.check_rows(self.rows.saturating_add(self.entry.details()).saturating_add(1))?;
                self.entry.begin_detail();
            }
            _ => {}
        }
        self.path.push(name);
        Ok(())
    }

    /// The path below the statement that is being read.
    fn below(&self) -> Option<&[&'static str]> {
        self.path.get(self.at?.saturating_add(1)..)
    }

    /// An element is over.
    fn end(&mut self) -> Result<(), String> {
        let text = std::mem::take(&mut self.text);
        let (text, currency) =
            (text.trim(), Ccy { named: self.currency.take(), office: self.bounds.currency });
        let path = std::mem::take(&mut self.path);
        let below = self.at.and_then(|at| path.get(at.saturating_add(1)..));
        match below {
            Some([]) => self.end_statement()?,
            Some(below) => self.end_below(below, text, currency)?,
            None => {}
        }
        self.path = path;
        self.path.pop();
        Ok(())
    }

    fn end_below(&mut self, below: &[&'static str], text: &str, currency: Ccy) -> Result<(), String> {
        match below {
            ["Ntry"] => return self.end_entry(),
            ["Ntry", rest @ ..] if !self.passed => self.entry.take(rest, text, currency),
            ["Bal"] if !self.passed => {
                let (balance, currency) = (std::mem::take(&mut self.balance), self.currency_of_account());
                if let Err((path, problem)) = self.statement.balance(&balance, &currency) {
                    self.unreadable_balance(path, problem)?;
                }
            }
            ["Bal", rest @ ..] => self.balance.take(rest, text, currency),
            ["Id"] => self.statement.id = number(text),
            ["Acct", "Id", "IBAN" | "BBAN" | "UPIC"] | ["Acct", "Id", "Othr" | "PrtryAcct", "Id"] => {
                self.statement.account.number = number(text);
            }
            ["Acct", "Ccy"] => self.statement.account.currency = number(text),
            ["Acct"] => self.passed = !self.is_read(),
            ["FrToDt", "FrDtTm"] => self.statement.from = self.day(text),
            _ => {}
        }
        Ok(())
    }

    /// Whether the statement that is being read is of the account that is wanted, or else of the file's first.
    fn is_read(&self) -> bool {
        let own = &self.statement.account;
        let said = |text: &'_ String| Some(text.as_str().to_owned()).filter(|text| !text.is_empty());
        let first = self.account.as_ref();
        let number = first.and_then(|first| said(&first.number)).filter(|_| self.wanted.account.is_none());
        let currency = first.and_then(|first| said(&first.currency));
        own.is(self.wanted.account, self.wanted.currency) && own.is(number.as_deref(), currency.as_deref())
    }

    /// Currency that amounts have to be in. Empty if none is set.
    fn currency_of_account(&self) -> String {
        self.wanted.currency.unwrap_or(&self.statement.account.currency).to_owned()
    }

    fn end_statement(&mut self) -> Result<(), String> {
        self.at = None;
        let statement = std::mem::take(&mut self.statement);
        let account = statement.account.clone();
        if self.passed {
            let problem = format!("statement {} is of {account}", statement.id);
            if !self.others.contains(&account) && self.others.len() < OTHERS_MAX {
                self.others.push(account);
            }
            return self.set_aside(SetAside::new(row_no(self.entries), Reason::Account, problem));
        }
        if self.statements.len() >= STATEMENTS_MAX {
            return Err(format!("has more than {STATEMENTS_MAX} statements (Stmt)"));
        }
        self.account.get_or_insert(account);
        self.statements.push(statement);
        Ok(())
    }

    fn end_entry(&mut self) -> Result<(), String> {
        self.entries = self.entries.saturating_add(1);
        let entry = std::mem::take(&mut self.entry);
        if self.passed {
            return Ok(());
        }
        let number = self.entries;
        if let Some(status) = entry.unbooked() {
            let problem = format!("is not booked: its status is {status}");
            let row = self.row(number, &entry, Reason::Pending, problem);
            return self.set_aside(row);
        }
        let currency = self.currency_of_account();
        if let Some(own) = entry.currency().filter(|own| !currency.is_empty() && *own != currency) {
            let problem = format!("is in {own}, but the account is in {currency}");
            let row = self.row(number, &entry, Reason::Currency, problem.clone());
            self.set_aside(row)?;
            self.problem(format!("entry {number}.currency"), problem);
            return Ok(());
        }
        if self.statement.account.currency.is_empty() {
            self.statement.account.currency = entry.currency().unwrap_or_default().to_owned();
        }
        match entry.booked(&currency, |text| self.day(text)) {
            Ok(booked) => {
                self.rows = self.rows.saturating_add(booked.lines.len());
                self.bounds.check_rows(self.rows)?;
                let lines = booked.lines.iter();
                let wrong: Vec<_> = lines.flat_map(|one| check_line(&one.line, self.bounds)).collect();
                if !wrong.is_empty() {
                    return self.entry_problems(number, &entry, wrong);
                }
                if !self.wanted.round && booked.lines.iter().any(|one| !one.whole) {
                    return self.fraction(number, &entry, booked);
                }
                self.statement.book(booked);
                Ok(())
            }
            Err(wrong) => self.entry_problems(number, &entry, wrong),
        }
    }

    /// An entry with a fraction waits for a person, with the line that it would be.
    fn fraction(&mut self, number: usize, entry: &Entry, booked: Booked) -> Result<(), String> {
        self.statement.wait(&booked);
        let problem = fraction_problem(self.bounds.currency);
        let mut row = self.row(number, entry, Reason::Fraction, problem.clone());
        row.field = Some("amount");
        if let [_] = booked.lines.as_slice() {
            row.line = booked.lines.into_iter().next().map(|one| one.line);
        }
        self.set_aside(row)?;
        self.problem(format!("entry {number}.amount"), problem);
        Ok(())
    }

    /// The row of an entry that is not a line.
    fn row(&self, number: usize, entry: &Entry, reason: Reason, problem: String) -> SetAside {
        let (date, amount, reference, description) = entry.shown(|text| self.day(text));
        SetAside { date, amount, reference, description, ..SetAside::new(row_no(number), reason, problem) }
    }

    /// An entry that can't be read waits for a person.
    fn entry_problems(
        &mut self,
        number: usize,
        entry: &Entry,
        wrong: Vec<(&'static str, String)>,
    ) -> Result<(), String> {
        if let Some((field, problem)) = wrong.first() {
            let row = self.row(number, entry, Reason::Invalid, problem.clone());
            self.set_aside(SetAside { field: Some(field), ..row })?;
        }
        for (field, problem) in wrong {
            self.problem(format!("entry {number}.{field}"), problem);
        }
        Ok(())
    }

    /// Reports a balance that can't be read with the entry after it; its statement is not compared with it.
    fn unreadable_balance(&mut self, field: &'static str, problem: String) -> Result<(), String> {
        let place = row_no(self.entries.saturating_add(1));
        let id = &self.statement.id;
        let text = format!("of statement {id} {problem}; its entries are not checked against it");
        self.set_aside(SetAside { field: Some(field), ..SetAside::new(place, Reason::Invalid, text) })?;
        self.problem(field.to_owned(), problem);
        Ok(())
    }

    fn problem(&mut self, path: String, problem: String) {
        self.statement.gaps = true;
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(FieldProblem { path, problem });
        }
    }

    fn set_aside(&mut self, row: SetAside) -> Result<(), String> {
        self.aside.push(row).map_err(|_| "has too many entries that can't be read".to_owned())
    }

    /// The day of a date or of a moment. A moment with a zone, its own or else the source's, has the day of the books'
    /// time zone.
    fn day(&self, text: &str) -> Option<Date> {
        let (date, rest) = text.split_at_checked(10)?;
        let date: Date = date.parse().ok()?;
        if !(rest.is_empty() || rest.starts_with(['T', 'Z', '+', '-'])) {
            return None;
        }
        let Some(local) = self.wanted.local.filter(|_| rest.starts_with('T')) else { return Some(date) };
        let of_clock = || text.parse::<DateTime>().ok()?.to_zoned(self.wanted.zone?.clone()).ok();
        let moment = text.parse().ok().or_else(|| Some(of_clock()?.timestamp()));
        Some(moment.map_or(date, |moment: Timestamp| moment.to_zoned(local.clone()).date()))
    }
}

fn row_no(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The text, cut to the longest length that a number can have.
fn number(text: &str) -> String {
    text.chars().take(NUMBER_BYTES_MAX).collect()
}

fn currency(start: &BytesStart<'_>) -> Option<String> {
    let attribute = start.try_get_attribute("Ccy").ok()??;
    Some(number(std::str::from_utf8(&attribute.value).ok()?.trim()))
}
