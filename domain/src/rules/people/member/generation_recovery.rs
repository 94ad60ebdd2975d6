//! Values that a head office of another generation lost (docs/protocol.md#last-write-wins): a store knows them, and
//! they are newer than those of a hub that was restored from a backup.

use crate::model::base::ids::StoreId;
use crate::model::hub::hlc;
use crate::model::people::member::{FieldMark, Member, MemberState, fields};
use crate::wire::feed::{FieldDown, MemberDown};
use crate::wire::record::FieldWrite;
use std::collections::BTreeMap;

/// The writes that send values back to the hub: each with its own stamp, by which the hub decides, and without a base.
/// Values that this store wrote itself are not among them: their records are sent again.
pub fn newer_fields(down: &MemberDown, known: &Member, own: &StoreId) -> BTreeMap<String, FieldWrite> {
    let values = fields(known);
    // That a member is merged into another one is no value of a field; that it is erased is one.
    let is_state = known.merged_into.is_none() || known.state == MemberState::Erased;
    let kept = |field: &str| field != "state" || is_state;
    let newer =
        known.marks.iter().filter(|(field, mark)| kept(field) && lost(mark, down.fields.get(*field), own));
    newer
        .filter_map(|(field, mark)| {
            let value = values.get(field.as_str())?.clone();
            Some((field.clone(), FieldWrite { value, at: mark.at.clone(), base: String::new() }))
        })
        .collect()
}

/// Whether head office lost a value that was written here: it has none, or an older one.
pub(crate) fn lost(mark: &FieldMark, has: Option<&FieldDown>, own: &StoreId) -> bool {
    let older = |has: &FieldDown| has.by != mark.event_id && has.at < mark.at;
    hlc::node(&mark.at).is_some_and(|node| node != own.as_str()) && has.is_none_or(older)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;
    use serde_json::json;

    fn at(ms: u64, node: &str) -> String {
        format!("{ms:013}-00000-{node}")
    }

    /// A member whose name and tier are of these stamps.
    fn known(name: &str, tier: &str) -> Member {
        serde_json::from_value(
            json!({"member_id": "mbr_1", "code": null, "name": "Ani", "phone": null, "email": "a@b.id",
            "birth_date": null, "tier": "gold", "state": "active", "merged_into": null, "merged": [], "joined_at": "2026-11-20T00:00:00.000Z",
            "updated_at": "2026-11-20T00:00:00.000Z", "version": name, "marks": {"name": {"at": name, "event_id": "chg_1", "open": false},
            "tier": {"at": tier, "event_id": "chg_2", "open": false}}}),
        )
        .unwrap()
    }

    fn down(fields: &serde_json::Value) -> MemberDown {
        serde_json::from_value(json!({"member_id": "mbr_1", "fields": fields})).unwrap()
    }

    #[test]
    fn an_erased_member_stays_erased_also_if_it_was_merged() {
        let mark = FieldMark { at: at(9, "hub"), event_id: "chg_3".to_owned(), open: false };
        for (merged_into, state, goes_back) in [
            (None, MemberState::Erased, true),
            (Some("mbr_2"), MemberState::Erased, true),
            (Some("mbr_2"), MemberState::Merged, false),
        ] {
            let mut member = known(&at(1, "S001"), &at(1, "S001"));
            member.marks.insert("state".to_owned(), mark.clone());
            (member.merged_into, member.state) = (merged_into.map(|id| id.to_owned().into()), state);
            let back = newer_fields(&down(&json!({})), &member, &StoreId("S001".to_owned()));
            assert_eq!(back.contains_key("state"), goes_back, "{merged_into:?} {state:?}");
        }
    }

    #[test]
    fn only_what_is_newer_here_and_not_our_own_goes_back() {
        let own = StoreId("S001".to_owned());
        let older = |field: &str, by: &str| json!({field: {"value": "x", "at": at(5, "hub"), "by": by}});
        let table = [
            // Head office has neither: both go back, with their stamps.
            (at(9, "hub"), at(7, "S002"), json!({}), vec!["name", "tier"]),
            // Older there: it is sent back; an equal value is not.
            (at(9, "hub"), at(7, "S002"), older("name", "chg_0"), vec!["name", "tier"]),
            (at(9, "hub"), at(7, "S002"), older("name", "chg_1"), vec!["tier"]),
            // Newer there, or of the same moment: it stays.
            (at(4, "hub"), at(5, "hub"), older("tier", "chg_0"), vec!["name"]),
            // Own values come with their own records.
            (at(9, "S001"), at(7, "S001"), json!({}), vec![]),
        ];
        for (name, tier, there, expected) in table {
            let back = newer_fields(&down(&there), &known(&name, &tier), &own);
            assert_eq!(back.keys().collect::<Vec<_>>(), expected, "{name} {tier} {there}");
            if let Some(write) = back.get("name") {
                assert_eq!((&write.value, &write.at, write.base.as_str()), (&json!("Ani"), &name, ""));
            }
        }
    }
}
