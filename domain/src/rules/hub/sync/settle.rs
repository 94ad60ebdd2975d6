//! The result of a write to a shared record at the hub, field by field (docs/protocol.md#last-write-wins). Pure, so
//! that the simulation runs it.

use crate::model::base::time::UtcMs;
use crate::model::hub::hlc;
use crate::model::people::member::{STATE, of_erased};
use crate::rules::hub::sync::lww;
use crate::rules::hub::sync::lww::{FieldClock, Verdict};
use crate::wire::feed::FieldDown;
use crate::wire::record::FieldWrite;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The writer of a record, and its time.
#[derive(Debug, Clone, Copy)]
pub struct Writer<'a> {
    /// ID of the event, or of the hub's change.
    pub by: &'a str,
    /// Stamp that replaces a stamp of the write that is ahead of the hub.
    pub stamp: &'a str,
    /// Time by the hub's clock.
    pub now: UtcMs,
}

/// A value that lost against another one, for the conflict log.
#[derive(Debug, Clone, PartialEq)]
pub struct Lost {
    /// Name of the field.
    pub field: String,
    /// `store` if the written value won, `hub` if the existing value won.
    pub winner: &'static str,
    /// The value that lost.
    pub lost: Value,
    /// Stamp of the value that lost.
    pub lost_at: String,
    /// Event or change of the hub that wrote the value that lost.
    pub lost_by: String,
    /// The value that won.
    pub kept: Value,
}

/// Outcome of a write.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// Fields that the write changed.
    pub fields: BTreeMap<String, FieldDown>,
    /// The values that lost.
    pub lost: Vec<Lost>,
    /// The record's version afterwards.
    pub version: String,
}

/// Whether a stamp counts: it is well-formed, and not ahead of the hub.
pub fn counts(at: &str, now: UtcMs) -> bool {
    hlc::parts(at).is_some_and(|(ms, _)| ms <= now.0.saturating_add(hlc::AHEAD_MS_MAX))
}

/// Decides each field of a write to a record that has this `version` (empty: it is new) and fields.
pub fn settle(
    version: &str,
    known: &BTreeMap<String, FieldDown>,
    writes: &BTreeMap<String, FieldWrite>,
    writer: &Writer<'_>,
) -> Settled {
    let (fields, lost) = (BTreeMap::new(), Vec::new());
    let mut settled = Settled { fields, lost, version: version.to_owned() };
    for (field, write) in writes {
        let at = if counts(&write.at, writer.now) { write.at.as_str() } else { writer.stamp };
        let now = known.get(field);
        let standing = now.map(|now| FieldClock { at: &now.at, by: &now.by });
        let verdict = lww::decide(standing, at, &write.base);
        let at = match now {
            Some(now) if verdict == Verdict::Follows => lww::on_top(&now.at, at),
            _ => at.to_owned(),
        };
        if let Some(now) = now.filter(|now| verdict != Verdict::Follows && now.value != write.value) {
            settled.lost.push(lost_of(field, now, write, verdict, &at, writer.by));
        }
        if verdict != Verdict::Loses {
            let before = Some(settled.version.as_str()).filter(|version| !version.is_empty());
            settled.version = lww::version_after(before, &at);
            let down = FieldDown { value: write.value.clone(), at, by: writer.by.to_owned() };
            settled.fields.insert(field.clone(), down);
        }
    }
    settled
}

/// Decides a write to a member. If the member's data is erased, or this write erases it, every field gets its erased
/// value, including fields that were written elsewhere meanwhile or are written later.
pub fn settle_member(
    version: &str,
    known: &BTreeMap<String, FieldDown>,
    writes: &BTreeMap<String, FieldWrite>,
    writer: &Writer<'_>,
) -> Settled {
    let was_erased = known.get(STATE).is_some_and(|state| state.value == of_erased(STATE));
    let mut settled = match was_erased {
        true => Settled { fields: BTreeMap::new(), lost: Vec::new(), version: version.to_owned() },
        false => settle(version, known, writes, writer),
    };
    if !was_erased && settled.fields.get(STATE).is_none_or(|state| state.value != of_erased(STATE)) {
        return settled;
    }
    let fields: BTreeSet<&String> = known.keys().chain(writes.keys()).collect();
    for field in fields {
        let (now, write, value) = (known.get(field), writes.get(field), of_erased(field));
        let other = write.filter(|write| write.value != value);
        let is_kept = settled.fields.get(field).or(now).is_some_and(|now| now.value == value);
        if is_kept && other.is_none() {
            continue;
        }
        // Later than every other version, so that the writer is notified.
        let written = other.map(|write| write.at.as_str()).filter(|at| counts(at, writer.now));
        let earlier = now.map(|now| now.at.as_str()).into_iter().chain(written);
        let at = earlier.fold(writer.stamp.to_owned(), |at, before| lww::on_top(before, &at));
        let down = FieldDown { value, at, by: writer.by.to_owned() };
        if let Some(write) = other.filter(|_| was_erased) {
            settled.lost.push(lost_of(field, &down, write, Verdict::Loses, writer.stamp, writer.by));
        }
        let so_far = Some(settled.version.as_str()).filter(|version| !version.is_empty());
        settled.version = lww::version_after(so_far, &down.at);
        settled.fields.insert(field.clone(), down);
    }
    settled
}

fn lost_of(field: &str, now: &FieldDown, write: &FieldWrite, verdict: Verdict, at: &str, by: &str) -> Lost {
    let (winner, lost, kept, lost_at, lost_by) = match verdict {
        Verdict::Beats => ("store", &now.value, &write.value, now.at.as_str(), now.by.as_str()),
        _ => ("hub", &write.value, &now.value, at, by),
    };
    Lost {
        field: field.to_owned(),
        winner,
        lost: lost.clone(),
        lost_at: lost_at.to_owned(),
        lost_by: lost_by.to_owned(),
        kept: kept.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const OLD: &str = "0000000000001-00000-S1";
    const NEW: &str = "0000000000009-00000-S2";

    fn settled(known: &[(&str, &str)], writes: &[(&str, Value)]) -> Settled {
        let down = |(field, value): &(&str, &str)| {
            let down = FieldDown { value: json!(value), at: NEW.to_owned(), by: "evt_1".to_owned() };
            ((*field).to_owned(), down)
        };
        let write = |(field, value): &(&str, Value)| {
            let write = FieldWrite { value: value.clone(), at: OLD.to_owned(), base: String::new() };
            ((*field).to_owned(), write)
        };
        let (known, writes) = (known.iter().map(down).collect(), writes.iter().map(write).collect());
        settle_member(NEW, &known, &writes, &Writer { by: "evt_2", stamp: OLD, now: UtcMs(10) })
    }

    fn values(settled: &Settled) -> Value {
        json!(settled.fields.iter().map(|(field, down)| (field, &down.value)).collect::<BTreeMap<_, _>>())
    }

    #[test]
    fn of_somebody_who_is_erased_nothing_stays_and_nothing_is_written_any_more() {
        // A phone that was written elsewhere meanwhile, with a later stamp.
        let erases = settled(&[("name", "Ani"), ("phone", "+62811")], &[("state", json!("erased"))]);
        assert_eq!(values(&erases), json!({"name": "erased", "phone": null, "state": "erased"}));
        assert!(erases.version.as_str() > NEW && erases.fields.values().all(|down| down.by == "evt_2"));

        let erased = [("name", "erased"), ("state", "erased")];
        let later = settled(&erased, &[("email", json!("a@b.example")), ("state", json!("active"))]);
        assert_eq!(values(&later), json!({"email": null, "state": "erased"}));
        assert_eq!(later.lost.iter().map(|lost| lost.winner).collect::<Vec<_>>(), ["hub", "hub"]);
        assert!(later.version.as_str() > NEW);

        let same = settled(&erased, &[("name", json!("erased"))]);
        assert_eq!((values(&same), same.version.as_str()), (json!({}), NEW));
        let alive = settled(&[("name", "Ani")], &[("phone", json!("+62811"))]);
        assert_eq!(values(&alive), json!({"phone": "+62811"}));
    }
}
