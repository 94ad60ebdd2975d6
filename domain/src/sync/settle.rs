//! What a write to a shared record comes to at the hub, field by field (docs/protocol.md#last-write-wins). Pure, so
//! that the simulation runs it.

use super::FieldDown;
use super::lww::{self, Standing, Verdict};
use crate::hlc;
use crate::record::FieldWrite;
use crate::time::UtcMs;
use serde_json::Value;
use std::collections::BTreeMap;

/// Who writes.
#[derive(Debug, Clone, Copy)]
pub struct Writer<'a> {
    /// The event, or the hub's change.
    pub by: &'a str,
    /// The stamp that counts for it, in place of one that lies ahead of the hub.
    pub stamp: &'a str,
    /// When, by the hub's clock.
    pub now: UtcMs,
}

/// A value that lost: it goes to the conflict log.
#[derive(Debug, Clone, PartialEq)]
pub struct Lost {
    /// Which field.
    pub field: String,
    /// `store`: the value that was written won; `hub`: the one that was there.
    pub winner: &'static str,
    /// The value that lost.
    pub lost: Value,
    /// Its stamp.
    pub lost_at: String,
    /// Which event, or change of the hub, wrote it.
    pub lost_by: String,
    /// The value that counts.
    pub kept: Value,
}

/// What becomes of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// The fields that are others now.
    pub fields: BTreeMap<String, FieldDown>,
    /// The values that lost.
    pub lost: Vec<Lost>,
    /// The record's version afterwards.
    pub version: String,
}

/// Whether a stamp counts: it is one, and does not lie ahead of the hub.
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
        let standing = now.map(|now| Standing { at: &now.at, by: &now.by });
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
