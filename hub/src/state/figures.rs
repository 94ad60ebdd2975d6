//! Figures of answers: a sum that no reader of JSON could tell from its neighbour is refused, wherever it was added up.

use crate::db::failure::too_large;
use domain::model::base::answer::Answer;
use domain::model::base::limits::FIGURE_MAX;
use edge::{ApiError, Reply};

/// Where it is told word for word what stores said: no figure of it was added up here.
const AS_TOLD: [&str; 3] = ["/api/sync/", "/api/audit", "/api/parked"];

/// What is answered to a request at a path.
///
/// # Errors
/// 422 `validation_failed` for a figure above the largest.
pub fn checked(path: &str, reply: Reply) -> Result<Reply, ApiError> {
    match &reply {
        Reply::Answer { answer, .. } if !AS_TOLD.iter().any(|told| path.starts_with(told)) => check(answer)?,
        _ => {}
    }
    Ok(reply)
}

/// The same of an answer whose change is not made yet.
///
/// # Errors
/// As [`checked`].
pub fn check(answer: &Answer) -> Result<(), ApiError> {
    if fit(&answer.body) { Ok(()) } else { Err(too_large()) }
}

/// Whether every number of a JSON text is a figure. Digits of texts are none; no answer has a fraction.
fn fit(json: &[u8]) -> bool {
    let (mut figure, mut in_text, mut is_escaped) = (0_i64, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'0'..=b'9' => figure = figure.saturating_mul(10).saturating_add(i64::from(byte & 0x0f)),
            _ => figure = 0,
        }
        if figure > FIGURE_MAX {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_and_digits_of_texts_do_not() {
        for (json, fits) in [
            (r#"{"a":9007199254740991,"b":-9007199254740991,"c":[1,2]}"#, true),
            (r#"{"a":9007199254740992}"#, false),
            (r#"[0,-9007199254740992]"#, false),
            (r#"{"a":99999999999999999999999999}"#, false),
            (r#"{"9007199254740992":"9007199254740992 \"9007199254740992\\"}"#, true),
            (r#"["\\",9007199254740992]"#, false),
            (r#"[900719925,4740992,"x"]"#, true),
        ] {
            assert_eq!(fit(json.as_bytes()), fits, "{json}");
        }
    }
    #[test]
    fn what_stores_said_is_told_as_it_is() {
        let told = || Reply::ok(&[FIGURE_MAX.saturating_add(1)]);
        for (path, fits) in [
            ("/api/sync/own", true),
            ("/api/audit", true),
            ("/api/parked/prk_1/replay", true),
            ("/api/finance/tax", false),
        ] {
            assert_eq!(checked(path, told()).is_ok(), fits, "{path}");
        }
    }
}
