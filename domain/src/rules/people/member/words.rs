//! Search terms of a member: words of the name, code, e-mail, digits of the phone.

use crate::model::base::search;
use crate::model::base::text::plain;
use crate::model::people::member::{Member, MemberState};
use std::collections::BTreeSet;

/// The fewest digits at the end of a phone number that find it.
pub const PHONE_DIGITS_MIN: usize = 3;

/// The fewest characters that are searched for.
pub const SEARCH_CHARS_MIN: usize = 2;

/// Digits of a typed phone number, or of a part of it, without the zeros that stand for a country. `None` for a text
/// that begins without a zero or is not a number. The first digits alone, fewer than are searched for anywhere in a
/// number, are those of a number of `country_code`.
pub fn digits(typed: &str, country_code: &str) -> Option<String> {
    let typed = &*plain(typed);
    let phone = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | '(' | ')' | '/' | '+');
    let digits: String = typed.chars().filter(char::is_ascii_digit).collect();
    let meant = digits.trim_start_matches('0');
    let other = meant.len() < digits.len() || digits.len() < typed.trim().len();
    let first = digits.len().saturating_sub(meant.len()) == 1 && !meant.is_empty();
    if !typed.chars().all(phone) || !other {
        None
    } else if meant.len() >= PHONE_DIGITS_MIN {
        Some(meant.to_owned())
    } else {
        first.then(|| format!("{country_code}{meant}"))
    }
}

/// The search words of a member; of the phone number every suffix, so that any of its digits find it. A merged member
/// is found by their former words. A member whose personal data is erased has none.
pub fn words(member: &Member) -> BTreeSet<String> {
    if member.state == MemberState::Erased {
        return BTreeSet::new();
    }
    let texts = [Some(member.name.as_str()), member.code.as_deref(), member.email.as_deref()];
    let mut words = search::indexed(texts.into_iter().flatten());
    words.extend([&member.code, &member.email].into_iter().flatten().map(|whole| whole.to_lowercase()));
    let digits: String =
        member.phone.iter().flat_map(|phone| phone.chars()).filter(char::is_ascii_digit).collect();
    let last = digits.len().saturating_sub(PHONE_DIGITS_MIN.saturating_sub(1));
    words.extend((0..last).filter_map(|from| digits.get(from..)).map(str::to_owned));
    words
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn a_typed_number_is_its_digits() {
        for (typed, meant) in [
            ("0812", Some("812")),
            ("081", Some("6281")),
            ("08", Some("628")),
            ("0", None),
            ("+62", None),
            ("0081", None),
            ("0812-3456", Some("8123456")),
            ("+62 812", Some("62812")),
            ("0062812", Some("62812")),
            ("812", None),
            ("00", None),
            ("0a12", None),
            ("siti", None),
            ("", None),
        ] {
            assert_eq!(digits(typed, "62").as_deref(), meant, "{typed}");
        }
    }
}
