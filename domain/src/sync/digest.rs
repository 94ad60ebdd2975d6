//! The daily proof that hub and store agree: both count the same records with the same function.

use crate::record::Record;
use crate::time::UtcMs;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The largest total of one record that counts: beyond it JSON numbers are no longer exact everywhere.
const TOTAL_MAX: i64 = (1 << 53) - 1;

/// What a type of record came to on a business day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Distinct events.
    pub count: u64,
    /// Σ of their amounts, see [`counted`].
    pub total: i64,
}

/// One epoch's end, as the store has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DigestHead {
    /// The epoch.
    pub epoch: String,
    /// Its last seq.
    pub seq: u64,
    /// The hash there.
    pub hash: String,
}

/// `POST /api/sync/digest`: what the store has of a business day, over distinct `event_id`s of all epochs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Digest {
    /// The day.
    pub business_date: Date,
    /// How far these figures go, for every epoch of the store: what the hub has beyond does not count.
    pub heads: Vec<DigestHead>,
    /// By type of record; types without a record may be left out.
    pub types: BTreeMap<String, Figure>,
}

/// What came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DigestResult {
    /// Every figure is the same.
    Match,
    /// One is not.
    Difference,
    /// The hub lacks records below these heads: push first.
    NotYet,
}

/// The first figure that is not the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The type of record.
    #[serde(rename = "type")]
    pub kind: String,
    /// The store's figure.
    pub store: Figure,
    /// The hub's.
    pub hub: Figure,
}

/// Answer to [`Digest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DigestAnswer {
    /// What came out.
    pub result: DigestResult,
    /// Records of the day that the hub counts, but has not applied.
    pub parked: u64,
    /// The first figure that is not the same.
    pub first_difference: Option<Difference>,
    /// The hub's database generation.
    pub hub_generation: String,
    /// The hub's clock.
    pub hub_time: UtcMs,
}

impl Digest {
    /// Whether these figures go as far as this place: what the hub has beyond is in no figure here yet. An
    /// epoch that is not named at all is one that the store lacks.
    pub fn reaches(&self, epoch: &str, seq: u64) -> bool {
        self.heads.iter().all(|head| head.epoch != epoch || seq <= head.seq)
    }

    /// What comes out, and the first figure that is not the same. `stored`: the hub's hash at each of the
    /// heads, none where it has no such record; `hub`: its own figures of the day.
    pub fn compare(
        &self,
        stored: &[Option<String>],
        hub: &BTreeMap<String, Figure>,
    ) -> (DigestResult, Option<Difference>) {
        let ends = self.heads.iter().zip(stored);
        if ends.clone().any(|(head, stored)| stored.as_ref().is_some_and(|hash| *hash != head.hash)) {
            return (DigestResult::Difference, None);
        }
        if ends.clone().any(|(_, stored)| stored.is_none()) {
            return (DigestResult::NotYet, None);
        }
        let kinds: BTreeSet<&String> = self.types.keys().chain(hub.keys()).collect();
        let figure = |of: &BTreeMap<String, Figure>, kind: &String| of.get(kind).copied().unwrap_or_default();
        let differs = |kind: &&String| figure(&self.types, kind) != figure(hub, kind);
        let difference = kinds.into_iter().find(differs).map(|kind| Difference {
            kind: kind.clone(),
            store: figure(&self.types, kind),
            hub: figure(hub, kind),
        });
        match difference {
            None => (DigestResult::Match, None),
            found => (DigestResult::Difference, found),
        }
    }
}

/// A record as a digest counts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Counts once.
    pub event_id: String,
    /// Its type.
    pub kind: String,
    /// Its day.
    pub business_date: Date,
    /// Its amount.
    pub total: i64,
}

/// Reads a record as a digest counts it; none: it belongs to no business day, and does not count.
///
/// Also records of types and versions that this build does not know are counted: a parked one has to.
pub fn counted(record: &str) -> Option<Counted> {
    counted_of(&serde_json::from_str(record).ok()?)
}

/// As [`counted`], of a record that was read already.
pub fn counted_of(record: &Record<Value>) -> Option<Counted> {
    let business_date = record.payload.get("business_date")?.as_str()?.parse().ok()?;
    let total = amount(&record.payload).clamp(-TOTAL_MAX, TOTAL_MAX);
    Some(Counted { event_id: record.event_id.clone(), kind: record.kind.clone(), business_date, total })
}

/// What a payload amounts to: the first of these that it has, 0 without any.
fn amount(payload: &Value) -> i64 {
    const AMOUNTS: [&str; 9] = [
        "/transaction/total",
        "/document/refund_total",
        "/shift/expected_cash",
        "/receiving/total_cost",
        "/movement/amount",
        "/deposit/amount",
        "/amount",
        "/total",
        "/entry/points",
    ];
    if let Some(total) = AMOUNTS.iter().find_map(|pointer| payload.pointer(pointer)?.as_i64()) {
        return total;
    }
    let movements = payload.get("movements").and_then(Value::as_array);
    let pieces = movements.into_iter().flatten().filter_map(|movement| movement.get("qty")?.as_i64());
    pieces.fold(0, i64::saturating_add)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    fn record(kind: &str, payload: &str) -> String {
        format!(
            r#"{{"event_id":"e","type":"{kind}","schema":9,"at":"x","occurred_at":"2026-11-20T02:06:34.739Z","payload":{payload}}}"#
        )
    }

    #[test]
    fn a_record_counts_with_its_amount_on_its_day() {
        let table = [
            (r#"{"business_date":"2026-11-20","transaction":{"total":1110}}"#, Some(1110)),
            (r#"{"business_date":"2026-11-20","movements":[{"qty":3},{"qty":-5}]}"#, Some(-2)),
            (r#"{"business_date":"2026-11-20","news":true}"#, Some(0)),
            (r#"{"transaction":{"total":1110}}"#, None),
            (r#"{"business_date":"someday","amount":1}"#, None),
        ];
        for (payload, expected) in table {
            let found = counted(&record("x.y", payload));
            assert_eq!(found.map(|counted| counted.total), expected, "{payload}");
        }
        assert_eq!(counted("no record"), None);
    }
}
