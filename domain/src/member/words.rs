//! What a member is searched by: words of the name, code, e-mail, digits of the phone.

use super::Member;
use crate::search;
use std::collections::BTreeSet;

/// The fewest digits at the end of a phone number that find it.
pub const PHONE_DIGITS_MIN: usize = 3;

/// The words of a member; of the phone every run of digits up to its end, so any digits find it.
pub fn words(member: &Member) -> BTreeSet<String> {
    let texts = [Some(member.name.as_str()), member.code.as_deref(), member.email.as_deref()];
    let mut words = search::words(texts.into_iter().flatten());
    words.extend([&member.code, &member.email].into_iter().flatten().map(|whole| whole.to_lowercase()));
    let digits: String =
        member.phone.iter().flat_map(|phone| phone.chars()).filter(char::is_ascii_digit).collect();
    let last = digits.len().saturating_sub(PHONE_DIGITS_MIN.saturating_sub(1));
    words.extend((0..last).filter_map(|from| digits.get(from..)).map(str::to_owned));
    words
}
