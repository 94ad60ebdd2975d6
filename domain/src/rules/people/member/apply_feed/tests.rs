#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

use crate::rules::people::member::apply_feed::*;
use serde_json::{Value, json};

/// A stamp of a node.
fn at(ms: u32, node: &str) -> String {
    format!("17004459{ms:05}-00000-{node}")
}

fn down(fields: &[(&str, Value, &str, &str)]) -> MemberDown {
    let field = |(name, value, at, by): &(&str, Value, &str, &str)| {
        ((*name).to_owned(), FieldDown { value: value.clone(), at: (*at).to_owned(), by: (*by).to_owned() })
    };
    MemberDown {
        member_id: "mbr_1".to_owned(),
        joined_at: None,
        merged_into: None,
        merged: Vec::new(),
        fields: fields.iter().map(field).collect(),
    }
}

/// The member afterwards; the same as before where nothing is new.
fn after(down: &MemberDown, known: Option<&Member>, version: &str, decided: &[(&str, &str)]) -> Member {
    let own = |(event, version): &(&str, &str)| ((*event).to_owned(), (*version).to_owned());
    let decided = decided.iter().map(own).collect();
    let heard = Heard { version, decided: &decided, now: UtcMs(9) };
    match apply_feed(down, known, &heard).unwrap() {
        Some(event) => event.fact.member,
        None => known.unwrap().clone(),
    }
}

/// As the feed made it, then with a name of this store's own.
fn written_here() -> Member {
    let (first, own) = (at(1, "hub"), at(5, "S001"));
    let fields =
        [("name", json!("Ani"), first.as_str(), "chg_1"), ("phone", json!("+62811"), &first, "chg_1")];
    let mut member = after(&down(&fields), None, &first, &[]);
    member.name = "Own".to_owned();
    member
        .marks
        .insert("name".to_owned(), FieldMark { at: own.clone(), event_id: "evt_own".to_owned(), open: true });
    Member { version: own, ..member }
}

#[test]
fn a_value_of_the_feed_replaces_the_stores_whatever_the_stamps_say() {
    let member = written_here();
    let (old, new) = (at(0, "S002"), at(7, "S002"));
    // The stamp of the phone is older than the present value's: stores never compare.
    let fields =
        [("name", json!("Theirs"), new.as_str(), "evt_b"), ("phone", json!("+62812"), &old, "evt_b")];
    let seen = after(&down(&fields), Some(&member), &new, &[("evt_own", &at(6, "hub"))]);
    assert_eq!((seen.name.as_str(), seen.phone.as_deref()), ("Theirs", Some("+62812")));
    assert_eq!(seen.version, new);
    assert_eq!(after(&down(&fields), Some(&seen), &new, &[]), seen, "told twice is told once");
}

#[test]
fn an_own_write_stays_on_top_until_the_feed_is_where_the_hub_put_it() {
    let member = written_here();
    let (before, there) = (at(3, "hub"), at(8, "hub"));
    let fields = |by: &'static str| {
        down(&[("name", json!("Hub"), &before, by), ("phone", json!("+62899"), &before, by)])
    };
    // Undecided: its own name, the hub's phone.
    let unsent = after(&fields("chg_2"), Some(&member), &before, &[]);
    assert_eq!((unsent.name.as_str(), unsent.phone.as_deref()), ("Own", Some("+62899")));
    assert_eq!(unsent.version, member.version, "it holds the own write");
    // Decided, and the feed is not there yet.
    let sent = after(&fields("chg_2"), Some(&unsent), &before, &[("evt_own", &there)]);
    assert_eq!(sent.name, "Own");
    // There, and another value counts: it lost.
    let lost = after(&fields("chg_2"), Some(&sent), &there, &[("evt_own", &there)]);
    assert_eq!((lost.name.as_str(), lost.version.as_str()), ("Hub", there.as_str()));
    // There, and it won.
    let won = down(&[("name", json!("Own"), &at(5, "S001"), "evt_own")]);
    assert_eq!(after(&won, Some(&sent), &there, &[]).name, "Own");
}

#[test]
fn an_invalid_field_of_a_member_is_refused_and_an_unknown_one_ignored() {
    let decided = BTreeMap::new();
    let heard = Heard { version: "v", decided: &decided, now: UtcMs(9) };
    let wrong = down(&[("state", json!("asleep"), &at(1, "hub"), "chg_1")]);
    assert!(apply_feed(&wrong, None, &heard).is_err());
    let later = down(&[
        ("shoe_size", json!(44), &at(1, "hub"), "chg_1"),
        ("name", json!("A"), &at(1, "hub"), "chg_1"),
    ]);
    assert_eq!(after(&later, None, "v", &[]).name, "A");
}

#[test]
fn head_office_alone_decides_which_member_continues_as_which() {
    let blocked = [("state", json!("blocked"), at(9, "S002"), "evt_9")];
    let fields: Vec<_> = blocked.iter().map(|(n, v, at, by)| (*n, v.clone(), at.as_str(), *by)).collect();
    let known = written_here();
    let says = |into: Option<&str>, others: &[&str]| MemberDown {
        joined_at: Some(UtcMs(7)),
        merged_into: into.map(str::to_owned),
        merged: others.iter().map(|id| (*id).to_owned()).collect(),
        ..down(&fields)
    };
    // Whatever a store wrote that had not heard of it.
    let merged = after(&says(Some("mbr_2"), &[]), Some(&known), &at(9, "hub"), &[]);
    assert_eq!((merged.state, merged.joined_at), (MemberState::Merged, UtcMs(7)));
    assert_eq!(merged.merged_into, Some(MemberId("mbr_2".to_owned())));
    // A record without the field does not change it; a hub that has lost the field sends it as empty.
    let silent = after(&down(&[]), Some(&merged), &at(9, "hub"), &[]);
    assert_eq!((silent.state, silent.joined_at), (MemberState::Merged, UtcMs(7)));
    let lost = after(&says(None, &["mbr_3"]), Some(&silent), &at(9, "hub"), &[]);
    assert_eq!((lost.state, lost.merged_into), (MemberState::Blocked, None));
    assert_eq!(lost.merged, [MemberId("mbr_3".to_owned())]);
}
