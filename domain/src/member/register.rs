//! Registers a member.

use super::key::changed_to;
use super::{FieldMark, Member, MemberBook, NewMember};
use crate::event::{Event, Stamp};
use crate::ids::MemberId;
use crate::mandate::Mandate;
use crate::refusal::Refusal;
use crate::settings::Rules;

/// Registers a member; phone, e-mail and code are nobody else's.
///
/// # Errors
/// `insufficient_role`, `validation_failed`, `duplicate` with the member who has the key.
pub fn register(
    cmd: &NewMember,
    id: MemberId,
    stamp: &Stamp,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &MemberBook,
) -> Result<Event, Refusal> {
    mandate.at_till()?;
    let contact = cmd.check(&rules.policy.country_code)?;
    let mut member = Member {
        code: contact.code,
        name: cmd.name.trim().to_owned(),
        phone: contact.phone,
        email: contact.email,
        birth_date: cmd.birth_date,
        version: stamp.at.clone(),
        ..Member::blank(id, stamp.now)
    };
    let mark = FieldMark::own(stamp);
    let written = super::change::fields(&member);
    member.marks = written.into_keys().map(|field| (field.to_owned(), mark.clone())).collect();
    book.free(None, &member)?;
    Ok(changed_to(None, member))
}
