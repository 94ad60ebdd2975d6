//! Collects what is wrong with a request, so that a client learns all of it at once.

use crate::ids::is_id;
use crate::refusal::{FieldProblem, Refusal};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::ops::RangeInclusive;

/// The longest note or reason, in bytes.
pub const TEXT_BYTES_MAX: usize = 500;
/// The longest reference (slip number, delivery note), in bytes.
pub const REFERENCE_BYTES_MAX: usize = 128;

/// Problems found so far.
#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<FieldProblem>);

impl Fields {
    /// Notes a problem.
    pub(crate) fn wrong(&mut self, path: impl Into<String>, problem: impl Into<String>) {
        self.0.push(FieldProblem { path: path.into(), problem: problem.into() });
    }

    /// A number must be within its range.
    pub(crate) fn range(&mut self, path: impl Into<String>, value: i64, range: RangeInclusive<i64>) {
        if !range.contains(&value) {
            self.wrong(path, format!("must be {} to {}", range.start(), range.end()));
        }
    }

    /// A number, where given, must be within its range.
    pub(crate) fn range_of(
        &mut self,
        path: impl Into<String>,
        value: Option<i64>,
        range: RangeInclusive<i64>,
    ) {
        if let Some(value) = value {
            self.range(path, value, range);
        }
    }

    /// A list must have so many entries.
    pub(crate) fn count(&mut self, path: &str, count: usize, range: RangeInclusive<usize>) {
        if !range.contains(&count) {
            self.wrong(path, format!("must have {} to {} entries", range.start(), range.end()));
        }
    }

    /// A name or id must be there, short enough, and free of control characters.
    pub(crate) fn name(&mut self, path: impl Into<String>, text: &str, bytes_max: usize) {
        if text.is_empty() {
            self.wrong(path, "must not be empty");
        } else {
            self.text(path, Some(text), bytes_max);
        }
    }

    /// An identifier must be there, short enough, and of the one alphabet.
    pub(crate) fn id(&mut self, path: impl Into<String>, text: &str) {
        if !is_id(text) {
            self.wrong(path, "must be 1 to 64 of A-Z a-z 0-9 _ -");
        }
    }

    /// A text, where given, must be short enough and free of control characters but line breaks
    /// and tabs: what can't be printed has no place on a receipt.
    pub(crate) fn text(&mut self, path: impl Into<String>, text: Option<&str>, bytes_max: usize) {
        let Some(text) = text else { return };
        if text.len() > bytes_max {
            self.wrong(path, format!("must be at most {bytes_max} bytes"));
        } else if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
            self.wrong(path, "must not contain control characters");
        }
    }

    /// The refusal, if anything was wrong.
    pub(crate) fn done(self) -> Result<(), Refusal> {
        if self.0.is_empty() { Ok(()) } else { Err(Refusal::ValidationFailed(self.0)) }
    }
}

/// Reads the value of a field that both sides may write.
///
/// # Errors
/// `validation_failed` for one that the field can't have.
pub(crate) fn read<T: DeserializeOwned>(field: &str, value: &Value) -> Result<T, Refusal> {
    serde_json::from_value(value.clone()).map_err(|_| Refusal::field(field, "can't be that value here"))
}
