//! The daily proof that hub and store agree: both count the same records with the same function.

use crate::model::hub::sync::Figure;
use crate::wire::json::check_keys;
use crate::wire::record::Record;
use crate::wire::sync::{Difference, Digest, DigestResult};
use jiff::civil::Date;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The largest total of one record that is counted: larger JSON numbers are not exact everywhere.
const TOTAL_MAX: i64 = (1 << 53) - 1;

impl Digest {
    /// Whether these figures include this position. Records of the hub beyond it are not in the store's figures yet.
    /// An epoch that is not listed is one that the store lacks.
    pub fn reaches(&self, epoch: &str, seq: u64) -> bool {
        self.heads.iter().all(|head| head.epoch != epoch || seq <= head.seq)
    }

    /// Result of the comparison, and the first figure that differs. `stored`: the hub's hash at each of the heads,
    /// `None` if it has no such record; `hub`: its own figures of the day.
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
    /// A record with the same ID is counted once.
    pub event_id: String,
    /// Type of the record.
    pub kind: String,
    /// Business date of the record.
    pub business_date: Date,
    pub total: i64,
}

/// Reads a record as a digest counts it; `None` if it belongs to no business day, and does not count.
///
/// Also counts records of types and versions that this build does not know, by their own statements, as a parked record
/// requires.
pub fn counted(record: &str) -> Option<Counted> {
    check_keys(record.as_bytes()).ok()?;
    let mut record: Record<Value> = serde_json::from_str(record).ok()?;
    // One that can't be read is counted by its envelope.
    let _ = record.read_payload();
    counted_of(&record)
}

/// As [`counted`], of a record whose payload was read already ([`Record::read_payload`]).
pub fn counted_of<P>(record: &Record<P>) -> Option<Counted> {
    let about = record.about.as_ref()?;
    let business_date = about.business_date?;
    let total = about.amount.clamp(-TOTAL_MAX, TOTAL_MAX);
    Some(Counted { event_id: record.event_id.clone(), kind: record.kind.clone(), business_date, total })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_counts_with_its_amount_on_its_day_whatever_its_payload() {
        let table = [
            (r#"{"business_date":"2026-11-20","amount":1110}"#, Some(1110)),
            (r#"{"business_date":"2026-11-20","news":true}"#, Some(0)),
            (r#"{"business_date":"2026-11-20","amount":-9223372036854775808}"#, Some(-TOTAL_MAX)),
            (r#"{"amount":1110}"#, None),
            (r#"{"business_date":"someday","amount":1}"#, None),
        ];
        for (about, expected) in table {
            let record = format!(
                r#"{{"event_id":"e","type":"x.y","schema":9,"at":"x","occurred_at":"2026-11-20T02:06:34.739Z","about":{about},"payload":7}}"#
            );
            let found = counted(&record);
            assert_eq!(found.map(|counted| counted.total), expected, "{about}");
        }
        assert_eq!(counted("no record"), None);
        assert_eq!(counted(r#"{"event_id":"e","event_id":"f"}"#), None);
    }

    #[test]
    fn a_payload_that_is_understood_counts_whatever_the_envelope_says_of_it() {
        let record = |schema: u32, about: &str, payload: &str| {
            let about = if about.is_empty() { String::new() } else { format!(r#""about":{about},"#) };
            let text = format!(
                r#"{{"event_id":"e","type":"day.reopened","schema":{schema},"at":"x","occurred_at":"2026-11-20T02:06:34.739Z",{about}"payload":{payload}}}"#
            );
            counted(&text).map(|counted| (counted.business_date.to_string(), counted.total))
        };
        let said = r#"{"business_date":"2026-11-21","amount":7}"#;
        let own = r#"{"business_date":"2026-11-20","reopened_by":null,"reopened_at":"2026-11-20T02:06:34.739Z","open_until":"2026-11-20","reason":null}"#;
        let (of_payload, of_envelope) = (record(1, "", own), Some(("2026-11-21".to_owned(), 7)));
        assert!(of_payload.is_some(), "the payload is one");
        assert_eq!(record(1, said, own), of_payload);
        assert_eq!((record(1, said, "{}"), record(9, said, own)), (of_envelope.clone(), of_envelope));
        assert_eq!((record(1, "", "{}"), record(9, "", own)), (None, None));
    }
}
