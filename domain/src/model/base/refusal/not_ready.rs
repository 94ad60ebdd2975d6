//! Conditions that a step of the books waits for.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Most problems that are returned.
const TOLD_MAX: usize = 100;
/// Most problems that are named in the message.
const WORDS_MAX: usize = 3;

/// Kind of a condition that is not met yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotReadyCode {
    /// The store has not sealed the day.
    DayNotSealed,
    /// The store has not connected since the day ended.
    StoreNotHeard,
    /// The store has records that have not arrived.
    RecordsPending,
    /// Records of the store are parked.
    Parked,
    /// Records of the store are missing.
    Hole,
    /// A settlement of the day is not approved.
    SettlementOpen,
    /// A proof of the books failed.
    ProofFailed,
    /// The suspense account has a balance.
    Suspense,
    /// The account has a balance.
    Balance,
    /// An account mapping uses the account.
    Mapping,
    /// A statement source uses the account.
    StatementSource,
    /// The account is closed.
    AccountClosed,
}

/// A condition that is not met yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotReady {
    /// Kind of condition.
    pub code: NotReadyCode,
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
