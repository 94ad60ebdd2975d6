//! Figures of answers. A figure beyond the range in which JSON readers are exact becomes null. The rest of the answer
//! is unaffected.

use crate::api::reply::Reply;
use domain::model::base::limits::FIGURE_MAX;

/// Paths whose answers repeat texts of stores and records unchanged.
const UNCHANGED: [&str; 4] = ["/api/sync/", "/api/audit", "/api/conflicts", "/api/parked"];

/// Answer at a path, with null for each figure above the largest.
pub fn hidden(path: &str, reply: Reply) -> Reply {
    match reply {
        Reply::Answer { mut answer, replayed }
            if !UNCHANGED.iter().any(|unchanged| path.starts_with(unchanged)) =>
        {
            hide(&mut answer.body);
            Reply::Answer { answer, replayed }
        }
        other => other,
    }
}

/// Whether every number of a JSON text is a figure.
pub fn fit(json: &[u8]) -> bool {
    numbers(json).all(|number| number.fits)
}

/// Makes each number above the largest figure null.
pub fn hide(json: &mut Vec<u8>) {
    if fit(json) {
        return;
    }
    let mut shown = Vec::with_capacity(json.len());
    let mut copied = 0;
    for number in numbers(json).filter(|number| !number.fits) {
        shown.extend_from_slice(json.get(copied..number.from).unwrap_or_default());
        shown.extend_from_slice(b"null");
        copied = number.to;
    }
    shown.extend_from_slice(json.get(copied..).unwrap_or_default());
    *json = shown;
}

/// A number of a JSON text, with its place.
struct Number {
    from: usize,
    to: usize,
    fits: bool,
}

/// The numbers of a JSON text; digits within texts are not numbers.
fn numbers(json: &[u8]) -> impl Iterator<Item = Number> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(byte) = json.get(at) {
            match byte {
                b'"' => at = after_text(json, at),
                b'-' | b'0'..=b'9' => {
                    let number = number(json, at);
                    at = number.to;
                    return Some(number);
                }
                _ => at = at.saturating_add(1),
            }
        }
        None
    })
}

/// The number that begins here. One with a fraction is no figure.
fn number(json: &[u8], from: usize) -> Number {
    let rest = json.get(from..).unwrap_or_default();
    let length =
        rest.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count();
    let token = rest.get(..length).unwrap_or_default();
    let is_whole = token.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-'));
    let digits = token.iter().filter(|byte| byte.is_ascii_digit());
    let figure =
        digits.fold(0_i64, |sum, digit| sum.saturating_mul(10).saturating_add(i64::from(digit & 0x0f)));
    Number { from, to: from.saturating_add(length.max(1)), fits: !is_whole || figure <= FIGURE_MAX }
}

/// The position after a text that begins here.
fn after_text(json: &[u8], from: usize) -> usize {
    let mut at = from.saturating_add(1);
    while let Some(byte) = json.get(at) {
        match byte {
            b'\\' => at = at.saturating_add(2),
            b'"' => return at.saturating_add(1),
            _ => at = at.saturating_add(1),
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_above_the_largest_is_null_and_digits_of_texts_stand() {
        for (json, shown) in [
            (r#"{"a":9007199254740991,"b":-9007199254740991,"c":[1,2]}"#, None),
            (r#"{"a":9007199254740992}"#, Some(r#"{"a":null}"#)),
            (r#"[0,-9007199254740992,7]"#, Some("[0,null,7]")),
            (r#"{"a":99999999999999999999999999,"b":"x"}"#, Some(r#"{"a":null,"b":"x"}"#)),
            (r#"{"9007199254740992":"9007199254740992 \"9007199254740992\\"}"#, None),
            (r#"["\\",9007199254740992]"#, Some(r#"["\\",null]"#)),
            (r#"[900719925,4740992,"x"]"#, None),
            (r#"[0.12345678901234567890,1e30]"#, None),
        ] {
            let mut bytes = json.as_bytes().to_vec();
            assert_eq!(fit(&bytes), shown.is_none(), "{json}");
            hide(&mut bytes);
            assert_eq!(String::from_utf8_lossy(&bytes), shown.unwrap_or(json));
        }
    }

    #[test]
    fn figures_of_stores_are_passed_on_unchanged() {
        let body = |path| match hidden(path, Reply::ok(&[i64::MAX])) {
            Reply::Answer { answer, .. } => String::from_utf8_lossy(&answer.body).into_owned(),
            _ => String::new(),
        };
        assert!(body("/api/sync/own").contains("9223372036854775807"));
        assert!(body("/api/reports/cash").contains("[null]"));
    }
}
