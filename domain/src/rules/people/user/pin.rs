//! PINs: a few digits in place of the password, at tills where their owner has logged in by password or device
//! (docs/decisions/0038-pins.md).

use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::people::user::{Pin, User};
use std::ops::RangeInclusive;

/// Digits of a PIN.
pub const PIN_DIGITS: RangeInclusive<usize> = 4..=8;

/// Most tries in a row. After them the owner has to log in by password or device.
pub const PIN_TRIES_MAX: u32 = 5;

/// Most wrong tries in total. After them the owner has to log in by password or device. Without this limit, each right
/// PIN of the owner would give another person four more guesses.
pub const PIN_MISSES_MAX: u32 = 20;

/// Result of counting a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinTry {
    /// The try was counted: the text may be compared with this PIN.
    Counted(Pin),
    /// The PIN was tried too often.
    Locked,
    /// The person has no PIN.
    NoPin,
}

impl Pin {
    /// A PIN that its owner has just chosen.
    pub fn new(user: &User, hash: String, now: UtcMs) -> Self {
        Self {
            user_id: user.user_id.clone(),
            token_version: user.token_version,
            hash,
            tries: 0,
            missed: 0,
            set_at: now,
        }
    }

    /// Whether the PIN is valid for the user: rights or password were not changed since it was set.
    pub fn is_alive(&self, user: &User) -> bool {
        self.user_id == user.user_id && self.token_version == user.token_version && !user.disabled
    }

    /// Whether it was tried too often: only a log-in by password or device makes it work again.
    pub fn is_locked(&self) -> bool {
        self.tries >= PIN_TRIES_MAX || self.missed >= PIN_MISSES_MAX
    }

    /// The PIN with one more try counted. `None` if it is locked.
    pub fn tried(&self) -> Option<Self> {
        (!self.is_locked()).then(|| Self { tries: self.tries.saturating_add(1), ..self.clone() })
    }

    /// The PIN after a right one, whose own try is counted too. `None` if nothing was counted.
    pub fn right(&self) -> Option<Self> {
        let missed = self.missed.saturating_add(self.tries.saturating_sub(1));
        (self.tries > 0).then(|| Self { tries: 0, missed, ..self.clone() })
    }

    /// The PIN after a log-in by password or device. `None` if nothing was counted.
    pub fn cleared(&self) -> Option<Self> {
        (self.tries > 0 || self.missed > 0).then(|| Self { tries: 0, missed: 0, ..self.clone() })
    }
}

/// Checks that these digits may be a PIN.
///
/// # Errors
/// `validation_failed`, naming the field.
pub fn check(pin: &str) -> Result<(), Refusal> {
    if !is_pin(pin) {
        return Err(Refusal::field("pin", "must have 4 to 8 digits"));
    }
    if is_trivial(pin) {
        return Err(Refusal::field("pin", "must not be one digit repeated, or digits that count up or down"));
    }
    Ok(())
}

/// Whether a text has the form of a PIN.
pub fn is_pin(text: &str) -> bool {
    PIN_DIGITS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether each digit differs from the one before by the same step of 0, 1 or -1; 0 follows 9, as on a keypad.
fn is_trivial(pin: &str) -> bool {
    let digits = pin.as_bytes();
    [0, 1, 9].into_iter().any(|step| {
        digits.iter().zip(digits.iter().skip(1)).all(|(one, next)| {
            let (one, next) = (one.wrapping_sub(b'0'), next.wrapping_sub(b'0'));
            one.wrapping_add(step) % 10 == next
        })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::{check, is_pin};
    use crate::model::base::ids::UserId;
    use crate::model::base::time::UtcMs;
    use crate::model::people::user::Pin;

    #[test]
    fn a_pin_has_four_to_eight_digits_and_is_not_trivial() {
        for (pin, shaped, good) in [
            ("4711", true, true),
            ("20061987", true, true),
            ("1213", true, true),
            ("1122", true, true),
            ("0000", true, false),
            ("77777777", true, false),
            ("1234", true, false),
            ("45678", true, false),
            ("7890", true, false),
            ("4321", true, false),
            ("3210", true, false),
            ("1098", true, false),
            ("471", false, false),
            ("471147114", false, false),
            ("", false, false),
            ("47a1", false, false),
            ("-471", false, false),
            (" 4711", false, false),
            ("\u{664}\u{667}\u{661}\u{661}", false, false),
        ] {
            assert_eq!((is_pin(pin), check(pin).is_ok()), (shaped, good), "{pin:?}");
        }
    }

    #[test]
    fn five_tries_in_a_row_lock_a_pin_until_its_owner_is_known_again() {
        let user_id = UserId("usr_1".into());
        let fresh =
            Pin { user_id, token_version: 1, hash: String::new(), tries: 0, missed: 0, set_at: UtcMs(1) };
        assert!(fresh.cleared().is_none(), "nothing to store");
        let counted: Vec<Pin> = std::iter::successors(Some(fresh.clone()), Pin::tried).collect();
        let locked: Vec<bool> = counted.iter().map(Pin::is_locked).collect();
        assert_eq!(locked, [false, false, false, false, false, true]);
        assert_eq!(counted.last().and_then(Pin::cleared), Some(fresh));
    }

    #[test]
    fn wrong_pins_between_right_ones_lock_it_too() {
        let user_id = UserId("usr_1".into());
        let fresh =
            Pin { user_id, token_version: 1, hash: String::new(), tries: 0, missed: 0, set_at: UtcMs(1) };
        let mut pin = fresh.clone();
        // Three wrong ones and a right one.
        for round in 1..=7 {
            for _ in 0..4 {
                pin = pin.tried().unwrap();
            }
            pin = pin.right().unwrap();
            assert_eq!((pin.tries, pin.missed), (0, 3 * round));
        }
        assert!(pin.is_locked() && pin.tried().is_none());
        assert_eq!(pin.cleared(), Some(fresh));
    }
}
