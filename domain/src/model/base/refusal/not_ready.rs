//! What a step of the books waits for.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Most of them that are told.
const TOLD_MAX: usize = 100;
/// Most that are told in words.
const WORDS_MAX: usize = 3;

/// Something that a step waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotReady {
    /// `day_not_sealed`, `store_not_heard`, `records_pending`, `parked`, `hole`, …: stable.
    pub code: String,
    /// Of which book; empty: head office's own, or of all.
    pub store_id: String,
    /// Of which day, where it is one.
    pub date: Option<Date>,
    /// Of what, where it has an id.
    pub id: Option<String>,
    /// What is to be done, for a person.
    pub message: String,
}

pub(super) fn words(problems: &[NotReady]) -> String {
    let told = problems.iter().take(WORDS_MAX).map(|problem| problem.message.as_str());
    let told = told.collect::<Vec<_>>().join("; ");
    let more = problems.len().saturating_sub(WORDS_MAX);
    if more > 0 { format!("{told}; and {more} more") } else { told }
}

pub(super) fn details(problems: &[NotReady]) -> Value {
    let told: Vec<&NotReady> = problems.iter().take(TOLD_MAX).collect();
    json!({"problems": told, "more": problems.len().saturating_sub(told.len())})
}
