//! A file of members: one commit, each reported to head office.

use super::{MembersOwner, load_book};
use crate::prelude::*;
use crate::runtime::command::{FILE_DEADLINE, MemberRows};
use domain::rules::people::member;
use domain::rules::people::member::MemberRow;
use serde_json::json;
use std::time::Duration;

/// Most bytes of a file's events and records: well below the limit of a commit.
const COMMIT_BYTES_MAX: usize = 24 * 1024 * 1024;

/// Registers every row of a file, or none, by the rules of [`domain::rules::people::member::import`].
pub(crate) struct ImportMembers(pub(crate) Vec<MemberRow>);

impl Dispatch for ImportMembers {}

impl Command for ImportMembers {
    type Book = MemberRows;
    type Rows = ();
    const DEADLINE: Duration = FILE_DEADLINE;

    fn decide(
        &self,
        (): (),
        members: &mut MembersOwner,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let (rows, rules, stamps) = (&self.0, &*members.rules, &members.stamps);
        let keys = rows.iter().flat_map(|row| row.member.keys(&rules.policy.country_code)).collect();
        let book = load_book(members, None, keys)?;
        let new: Vec<_> = rows.iter().map(|_| (stamps.id("mbr_"), stamps.stamp())).collect();
        let events = member::import(rows, &new, &request.authorization(), rules, &book)?;
        let stamped = events.iter().zip(&new);
        let records: Vec<String> = stamped
            .map(|(event, (_, stamp))| record::member_changed(stamp, None, &event.fact.member))
            .collect();
        let events: Vec<Event> = events.into_iter().map(Event::from).collect();
        fits(&events, &records)?;
        let answer = Answer::ok(&json!({"members": events.len()}));
        // The last stamp of all: the mark keeps the highest.
        Ok(Outcome { events, records, answer, stamp: stamps.stamp(), sale: None }.into())
    }
}

/// A file that would be too long for its commit is refused as one, not as a defect.
fn fits(events: &[Event], records: &[String]) -> Result<(), Refusal> {
    let length = |event: &Event| serde_json::to_vec(event).map_or(0, |text| text.len());
    let bytes = events.iter().map(length).chain(records.iter().map(String::len)).sum::<usize>();
    if bytes <= COMMIT_BYTES_MAX {
        return Ok(());
    }
    let problem = format!(
        "the members need {bytes} bytes, but one commit can have at most {COMMIT_BYTES_MAX}: split the file"
    );
    Err(Refusal::field("file", problem))
}
