//! Last write wins, field by field; the hub alone decides (docs/protocol.md#last-write-wins).

use crate::model::hub::hlc;

/// Current value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldClock<'a> {
    pub at: &'a str,
    /// Event or change of the hub that wrote it.
    pub by: &'a str,
}

/// Outcome of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The write replaces the value that its writer had seen: it wins with any stamp.
    Follows,
    /// The writer had not seen the present value, and the write is later: the present value goes to the conflict log.
    Beats,
    /// The writer had not seen the present value, and the write is earlier: it goes to the conflict log.
    Loses,
}

/// Decides a write stamped `at` that replaced `base` where it was made.
pub fn decide(now: Option<FieldClock<'_>>, at: &str, base: &str) -> Verdict {
    match now {
        None => Verdict::Follows,
        Some(now) if now.by == base => Verdict::Follows,
        // Stamps are compared as text and end with the node, so that no two are equal.
        Some(now) if at > now.at => Verdict::Beats,
        Some(_) => Verdict::Loses,
    }
}

/// The stamp of a write that replaces one stamped `before`: always a later one, so that a restored hub that compares
/// the two finds them in the order in which they were made.
pub fn on_top(before: &str, at: &str) -> String {
    if at > before { at.to_owned() } else { bumped(before, hlc::node(at)).unwrap_or_else(|| at.to_owned()) }
}

/// The version of a record after a write stamped `at`: its highest stamp, and always a higher one than before, so that
/// the new record is never mistaken for the old one.
pub fn version_after(before: Option<&str>, at: &str) -> String {
    let Some(before) = before.filter(|before| *before >= at) else { return at.to_owned() };
    bumped(before, hlc::node(before)).unwrap_or_else(|| at.to_owned())
}

/// The stamp after this one.
fn bumped(before: &str, node: Option<&str>) -> Option<String> {
    let node = node.unwrap_or("hub");
    let (ms, counter) = hlc::parts(before)?;
    Some(match counter {
        0..99_999 => format!("{ms:013}-{:05}-{node}", counter.saturating_add(1)),
        _ => format!("{:013}-00000-{node}", ms.saturating_add(1)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_on_top_wins_whatever_its_stamp_and_others_by_theirs() {
        let now = |at| Some(FieldClock { at, by: "evt_1" });
        let table = [
            (None, "0000000000001-00000-S1", "", Verdict::Follows),
            (now("0000000000009-00000-S2"), "0000000000001-00000-S1", "evt_1", Verdict::Follows),
            (now("0000000000009-00000-S2"), "0000000000001-00000-S1", "evt_0", Verdict::Loses),
            (now("0000000000001-00000-S2"), "0000000000009-00000-S1", "", Verdict::Beats),
            (now("0000000000005-00000-S1"), "0000000000005-00000-S2", "", Verdict::Beats),
            (now("0000000000005-00000-S2"), "0000000000005-00000-S1", "", Verdict::Loses),
        ];
        for (standing, at, base, expected) in table {
            assert_eq!(decide(standing, at, base), expected, "{standing:?} {at} {base}");
        }
    }

    #[test]
    fn a_write_on_top_has_a_later_stamp_of_its_own_node() {
        let table = [
            ("0000000000005-00000-S2", "0000000000009-00000-S1", "0000000000009-00000-S1"),
            ("0000000000009-00000-S2", "0000000000005-00000-S1", "0000000000009-00001-S1"),
            ("0000000000009-99999-S2", "0000000000005-00000-S1", "0000000000010-00000-S1"),
            ("0000000000009-00000-S1", "0000000000009-00000-S1", "0000000000009-00001-S1"),
        ];
        for (before, at, expected) in table {
            assert_eq!(on_top(before, at), expected, "{at} on top of {before}");
        }
    }

    #[test]
    fn a_version_always_rises() {
        let old = "0000000000009-99999-S2";
        assert_eq!(version_after(None, "0000000000001-00000-S1"), "0000000000001-00000-S1");
        assert_eq!(version_after(Some(old), "0000000000010-00000-S1"), "0000000000010-00000-S1");
        assert_eq!(version_after(Some(old), "0000000000001-00000-S1"), "0000000000010-00000-S2");
        let bumped = version_after(Some("0000000000009-00004-S2"), "0000000000009-00004-S2");
        assert_eq!(bumped, "0000000000009-00005-S2");
    }
}
