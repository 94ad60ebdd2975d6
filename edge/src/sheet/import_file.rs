//! A file that a page sends to be imported: query parameters, and the refusal of bad rows.

use super::{Columns, Encoding, Problems, RowProblem};
use crate::ApiError;
use domain::model::base::refusal::FieldProblem;
use schemars::JsonSchema;
use serde::Deserialize;

/// Query parameters of an import.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportFile {
    /// Whether to preview only: the result is returned, and nothing is stored.
    dry_run: Option<bool>,
    /// Encoding of a file without a byte order mark; omitted: UTF-8.
    encoding: Option<Encoding>,
    /// Names of the file's columns in order, separated by commas; empty for a column that is not read. Omitted: the
    /// names in the header of the file.
    column_names: Option<String>,
    /// With `column_names`: line of the file's header, from 1. Omitted: the first line.
    header_line: Option<u64>,
}

impl ImportFile {
    /// Whether nothing is to be stored.
    pub fn is_dry_run(&self) -> bool {
        self.dry_run == Some(true)
    }

    /// Encoding of a file without a byte order mark.
    pub fn encoding(&self) -> Encoding {
        self.encoding.unwrap_or_default()
    }

    /// Columns that the caller named. None if the header of the file names them.
    pub fn columns(&self) -> Option<Columns> {
        Columns::of(self.column_names.as_deref(), self.header_line)
    }
}

impl From<&Problems> for ApiError {
    /// The refusal of a whole file, with each bad row.
    fn from(problems: &Problems) -> Self {
        let field = |row: &RowProblem| FieldProblem {
            path: format!("line {}", row.line),
            problem: row.problem.clone(),
        };
        let fields: Vec<FieldProblem> = problems.named.iter().map(field).collect();
        let mut error = Self::validation(&fields);
        error.message = format!("{} rows are wrong: nothing was imported", problems.count);
        error
    }
}
