//! Percent-decoding that refuses invalid text instead of guessing.

use domain::model::base::text::composed;
use std::borrow::Cow;

/// Decodes `%xx`; `None` if an escape is cut short or the result is not UTF-8, or has a NUL: no name, number or code
/// has one, and not every database accepts it.
pub fn percent(text: &str) -> Option<String> {
    decode(text, false)
}

/// As [`percent`], and `+` is a space: the form of queries. Letters are composed, as those of bodies are.
pub fn form(text: &str) -> Option<String> {
    let text = decode(text, true)?;
    let other = match composed(&text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(composed) => Some(composed),
    };
    Some(other.unwrap_or(text))
}

fn decode(text: &str, plus_is_space: bool) -> Option<String> {
    if !text.bytes().any(|byte| byte == b'%' || (plus_is_space && byte == b'+')) {
        return Some(text.to_owned());
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => hex(bytes.next()?)? << 4 | hex(bytes.next()?)?,
            b'+' if plus_is_space => b' ',
            other => other,
        });
    }
    String::from_utf8(decoded).ok().filter(|text| !text.contains('\0'))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
