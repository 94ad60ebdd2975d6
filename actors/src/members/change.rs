//! One member registered, changed or erased; each change is told to head office field by field.

use super::{MemberCommand, book, restore};
use crate::door::Door;
use crate::failure::Failure;
use crate::pending::Outcome;
use crate::shift::guarded;
use crate::who::Who;
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::event::{Event, Stamp};
use domain::ids::MemberId;
use domain::member::{self, Member, MemberBook};
use domain::record;

/// What a command comes to.
pub(super) fn decide(door: &Door, command: MemberCommand, who: &Who) -> Result<Outcome, Failure> {
    let stamp = door.stamps.stamp();
    let (rules, mandate) = (&*door.rules, who.mandate());
    match command {
        MemberCommand::Register { id, command } => {
            let book = book(door, None, command.keys(&rules.policy.country_code))?;
            let event = guarded(|| member::register(&command, id, &stamp, &mandate, rules, &book))?;
            outcome(door, stamp, event, &book, None)
        }
        MemberCommand::Change { id, command } => {
            let book = book(door, Some(&id), command.keys(&rules.policy.country_code))?;
            let event = guarded(|| member::change(&command, &id, &stamp, &mandate, rules, &book))?;
            outcome(door, stamp, event, &book, Some(("member.changed", who)))
        }
        MemberCommand::Erase { id } => {
            let book = book(door, Some(&id), Vec::new())?;
            let event = guarded(|| member::erase(&id, &stamp, &mandate, &book))?;
            outcome(door, stamp, event, &book, Some(("member.erased", who)))
        }
        MemberCommand::Restore { conflict_id } => restore::decide(door, &conflict_id, stamp, who),
    }
}

/// Event, record, answer; and, for what only a manager may do, the audit log's entry.
fn outcome(
    door: &Door,
    stamp: Stamp,
    event: Event,
    book: &MemberBook,
    audit: Option<(&str, &Who)>,
) -> Result<Outcome, Failure> {
    let Event::MemberChanged { member, .. } = &event else {
        return Err(Failure::Internal("members submit only members".to_owned()));
    };
    let before = book.members.get(&member.member_id);
    let answer = answer(door, member, before.is_none())?;
    let fields = before.map(|before| member::changed(before, member));
    if fields.as_ref().is_some_and(|fields| fields.is_empty()) {
        // Nothing is other than it was: no news for head office.
        return Ok(Outcome { events: vec![event], records: Vec::new(), answer, stamp });
    }
    let mut records = vec![record::member_changed(&stamp, before, member)];
    let Some((action, who)) = audit else {
        return Ok(Outcome { events: vec![event], records, answer, stamp });
    };
    // Which fields, never what was in them: an entry outlives the member's own data.
    let fields: Vec<&str> = fields.into_iter().flat_map(|fields| fields.into_keys()).collect();
    let details = [("member_id", member.member_id.as_str()), ("fields", &fields.join(","))];
    let entry = AuditEntry::new(&who.mandate(), action, stamp.now, &details);
    let audit_stamp = door.stamps.stamp();
    records.push(record::audit_recorded(&audit_stamp, None, &entry));
    Ok(Outcome { events: vec![event, Event::Audited { entry }], records, answer, stamp: audit_stamp })
}

fn answer(door: &Door, member: &Member, created: bool) -> Result<Answer, Failure> {
    let view = member::view(member, balance(door, &member.member_id)?);
    Ok(match created {
        true => Answer::created(format!("/api/members/{}", member.member_id), &view),
        false => Answer::ok(&view),
    })
}

fn balance(door: &Door, member: &MemberId) -> Result<i64, Failure> {
    Ok(door.storage.points(member)?.map_or(0, |account| account.balance()))
}
