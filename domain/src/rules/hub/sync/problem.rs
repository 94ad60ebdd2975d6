//! Problems of a store with its hub and their start, in plain words.

use crate::model::base::time::UtcMs;
use crate::model::hub::sync::local::{LinkRow, Unsupported};
use crate::wire::sync::Backlog;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Records that wait longer than this for the hub are worth a word, in milliseconds (5 min).
pub const WAITS_MS_MAX: i64 = 5 * 60 * 1000;

/// A clock further off than this is wrong, in milliseconds (60 s).
pub const SKEW_MS_MAX: i64 = 60 * 1000;

/// Problem of the synchronisation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SyncProblem")]
pub struct Problem {
    /// Stable code of the problem.
    pub code: String,
    /// Description of the problem, for people.
    pub message: String,
    /// When the problem began.
    pub since: UtcMs,
}

/// Records that the hub could not apply.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Held {
    /// Number of these records.
    pub count: u64,
    /// When the first of these records was parked. `None` if there are none.
    pub since: Option<UtcMs>,
}

/// Business days that the hub counts otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Differing {
    /// Number of these days.
    pub count: u64,
    /// When the first of these days began to differ. `None` if there are none.
    pub since: Option<UtcMs>,
    /// First of these days.
    pub first: Vec<Date>,
}

/// Records of the feed that the store can't use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unusable {
    /// Number of these records.
    pub count: u64,
    /// Record that came first. `None` if there are none.
    pub first: Option<Unsupported>,
}

/// State of a store's dealings with the hub.
#[derive(Debug, Clone)]
pub struct Facts<'a> {
    pub standing: &'a LinkRow,
    /// Error of the last failed call. `None` if there was none since the start.
    pub last_error: Option<&'a str>,
    /// Records that wait at the store.
    pub backlog: &'a Backlog,
    /// Records that the hub could not apply.
    pub parked: Held,
    /// Days with different counts at the hub.
    pub differing: Differing,
    /// Records of the feed that the store can't use.
    pub unusable: Unusable,
    /// This clock less the hub's.
    pub clock_skew_ms: Option<i64>,
}

/// Everything that is wrong, the oldest first.
pub fn problems(facts: &Facts<'_>, now: UtcMs) -> Vec<Problem> {
    let all = [
        fenced(facts),
        refilling(facts),
        link(facts),
        waits(facts, now),
        parked(facts),
        differs(facts),
        unusable(facts),
        clock(facts),
    ];
    let mut problems: Vec<Problem> = all.into_iter().flatten().collect();
    problems.sort_by_key(|problem| problem.since);
    problems
}

fn problem(code: &str, message: String, since: UtcMs) -> Problem {
    Problem { code: code.to_owned(), message, since }
}

fn fenced(facts: &Facts<'_>) -> Option<Problem> {
    let message = match facts.standing.replaced_at {
        Some(at) => format!(
            "another machine was enrolled as this store on {at}: this one can't sell. If it is to be the store, get a new token at head office and run `store-router enrol`. If it still can't sell after that, run `store-router rejoin`"
        ),
        None => "another copy of this store has taken over: this one can't sell until you run `store-router rejoin`"
            .to_owned(),
    };
    Some(problem("fenced", message, facts.standing.fenced_at?))
}

fn refilling(facts: &Facts<'_>) -> Option<Problem> {
    let message =
        "the store's records are being restored from head office: it can sell again when they are complete";
    Some(problem("refilling", message.to_owned(), facts.standing.refilling_at?))
}

fn link(facts: &Facts<'_>) -> Option<Problem> {
    let trouble = facts.standing.trouble.as_ref()?;
    let what = match trouble.code.as_str() {
        "rejected" => "head office refuses this store; the store continues to sell and keeps all records",
        _ => "head office can't be reached; the store continues to sell and keeps all records",
    };
    let why = facts.last_error.unwrap_or(&trouble.message);
    Some(problem(&trouble.code, format!("{what}: {why}"), trouble.since))
}

fn waits(facts: &Facts<'_>, now: UtcMs) -> Option<Problem> {
    let oldest = facts.backlog.oldest_pending_at?;
    let long = now.0.saturating_sub(oldest.0) > WAITS_MS_MAX;
    let message = format!("{} records have not been sent to head office yet", facts.backlog.pending);
    long.then(|| problem("backlog", message, oldest))
}

fn parked(facts: &Facts<'_>) -> Option<Problem> {
    let Held { count, since } = facts.parked.clone();
    let message = format!("head office could not apply {count} records: its figures don't include them");
    Some(problem("parked", message, since?))
}

fn differs(facts: &Facts<'_>) -> Option<Problem> {
    let Differing { count, since, first } = &facts.differing;
    let days: Vec<String> = first.iter().map(Date::to_string).collect();
    let message = format!("head office has different figures for {count} days: {}", days.join(", "));
    Some(problem("digest_difference", message, (*since)?))
}

fn unusable(facts: &Facts<'_>) -> Option<Problem> {
    let Unusable { count, first } = &facts.unusable;
    let Unsupported { kind, id, problem: why, at, .. } = first.as_ref()?;
    let message =
        format!("{count} records from head office can't be used here. The first is {kind} {id}: {why}");
    Some(problem("feed_unusable", message, *at))
}

fn clock(facts: &Facts<'_>) -> Option<Problem> {
    let since = facts.standing.skewed_at?;
    let seconds = facts.clock_skew_ms.map(|ms| format!(" by {} s", ms.div_euclid(1000)));
    let message = format!("the clock of this machine is wrong{}", seconds.unwrap_or_default());
    Some(problem("clock_skew", message, since))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::model::hub::sync::local::Trouble;

    #[test]
    fn problems_are_listed_with_their_beginning_and_the_oldest_first() {
        let trouble = Trouble { code: "unreachable".into(), message: "refused".into(), since: UtcMs(900) };
        let standing = LinkRow {
            trouble: Some(trouble),
            fenced_at: Some(UtcMs(800)),
            skewed_at: Some(UtcMs(700)),
            refilling_at: Some(UtcMs(850)),
            ..LinkRow::default()
        };
        let backlog = Backlog { pending: 3, oldest_pending_at: Some(UtcMs(300)) };
        let facts = Facts {
            standing: &standing,
            last_error: Some("timed out"),
            backlog: &backlog,
            parked: Held { count: 2, since: Some(UtcMs(500)) },
            differing: Differing {
                count: 1,
                since: Some(UtcMs(400)),
                first: vec![jiff::civil::date(2026, 11, 20)],
            },
            unusable: Unusable {
                count: 4,
                first: Some(Unsupported {
                    kind: "user".into(),
                    id: "usr_1".into(),
                    version: "v".into(),
                    problem: "name must not be empty".into(),
                    at: UtcMs(600),
                }),
            },
            clock_skew_ms: Some(90_000),
        };
        let reported = |now| -> Vec<(String, i64)> {
            problems(&facts, UtcMs(now)).into_iter().map(|one| (one.code, one.since.0)).collect()
        };
        let expected = [
            ("backlog", 300),
            ("digest_difference", 400),
            ("parked", 500),
            ("feed_unusable", 600),
            ("clock_skew", 700),
            ("fenced", 800),
            ("refilling", 850),
            ("unreachable", 900),
        ];
        let expected: Vec<(String, i64)> = expected.map(|(code, since)| (code.to_owned(), since)).into();
        assert_eq!(reported(WAITS_MS_MAX + 301), expected);
        assert_eq!(reported(1_000), expected.split_first().unwrap().1, "what waits for a moment is well");
        let last = problems(&facts, UtcMs(1_000)).pop().unwrap();
        assert!(last.message.ends_with("keeps all records: timed out"), "{}", last.message);
        let replaced =
            LinkRow { replaced_at: Some(UtcMs(750)), fenced_at: Some(UtcMs(800)), ..LinkRow::default() };
        let message = fenced(&Facts { standing: &replaced, ..facts.clone() }).unwrap().message;
        assert!(
            message.contains("1970-01-01T00:00:00.750Z") && message.contains("store-router enrol"),
            "{message}"
        );
        let well = Facts {
            standing: &LinkRow::default(),
            last_error: None,
            backlog: &Backlog::default(),
            parked: Held::default(),
            differing: Differing::default(),
            unusable: Unusable::default(),
            clock_skew_ms: Some(0),
        };
        assert_eq!(problems(&well, UtcMs(1_000)), Vec::new());
    }
}
