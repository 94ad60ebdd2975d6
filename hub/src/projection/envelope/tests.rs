//! Every kind and odd texts are read, or parked with a reason, and never lost.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

use super::*;
use domain::wire::record::KINDS;
use serde_json::json;

fn skipped() -> Value {
    json!({"event_id": "evt_1", "type": "receipts.skipped", "schema": 1, "at": "1795140394739-00000-S001",
        "occurred_at": "2026-11-20T02:06:34.739Z", "about": {"business_date": "2026-11-20", "amount": 7},
        "payload": {"register_id": "main", "series": "", "from": 3, "to": 4}})
}

fn user() -> Value {
    let at = "2026-11-20T02:06:34.739Z";
    let times = json!({"username": at, "name": at, "role": at, "password": at});
    json!({"user_id": "usr_1", "username": "ani", "name": "Ani", "role": "cashier", "store_id": "S001",
        "disabled": false, "token_version": 1, "times": times, "created_at": at, "updated_at": at})
}

fn read_text(record: &str) -> Incoming {
    let event = PushEvent { seq: 5, hash: "aa".to_owned(), record: record.to_owned() };
    Incoming::read(event, "S001")
}

fn read_with(place: &str, value: Value) -> Incoming {
    let mut whole = skipped();
    *whole.pointer_mut(place).unwrap() = value;
    read_text(&whole.to_string())
}

fn code(incoming: &Incoming) -> &'static str {
    incoming.understood.as_ref().map_or_else(|problem| problem.code, |_| "understood")
}

#[test]
fn every_kind_is_known_and_kept_where_its_payload_is_none() {
    for &kind in KINDS {
        let mut whole = skipped();
        (whole["type"], whole["payload"]) = (json!(kind), json!(7));
        let incoming = read_text(&whole.to_string());
        assert_eq!((code(&incoming), incoming.kind.as_str()), ("invalid_payload", kind));
        assert_eq!(incoming.counted.map(|counted| counted.total), Some(7), "{kind} counts by its envelope");
    }
}

#[test]
fn odd_records_say_why_they_are_parked() {
    let deep = (0..=DEPTH_MAX).fold(json!(1), |value, _| json!([value]));
    let mut nested = skipped();
    nested["payload"]["more"] = deep;
    let twice = skipped().to_string().replacen('{', r#"{"event_id":"evt_2","#, 1);
    let texts = [
        ("", "invalid_envelope"),
        ("7", "invalid_envelope"),
        ("{}", "invalid_envelope"),
        (&twice, "invalid_envelope"),
        (&nested.to_string(), "invalid_payload"),
        (&skipped().to_string(), "understood"),
    ];
    for (text, expected) in texts {
        let incoming = read_text(text);
        assert_eq!((code(&incoming), incoming.seq, &*incoming.record), (expected, 5, text));
    }
    let long = "x".repeat(TEXT_BYTES_MAX + 1);
    let fields = [
        ("/event_id", json!(""), "invalid_envelope"),
        ("/event_id", json!("a b"), "invalid_envelope"),
        ("/type", json!(""), "invalid_envelope"),
        ("/type", json!("x".repeat(KIND_BYTES_MAX + 1)), "invalid_envelope"),
        ("/type", json!("future.thing"), "unknown_type"),
        ("/schema", json!(2), "unknown_schema"),
        ("/schema", json!(-1), "invalid_envelope"),
        ("/at", json!("yesterday"), "invalid_payload"),
        ("/occurred_at", json!("yesterday"), "invalid_envelope"),
        ("/payload", Value::Null, "invalid_payload"),
        ("/payload/series", json!(long), "invalid_payload"),
        ("/payload/series", json!("a\u{0}"), "invalid_payload"),
        ("/payload/from", json!(u64::MAX), "invalid_payload"),
        ("/payload/to", json!(1.5), "invalid_payload"),
    ];
    for (place, value, expected) in fields {
        assert_eq!(code(&read_with(place, value.clone())), expected, "{place} {value:.40}");
    }
}

/// A note of as many characters as a store takes, in any alphabet, is applied; the field of a longer one is named.
#[test]
fn a_text_is_as_long_as_a_store_takes_it_and_the_field_of_a_longer_one_is_named() {
    let text = |chars: usize| json!("\u{1f375}".repeat(chars));
    assert!(read_with("/payload/series", text(TEXT_CHARS_MAX)).understood.is_ok());
    let longer = read_with("/payload/series", text(TEXT_CHARS_MAX + 1));
    let problem = longer.understood.map(drop).unwrap_err();
    assert_eq!(problem.message, "series has 2004 bytes, at most 2000 are applied");
    let nested = json!({"lines": [{"note": "x"}, {"note": "y".repeat(TEXT_BYTES_MAX + 1)}]});
    let Err(Unsound { path, .. }) = sound(&nested, 0) else { panic!("it is too long") };
    assert_eq!(path, "lines[1].note");
}

#[test]
fn the_envelope_is_used_for_a_record_whose_payload_is_unknown() {
    let about = |value: Value| {
        let mut whole = skipped();
        (whole["type"], whole["about"]) = (json!("future.thing"), value);
        let Incoming { aggregate, member, counted, .. } = read_text(&whole.to_string());
        (aggregate, member, counted.map(|counted| counted.total))
    };
    let none = |member: Option<&str>| (None, member.map(str::to_owned), None);
    assert_eq!(about(json!({"aggregate": "sale:1", "members": ["mbr_1"], "business_date": "2026-11-20"})), {
        (Some("sale:1".to_owned()), Some("mbr_1".to_owned()), Some(0))
    });
    assert_eq!(about(json!({})), none(Some("")));
    assert_eq!(about(json!({"members": ["mbr_1", "mbr_2"]})), none(None));
    assert_eq!(about(json!({"aggregate": "", "members": [""]})), none(None));
    assert_eq!(about(json!({"aggregate": "x".repeat(KEY_BYTES_MAX + 1)})), none(Some("")));
    // A record that can't be read may move any member's points.
    assert_eq!(about(json!({"members": 7})), none(None));
    assert_eq!(about(Value::Null), none(None));
    // A record that is understood states its member.
    let understood = read_text(&skipped().to_string());
    assert_eq!(
        (code(&understood), understood.counted, understood.member.as_deref()),
        ("understood", None, Some(""))
    );
}

#[test]
fn a_person_whose_counters_and_times_could_never_rise_again_is_parked() {
    let read_user = |place: &str, value: Value| {
        let (mut whole, mut user) = (skipped(), user());
        *user.pointer_mut(place).unwrap() = value;
        (whole["type"], whole["payload"]) = (json!("user.changed"), user);
        code(&read_text(&whole.to_string()))
    };
    for (place, value, expected) in [
        ("/name", json!("Ani"), "understood"),
        ("/store_id", json!("S002"), "invalid_payload"),
        ("/token_version", json!(FIGURE_MAX), "understood"),
        ("/token_version", json!(FIGURE_MAX + 1), "invalid_payload"),
        ("/token_version", json!(u64::MAX), "invalid_payload"),
        ("/times/role", json!("2199-12-31T00:00:00Z"), "understood"),
        ("/times/role", json!("2200-01-02T00:00:00Z"), "understood"),
        ("/times/password", json!("9999-12-30T12:00:00Z"), "invalid_payload"),
    ] {
        assert_eq!(read_user(place, value.clone()), expected, "{place} {value}");
    }
    // A denial counts even so.
    let (mut whole, mut denied) = (skipped(), user());
    denied["disabled"] = json!(true);
    denied["times"]["password"] = json!("9999-12-30T12:00:00Z");
    (whole["type"], whole["payload"]) = (json!("user.changed"), denied);
    assert_eq!(code(&read_text(&whole.to_string())), "understood");
}
