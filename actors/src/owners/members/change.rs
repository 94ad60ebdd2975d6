//! Registers, changes and erases a member. Each change is reported to head office field by field.

use super::{MembersOwner, load_book};
use crate::owners::pricing;
use crate::prelude::*;
use crate::runtime::command::MemberRows;
use domain::model::base::figures::Points;
use domain::model::base::ids::MemberId;
use domain::model::people::member::{Member, MemberBook};
use domain::rules::people::member;
use domain::rules::people::member::NewMember;
use serde_json::json;

/// Registers a member, by the rules of [`domain::rules::people::member::register`].
pub struct RegisterMember(pub NewMember);

/// Changes a member, by the rules of [`domain::rules::people::member::change`]; a merged member's ID names the member
/// that it is merged into.
pub struct ChangeMember(pub MemberId, pub member::ChangeMember);

/// Erases a member's personal data, by the rules of [`domain::rules::people::member::erase`].
pub struct EraseMember(pub MemberId);

impl Dispatch for RegisterMember {}

impl Command for RegisterMember {
    type Book = MemberRows;
    type Rows = ();

    fn decide(
        &self,
        (): (),
        members: &mut MembersOwner,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let (stamp, id, rules) = (members.stamps.stamp(), members.stamps.id("mbr_"), &*members.rules);
        let book = load_book(members, None, self.0.keys(&rules.policy.country_code))?;
        let event = member::register(&self.0, id, &stamp, &request.authorization(), rules, &book)?;
        outcome(members, stamp, event, &book, None)
    }
}

impl Dispatch for ChangeMember {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<MemberId, Failure> {
        context.member_id(&self.0)
    }
}

impl Command for ChangeMember {
    type Book = MemberRows;
    type Rows = MemberId;

    fn decide(
        &self,
        id: MemberId,
        members: &mut MembersOwner,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let (stamp, rules) = (members.stamps.stamp(), &*members.rules);
        let book = load_book(members, Some(&id), self.1.keys(&rules.policy.country_code))?;
        let event = member::change(&self.1, &id, &stamp, &request.authorization(), rules, &book)?;
        outcome(members, stamp, event, &book, Some(("member.changed", request)))
    }
}

impl Dispatch for EraseMember {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<MemberId, Failure> {
        context.member_id(&self.0)
    }
}

impl Command for EraseMember {
    type Book = MemberRows;
    type Rows = MemberId;

    fn decide(
        &self,
        id: MemberId,
        members: &mut MembersOwner,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let stamp = members.stamps.stamp();
        let book = load_book(members, Some(&id), Vec::new())?;
        let event = member::erase(&id, &stamp, &request.authorization(), &book)?;
        outcome(members, stamp, event, &book, Some(("member.erased", request)))
    }
}

impl Context {
    /// ID of the member, or of the member that it was merged into.
    fn member_id(&self, id: &MemberId) -> Result<MemberId, Failure> {
        let found = pricing::member(&self.storage, id)?.ok_or(Refusal::NotFound("member"))?;
        Ok(found.member_id.clone())
    }
}

/// The outcome of a command: event, record and answer, and with `audit` an entry in the audit log.
fn outcome(
    members: &MembersOwner,
    stamp: Stamp,
    event: Event<fact::MemberChanged>,
    book: &MemberBook,
    audit: Option<(&str, &RequestContext)>,
) -> Result<Decision, Failure> {
    let member = &event.fact.member;
    let before = book.members.get(&member.member_id);
    let answer = answer(members, member, before.is_none())?;
    let fields = before.map(|before| domain::model::people::member::changed(before, member));
    if fields.as_ref().is_some_and(|fields| fields.is_empty()) {
        // Nothing has changed: no record for head office.
        return Ok(Outcome::of(stamp, event, Vec::new(), answer).into());
    }
    let records = vec![record::member_changed(&stamp, before, member)];
    let Some((action, request)) = audit else {
        return Ok(Outcome::of(stamp, event, records, answer).into());
    };
    // The names of the fields, never their values: an entry outlives the member's own data.
    let fields: Vec<&str> = fields.into_iter().flat_map(|fields| fields.into_keys()).collect();
    let details = json!({"member_id": member.member_id, "fields": fields});
    let entry = AuditEntry::new(&request.authorization(), action, stamp.now, details);
    Ok(Outcome::of(stamp, event, records, answer).audited(&members.stamps, None, entry).into())
}

fn answer(members: &MembersOwner, member: &Member, created: bool) -> Result<Answer, Failure> {
    let view = member::view(member, balance(members, &member.member_id)?);
    Ok(match created {
        true => Answer::created(format!("/api/members/{}", member.member_id), &view),
        false => Answer::ok(&view),
    })
}

fn balance(members: &MembersOwner, member: &MemberId) -> Result<Points, Failure> {
    Ok(members.storage.members().points(member)?.map(|account| account.balance()).unwrap_or_default())
}
