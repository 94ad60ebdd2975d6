//! What the hub does with a record: applies it, knows it already, or keeps it raw for later (docs/protocol.md#push).
//! Pure, so that the hub and the simulation run the same rules.

use serde_json::Value;

/// What the hub has of a record's event already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// Nothing, applied or parked, in whatever epoch.
    Nothing,
    /// The same event with the same text.
    SameText,
    /// Another text under the same id.
    OtherText,
}

/// What the hub knows when it judges a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// Its event, under another place.
    pub before: Before,
    /// An earlier record of its aggregate is parked and holds later ones up, in whatever epoch.
    pub behind: bool,
    /// This program can read it.
    pub understood: bool,
    /// What it can't do without has come.
    pub complete: bool,
}

/// What becomes of a record. No rule of business is among the reasons to park one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Its effects are applied.
    Apply,
    /// Stored raw, effects skipped.
    Duplicate,
    /// Stored raw and kept for later.
    Park(Why),
}

/// Why a record is parked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Its event's id came before with another text.
    Reused,
    /// An earlier record of its aggregate is parked.
    Behind,
    /// It can't be read, or the database refuses its effects.
    NotUnderstood,
    /// What it needs has not come yet.
    Waits,
}

impl Why {
    /// Whether later records of the same aggregate park behind it. One that waits holds nobody up: whatever
    /// comes may be what it waits for. Nor does one that is another event under a known id.
    pub fn holds_up(self) -> bool {
        matches!(self, Self::Behind | Self::NotUnderstood)
    }

    /// Whether it is tried again when something of its aggregate was applied.
    pub fn waits(self) -> bool {
        self == Self::Waits
    }
}

/// Judges a record, at its first coming and when it is tried again.
pub fn judge(case: Case) -> Verdict {
    match case {
        Case { before: Before::SameText, .. } => Verdict::Duplicate,
        Case { before: Before::OtherText, .. } => Verdict::Park(Why::Reused),
        Case { behind: true, .. } => Verdict::Park(Why::Behind),
        Case { understood: false, .. } => Verdict::Park(Why::NotUnderstood),
        Case { complete: false, .. } => Verdict::Park(Why::Waits),
        Case { .. } => Verdict::Apply,
    }
}

/// What a record belongs to, read leniently: also from records that this version does not understand. Later
/// records of the same wait behind a parked one; none: it belongs to nothing.
pub fn aggregate(kind: &str, payload: &Value) -> Option<String> {
    let noun = kind.split('.').next().unwrap_or_default();
    let pointers: &[&str] = match noun {
        "transaction" | "tender" => &["/transaction/transaction_id", "/transaction_id"],
        "return" => &["/document/transaction_id", "/transaction_id", "/document/return_id"],
        "transfer" => &["/transfer/transfer_id", "/transfer_id"],
        "receiving" => &["/receiving/receiving_id", "/receiving_id"],
        "opname" => &["/opname/opname_id", "/opname_id"],
        "member" | "points" => &["/member_id", "/id", "/entry/member_id"],
        _ => return None,
    };
    let id = pointers.iter().find_map(|pointer| payload.pointer(pointer)?.as_str())?;
    let family = match noun {
        "tender" | "return" => "transaction",
        "points" => "member",
        other => other,
    };
    Some(format!("{family}:{id}"))
}

/// Types of which no record ever moves points.
const WITHOUT_POINTS: [&str; 13] = [
    "shift",
    "cash",
    "receiving",
    "supplier_return",
    "transfer",
    "adjustment",
    "opname",
    "stock",
    "product_settings",
    "user",
    "day",
    "receipts",
    "audit",
];

/// The member whose points a record may move, read leniently; empty: nobody's; none: that can't be told, or
/// they are several.
pub fn points_of(kind: &str, payload: &Value) -> Option<String> {
    const MEMBERS: [&str; 4] =
        ["/transaction/member_id", "/document/member_id", "/entry/member_id", "/member_id"];
    let noun = kind.split('.').next().unwrap_or_default();
    if WITHOUT_POINTS.contains(&noun) {
        return Some(String::new());
    }
    let named = || MEMBERS.iter().filter_map(|pointer| payload.pointer(pointer));
    let entries = payload.get("points").and_then(Value::as_array).into_iter().flatten();
    let entries = entries.filter_map(|entry| entry.get("member_id"));
    let mut members = named().chain(entries).filter_map(Value::as_str);
    match members.next() {
        Some(first) => members.all(|other| other == first).then(|| first.to_owned()),
        // It says itself that it has no member.
        None => named().any(Value::is_null).then(String::new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_points_a_record_may_move_is_told_where_it_can_be() {
        let entry = |member: &str| serde_json::json!({"member_id": member});
        let sale = serde_json::json!({"transaction": entry("m1"), "points": [entry("m1")]});
        let table = [
            ("transaction.paid", sale.clone(), Some("m1")),
            ("points.adjusted", serde_json::json!({"entry": entry("m2")}), Some("m2")),
            ("shift.closed", sale.clone(), Some("")),
            ("moon.landed", serde_json::json!({}), None),
            ("transaction.paid", serde_json::json!({"transaction": {"member_id": null}}), Some("")),
            ("return.posted", serde_json::json!({"document": entry("m1"), "points": [entry("m2")]}), None),
        ];
        for (kind, payload, expected) in table {
            assert_eq!(points_of(kind, &payload).as_deref(), expected, "{kind}");
        }
    }

    #[test]
    fn a_record_is_judged_by_what_is_known_first_and_by_what_it_needs_last() {
        let fine = Case { before: Before::Nothing, behind: false, understood: true, complete: true };
        let table = [
            (fine, Verdict::Apply),
            (Case { complete: false, ..fine }, Verdict::Park(Why::Waits)),
            (Case { understood: false, complete: false, ..fine }, Verdict::Park(Why::NotUnderstood)),
            (Case { behind: true, understood: false, ..fine }, Verdict::Park(Why::Behind)),
            (Case { before: Before::OtherText, behind: true, ..fine }, Verdict::Park(Why::Reused)),
            (Case { before: Before::SameText, behind: true, understood: false, ..fine }, Verdict::Duplicate),
        ];
        for (case, expected) in table {
            assert_eq!(judge(case), expected, "{case:?}");
        }
        let held_up: Vec<bool> =
            [Why::Reused, Why::Behind, Why::NotUnderstood, Why::Waits].map(Why::holds_up).into();
        assert_eq!(held_up, [false, true, true, false]);
    }

    #[test]
    fn a_void_belongs_to_its_sale_and_points_to_their_member() {
        let payload = serde_json::json!({"transaction_id": "t1", "entry": {"member_id": "m1"},
            "receiving": {"receiving_id": "r1"}});
        let of = |kind| aggregate(kind, &payload);
        assert_eq!(of("transaction.voided").as_deref(), Some("transaction:t1"));
        assert_eq!(of("tender.corrected").as_deref(), Some("transaction:t1"));
        assert_eq!(of("points.adjusted").as_deref(), Some("member:m1"));
        assert_eq!(of("receiving.reversed").as_deref(), Some("receiving:r1"), "it waits for its receipt");
        assert_eq!(of("cash.moved"), None);
    }
}
