//! Randomness of the commands: epoch names and first passwords.

use rand::Rng;

/// Characters of a generated password, without those that are easily confused on paper.
const ALPHABET: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";
/// Characters of a generated password: 20 of 31 are 99 bits.
const PASSWORD_CHARS: usize = 20;
/// Characters between two dashes.
const GROUP_CHARS: usize = 5;

/// The first epoch of a new store: `1-<16 hex>`.
pub fn first_epoch() -> String {
    format!("1-{:016x}", epoch_part())
}

/// Random part that distinguishes an epoch from every other with the same number.
pub fn epoch_part() -> u64 {
    rand::rng().random()
}

/// A password for a person to write down once.
pub fn password() -> String {
    let mut random = rand::rng();
    let mut text = String::new();
    for place in 0..PASSWORD_CHARS {
        if place > 0 && place.is_multiple_of(GROUP_CHARS) {
            text.push('-');
        }
        let letter = ALPHABET.get(random.random_range(0..ALPHABET.len()));
        text.extend(letter.map(|byte| char::from(*byte)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_long_and_never_the_same() {
        let (first, second) = (password(), password());
        assert_eq!(first.len(), 23);
        assert_ne!(first, second);
        assert_eq!(edge::passwords::policy_problem(&first, "admin"), None);
    }

    #[test]
    fn epochs_have_their_form() {
        let epoch = first_epoch();
        assert_eq!(epoch.len(), 18);
        assert!(epoch.starts_with("1-") && epoch[2..].bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}
