//! Collects the problems of a request, so that one answer lists all of them.

use crate::model::base::ids::is_id;
use crate::model::base::limits::CASH_MAX;
use crate::model::base::refusal::{FieldProblem, Refusal};
use crate::model::base::text::is_blank;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Problems found so far. A path becomes a text only where something is wrong.
#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<FieldProblem>);

impl Fields {
    pub(crate) fn wrong(&mut self, path: impl Display, problem: impl Into<String>) {
        self.0.push(FieldProblem { path: path.to_string(), problem: problem.into() });
    }

    /// A number must be within its range.
    pub(crate) fn range(&mut self, path: impl Display, value: impl Into<i64>, range: RangeInclusive<i64>) {
        if !range.contains(&value.into()) {
            self.wrong(path, format!("must be {} to {}", range.start(), range.end()));
        }
    }

    /// Cash that a user counted or moved; `least` is 0, or 1 if 0 would be meaningless.
    pub(crate) fn cash(&mut self, path: impl Display, amount: impl Into<i64>, least: i64) {
        if !(least..=CASH_MAX).contains(&amount.into()) {
            self.wrong(
                path,
                format!("must be {least} to {CASH_MAX}: check for extra digits, and count again"),
            );
        }
    }

    /// A number, where given, must be within its range.
    pub(crate) fn range_of(
        &mut self,
        path: impl Display,
        value: Option<impl Into<i64>>,
        range: RangeInclusive<i64>,
    ) {
        if let Some(value) = value {
            self.range(path, value, range);
        }
    }

    /// A list must have this many entries.
    pub(crate) fn count(&mut self, path: &str, count: usize, range: RangeInclusive<usize>) {
        if !range.contains(&count) {
            self.wrong(path, format!("must have {} to {} entries", range.start(), range.end()));
        }
    }

    /// A name must show something, be short enough, and be free of control characters.
    pub(crate) fn name(&mut self, path: impl Display, text: &str, chars_max: usize) {
        if is_blank(text) {
            self.wrong(path, "must not be empty");
        } else {
            self.text(path, Some(text), chars_max);
        }
    }

    /// A name that is stored without its surrounding spaces. They count all the same: the longest text of the request is
    /// then the longest of the document.
    pub(crate) fn trimmed(&mut self, path: impl Display, text: &str, chars_max: usize) {
        match chars_beyond(text, chars_max) {
            Some(count) => self.wrong(path, too_long(chars_max, count)),
            None => self.name(path, text.trim(), chars_max),
        }
    }

    /// A text, where given, that is stored without its surrounding spaces; they count as in [`Self::trimmed`].
    pub(crate) fn trimmed_if_any(&mut self, path: impl Display, text: Option<&str>, chars_max: usize) {
        match text.and_then(|text| chars_beyond(text, chars_max)) {
            Some(count) => self.wrong(path, too_long(chars_max, count)),
            None => self.text(path, text.map(str::trim), chars_max),
        }
    }

    /// A text, if given, must not have more characters, the spaces around it included.
    pub(crate) fn length(&mut self, path: impl Display, text: Option<&str>, chars_max: usize) {
        if let Some(count) = text.and_then(|text| chars_beyond(text, chars_max)) {
            self.wrong(path, too_long(chars_max, count));
        }
    }

    /// A code must be there, short enough, and free of control characters. Codes are keys: their bytes count.
    pub(crate) fn code(&mut self, path: impl Display, code: &str, bytes_max: usize) {
        if code.is_empty() {
            self.wrong(path, "must not be empty");
        } else {
            self.code_if_any(path, Some(code), bytes_max);
        }
    }

    /// A code, where given, must be short enough and free of control characters.
    pub(crate) fn code_if_any(&mut self, path: impl Display, code: Option<&str>, bytes_max: usize) {
        let Some(code) = code else { return };
        if code.len() > bytes_max {
            self.wrong(path, format!("must be at most {bytes_max} bytes, it has {}", code.len()));
        } else {
            self.text(path, Some(code), bytes_max);
        }
    }

    /// An identifier must be there, short enough, and of the one alphabet.
    pub(crate) fn id(&mut self, path: impl Display, text: &str) {
        if !is_id(text) {
            self.wrong(path, "must be 1 to 64 of A-Z a-z 0-9 _ -");
        }
    }

    /// Checks that a text, if given, is short enough and free of control characters except line breaks and tabs:
    /// unprintable characters have no place on a receipt. Its characters count, so that a text in Thai may be as long
    /// as one in English.
    pub(crate) fn text(&mut self, path: impl Display, text: Option<&str>, chars_max: usize) {
        let Some(text) = text else { return };
        if let Some(count) = chars_beyond(text, chars_max) {
            self.wrong(path, too_long(chars_max, count));
        } else if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
            self.wrong(path, "must not contain control characters");
        }
    }

    /// The refusal, if anything was wrong.
    pub(crate) fn done(self) -> Result<(), Refusal> {
        if self.0.is_empty() { Ok(()) } else { Err(Refusal::ValidationFailed(self.0)) }
    }
}

/// The characters of a text, if they are more than `chars_max`.
fn chars_beyond(text: &str, chars_max: usize) -> Option<usize> {
    // A character is a byte at least.
    let count = if text.len() > chars_max { text.chars().count() } else { 0 };
    (count > chars_max).then_some(count)
}

fn too_long(chars_max: usize, count: usize) -> String {
    format!("must be at most {chars_max} characters, it has {count}")
}

/// Reads the value of a field that both sides may write.
///
/// # Errors
/// `validation_failed` for one that the field can't have.
pub(crate) fn read<T: DeserializeOwned>(field: &str, value: &Value) -> Result<T, Refusal> {
    serde_json::from_value(value.clone())
        .map_err(|_| Refusal::field(field, "has the wrong type or an unknown value"))
}
