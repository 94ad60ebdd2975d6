//! Problems of a store and their start, in plain words.

use crate::columns;
use crate::table::alarm;
use crate::table::store::StoreRow;
use domain::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::AnyPool;
use std::collections::HashMap;

/// A store that is online is heard at least this often, in milliseconds.
const SILENT_MS: i64 = 5 * 60 * 1000;

/// A fenced copy asks again every few minutes: one that has not for so long was switched off, or is the shop
/// again, in milliseconds (a day).
const COPY_SILENT_MS: i64 = 24 * 60 * 60 * 1000;

/// A store restores its newest backup every night; one night may be missed, in milliseconds (50 h).
pub const DRILL_AGE_MS_MAX: i64 = 50 * 60 * 60 * 1000;

/// A problem of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "StoreProblem")]
pub struct Problem {
    /// Stable code of the problem.
    pub code: String,
    /// Description of the problem, for people.
    pub message: String,
    /// When the problem began.
    pub since: UtcMs,
}

/// Alarms, parked events and exceptions by store.
#[derive(Default)]
pub struct Fleet(HashMap<String, Vec<Problem>>);

impl Fleet {
    /// Problems of a range of stores in the order of their IDs: those on a page.
    pub async fn load(pool: &AnyPool, (first, last): (&str, &str), now: UtcMs) -> Result<Self, sqlx::Error> {
        let mut fleet = Self::default();
        let sql = "SELECT store_id, code, message, since FROM alarms WHERE store_id BETWEEN $1 AND $2 \
                   AND (code NOT IN ($3, $5, $6, $7) OR last_at >= $4)";
        let query = sqlx::query(sql).bind(first).bind(last).bind(alarm::FENCED);
        let copies_since = now.0.saturating_sub(COPY_SILENT_MS);
        let query = query.bind(copies_since).bind(alarm::EPOCH_AHEAD);
        let query = query.bind(alarm::LINEAGE).bind(alarm::TAKE_OVERS);
        for row in query.fetch_all(pool).await? {
            let (store_id, code, message, since) = columns!(row => (store_id, code, message, since));
            fleet.add(store_id, code, message, since);
        }
        let sql = "SELECT store_id, COUNT(*) AS count, MIN(parked_at) AS since FROM parked WHERE store_id BETWEEN $1 AND $2 \
                   GROUP BY store_id";
        for row in sqlx::query(sql).bind(first).bind(last).fetch_all(pool).await? {
            let (store_id, count, since): (String, i64, UtcMs) = columns!(row => (store_id, count, since));
            let message = format!("{count} of its records could not be applied and wait in /api/parked");
            fleet.add(store_id, "parked".to_owned(), message, since);
        }
        let sql = "SELECT store_id, COUNT(*) AS count, MIN(found_at) AS since FROM exceptions \
                   WHERE settled_at IS NULL AND store_id BETWEEN $1 AND $2 \
                   GROUP BY store_id";
        for row in sqlx::query(sql).bind(first).bind(last).fetch_all(pool).await? {
            let (store_id, count, since): (String, i64, UtcMs) = columns!(row => (store_id, count, since));
            let message = format!("{count} of its records contradict other records: check /api/exceptions");
            fleet.add(store_id, "exceptions".to_owned(), message, since);
        }
        Ok(fleet)
    }

    fn add(&mut self, store_id: String, code: String, message: String, since: UtcMs) {
        self.0.entry(store_id).or_default().push(Problem { code, message, since });
    }

    /// Everything that is wrong with a store, the oldest first.
    pub fn problems(&self, store: &StoreRow, now: UtcMs) -> Vec<Problem> {
        let mut problems = self.0.get(&store.store_id).cloned().unwrap_or_default();
        problems.extend(of_row(store, now));
        problems.sort_by_key(|problem| problem.since);
        problems
    }
}

fn of_row(store: &StoreRow, now: UtcMs) -> Vec<Problem> {
    let problem =
        |code: &str, message: String, since: UtcMs| Problem { code: code.to_owned(), message, since };
    if store.disabled {
        let since = store.disabled_at.unwrap_or(store.created_at);
        let message =
            "it is disabled at head office; it keeps its sales until it is enabled again".to_owned();
        return vec![problem("disabled", message, since)];
    }
    let Some(enrolled_at) = store.enrolled_at else {
        return vec![problem("not_enrolled", "it was added but never enrolled".to_owned(), store.created_at)];
    };
    // A warehouse is here: it can't fall silent.
    if store.kind == "warehouse" {
        return Vec::new();
    }
    let long_ago = |at: UtcMs| at.0 < now.0.saturating_sub(SILENT_MS);
    let mut problems = Vec::new();
    let seen = store.last_seen_at.unwrap_or(enrolled_at);
    if long_ago(seen) {
        problems.push(problem(
            "silent",
            "it has not connected: it is switched off or has no network".to_owned(),
            seen,
        ));
    }
    if let (Some(pending @ 1..), Some(oldest)) = (store.pending, store.oldest_pending_at)
        && long_ago(oldest)
    {
        let message = format!("{pending} of its records have not arrived yet");
        problems.push(problem("backlog", message, oldest));
    }
    problems.extend(drill(store, enrolled_at, now));
    problems
}

/// Whether it is too long ago that a backup of the store was restored to check it.
fn drill(store: &StoreRow, enrolled_at: UtcMs, now: UtcMs) -> Option<Problem> {
    let (since, message) = match store.drill_succeeded_at {
        Some(at) => (at, "no backup of it was restored and verified since then"),
        None => (enrolled_at, "no backup of it was ever restored and verified"),
    };
    let is_late = since.0 < now.0.saturating_sub(DRILL_AGE_MS_MAX);
    is_late.then(|| Problem { code: "backup_unchecked".to_owned(), message: message.to_owned(), since })
}
