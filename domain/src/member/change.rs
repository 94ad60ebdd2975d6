//! Changes, blocks and erases members, field by field.

use super::command::given;
use super::key::changed_to;
use super::{ChangeMember, FieldMark, Member, MemberBook, MemberState};
use crate::event::{Event, Stamp};
use crate::ids::MemberId;
use crate::mandate::{Mandate, allow};
use crate::refusal::Refusal;
use crate::settings::Rules;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a member whose data was erased is called.
const ERASED: &str = "erased";

/// Changes what is given; keys that it gives up are free again.
///
/// # Errors
/// `insufficient_role`, `not_found`, `invalid_state`, `validation_failed`, `duplicate`.
pub fn change(
    cmd: &ChangeMember,
    id: &MemberId,
    stamp: &Stamp,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &MemberBook,
) -> Result<Event, Refusal> {
    allow(mandate.caller.role.manages())?;
    let contact = cmd.check(&rules.policy.country_code)?;
    let before = book.living(id)?;
    let mut after = before.clone();
    if let Some(name) = &cmd.name {
        name.trim().clone_into(&mut after.name);
    }
    for (asked, field, value) in [
        (&cmd.phone, &mut after.phone, contact.phone),
        (&cmd.email, &mut after.email, contact.email),
        (&cmd.code, &mut after.code, contact.code),
        (&cmd.tier, &mut after.tier, given(cmd.tier.as_ref()).map(str::to_owned)),
    ] {
        if asked.is_some() {
            *field = value;
        }
    }
    after.birth_date = cmd.birth_date.or(after.birth_date);
    after.state = cmd.state.unwrap_or(after.state);
    if after.phone.is_none() && after.email.is_none() {
        return Err(Refusal::field("phone", "a phone number or an e-mail address is needed"));
    }
    written(before, after, stamp, book)
}

/// Blocks a member: it may buy, but neither earns nor redeems; or lets it again.
///
/// # Errors
/// `insufficient_role`, `not_found`, `invalid_state`.
pub fn block(
    id: &MemberId,
    blocked: bool,
    stamp: &Stamp,
    mandate: &Mandate<'_>,
    book: &MemberBook,
) -> Result<Event, Refusal> {
    allow(mandate.caller.role.manages())?;
    let before = book.living(id)?;
    let state = if blocked { MemberState::Blocked } else { MemberState::Active };
    written(before, Member { state, ..before.clone() }, stamp, book)
}

/// Erases everything personal; sales and points keep the id.
///
/// # Errors
/// `insufficient_role`, `not_found`, `invalid_state`.
pub fn erase(
    id: &MemberId,
    stamp: &Stamp,
    mandate: &Mandate<'_>,
    book: &MemberBook,
) -> Result<Event, Refusal> {
    allow(mandate.caller.role.manages())?;
    let before = book.living(id)?;
    let after = Member {
        code: None,
        name: ERASED.to_owned(),
        phone: None,
        email: None,
        birth_date: None,
        tier: None,
        state: MemberState::Erased,
        ..before.clone()
    };
    written(before, after, stamp, book)
}

/// Marks the fields that differ and frees the keys that are gone.
pub(super) fn written(
    before: &Member,
    mut after: Member,
    stamp: &Stamp,
    book: &MemberBook,
) -> Result<Event, Refusal> {
    book.free(Some(before), &after)?;
    let mark = FieldMark::own(stamp);
    for field in changed(before, &after).into_keys() {
        after.marks.insert(field.to_owned(), mark.clone());
        after.version.clone_from(&stamp.at);
        after.updated_at = stamp.now;
    }
    Ok(changed_to(Some(before), after))
}

/// The fields that both sides may write, with their values.
pub(crate) fn fields(member: &Member) -> BTreeMap<&'static str, Value> {
    BTreeMap::from([
        ("code", json!(member.code)),
        ("name", json!(member.name)),
        ("phone", json!(member.phone)),
        ("email", json!(member.email)),
        ("birth_date", json!(member.birth_date)),
        ("tier", json!(member.tier)),
        ("state", json!(member.state)),
    ])
}

/// The fields whose values differ, with the new ones.
pub fn changed(before: &Member, after: &Member) -> BTreeMap<&'static str, Value> {
    let old = fields(before);
    fields(after).into_iter().filter(|(field, value)| old.get(field) != Some(value)).collect()
}
