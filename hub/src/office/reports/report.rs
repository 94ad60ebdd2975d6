//! Reports as data: the sums of each, their subject, and the keys by which its rows are grouped.

use crate::db::Engine;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::guarded::{fetch_all, guarded};
use crate::office::reports::figure::{Figure, Figures, Of};
use crate::office::reports::spans;
use domain::model::base::money::{HIDDEN, shown};
use domain::rules::books::report::GROUPS_MAX;
use edge::ApiError;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row as _};
use std::cell::Cell;

pub struct Report {
    /// The name in its path.
    pub name: &'static str,
    /// Groups that its rows may have. The first one is the default.
    pub groups: &'static [Group],
    /// The figures of its chart.
    pub chart: &'static [&'static str],
}

pub struct Group {
    /// The name in requests.
    pub name: &'static str,
    /// The keys of a row.
    pub keys: &'static [Key],
    /// Source of the sums of each row.
    pub source: &'static Source,
    /// Source of the sums of all rows.
    pub totals: &'static Source,
}

/// A key of a row.
pub struct Key {
    /// Its name; for a day, the name of the kind of day that counts.
    pub name: &'static str,
    /// SQL of the key.
    pub sql: &'static str,
    /// Kind of a key.
    pub kind: KeyKind,
}

/// Kind of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    Text,
    TextOrNull,
    Number,
    /// The name in a document.
    NameOf,
}

/// Rows that are summed, as `d`.
pub struct Source {
    /// A table or a statement in brackets; `$1` and `$2` are the days, `$3` the store, empty for all; `{day}` is the column of
    /// the day that counts. Of sums that are kept by months and by days it takes `{in_months}` of the former and `{in_days}` of
    /// the latter.
    pub from: &'static str,
    /// Whether its rows have both days; otherwise it looks at them itself.
    pub dated: bool,
    /// The figures, in their order.
    pub figures: &'static [Figure],
    /// Expressions of the number of documents of a row and of their total, if late ones are reported.
    pub late: Option<(&'static str, &'static str)>,
}

/// A key that is text.
pub const fn text(name: &'static str, sql: &'static str) -> Key {
    Key { name, sql, kind: KeyKind::Text }
}

/// A key that is text, or null for rows without one.
pub const fn text_or_null(name: &'static str, sql: &'static str) -> Key {
    Key { name, sql, kind: KeyKind::TextOrNull }
}

/// The days that count.
pub const DAY: Key = text("{day}", "d.{day}");
pub const STORE: Key = text("store_id", "d.store_id");
/// Null for products without one.
pub const CATEGORY: Key = text_or_null("category", "NULLIF(d.category, '')");

/// Day by which documents are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ReportDates")]
pub enum Dates {
    /// Day that the document belongs to.
    #[default]
    Business,
    /// Day of its entry in the books.
    Books,
}

impl Dates {
    fn column(self) -> &'static str {
        match self {
            Self::Business => "business_date",
            Self::Books => "entry_date",
        }
    }

    fn condition(self) -> &'static str {
        match self {
            Self::Business => "d.business_date >= $1 AND d.business_date <= $2",
            // In the books no entry is earlier than its own day.
            Self::Books => "d.entry_date >= $1 AND d.entry_date <= $2 AND d.business_date <= $2",
        }
    }
}

/// Parameters of a report.
pub struct ReportQuery<'a> {
    /// First day of the range, included.
    pub from: Date,
    /// Last day of the range, included.
    pub to: Date,
    /// Store. Defaults to all stores.
    pub store_id: Option<&'a str>,
    pub dates: Dates,
}

/// Late documents: their own day is in the range and their day in the books is not, or the other way round.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "LateDocuments")]
pub struct Late {
    /// Number of documents.
    pub count: i64,
    /// Sum of the documents whose own day is in the range, less the sum of those whose day in the books is in the
    /// range, in minor currency units.
    pub total: i64,
}

/// A row: its keys, and every figure.
pub struct Row {
    /// In the order of the group's keys.
    pub keys: Vec<Value>,
    /// In the order of the source's figures.
    pub figures: Vec<Option<i64>>,
}

impl Report {
    /// Grouping of the rows.
    ///
    /// # Errors
    /// 400 `invalid_query` for a name that the report does not have.
    pub fn group(&self, name: Option<&str>) -> Result<&'static Group, ApiError> {
        let found = self.groups.iter().find(|group| name.is_none_or(|name| group.name == name));
        found.ok_or_else(|| {
            let names = self.groups.iter().map(|group| group.name).collect::<Vec<_>>().join(", ");
            ApiError::invalid_query("group_by", format!("must be one of {names}"))
        })
    }
}

impl Group {
    /// The rows, by key; empty if everything is 0.
    ///
    /// # Errors
    /// 400 `invalid_query` when there are too many; the database's.
    pub async fn rows(
        &self,
        connection: &mut AnyConnection,
        ask: &ReportQuery<'_>,
    ) -> Result<Vec<Row>, Failure> {
        let limit = GROUPS_MAX.saturating_add(1);
        let places = |after: &str| {
            (1..=self.keys.len()).map(|place| format!("{place}{after}")).collect::<Vec<_>>().join(", ")
        };
        // The two databases disagree where nothing belongs.
        let order = format!("GROUP BY {} ORDER BY {} LIMIT {limit}", places(""), places(" NULLS FIRST"));
        let found = self.source.fetch(connection, self.keys, ask, &order).await?;
        if found.len() > GROUPS_MAX {
            let problem =
                format!("begins a report with more than {GROUPS_MAX} rows: choose fewer days, or one store");
            return Err(ApiError::invalid_query("from", problem).into());
        }
        let mut rows = Vec::with_capacity(found.len());
        for row in &found {
            let keys =
                (0..).zip(self.keys).map(|(place, key)| key.read(row, place)).collect::<Result<_, _>>()?;
            let figures = self.source.read(row, ask.days())?;
            let mut shown = self.source.figures.iter().zip(&figures).filter(|(figure, _)| figure.is_shown());
            if shown.any(|(figure, value)| match figure.of {
                // One that is hidden is above the largest, not 0.
                Of::Sum(_) => value.is_none_or(|value| value != 0),
                _ => value.unwrap_or_default() != 0,
            }) {
                rows.push(Row { keys, figures });
            }
        }
        Ok(rows)
    }

    /// The figures over all rows, as one sum.
    pub async fn totals(
        &self,
        connection: &mut AnyConnection,
        ask: &ReportQuery<'_>,
    ) -> Result<Value, Failure> {
        let found = self.totals.fetch(connection, &[], ask, "").await?;
        let figures = found.first().map(|row| self.totals.read(row, ask.days())).transpose()?;
        Ok(self.totals.named(&figures.unwrap_or_default()).into())
    }

    /// Documents that differ between the two days in the range. `None` if the report has one kind of day.
    pub async fn late(
        &self,
        connection: &mut AnyConnection,
        ask: &ReportQuery<'_>,
    ) -> Result<Option<Late>, sqlx::Error> {
        let Some((count, total)) = self.totals.late else { return Ok(None) };
        let sql = format!(
            "SELECT CAST(COALESCE(SUM({count}), 0) AS BIGINT) AS count, \
             CAST(COALESCE(SUM(CASE WHEN d.business_date >= $1 THEN {total} ELSE -({total}) END), 0) AS BIGINT) \
             AS total FROM {} WHERE ((d.business_date >= $1 AND d.business_date <= $2 AND d.entry_date > $2) \
             OR (d.business_date < $1 AND d.entry_date >= $1 AND d.entry_date <= $2)) \
             AND (d.store_id = $3 OR $3 = '')",
            ask.placed(self.totals.from)
        );
        let sql = guarded(Engine::of_connection(connection), &sql);
        let found = ask.bind(sql).fetch_one(connection).await?;
        Ok(Some(Late { count: found.cell("count")?, total: found.cell("total")? }))
    }

    /// The names of the columns of its rows.
    pub fn columns(&self, dates: Dates) -> impl Iterator<Item = &'static str> {
        let keys = self.keys.iter().map(move |key| key.named(dates));
        let shown = self.source.figures.iter().filter(|figure| figure.is_shown());
        keys.chain(shown.map(|figure| figure.name))
    }

    /// The figures of a row that are shown, with their values.
    pub fn shown<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = (&'static Figure, Option<i64>)> {
        let shown = (0..).zip(self.source.figures).filter(|(_, figure): &(usize, &Figure)| figure.is_shown());
        shown.map(|(place, figure)| (figure, row.figures.get(place).copied().flatten()))
    }

    /// A row as JSON.
    pub fn json(&self, dates: Dates, row: &Row) -> Value {
        let keys = self.keys.iter().map(|key| key.named(dates).to_owned()).zip(row.keys.iter().cloned());
        keys.chain(self.source.named(&row.figures)).collect::<Map<_, _>>().into()
    }
}

impl Key {
    /// Its name where these days count.
    pub fn named(&self, dates: Dates) -> &'static str {
        if self.name == DAY.name { dates.column() } else { self.name }
    }

    fn read(&self, row: &AnyRow, place: usize) -> Result<Value, sqlx::Error> {
        let column = format!("k{place}");
        if self.kind == KeyKind::Number {
            return row.cell::<i64>(&column).map(Value::from);
        }
        let text: Option<String> = row.cell(&column)?;
        let name = |text: String| serde_json::from_str::<Value>(&text).ok()?.get("name").cloned();
        let value = if self.kind == KeyKind::NameOf { text.and_then(name) } else { text.map(Value::from) };
        Ok(value.unwrap_or_default())
    }
}

impl ReportQuery<'_> {
    /// Number of days of the range.
    fn days(&self) -> i64 {
        let days = self.from.until(self.to).map_or(0, |span| span.get_days());
        i64::from(days).saturating_add(1)
    }

    /// Source of the rows, with its placeholders filled.
    fn placed(&self, from: &str) -> String {
        if !from.contains('{') {
            return from.to_owned();
        }
        let spans = spans::spans(self.from, self.to);
        let (mut months, mut days) = match self.dates {
            Dates::Business => {
                (spans::in_months(&spans, "business_month"), spans::in_days(&spans, "business_date"))
            }
            Dates::Books => (spans::in_months(&spans, "entry_month"), spans::in_days(&spans, "entry_date")),
        };
        if self.dates == Dates::Books {
            // In the books no entry is earlier than its own day.
            months.push_str(" AND business_month <= SUBSTR($2, 1, 7)");
            days.push_str(" AND business_date <= $2");
        }
        let from = from.replace("{in_months}", &months).replace("{in_days}", &days);
        from.replace("{day}", self.dates.column())
    }

    fn bind(&self, sql: String) -> sqlx::query::Query<'static, sqlx::Any, sqlx::any::AnyArguments> {
        let query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
        let query = query.bind(self.from.to_string()).bind(self.to.to_string());
        query.bind(self.store_id.unwrap_or_default().replace('\0', ""))
    }
}

impl Source {
    async fn fetch(
        &self,
        connection: &mut AnyConnection,
        keys: &[Key],
        ask: &ReportQuery<'_>,
        order: &str,
    ) -> Result<Vec<AnyRow>, sqlx::Error> {
        let day = ask.dates.column();
        let keys = (0..)
            .zip(keys)
            .map(|(place, key): (usize, &Key)| format!("{} AS k{place}", key.sql.replace("{day}", day)));
        let figures =
            (0..).zip(self.figures).filter_map(|(place, figure): (usize, &Figure)| match figure.of {
                Of::Sum(sql) | Of::Hidden(sql) => {
                    Some(format!("CAST(COALESCE({sql}, 0) AS BIGINT) AS f{place}"))
                }
                _ => None,
            });
        let columns = keys.chain(figures).collect::<Vec<_>>().join(", ");
        let days = if self.dated { ask.dates.condition() } else { "1 = 1" };
        let from = ask.placed(self.from);
        let sql =
            format!("SELECT {columns} FROM {from} WHERE {days} AND (d.store_id = $3 OR $3 = '') {order}");
        fetch_all(connection, &sql, |sql| ask.bind(sql)).await
    }

    /// The figures of a row: sums first, then derived ones.
    fn read(&self, row: &AnyRow, days: i64) -> Result<Vec<Option<i64>>, sqlx::Error> {
        let one = |(place, figure): (usize, &Figure)| match figure.of {
            Of::Sum(_) | Of::Hidden(_) => row.try_get::<i64, _>(format!("f{place}").as_str()).map(Some),
            _ => Ok(None),
        };
        let mut values = (0..).zip(self.figures).map(one).collect::<Result<Vec<_>, _>>()?;
        for (place, figure) in self.figures.iter().enumerate() {
            let Of::Others(of) = figure.of else { continue };
            let figures = Figures { names: self.figures, values: &values, days, hidden: Cell::new(false) };
            let value =
                of(&figures).filter(|_| !figures.hidden.get()).or(figures.hidden.get().then_some(HIDDEN));
            if let Some(known) = values.get_mut(place) {
                *known = value;
            }
        }
        Ok(values.into_iter().map(|value| value.and_then(shown)).collect())
    }

    /// The shown figures by name.
    fn named(&self, values: &[Option<i64>]) -> Map<String, Value> {
        let value = |place: usize| Value::from(values.get(place).copied().flatten());
        let shown = (0..).zip(self.figures).filter(|(_, figure)| figure.is_shown());
        shown.map(|(place, figure)| (figure.name.to_owned(), value(place))).collect()
    }
}

/// A group as the table of a report has it.
macro_rules! group {
    ($name:literal, [$($key:expr),+], $source:expr, $totals:expr) => {
        $crate::office::reports::report::Group {
            name: $name,
            keys: &[$($key),+],
            source: $source,
            totals: $totals,
        }
    };
}
pub(crate) use group;

/// Sold and returned quantities of products in the range, a statement in brackets without days.
macro_rules! of_products {
    ($figures:literal) => {
        concat!(
            "(SELECT store_id, sku, category, ",
            $figures,
            " FROM sales_sku_months WHERE {in_months} UNION ALL SELECT store_id, sku, category, ",
            $figures,
            " FROM sales_skus WHERE {in_days})"
        )
    };
}
pub(crate) use of_products;

/// Rows of products, a statement in brackets, each with the supplier that it is ordered from: the preferred
/// one. Empty if there is none.
macro_rules! by_supplier {
    ($($rows:tt)+) => {
        concat!(
            "(SELECT r.*, COALESCE(f.supplier_id, '') AS supplier_id FROM ",
            $($rows)+,
            " r LEFT JOIN (SELECT sku, MIN(supplier_id) AS supplier_id FROM supplier_prices WHERE preferred = 1 \
             GROUP BY sku) f ON f.sku = r.sku) d"
        )
    };
}
pub(crate) use by_supplier;
