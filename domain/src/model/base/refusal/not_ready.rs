//! Conditions that a step of the books waits for.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Most problems that are returned.
const TOLD_MAX: usize = 100;
/// Most problems that are named in the message.
const WORDS_MAX: usize = 3;

/// A condition that is not met yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotReady {
    /// Stable code: `day_not_sealed`, `store_not_heard`, `records_pending`, `parked`, `hole`, …
    pub code: String,
    /// Store whose book has the problem. Empty for head office's own book, or for all books.
    pub store_id: String,
    /// Business date of the problem. Null if it does not concern a single day.
    pub date: Option<Date>,
    /// ID of the document with the problem. Null if there is none.
    pub id: Option<String>,
    /// Description of what must be done, for people.
    pub message: String,
}

pub(super) fn words(problems: &[NotReady]) -> String {
    let shown = problems.iter().take(WORDS_MAX).map(|problem| problem.message.as_str());
    let shown = shown.collect::<Vec<_>>().join("; ");
    let more = problems.len().saturating_sub(WORDS_MAX);
    if more > 0 { format!("{shown}; and {more} more") } else { shown }
}

pub(super) fn details(problems: &[NotReady]) -> Value {
    let shown: Vec<&NotReady> = problems.iter().take(TOLD_MAX).collect();
    json!({"problems": shown, "more": problems.len().saturating_sub(shown.len())})
}
