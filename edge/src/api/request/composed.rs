//! Composes the letters of a JSON body (Unicode NFC): equal names are equal texts, whichever keyboard or program wrote
//! them.

use domain::model::base::text::composed;
use std::borrow::Cow;

/// The body with composed letters, written as such or as `\u` escapes. Text that is already composed is not copied.
pub fn body(body: &[u8]) -> Cow<'_, [u8]> {
    // ASCII has nothing to compose, and an escape begins with `\u`.
    if body.is_ascii() && !body.windows(2).any(|two| two == b"\\u") {
        return Cow::Borrowed(body);
    }
    let Ok(text) = std::str::from_utf8(body) else { return Cow::Borrowed(body) };
    let unescaped = unescaped(text);
    match composed(&unescaped) {
        Cow::Owned(composed) => Cow::Owned(composed.into_bytes()),
        Cow::Borrowed(same) if same.len() == body.len() => Cow::Borrowed(body),
        Cow::Borrowed(same) => Cow::Owned(same.as_bytes().to_vec()),
    }
}

/// The text with letters for escapes of letters outside of ASCII; halves of a pair stay escapes.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains("\\u") {
        return Cow::Borrowed(text);
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let letter = after.strip_prefix('u').and_then(|digits| digits.get(..4)).and_then(letter);
        match letter {
            Some(letter) => {
                out.push(letter);
                rest = after.get(5..).unwrap_or_default();
            }
            None => {
                // A backslash and its escaped character go together: `\\\\u0301` is a backslash and five characters.
                let next = after.chars().next().map_or(0, char::len_utf8);
                out.push('\\');
                out.push_str(after.get(..next).unwrap_or_default());
                rest = after.get(next..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn letter(digits: &str) -> Option<char> {
    let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u32::from_str_radix(digits, 16).ok().filter(|number| hexadecimal && *number >= 0x80)?;
    char::from_u32(number)
}

#[cfg(test)]
mod tests {
    use super::body;

    #[test]
    fn letters_are_composed_however_they_are_written() {
        for (sent, read) in [
            ("{\"a\":\"Cafe\u{301}\"}", "{\"a\":\"Caf\u{e9}\"}"),
            (r#"{"a":"Cafe\u0301"}"#, "{\"a\":\"Caf\u{e9}\"}"),
            (r#"{"a":"Caf\u00e9"}"#, "{\"a\":\"Caf\u{e9}\"}"),
            (r#"{"a":"e\\u0301"}"#, r#"{"a":"e\\u0301"}"#),
            (r#"{"a":"\ud83e\uddcb \u001d \u0022"}"#, r#"{"a":"\ud83e\uddcb \u001d \u0022"}"#),
            (r#"{"a":"\u00"}"#, r#"{"a":"\u00"}"#),
            (r#"{"a":1}"#, r#"{"a":1}"#),
        ] {
            assert_eq!(&*body(sent.as_bytes()), read.as_bytes(), "{sent}");
        }
        assert_eq!(&*body(b"\xff"), b"\xff");
    }
}
