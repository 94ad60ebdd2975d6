//! A member as head office has it (docs/protocol.md#last-write-wins): its values replace the store's own, but for
//! writes of this store that head office has not decided on yet, or whose outcome the feed has not brought.

use crate::model::base::event::{Event, fact};
use crate::model::base::ids::MemberId;
use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::hub::hlc;
use crate::model::people::member::{FieldMark, Member, MemberState};
use crate::rules::people::member::{changed_to, set};
use crate::wire::feed::{FieldDown, MemberDown, check};
use std::collections::BTreeMap;

/// Store's knowledge beside the record itself.
#[derive(Debug, Clone, Copy)]
pub struct Heard<'a> {
    /// Version of the record.
    pub version: &'a str,
    /// The version that contains the result of each own write that head office decided on, by its event.
    pub decided: &'a BTreeMap<String, String>,
    /// When the record is applied.
    pub now: UtcMs,
}

impl Heard<'_> {
    /// An own write that overrides the feed: head office has not decided on it, or the feed has not arrived. Stamps
    /// are not compared, since the clock may have been set back.
    pub(crate) fn on_top(&self, mark: &FieldMark, down: &FieldDown) -> bool {
        let there = |version: &String| self.version >= version.as_str();
        mark.open && mark.event_id != down.by && !self.decided.get(&mark.event_id).is_some_and(there)
    }
}

/// Applies a member's record; `None` if it has nothing new. Fields that this version does not know are left to a later
/// one.
///
/// # Errors
/// `validation_failed` with the field that has a value which a member can't have.
pub fn apply_feed(
    down: &MemberDown,
    known: Option<&Member>,
    heard: &Heard<'_>,
) -> Result<Option<Event<fact::MemberChanged>>, Refusal> {
    let mut member =
        known.cloned().unwrap_or_else(|| Member::blank(MemberId(down.member_id.clone()), heard.now));
    check::values(down)?;
    let mut pending = false;
    for (field, value) in &down.fields {
        if member.marks.get(field).is_some_and(|mark| heard.on_top(mark, value)) {
            pending = true;
            continue;
        }
        set(&mut member, field, &value.value)?;
        member.marks.insert(field.clone(), FieldMark::from_hub(&value.at, &value.by));
    }
    if !pending || heard.version > member.version.as_str() {
        heard.version.clone_into(&mut member.version);
        // Every store shows the same time, regardless of when it received the change.
        member.updated_at = hlc::parts(heard.version).map_or(heard.now, |(ms, _)| UtcMs(ms));
    }
    if let Some(joined_at) = down.joined_at {
        member.joined_at = joined_at;
        merged(&mut member, down);
    }
    if known == Some(&member) {
        return Ok(None);
    }
    Ok(Some(changed_to(known, member)))
}

/// Applies a merge of members. A write of a store that had not received the merge does not restore the merged member.
fn merged(member: &mut Member, down: &MemberDown) {
    member.merged_into = down.merged_into.clone().map(MemberId);
    member.merged = down.merged.iter().cloned().map(MemberId).collect();
    match (&member.merged_into, member.state) {
        (Some(_), _) => member.state = MemberState::Merged,
        (None, MemberState::Merged) => member.state = MemberState::Active,
        _ => {}
    }
}

#[cfg(test)]
mod tests;
