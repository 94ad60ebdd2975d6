//! How the files of a source look.

use domain::model::base::refusal::FieldProblem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What separates the cells of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum Delimiter {
    /// The one that the header row has most of.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// `,`
    #[serde(rename = ",")]
    Comma,
    /// `;`
    #[serde(rename = ";")]
    Semicolon,
    /// A tab.
    #[serde(rename = "tab")]
    Tab,
    /// `|`
    #[serde(rename = "|")]
    Bar,
}

/// Which mark begins the fraction of an amount; the others group its digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum Decimal {
    /// None: each mark groups.
    #[default]
    #[serde(rename = "none")]
    None,
    /// `,`
    #[serde(rename = ",")]
    Comma,
    /// `.`
    #[serde(rename = ".")]
    Point,
}

/// How a file's bytes are its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum Encoding {
    /// With or without a byte order mark.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// Of older programs.
    #[serde(rename = "windows-1252")]
    Windows1252,
}

/// A column by its header, or by its number from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ColumnName {
    /// From 1.
    Number(u32),
    /// Case and outer spaces are ignored.
    Header(String),
}

/// What a column may be.
pub const FIELDS: [&str; 12] = [
    "date",
    "reference",
    "description",
    "amount",
    "gross",
    "fee",
    "net",
    "debit",
    "credit",
    "type",
    "batch",
    "store_ref",
];

/// How the files of a source look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "StatementCsv", transform = all_optional)]
pub struct Format {
    /// What separates cells.
    pub delimiter: Delimiter,
    /// What begins a fraction.
    pub decimal: Decimal,
    /// As of strftime.
    pub date_format: String,
    /// Of its text.
    pub encoding: Encoding,
    /// Lines before the header.
    pub skip_rows: u32,
    /// Rows at the end that are no lines.
    pub skip_footer: u32,
    /// Where a field is not under its own name.
    pub columns: BTreeMap<String, ColumnName>,
    /// Which type a text means.
    pub types: BTreeMap<String, String>,
    /// Whether money to us is below 0 in its files.
    pub negate: bool,
}

/// What is asked may leave out what an answer always has: one shape describes both.
fn all_optional(schema: &mut schemars::Schema) {
    schema.remove("required");
}

impl Default for Format {
    fn default() -> Self {
        Self {
            delimiter: Delimiter::default(),
            decimal: Decimal::default(),
            date_format: "%Y-%m-%d".to_owned(),
            encoding: Encoding::default(),
            skip_rows: 0,
            skip_footer: 0,
            columns: BTreeMap::new(),
            types: BTreeMap::new(),
            negate: false,
        }
    }
}

impl Format {
    /// What is wrong with it.
    pub fn problems(&self) -> Vec<FieldProblem> {
        let field = |path: String, problem: &str| FieldProblem { path, problem: problem.to_owned() };
        let mut problems = Vec::new();
        for name in self.columns.keys().filter(|name| !FIELDS.contains(&name.as_str())) {
            problems.push(field(format!("csv.columns.{name}"), "is no field of a line"));
        }
        for (text, kind) in &self.types {
            if domain::rules::books::settlement::LineKind::parse(kind).is_none() {
                problems.push(field(format!("csv.types.{text}"), "is no type of a line"));
            }
        }
        if self.date_format.is_empty() || self.date_format.len() > 64 {
            problems.push(field("csv.date_format".to_owned(), "must have 1 to 64 bytes"));
        }
        problems
    }
}
