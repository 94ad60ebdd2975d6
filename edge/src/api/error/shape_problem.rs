//! Problems that serde finds in a body or a query, in the terms of the client, which knows nothing of Rust's types.

use domain::model::base::refusal::FieldProblem;

/// The field with the problem.
pub fn field(path: &serde_path_to_error::Path, problem: &str) -> FieldProblem {
    FieldProblem { path: named(path, problem), problem: plain(problem) }
}

/// Path of the error; the body as a whole is `.`. A field that is missing has no path of its own for serde, and an
/// unknown parameter of a query has none: both are named here, so that a form can mark them.
fn named(path: &serde_path_to_error::Path, problem: &str) -> String {
    let name = |beginning: &str| Some(problem.strip_prefix(beginning)?.split_once('`')?.0.to_owned());
    let (path, missing) = (path.to_string(), name("missing field `"));
    match missing {
        Some(name) if path != "." => format!("{path}.{name}"),
        None if path == "." => name("unknown field `").unwrap_or(path),
        missing => missing.unwrap_or(path),
    }
}

/// The problem in plain words, to follow the field's path.
fn plain(problem: &str) -> String {
    if problem.starts_with("missing field `") {
        return "is missing".to_owned();
    }
    if let Some((_, expected)) = split(problem, "unknown field `") {
        return format!("is not a known field; the fields are: {}", names(expected));
    }
    if let Some((_, expected)) = split(problem, "unknown variant `") {
        return format!("must be one of {}", names(expected));
    }
    if problem == "expected value" {
        return "must be one of its documented values".to_owned();
    }
    if refuses_day(problem) {
        return "must be a day, for example 2026-11-30".to_owned();
    }
    let found = problem.strip_prefix("invalid type: ").or_else(|| problem.strip_prefix("invalid value: "));
    let expected = found.and_then(|found| found.rsplit_once(", expected ")).map(|(_, expected)| expected);
    expected.and_then(kind).map_or_else(|| problem.to_owned(), |kind| format!("must be {kind}"))
}

/// Whether the parser of days refused a text. Its words name its own steps.
fn refuses_day(problem: &str) -> bool {
    ["expected ", "failed to ", "parameter '", "parsed ", "year "]
        .iter()
        .any(|start| problem.starts_with(start))
}

/// The text after `beginning`, and the expected names after it.
fn split<'a>(problem: &'a str, beginning: &str) -> Option<(&'a str, &'a str)> {
    problem.strip_prefix(beginning)?.split_once("`, ")
}

/// The names of ``expected one of `a`, `b` ``.
fn names(expected: &str) -> String {
    let names: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// A type of Rust or serde in plain words. `None` if it is another text.
fn kind(expected: &str) -> Option<&'static str> {
    Some(match expected {
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of at least 0, within its range",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a string" | "str" | "string" => "a string",
        "a date string" => "a day, for example 2026-11-30",
        "a sequence" => "a list",
        "a map" | "an object" => "an object",
        _ if expected.starts_with("struct ") || expected.starts_with("internally tagged enum") => "an object",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn a_problem_names_no_rust_types() {
        for (problem, expected) in [
            ("missing field `reason`", "is missing"),
            (
                "unknown field `qyt`, expected one of `sku`, `qty`",
                "is not a known field; the fields are: sku, qty",
            ),
            ("unknown field `x`, there are no fields", "is not a known field; the fields are: none"),
            ("unknown variant `broken`, expected one of `damaged`, `lost`", "must be one of damaged, lost"),
            ("unknown variant `a`, expected `b` or `c`", "must be one of b, c"),
            ("invalid type: floating point `1.5`, expected i64", "must be a whole number"),
            (
                "invalid value: integer `-1`, expected u32",
                "must be a whole number of at least 0, within its range",
            ),
            ("invalid type: string \"a, expected i64\", expected a boolean", "must be true or false"),
            ("invalid type: null, expected struct NewItem", "must be an object"),
            ("invalid type: sequence, expected an object", "must be an object"),
            ("invalid type: map, expected a sequence", "must be a list"),
            ("invalid length 2, expected 3", "invalid length 2, expected 3"),
            ("must be YYYY-MM-DD", "must be YYYY-MM-DD"),
        ] {
            assert_eq!(plain(problem), expected, "{problem}");
        }
    }

    #[derive(Debug, serde::Deserialize)]
    struct Range {
        #[serde(rename = "from")]
        _from: jiff::civil::Date,
    }

    #[test]
    fn a_text_that_is_no_day_is_refused_with_an_example() {
        let right = "2026-11-30";
        // The right day, with each piece replaced by others.
        let wrong = (0..=right.len()).flat_map(|start| {
            (start..=right.len()).flat_map(move |end| {
                ["", "x", "-", "0", "99", "T", " ", "[", "é", "/", ":", "Z"].map(|other| {
                    [right.get(..start), Some(other), right.get(end..)]
                        .into_iter()
                        .flatten()
                        .collect::<String>()
                })
            })
        });
        let others = [json!(5), json!(true), json!(["2026-11-30"])];
        let mut refused = 0;
        for value in wrong.map(Value::from).chain(others) {
            let body = json!({"from": value}).to_string();
            let Err(error) = crate::parse_json::<Range>(body.as_bytes()) else { continue };
            let problem = json!([{"path": "from", "problem": "must be a day, for example 2026-11-30"}]);
            assert_eq!(error.details.get("fields"), Some(&problem), "{body}");
            refused += 1;
        }
        assert!(refused > 500, "{refused}");
    }
}
