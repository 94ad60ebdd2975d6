//! Filters of a list, as conditions of its statement: only the given ones, so that an index serves them.

use domain::model::base::search::fold;
use domain::model::base::time::UtcMs;
use jiff::civil::Date;
use sqlx::any::AnyArguments;
use sqlx::query::Query;
use sqlx::{Any, AssertSqlSafe};

/// Value that is bound to a condition.
#[derive(Debug, Clone)]
pub enum Bound {
    /// TEXT.
    Text(String),
    /// BIGINT.
    Number(i64),
}

impl From<&str> for Bound {
    /// PostgreSQL knows no NUL; no text that is stored has it.
    fn from(text: &str) -> Self {
        Self::Text(text.replace('\0', ""))
    }
}

impl From<i64> for Bound {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

/// Conditions with their parameters.
#[derive(Default)]
pub struct Conditions {
    sql: String,
    bound: Vec<Bound>,
}

impl Conditions {
    /// Adds a condition in which `?` stands for the text; without a text it adds none.
    #[must_use]
    pub fn text(self, condition: &str, text: Option<&str>) -> Self {
        self.and(condition, text.map(Bound::from))
    }

    /// A condition with several texts: `?1`, `?2` and so on stand for them.
    #[must_use]
    pub fn texts(mut self, condition: &str, texts: &[&str]) -> Self {
        let before = self.bound.len();
        self.bound.extend(texts.iter().map(|text| Bound::from(*text)));
        let mut condition = condition.to_owned();
        // From the last one: `?1` also begins `?10`.
        for place in (1..=texts.len()).rev() {
            let number = before.saturating_add(place);
            condition = condition.replace(&format!("?{place}"), &format!("${number}"));
        }
        self.sql.push_str(" AND ");
        self.sql.push_str(&condition);
        self
    }

    /// As `text`, for a number.
    #[must_use]
    pub fn number(self, condition: &str, number: Option<i64>) -> Self {
        self.and(condition, number.map(Bound::Number))
    }

    /// The column is one of these texts; without a list there is no condition.
    #[must_use]
    pub fn among(mut self, column: &str, texts: Option<&[String]>) -> Self {
        let Some(texts) = texts else { return self };
        let places = crate::db::insert::list(self.bound.len().saturating_add(1), texts.len());
        self.bound.extend(texts.iter().map(|text| Bound::from(text.as_str())));
        self.sql.push_str(&format!(" AND {column} IN ({places})"));
        self
    }

    /// Adds the condition that holds for one of the texts; without texts it adds none.
    #[must_use]
    pub fn any(mut self, condition: &str, texts: &[String]) -> Self {
        let mut either = Vec::with_capacity(texts.len());
        for text in texts {
            self.bound.push(Bound::from(text.as_str()));
            either.push(condition.replace('?', &format!("${}", self.bound.len())));
        }
        if !either.is_empty() {
            self.sql.push_str(&format!(" AND ({})", either.join(" OR ")));
        }
        self
    }

    /// Adds a condition without parameters, if it is wanted.
    #[must_use]
    pub fn plain(mut self, condition: &str, wanted: bool) -> Self {
        if wanted {
            self.sql.push_str(" AND ");
            self.sql.push_str(condition);
        }
        self
    }

    /// Adds the condition that the column [`folded`] contains the typed text, ignoring case.
    #[must_use]
    pub fn contains(self, typed: Option<&str>) -> Self {
        let typed = typed.filter(|typed| !typed.is_empty()).map(escaped);
        self.text("folded LIKE '%' || ? || '%' ESCAPE '!'", typed.as_deref())
    }

    /// Rows below a place in the order of these columns, as lists continue that begin with the newest.
    #[must_use]
    pub fn below<const N: usize>(self, columns: [&str; N], place: Option<[Bound; N]>) -> Self {
        self.beyond("<", columns, place)
    }

    /// Rows that changed at a time or later, and after a place if there is one. The first column is the time of the
    /// change; together they are the order of the list.
    #[must_use]
    pub fn changed<const N: usize>(self, columns: [&str; N], from: UtcMs, place: Option<[Bound; N]>) -> Self {
        let time = columns.first().copied().unwrap_or_default();
        let from = Some(from.0).filter(|_| place.is_none());
        self.number(&format!("{time} >= ?"), from).above(columns, place)
    }

    /// Rows above a place in the order of these columns.
    #[must_use]
    pub fn above<const N: usize>(self, columns: [&str; N], place: Option<[Bound; N]>) -> Self {
        self.beyond(">", columns, place)
    }

    fn beyond<const N: usize>(mut self, than: &str, columns: [&str; N], place: Option<[Bound; N]>) -> Self {
        let Some(place) = place else { return self };
        let first = self.bound.len().saturating_add(1);
        let places = crate::db::insert::list(first, N);
        self.bound.extend(place);
        self.sql.push_str(&format!(" AND ({}) {than} ({places})", columns.join(", ")));
        self
    }

    fn and(mut self, condition: &str, bound: Option<Bound>) -> Self {
        let Some(bound) = bound else { return self };
        self.bound.push(bound);
        let place = format!("${}", self.bound.len());
        self.sql.push_str(" AND ");
        self.sql.push_str(&condition.replace('?', &place));
        self
    }

    /// The number of the parameter that is bound to its query after these.
    pub fn next_place(&self) -> usize {
        self.bound.len().saturating_add(1)
    }

    /// The query of a statement with these conditions in place of `{}`, with all parameters.
    pub fn query(&self, statement: &str) -> Query<'static, Any, AnyArguments> {
        let conditions = self.sql.strip_prefix(" AND ").filter(|sql| !sql.is_empty()).unwrap_or("1 = 1");
        let sql = AssertSqlSafe(statement.replace("{}", conditions));
        let query = sqlx::query(sql).persistent(false);
        self.bound.iter().fold(query, |query, bound| match bound {
            Bound::Text(text) => query.bind(text.clone()),
            Bound::Number(number) => query.bind(*number),
        })
    }
}

/// Typed text, folded, as a part of a pattern of LIKE with the escape `!`.
pub fn escaped(typed: &str) -> String {
    fold(typed).replace('!', "!!").replace('%', "!%").replace('_', "!_")
}

/// Contents of a column `folded`: the texts that a row is found by, a line each. SQLite's own LOWER knows
/// ASCII alone.
pub fn folded(texts: &[&str]) -> String {
    fold(&texts.join("\n"))
}

/// The first moment of a day in UTC, and of the day after it.
pub fn day_utc(day: Date) -> Option<(i64, i64)> {
    let begins = |day: Date| Some(day.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond());
    Some((begins(day)?, begins(day.tomorrow().ok()?)?))
}

/// Bounds of days in UTC: from the first day on, and before the day after the last.
pub fn span_utc(from: Option<Date>, to: Option<Date>) -> (Option<i64>, Option<i64>) {
    let end = |day| day_utc(day).map_or(UtcMs(i64::MAX).0, |(_, end)| end);
    (from.and_then(day_utc).map(|(begin, _)| begin), to.map(end))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn only_what_was_given_is_a_condition() {
        let none = Conditions::default().text("a = ?", None).contains(Some("")).plain("c", false);
        assert_eq!((none.sql.as_str(), none.bound.len()), ("", 0));
        let some =
            Conditions::default().text("a > ?", Some("x\0")).contains(Some("Ä_b")).number("d <= ?", Some(7));
        let expected = " AND a > $1 AND folded LIKE '%' || $2 || '%' ESCAPE '!' AND d <= $3";
        assert_eq!(some.sql, expected);
        assert!(
            matches!(&some.bound[..], [Bound::Text(a), Bound::Text(b), Bound::Number(7)] if a == "x" && b == "a!_b")
        );
    }

    #[test]
    fn one_of_several_texts_is_enough() {
        let both = ["x".to_owned(), "y".to_owned()];
        let some = Conditions::default().text("a = ?", Some("z")).any("b = ?", &both).any("c = ?", &[]);
        assert_eq!((some.sql.as_str(), some.bound.len()), (" AND a = $1 AND (b = $2 OR b = $3)", 3));
    }

    #[test]
    fn a_day_ends_where_the_next_one_begins() {
        let day: Date = "2026-11-20".parse().unwrap();
        assert_eq!(day_utc(day), Some((1_795_132_800_000, 1_795_219_200_000)));
        assert_eq!(span_utc(None, Some(day)), (None, Some(1_795_219_200_000)));
    }
}
