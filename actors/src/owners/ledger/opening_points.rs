//! Opening points of members: one commit with every entry and its record.

use super::Ledger;
use crate::owners::pricing;
use crate::prelude::*;
use crate::runtime::command::FILE_DEADLINE;
use domain::model::base::figures::Points;
use domain::model::base::time::UtcMs;
use domain::model::people::member::MemberState;
use domain::model::people::points::PointsReason;
use domain::rules::people::points::{NamedMember, PointsRow, open_points};
use serde_json::json;
use std::time::Duration;
use storage::Storage;

/// Gives every member of a file the points of its row, all of them or none, by the rules of
/// [`domain::rules::people::points::open_points`].
pub(crate) struct OpenPoints(pub(crate) Vec<PointsRow>);

/// The member of a row, and when the member's points had last moved when that was read.
type Seen = (NamedMember, UtcMs);

impl Dispatch for OpenPoints {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Vec<Seen>, Failure> {
        let country_code = &context.rules.now().policy.country_code;
        self.0.iter().map(|row| seen(&context.storage, row, country_code)).collect()
    }
}

/// The member of a row, or the reason why the row names no member who can get points.
fn seen(storage: &Storage, row: &PointsRow, country_code: &str) -> Result<Seen, Failure> {
    let (mut found, never) = (None, UtcMs::default());
    for key in row.keys(country_code) {
        let Some(owner) = storage.members().member_by_key(&key)? else { continue };
        let Some(member) = pricing::member(storage, &owner)? else { continue };
        if found.replace(member.clone()).is_some_and(|other| other.member_id != member.member_id) {
            return Ok((NamedMember::Several, never));
        }
    }
    let Some(member) = found else { return Ok((NamedMember::Unknown, never)) };
    let id = member.member_id.clone();
    if member.state == MemberState::Erased {
        return Ok((NamedMember::Erased(id), never));
    }
    // Read before the entries: points that move in between are looked at again.
    let account = storage.members().points(&id)?.unwrap_or_default();
    let entries = storage.members().points_entries_of(&member, None, usize::MAX)?;
    let is_opened = entries.iter().any(|(_, entry)| entry.reason == PointsReason::Opening);
    let named = if is_opened { NamedMember::Opened(id) } else { NamedMember::One(id) };
    Ok((named, account.updated_at))
}

impl Command for OpenPoints {
    type Book = LedgerBook;
    type Rows = Vec<Seen>;
    const DEADLINE: Duration = FILE_DEADLINE;

    fn is_from_rows(&self, _book: &LedgerBook) -> bool {
        true
    }

    fn decide(
        &self,
        read: Vec<Seen>,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let mut members = Vec::with_capacity(read.len());
        for (row, (member, read_at)) in self.0.iter().zip(read) {
            let NamedMember::One(id) = &member else {
                members.push(member);
                continue;
            };
            ledger.load_points(Some(id))?;
            // Points that moved since may be those of another file.
            let moved_at = ledger.book.points.get(id).map(|account| account.updated_at);
            let is_current = moved_at.unwrap_or_default() == read_at;
            let country_code = &ledger.rules.policy.country_code;
            members.push(if is_current { member } else { seen(&ledger.storage, row, country_code)?.0 });
        }
        let (rules, authorization) = (&ledger.rules.of_next_shift(), request.authorization());
        let stamps: Vec<_> = self.0.iter().map(|_| ledger.stamps.stamp()).collect();
        let ids: Vec<String> = stamps.iter().map(|stamp| stamp.event_id.0.clone()).collect();
        let by = (ledger.stamps.now(), &request.caller.user_id);
        let opened = open_points(&self.0, &members, &ids, by, rules, &ledger.book)?;
        let stamped = opened.iter().zip(&stamps);
        let records =
            stamped.map(|(moved, stamp)| record::points_adjusted(stamp, &moved.entry, "opening")).collect();
        let points: Points = opened.iter().map(|moved| moved.entry.points).sum();
        let details = json!({"members": opened.len(), "points": points});
        let date = opened.first().map(|moved| moved.entry.business_date);
        let audited = AuditEntry::new(&authorization, "points.opened", by.0, details);
        let answer = Answer::ok(&json!({"members": opened.len()}));
        let events = opened.into_iter().map(Event::from).collect();
        // The last stamp of all: the mark keeps the highest.
        let outcome = Outcome { events, records, answer, stamp: ledger.stamps.stamp(), sale: None };
        Ok(outcome.audited(&ledger.stamps, date, audited).into())
    }
}
