//! Files of goods that a page sends: what a query says of them, and their refusal.

use domain::model::base::refusal::FieldProblem;
use edge::ApiError;
use edge::sheet::{Columns, Encoding, Problems, RowProblem};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ImportFile")]
pub struct Given {
    /// Whether to preview only: the result is returned, and nothing is stored.
    pub dry_run: Option<bool>,
    /// Encoding of a file without a byte order mark; omitted: UTF-8.
    pub encoding: Option<Encoding>,
    /// Names of the file's columns in order, separated by commas; empty for a column that is not read. Omitted: the
    /// names in the header of the file.
    column_names: Option<String>,
    /// With `column_names`: line of the file's header, from 1. Omitted: the first line.
    header_line: Option<u64>,
}

impl Given {
    pub fn columns(&self) -> Option<Columns> {
        Columns::of(self.column_names.as_deref(), self.header_line)
    }
}

/// The answer for a file with bad rows.
pub fn refused(problems: &Problems) -> ApiError {
    let field =
        |row: &RowProblem| FieldProblem { path: format!("line {}", row.line), problem: row.problem.clone() };
    let fields: Vec<FieldProblem> = problems.named.iter().map(field).collect();
    let mut error = ApiError::validation(&fields);
    error.message = format!("{} rows are wrong: nothing was imported", problems.count);
    error
}
