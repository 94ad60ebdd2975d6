//! A file of members: one commit, each told to head office.

use super::book;
use crate::door::Door;
use crate::failure::Failure;
use crate::pending::Outcome;
use crate::shift::guarded;
use crate::who::Who;
use domain::answer::Answer;
use domain::event::Event;
use domain::member::{self, MemberRow};
use domain::record;
use domain::refusal::Refusal;
use serde_json::json;

/// Most bytes of a file's events and records: well below what a commit takes.
const COMMIT_BYTES_MAX: usize = 24 * 1024 * 1024;

/// Registers every row, or none.
pub(super) fn decide(door: &Door, rows: &[MemberRow], who: &Who) -> Result<Outcome, Failure> {
    let rules = &*door.rules;
    let keys = rows.iter().flat_map(|row| row.member.keys(&rules.policy.country_code)).collect();
    let book = book(door, None, keys)?;
    let new: Vec<_> = rows.iter().map(|_| (door.stamps.id("mbr_"), door.stamps.stamp())).collect();
    let events = guarded(|| member::import(rows, &new, &who.mandate(), rules, &book))?;
    let records: Vec<String> = events
        .iter()
        .zip(&new)
        .filter_map(|(event, (_, stamp))| match event {
            Event::MemberChanged { member, .. } => Some(record::member_changed(stamp, None, member)),
            _ => None,
        })
        .collect();
    fits(&events, &records)?;
    let answer = Answer::ok(&json!({"members": events.len()}));
    // The last stamp of all: the mark keeps the highest.
    let stamp = door.stamps.stamp();
    Ok(Outcome { events, records, answer, stamp })
}

/// A file that would be too long for its commit is refused as one, not as a defect.
fn fits(events: &[Event], records: &[String]) -> Result<(), Refusal> {
    let length = |event: &Event| serde_json::to_vec(event).map_or(0, |text| text.len());
    let bytes = events.iter().map(length).chain(records.iter().map(String::len)).sum::<usize>();
    if bytes <= COMMIT_BYTES_MAX {
        return Ok(());
    }
    let problem =
        format!("{bytes} bytes of members, and one commit takes {COMMIT_BYTES_MAX}: split the file");
    Err(Refusal::field("file", problem))
}
