//! Changes, blocks and erases members, field by field.

use crate::model::base::event::{Event, fact};
use crate::model::base::ids::MemberId;
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::hub::stamp::Stamp;
use crate::model::people::authorization::{Authorization, allow};
use crate::model::people::member::{ERASED_NAME, FieldMark, Member, MemberBook, MemberState, changed};
use crate::rules::people::member::member_commands::given;
use crate::rules::people::member::{ChangeMember, changed_to};

/// Changes the given fields; keys that the member gives up are free again.
///
/// # Errors
/// `insufficient_role`, `not_found`, `invalid_state`, `validation_failed`, `duplicate`.
pub fn change(
    cmd: &ChangeMember,
    id: &MemberId,
    stamp: &Stamp,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &MemberBook,
) -> Result<Event<fact::MemberChanged>, Refusal> {
    allow(authorization.caller.role.manages())?;
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
    after.birth_date = cmd.birth_date.over(after.birth_date);
    after.state = cmd.state.unwrap_or(after.state);
    reachable(after.phone.is_some() || after.email.is_some())?;
    written(before, after, stamp, book)
}

/// Refuses a change that leaves a member without a phone number and an e-mail address.
///
/// # Errors
/// `validation_failed`.
pub fn reachable(has_contact: bool) -> Result<(), Refusal> {
    if has_contact {
        return Ok(());
    }
    Err(Refusal::field("phone", "a phone number or an e-mail address is needed"))
}

/// Blocks a member: it may buy, but neither earns nor redeems; or lets it again.
///
/// # Errors
/// `insufficient_role`, `not_found`, `invalid_state`.
pub fn block(
    id: &MemberId,
    blocked: bool,
    stamp: &Stamp,
    authorization: &Authorization<'_>,
    book: &MemberBook,
) -> Result<Event<fact::MemberChanged>, Refusal> {
    allow(authorization.caller.role.manages())?;
    let before = book.living(id)?;
    let state = if blocked { MemberState::Blocked } else { MemberState::Active };
    written(before, Member { state, ..before.clone() }, stamp, book)
}

/// Erases everything personal; sales and points keep the ID.
///
/// # Errors
/// `insufficient_role`, `not_found`, `invalid_state`.
pub fn erase(
    id: &MemberId,
    stamp: &Stamp,
    authorization: &Authorization<'_>,
    book: &MemberBook,
) -> Result<Event<fact::MemberChanged>, Refusal> {
    allow(authorization.caller.role.manages())?;
    let before = book.living(id)?;
    let after = Member {
        code: None,
        name: ERASED_NAME.to_owned(),
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
) -> Result<Event<fact::MemberChanged>, Refusal> {
    book.check_free(Some(before), &after)?;
    let mark = FieldMark::local(stamp);
    for field in changed(before, &after).into_keys() {
        after.marks.insert(field.to_owned(), mark.clone());
        after.version.clone_from(&stamp.at);
        after.updated_at = stamp.now;
    }
    Ok(changed_to(Some(before), after))
}
