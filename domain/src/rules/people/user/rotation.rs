//! Which refresh token of a session is alive, and the result of presenting one.

use crate::model::base::ids::SessionId;
use crate::model::base::time::UtcMs;
use crate::model::people::user::{Rotation, Session, User};

/// Milliseconds for which the token that was just spent is answered again to its own key.
pub const AGAIN_MS: i64 = 60_000;

/// Outcome of a presented token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// It is the living one, and this is its successor.
    Next(Rotation),
    /// It was spent a moment ago by the same request: its successor is sent again.
    Again(Rotation),
    /// It was spent before: there is a copy of it.
    Reused,
}

/// A refresh token whose signature and lifetime were checked.
#[derive(Debug, Clone)]
pub struct Presented {
    pub session_id: SessionId,
    pub jti: String,
    /// Fingerprint of the request's idempotency key.
    pub key: Option<String>,
    /// Current time, by a clock that is never set back.
    pub now: UtcMs,
    /// Lifetime of its successor in milliseconds.
    pub lifetime_ms: i64,
}

/// Outcome of a refresh token.
#[derive(Debug, Clone)]
pub enum Refreshed {
    /// Its successor is `rotation.current`, of that time.
    Renewed {
        /// User of the session.
        user: Box<User>,
        /// The session, which continues.
        session: Session,
        rotation: Rotation,
    },
    /// The session is over, or is from now on.
    Revoked,
    /// The user is kept out.
    Disabled,
}

impl Rotation {
    /// The turn of token `presented`, which would be followed by token `next`. A session that was never refreshed has
    /// only the token of its log-in.
    pub fn turn(before: Option<&Self>, presented: &str, key: Option<&str>, next: String, now: UtcMs) -> Turn {
        match before {
            Some(rotation) if rotation.current != presented => {
                let same_request =
                    rotation.spent == presented && key.is_some() && rotation.key.as_deref() == key;
                let elapsed_ms = now.0.saturating_sub(rotation.issued_at.0).saturating_abs();
                if same_request && elapsed_ms <= AGAIN_MS {
                    Turn::Again(rotation.clone())
                } else {
                    Turn::Reused
                }
            }
            _ => Turn::Next(Self {
                current: next,
                issued_at: now,
                spent: presented.to_owned(),
                key: key.map(str::to_owned),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AGAIN_MS, Turn};
    use crate::model::base::time::UtcMs;
    use crate::model::people::user::Rotation;

    const NOW: UtcMs = UtcMs(1_795_140_394_739);

    fn rotation() -> Rotation {
        Rotation { current: "c".into(), issued_at: NOW, spent: "b".into(), key: Some("k".into()) }
    }

    fn turn(before: Option<&Rotation>, presented: &str, key: Option<&str>, later_ms: i64) -> Turn {
        Rotation::turn(before, presented, key, "d".into(), UtcMs(NOW.0.saturating_add(later_ms)))
    }

    #[test]
    fn the_living_token_is_followed() {
        let first = turn(None, "a", None, 0);
        let expected = Rotation { current: "d".into(), issued_at: NOW, spent: "a".into(), key: None };
        assert_eq!(first, Turn::Next(expected));
        assert!(matches!(turn(Some(&rotation()), "c", Some("k"), 5), Turn::Next(next) if next.spent == "c"));
    }

    #[test]
    fn only_the_predecessor_is_repeated_to_its_own_key_for_a_minute() {
        let before = rotation();
        for (presented, key, later_ms, again) in [
            ("b", Some("k"), 0, true),
            ("b", Some("k"), AGAIN_MS, true),
            ("b", Some("k"), -AGAIN_MS, true),
            ("b", Some("k"), AGAIN_MS + 1, false),
            ("b", Some("k"), -AGAIN_MS - 1, false),
            ("b", Some("other"), 0, false),
            ("b", None, 0, false),
            ("a", Some("k"), 0, false),
        ] {
            let expected = if again { Turn::Again(before.clone()) } else { Turn::Reused };
            assert_eq!(
                turn(Some(&before), presented, key, later_ms),
                expected,
                "{presented} {key:?} {later_ms}"
            );
        }
        let keyless = Rotation { key: None, ..rotation() };
        assert_eq!(turn(Some(&keyless), "b", None, 0), Turn::Reused);
    }
}
