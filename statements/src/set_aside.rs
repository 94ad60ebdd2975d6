//! Rows of a file that are no lines of its statement: each keeps the reason, and the other rows are not refused.

use domain::model::base::figures::Money;
use domain::model::hub::chain::hex;
use domain::rules::books::settlement::import::TextLine;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Most rows of a file that are kept, of those that wait for a person and of the others; the rest is counted.
pub const KEPT_MAX: usize = 1_000;
/// The longest text of a row that is kept, in bytes.
const ROW_BYTES_MAX: usize = 1_000;

/// Reason why a row is not a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SetAsideReason")]
pub enum Reason {
    /// The row is not booked yet.
    Pending,
    /// The row's status or type shows that no money moved: failed, expired, authorised.
    Status,
    /// The source's settings exclude the row.
    Ignored,
    /// The row is a balance or a sum.
    Balance,
    /// The row follows the lines and contains no payment.
    Footer,
    /// The row belongs to another account.
    Account,
    /// The row is in another currency.
    Currency,
    /// The amount has a fraction of the smallest currency unit, and the source has no rule for fractions.
    Fraction,
    /// The row can't be read.
    Invalid,
    /// The row is for the same money as another line, with a different description.
    Repeat,
}

impl Reason {
    pub const ALL: [Self; 10] = [
        Self::Pending,
        Self::Status,
        Self::Ignored,
        Self::Balance,
        Self::Footer,
        Self::Account,
        Self::Currency,
        Self::Fraction,
        Self::Invalid,
        Self::Repeat,
    ];

    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Status => "status",
            Self::Ignored => "ignored",
            Self::Balance => "balance",
            Self::Footer => "footer",
            Self::Account => "account",
            Self::Currency => "currency",
            Self::Fraction => "fraction",
            Self::Invalid => "invalid",
            Self::Repeat => "repeat",
        }
    }

    /// The reason of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// Whether a person has to decide on such a row: it may be money that moved.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Fraction | Self::Invalid | Self::Repeat)
    }
}

/// A row that is not a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Position in the file, from 1: a line of CSV, an entry of CAMT.053; of a balance, the entry after it.
    pub row_no: i64,
    /// Reason why the row is not a line.
    pub reason: Reason,
    /// The field that is wrong.
    pub field: Option<&'static str>,
    /// Description of the problem, for people.
    pub problem: String,
    /// Its day, if it can be read.
    pub date: Option<Date>,
    /// Reference of the row. Empty if there is none.
    pub reference: String,
    /// Description of the row. Empty if there is none.
    pub description: String,
    /// Amount of the row, if it can be read.
    pub amount: Option<Money>,
    /// The line that the row would be, if all its cells can be read.
    pub line: Option<TextLine>,
    /// The text in the file.
    pub text: String,
    /// The line that it repeats in other words.
    pub repeats: Option<String>,
    /// Further problems of the row, by field.
    pub also: Vec<(&'static str, String)>,
}

impl SetAside {
    /// A row of which only the place is known.
    pub fn new(row_no: i64, reason: Reason, problem: impl Into<String>) -> Self {
        Self {
            row_no,
            reason,
            field: None,
            problem: problem.into(),
            date: None,
            reference: String::new(),
            description: String::new(),
            amount: None,
            line: None,
            text: String::new(),
            repeats: None,
            also: Vec::new(),
        }
    }

    /// Text that is equal for two rows with the same content.
    fn said(&self) -> String {
        let said = serde_json::json!([
            self.reason.name(),
            self.text,
            self.date,
            self.reference,
            self.amount,
            self.line
        ]);
        hex(&Sha256::digest(said.to_string().as_bytes()))
    }
}

/// More rows can't be read than a person could look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMany;

/// The rows of a file that are no lines: the first of them, and how many there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowsSetAside {
    /// The first ones, in the order of the file.
    pub rows: Vec<SetAside>,
    /// Number of rows by reason.
    pub counts: BTreeMap<Reason, i64>,
    /// Number of kept rows that need a decision.
    open: usize,
}

impl RowsSetAside {
    /// Sets a row aside.
    ///
    /// # Errors
    /// Too many rows wait for a person already for one more to be kept.
    pub fn push(&mut self, mut row: SetAside) -> Result<(), TooMany> {
        let count = self.counts.entry(row.reason).or_default();
        *count = count.saturating_add(1);
        let kept = if row.reason.is_open() { self.open } else { self.rows.len().saturating_sub(self.open) };
        if kept < KEPT_MAX {
            self.open = self.open.saturating_add(usize::from(row.reason.is_open()));
            row.text = cut(&row.text, ROW_BYTES_MAX);
            self.rows.push(row);
        } else if row.reason.is_open() {
            return Err(TooMany);
        }
        Ok(())
    }

    pub fn count(&self) -> i64 {
        self.counts.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Keys of the kept rows: equal rows of one file have different ones.
    pub fn keys(&self) -> Vec<String> {
        let mut seen: BTreeMap<String, u64> = BTreeMap::new();
        let key = |row: &SetAside| {
            let said = row.said();
            let count = seen.entry(said.clone()).or_default();
            *count = count.saturating_add(1);
            format!("{said}-{count}")
        };
        self.rows.iter().map(key).collect()
    }
}

/// A text, cut to at most `most` bytes.
pub fn cut(text: &str, most: usize) -> String {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default().trim_end().to_owned()
}
