//! Keys that identify exactly one member: phone, e-mail, code.

use crate::model::base::event::{Event, fact};
use crate::model::base::ids::MemberId;
use crate::model::base::refusal::Refusal;
use crate::model::base::search;
use crate::model::people::member::{Member, MemberBook, MemberKey};
use crate::rules::people::member::words;

/// Event of a member that was registered or changed, with the keys and search words that it no longer has.
pub(crate) fn changed_to(before: Option<&Member>, after: Member) -> Event<fact::MemberChanged> {
    let freed = MemberKey::freed(before, &after);
    let lost_words = search::lost(before.map(words).unwrap_or_default(), &words(&after));
    Event::of(fact::MemberChanged { member: after, freed, lost_words })
}

impl MemberBook {
    /// Applies a change of a member.
    pub fn evolve(&mut self, changed: &fact::MemberChanged) {
        let fact::MemberChanged { member, freed, .. } = changed;
        for key in freed {
            if self.keys.get(key) == Some(&member.member_id) {
                self.keys.remove(key);
            }
        }
        for key in MemberKey::of(member) {
            // If two stores gave a key to two members, every store uses the one that joined first.
            let owner = self.keys.entry(key).or_insert_with(|| member.member_id.clone());
            if member.member_id < *owner {
                owner.clone_from(&member.member_id);
            }
        }
        self.members.insert(member.member_id.clone(), member.clone());
    }

    /// Checks that no other member has a key that this member did not have before. A key that two stores assigned
    /// while disconnected is accepted.
    pub(super) fn check_free(&self, before: Option<&Member>, member: &Member) -> Result<(), Refusal> {
        let had = before.map(MemberKey::of).unwrap_or_default();
        let new = MemberKey::of(member).into_iter().filter(|key| !had.contains(key));
        let taken = new.filter_map(|key| self.keys.get(&key)).find(|owner| **owner != member.member_id);
        match taken {
            Some(id) => Err(Refusal::MemberExists(id.0.clone())),
            None => Ok(()),
        }
    }

    /// The member, if it can still be changed.
    pub(super) fn living(&self, id: &MemberId) -> Result<&Member, Refusal> {
        use crate::model::people::member::MemberState::{Active, Blocked};
        let member = self.members.get(id).ok_or(Refusal::NotFound("member"))?;
        match member.state {
            Active | Blocked => Ok(member),
            state => Err(Refusal::InvalidState { state: state.name().to_owned(), allowed: Vec::new() }),
        }
    }
}
