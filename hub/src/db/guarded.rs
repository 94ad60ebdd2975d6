//! Sums in statements that can't fail by their size: a sum that the database can't add is [`HIDDEN`], and the other
//! columns of its row are unaffected.

use crate::db::Engine;
use crate::db::failure::is_overflow;
pub use domain::model::base::money::HIDDEN;
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::{Any, AnyConnection};

/// Beginning of a sum that is reported as a figure.
const BEGIN: &str = "CAST(";
/// End of such a sum.
const END: &str = " AS BIGINT)";
/// A figure is added up in two parts, its multiples of this and its rest, so that neither part can overflow.
const PART: i64 = 1 << 20;
/// The largest sum that is reported; larger ones are [`HIDDEN`].
const MOST: i64 = 1 << 62;

/// The rows of a statement, guarded where that is needed: its sums cost more on SQLite, which can be asked once more.
///
/// # Errors
/// A database error.
pub async fn fetch_all<'q>(
    connection: &mut AnyConnection,
    sql: &str,
    bind: impl Fn(String) -> Query<'q, Any, AnyArguments>,
) -> Result<Vec<AnyRow>, sqlx::Error> {
    if Engine::of_connection(connection) == Engine::Postgres {
        // A failing sum would end the transaction, and the guard costs nothing there.
        return bind(guarded(Engine::Postgres, sql)).fetch_all(connection).await;
    }
    match bind(sql.to_owned()).fetch_all(&mut *connection).await {
        Err(error) if is_overflow(&error) => bind(guarded(Engine::Sqlite, sql)).fetch_all(connection).await,
        found => found,
    }
}

/// The statement with every `CAST(SUM(…) AS BIGINT)` and `CAST(COALESCE(SUM(…), 0) AS BIGINT)` guarded.
pub fn guarded(engine: Engine, sql: &str) -> String {
    let mut text = String::with_capacity(sql.len().saturating_mul(2));
    let mut rest = sql;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        text.push_str(before);
        match cast(after) {
            Some((sum, behind)) => {
                text.push_str(&guard(engine, &sum));
                rest = behind;
            }
            None => {
                text.push_str(BEGIN);
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

/// Expression that is summed, and whether an empty sum is 0.
struct Sum<'a> {
    of: &'a str,
    or_zero: bool,
}

/// The sum inside a cast, and the text after the cast.
fn cast(text: &str) -> Option<(Sum<'_>, &str)> {
    let (or_zero, inner) = match text.strip_prefix("COALESCE(SUM(") {
        Some(inner) => (true, inner),
        None => (false, text.strip_prefix("SUM(")?),
    };
    let (of, behind) = closed(inner)?;
    let behind = if or_zero { behind.strip_prefix(", 0)")? } else { behind };
    Some((Sum { of, or_zero }, behind.strip_prefix(END)?))
}

/// The text up to its closing bracket, and the text after that.
fn closed(text: &str) -> Option<(&str, &str)> {
    let mut open = 0_u32;
    for (place, letter) in text.char_indices() {
        match letter {
            '(' => open = open.saturating_add(1),
            ')' if open == 0 => return Some((text.get(..place)?, text.get(place.saturating_add(1)..)?)),
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn guard(engine: Engine, Sum { of, or_zero }: &Sum<'_>) -> String {
    let sum =
        |part: String| if *or_zero { format!("COALESCE(SUM({part}), 0)") } else { format!("SUM({part})") };
    match engine {
        // Its sums have any number of digits; only the cast can fail.
        Engine::Postgres => {
            let whole = sum((*of).to_owned());
            format!("(CASE WHEN ABS({whole}) >= {MOST} THEN {HIDDEN} ELSE CAST({whole} AS BIGINT) END)")
        }
        Engine::Sqlite => {
            let most = MOST / PART;
            let (high, low) = (sum(format!("({of}) / {PART}")), sum(format!("({of}) % {PART}")));
            format!("(CASE WHEN ABS({high}) >= {most} THEN {HIDDEN} ELSE {high} * {PART} + {low} END)")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sums_that_are_reported_are_guarded() {
        let plain = "SELECT a, CAST(x AS BIGINT), SUM(b) FROM t WHERE CAST(SUM(c) + 1 AS BIGINT) > 0";
        for engine in [Engine::Sqlite, Engine::Postgres] {
            assert_eq!(guarded(engine, plain), plain);
        }
        let summed = "SELECT CAST(COALESCE(SUM(CASE WHEN (a) THEN b - (c) ELSE 0 END), 0) AS BIGINT) AS s, \
                      CAST(SUM(d) AS BIGINT) FROM t";
        assert_eq!(
            guarded(Engine::Postgres, summed),
            "SELECT (CASE WHEN ABS(COALESCE(SUM(CASE WHEN (a) THEN b - (c) ELSE 0 END), 0)) >= 4611686018427387904 \
             THEN 9223372036854775807 ELSE CAST(COALESCE(SUM(CASE WHEN (a) THEN b - (c) ELSE 0 END), 0) AS BIGINT) END) \
             AS s, (CASE WHEN ABS(SUM(d)) >= 4611686018427387904 THEN 9223372036854775807 ELSE CAST(SUM(d) AS BIGINT) END) \
             FROM t"
        );
        assert!(
            guarded(Engine::Sqlite, summed).contains("SUM((d) / 1048576) * 1048576 + SUM((d) % 1048576)")
        );
    }
}
