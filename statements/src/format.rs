//! Format of the files of a source.

use crate::kinds::RowKind;
use crate::pattern::{PATTERN_BYTES_MAX, Pattern};
use domain::model::base::limits::ACCOUNT_DIGITS;
use domain::model::base::refusal::FieldProblem;
use edge::sheet::{COLUMNS_MAX, SignWords, WORD_BYTES_MAX, WORDS_MAX};
pub use edge::sheet::{Decimal, Encoding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most lines before the header, and rows at the end.
const SKIPPED_MAX: u32 = 1_000;
/// The longest format of dates, in bytes.
const DATE_FORMAT_BYTES_MAX: usize = 64;

/// Cell delimiter of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum Delimiter {
    /// Detected from the rows, or from a first line such as `sep=;`.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// A comma, `,`.
    #[serde(rename = ",")]
    Comma,
    /// A semicolon, `;`.
    #[serde(rename = ";")]
    Semicolon,
    /// A tab.
    #[serde(rename = "tab")]
    Tab,
    /// A vertical bar, `|`.
    #[serde(rename = "|")]
    Bar,
}

impl Delimiter {
    pub fn character(self) -> Option<char> {
        match self {
            Self::Auto => None,
            Self::Comma => Some(','),
            Self::Semicolon => Some(';'),
            Self::Tab => Some('\t'),
            Self::Bar => Some('|'),
        }
    }
}

/// Treatment of amounts with a fraction of the smallest currency unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fraction {
    /// The row is set aside.
    #[default]
    SetAside,
    /// The amount is rounded to the nearest whole unit, halves away from 0. For a bank, the sum of the differences
    /// becomes a line of its own, which is posted to `rounding_account`.
    Round,
}

/// Sign of a charged fee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeeSign {
    /// Charged fees are positive.
    Positive,
    /// Charged fees are negative.
    Negative,
}

/// One column by its header, or by its number from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneColumn {
    /// Number of the column, from 1.
    Number(#[schemars(range(min = 1, max = COLUMNS_MAX))] u32),
    /// Header of the column. Case and outer spaces are ignored.
    Header(#[schemars(length(min = 1, max = WORD_BYTES_MAX))] String),
}

/// A column, or several columns whose figures are added up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ColumnName {
    /// One column.
    One(OneColumn),
    /// Several columns. Their figures are added up; of texts, the first one that is not empty is used.
    Sum(#[schemars(length(max = COLUMNS_MAX))] Vec<OneColumn>),
}

impl ColumnName {
    pub fn each(&self) -> &[OneColumn] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Sum(all) => all,
        }
    }
}

/// Fields that a column may hold.
pub const FIELDS: [&str; 22] = [
    "date",
    "time",
    "zone",
    "reference",
    "description",
    "amount",
    "sign",
    "gross",
    "fee",
    "net",
    "debit",
    "credit",
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
/// Fields that hold figures.
pub const FIGURES: [&str; 10] = [
    "amount",
    "gross",
    "fee",
    "net",
    "debit",
    "credit",
    "gross_debit",
    "gross_credit",
    "net_debit",
    "net_credit",
];

/// Format of the files of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "StatementCsv", transform = all_optional)]
pub struct Format {
    /// Cell delimiter of the file.
    pub delimiter: Delimiter,
    /// Decimal separator of the file.
    pub decimal: Decimal,
    /// Treatment of amounts with a fraction of the smallest currency unit.
    pub fraction: Fraction,
    /// Account that rounding differences of a bank's amounts are posted to.
    #[schemars(length(equal = ACCOUNT_DIGITS))]
    pub rounding_account: String,
    /// Date format as in strftime; `%s` stands for Unix seconds. If the format has no year, the year is taken from the
    /// file's period, or else from the latest such day in the past. A time after the day is accepted even if the format
    /// has none.
    #[schemars(length(min = 1, max = DATE_FORMAT_BYTES_MAX))]
    pub date_format: String,
    /// Encoding of the text. A byte order mark in the file takes precedence.
    pub encoding: Encoding,
    /// Number of lines before the header to skip, at most 1000.
    #[schemars(range(min = 0, max = SKIPPED_MAX))]
    pub skip_rows: u32,
    /// Number of rows at the end to skip, at most 1000.
    #[schemars(range(min = 0, max = SKIPPED_MAX))]
    pub skip_footer: u32,
    /// Columns of the fields that have another name in the file. Each field has a header, a column number from 1, or a
    /// list of these, whose figures are added up.
    pub columns: BTreeMap<String, ColumnName>,
    /// Words in the column `sign`, or beside an amount, that show the direction of the money.
    pub sign_words: SignWords,
    /// Sign of a charged fee. Null if gross and net show it.
    pub fee_sign: Option<FeeSign>,
    /// Meaning of the texts in the column `type`: a type of a line, or `payment`, `pending`, `failed`, `expired`,
    /// `ignore`.
    #[schemars(transform = of_words)]
    pub types: BTreeMap<String, String>,
    /// Texts in the column `status` of rows that are imported. Empty for the usual words for success.
    #[schemars(length(max = WORDS_MAX), inner(length(min = 1, max = WORD_BYTES_MAX)))]
    pub status_words: Vec<String>,
    /// Required fields of a line: rows in which one of them is empty or 0 are set aside.
    #[schemars(length(max = WORDS_MAX), inner(length(min = 1, max = WORD_BYTES_MAX)))]
    pub required: Vec<String>,
    /// Pattern of descriptions that contain the store, gross and fee, for example `MID : {mid} {*} QR : {gross} DDR:
    /// {fee}`. Null if descriptions contain none of these.
    #[schemars(length(min = 1, max = PATTERN_BYTES_MAX))]
    pub pattern: Option<String>,
    /// Whether incoming money is negative in the files.
    pub negate: bool,
}

/// Makes every field of a schema optional: requests may omit fields that answers always have, and one shape
/// describes both.
fn all_optional(schema: &mut schemars::Schema) {
    schema.remove("required");
}

/// Bounds the values of a map of words, and their number.
fn of_words(schema: &mut schemars::Schema) {
    schema.insert("maxProperties".to_owned(), WORDS_MAX.into());
    let values = schema.get_mut("additionalProperties");
    if let Some(values) = values.and_then(serde_json::Value::as_object_mut) {
        values.insert("minLength".to_owned(), 1.into());
        values.insert("maxLength".to_owned(), WORD_BYTES_MAX.into());
    }
}

impl Default for Format {
    fn default() -> Self {
        Self {
            delimiter: Delimiter::default(),
            decimal: Decimal::default(),
            fraction: Fraction::default(),
            rounding_account: "6020".to_owned(),
            date_format: "%Y-%m-%d".to_owned(),
            encoding: Encoding::default(),
            skip_rows: 0,
            skip_footer: 0,
            columns: BTreeMap::new(),
            sign_words: SignWords::default(),
            fee_sign: None,
            types: BTreeMap::new(),
            status_words: Vec::new(),
            required: Vec::new(),
            pattern: None,
            negate: false,
        }
    }
}

impl Format {
    /// Meaning of a text in the column of types: by the source's own types, or the usual ones if it does not list the
    /// text.
    pub fn kind_of(&self, text: &str) -> Option<RowKind> {
        let lower = text.trim().to_lowercase();
        let listed = self.types.iter().find(|(known, _)| known.trim().to_lowercase() == lower);
        match listed {
            Some((_, kind)) => RowKind::parse(kind),
            None => RowKind::usual(text),
        }
    }

    /// Problems of the format.
    pub fn problems(&self) -> Vec<FieldProblem> {
        let field = |path: String, problem: &str| FieldProblem { path, problem: problem.to_owned() };
        let mut problems = Vec::new();
        let is_word =
            |word: &str| !word.trim().is_empty() && word.len() <= WORD_BYTES_MAX && !word.contains('\0');
        let last = u32::try_from(COLUMNS_MAX).unwrap_or(u32::MAX);
        for (name, column) in &self.columns {
            if !FIELDS.contains(&name.as_str()) {
                problems.push(field(format!("csv.columns.{name}"), "is not a field of a line"));
            }
            let good = |one: &OneColumn| match one {
                OneColumn::Number(number) => (1..=last).contains(number),
                OneColumn::Header(name) => is_word(name),
            };
            let columns = column.each();
            if columns.len() > COLUMNS_MAX || !columns.iter().all(good) {
                problems.push(field(
                    format!("csv.columns.{name}"),
                    "must be a header of 1 to 128 bytes, a number from 1 to 256, a list of these, or [] if files have none",
                ));
            }
        }
        for (text, kind) in &self.types {
            if RowKind::parse(kind).is_none() {
                problems.push(field(format!("csv.types.{text}"), "is not a type of a line"));
            }
        }
        let SignWords { into, out, blank: _ } = &self.sign_words;
        for (path, words) in
            [("sign_words.in", into), ("sign_words.out", out), ("status_words", &self.status_words)]
        {
            if words.len() > WORDS_MAX || !words.iter().all(|word| is_word(word)) {
                problems.push(field(format!("csv.{path}"), "must be at most 256 words of 1 to 128 bytes"));
            }
        }
        if self.types.len() > WORDS_MAX {
            problems.push(field("csv.types".to_owned(), "must be at most 256 words"));
        }
        if self.types.keys().any(|text| text.len() > WORD_BYTES_MAX) {
            problems.push(field("csv.types".to_owned(), "must be words of at most 128 bytes"));
        }
        if self.required.len() > WORDS_MAX {
            problems.push(field("csv.required".to_owned(), "must be at most 256 names"));
        }
        if !self.required.iter().all(|name| FIELDS.contains(&name.as_str())) {
            problems.push(field("csv.required".to_owned(), "must be names of fields of a line"));
        }
        for (path, rows) in [("csv.skip_rows", self.skip_rows), ("csv.skip_footer", self.skip_footer)] {
            if rows > SKIPPED_MAX {
                problems.push(field(path.to_owned(), "must be 0 to 1000"));
            }
        }
        if self.date_format.is_empty() || self.date_format.len() > DATE_FORMAT_BYTES_MAX {
            problems.push(field("csv.date_format".to_owned(), "must have 1 to 64 bytes"));
        }
        if let Some(Err(problem)) = self.pattern.as_deref().map(Pattern::parse) {
            problems.push(field("csv.pattern".to_owned(), problem));
        }
        problems
    }
}
