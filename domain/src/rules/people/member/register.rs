//! Registers a member.

use crate::model::base::event::{Event, fact};
use crate::model::base::ids::MemberId;
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::hub::stamp::Stamp;
use crate::model::people::authorization::Authorization;
use crate::model::people::member::{FieldMark, Member, MemberBook};
use crate::rules::people::member::{NewMember, changed_to};

/// Registers a member. Phone, e-mail and code must not belong to another member.
///
/// # Errors
/// `insufficient_role`, `validation_failed`, `duplicate` with the member who has the key.
pub fn register(
    cmd: &NewMember,
    id: MemberId,
    stamp: &Stamp,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &MemberBook,
) -> Result<Event<fact::MemberChanged>, Refusal> {
    authorization.at_till()?;
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
    let mark = FieldMark::local(stamp);
    let written = crate::model::people::member::fields(&member);
    member.marks = written.into_keys().map(|field| (field.to_owned(), mark.clone())).collect();
    book.check_free(None, &member)?;
    Ok(changed_to(None, member))
}
