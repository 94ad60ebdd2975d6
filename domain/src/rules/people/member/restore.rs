//! A value that lost against another one is put back, as a new write.

use crate::model::base::event::{Event, fact};
use crate::model::base::fields::read;
use crate::model::base::ids::MemberId;
use crate::model::base::refusal::Refusal;
use crate::model::hub::stamp::Stamp;
use crate::model::people::authorization::{Authorization, allow};
use crate::model::people::member::{FieldMark, Member, MemberBook, MemberKey, MemberState};
use crate::rules::people::member::change::written;
use serde_json::Value;

/// The key that a field's value is; `None` for fields that identify nobody.
pub fn key_of(field: &str, value: &Value) -> Option<MemberKey> {
    let text = value.as_str()?.to_owned();
    match field {
        "phone" => Some(MemberKey::Phone(text)),
        "email" => Some(MemberKey::Email(text)),
        "code" => Some(MemberKey::Code(text)),
        _ => None,
    }
}

/// Puts the value back into the member's field. This is a write even if the member has this value here, since the hub
/// has another one.
///
/// # Errors
/// `insufficient_role`, `not_found`, `invalid_state`, `duplicate`; `validation_failed` for a field that this
/// version does not know, or a value that a member can't have.
pub fn restore(
    id: &MemberId,
    (field, value): (&str, &Value),
    stamp: &Stamp,
    authorization: &Authorization<'_>,
    book: &MemberBook,
) -> Result<Event<fact::MemberChanged>, Refusal> {
    allow(authorization.caller.role.manages())?;
    let before = book.living(id)?;
    let mut after: Member = before.clone();
    if !set(&mut after, field, value)? {
        return Err(Refusal::field(field, "is not known to this version"));
    }
    if !matches!(after.state, MemberState::Active | MemberState::Blocked) {
        return Err(Refusal::field(field, "must be active or blocked"));
    }
    if after.phone.is_none() && after.email.is_none() {
        return Err(Refusal::field(field, "a phone number or an e-mail address is needed"));
    }
    after.marks.insert(field.to_owned(), FieldMark::local(stamp));
    (after.version, after.updated_at) = (stamp.at.clone(), stamp.now);
    written(before, after, stamp, book)
}

/// Whether head office has the value in the member's field by now, because it was put back there. A value that this
/// store wrote counts once head office has decided on it.
pub fn is_back(id: &MemberId, (field, value): (&str, &Value), book: &MemberBook) -> bool {
    let Some(member) = book.members.get(id) else { return false };
    let mut with_it = member.clone();
    let is_known = set(&mut with_it, field, value).unwrap_or(false);
    is_known && with_it == *member && member.marks.get(field).is_some_and(|mark| !mark.open)
}

/// Sets a field that both sides may write; false: this version does not know it.
///
/// # Errors
/// `validation_failed` for a value that a member can't have.
pub(crate) fn set(member: &mut Member, field: &str, value: &Value) -> Result<bool, Refusal> {
    match field {
        "name" => member.name = read(field, value)?,
        "phone" => member.phone = read(field, value)?,
        "email" => member.email = read(field, value)?,
        "code" => member.code = read(field, value)?,
        "birth_date" => member.birth_date = read(field, value)?,
        "tier" => member.tier = read(field, value)?,
        "state" => member.state = read(field, value)?,
        _ => return Ok(false),
    }
    Ok(true)
}
