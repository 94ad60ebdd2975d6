//! What names one member and no other: phone, e-mail, code.

use super::{Member, words};
use crate::event::Event;
use crate::ids::MemberId;
use crate::refusal::Refusal;
use crate::search;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A unique key of a member.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberKey {
    /// E.164.
    Phone(String),
    /// Lower-cased.
    Email(String),
    /// As given.
    Code(String),
}

/// The keys in use, and the members that commands name.
///
/// Whoever keeps the book may load both on demand: a rule looks only at the rows that its command
/// names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemberBook {
    /// Members by id.
    pub members: BTreeMap<MemberId, Member>,
    /// Members by unique key.
    pub keys: BTreeMap<MemberKey, MemberId>,
}

impl MemberKey {
    /// The keys of a member.
    pub fn of(member: &Member) -> Vec<Self> {
        let phone = member.phone.clone().map(Self::Phone);
        let email = member.email.clone().map(Self::Email);
        let code = member.code.clone().map(Self::Code);
        [phone, email, code].into_iter().flatten().collect()
    }

    /// What names nobody any more, now that the member is as it is.
    fn freed(before: Option<&Member>, after: &Member) -> Vec<Self> {
        let kept = Self::of(after);
        let before = before.map(Self::of).unwrap_or_default();
        before.into_iter().filter(|key| !kept.contains(key)).collect()
    }
}

/// What is stored of a member that was registered or changed.
pub(crate) fn changed_to(before: Option<&Member>, after: Member) -> Event {
    let freed = MemberKey::freed(before, &after);
    let lost_words = search::lost(before.map(words).unwrap_or_default(), &words(&after));
    Event::MemberChanged { member: Box::new(after), freed, lost_words }
}

impl MemberBook {
    /// Folds an event.
    pub fn evolve(&mut self, event: &Event) {
        if let Event::MemberChanged { member, freed, .. } = event {
            for key in freed {
                if self.keys.get(key) == Some(&member.member_id) {
                    self.keys.remove(key);
                }
            }
            for key in MemberKey::of(member) {
                // Of two that came from two stores the same one counts everywhere: the one that joined first.
                let owner = self.keys.entry(key).or_insert_with(|| member.member_id.clone());
                if member.member_id < *owner {
                    owner.clone_from(&member.member_id);
                }
            }
            self.members.insert(member.member_id.clone(), (**member).clone());
        }
    }

    /// Nobody else has a key that the member did not have before. One that two stores gave out while they were apart
    /// stands in nobody's way.
    pub(super) fn free(&self, before: Option<&Member>, member: &Member) -> Result<(), Refusal> {
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
        use super::MemberState::{Active, Blocked};
        let member = self.members.get(id).ok_or(Refusal::NotFound("member"))?;
        match member.state {
            Active | Blocked => Ok(member),
            state => Err(Refusal::InvalidState { state: state.name().to_owned(), allowed: Vec::new() }),
        }
    }
}
