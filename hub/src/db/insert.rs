//! Many rows in one statement: of SQLite with a parameter for each cell, of PostgreSQL with an array for each column.

use crate::db::Engine;
use crate::db::array::push_text;
use domain::model::base::figures::{BasisPoints, Money, Points, Quantity};
use sqlx::{AnyConnection, AssertSqlSafe};

/// Most parameters of a statement of SQLite. It takes tens of thousands, but looks each `$n` up among the others:
/// 10,000 sales took 6.9 s with as many as fit, and between 1 and 2 s with some hundreds.
const PARAMETERS_MAX: usize = 500;
/// Most rows of a statement of PostgreSQL: the arrays of its columns are in memory while it runs.
const ROWS_MAX: usize = 5_000;

/// One cell of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// BIGINT.
    Int(i64),
    /// BIGINT or NULL.
    MaybeInt(Option<i64>),
    /// TEXT.
    Text(String),
    /// TEXT or NULL.
    MaybeText(Option<String>),
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}
impl From<Option<i64>> for Cell {
    fn from(value: Option<i64>) -> Self {
        Self::MaybeInt(value)
    }
}
macro_rules! figures {
    ($($figure:ty),+) => {$(
        impl From<$figure> for Cell {
            fn from(value: $figure) -> Self {
                Self::Int(value.get())
            }
        }
        impl From<Option<$figure>> for Cell {
            fn from(value: Option<$figure>) -> Self {
                Self::MaybeInt(value.map(<$figure>::get))
            }
        }
    )+};
}
figures!(BasisPoints, Money, Points, Quantity);
impl From<&str> for Cell {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}
impl From<String> for Cell {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}
impl From<Option<String>> for Cell {
    fn from(value: Option<String>) -> Self {
        Self::MaybeText(value)
    }
}

impl Cell {
    /// The type of its column.
    fn sql_type(&self) -> &'static str {
        match self {
            Self::Int(_) | Self::MaybeInt(_) => "BIGINT",
            Self::Text(_) | Self::MaybeText(_) => "TEXT",
        }
    }

    /// Adds it to an array of PostgreSQL.
    fn write_into(&self, array: &mut String) {
        match self {
            Self::Int(figure) | Self::MaybeInt(Some(figure)) => array.push_str(&figure.to_string()),
            Self::Text(text) | Self::MaybeText(Some(text)) => push_text(array, text),
            Self::MaybeInt(None) | Self::MaybeText(None) => array.push_str("NULL"),
        }
    }
}

/// A row on its way into a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRow {
    /// The names of its columns.
    pub columns: &'static [&'static str],
    /// Values of the columns.
    pub cells: Vec<Cell>,
}

impl NewRow {
    fn cell(&self, column: &str) -> Option<&Cell> {
        let place = self.columns.iter().position(|name| *name == column)?;
        self.cells.get(place)
    }

    /// Replaces the value of a column.
    pub fn set(&mut self, column: &str, cell: impl Into<Cell>) {
        let place = self.columns.iter().position(|name| *name == column);
        if let Some(old) = place.and_then(|place| self.cells.get_mut(place)) {
            *old = cell.into();
        }
    }

    /// Text in a column. Empty if there is none.
    pub fn text(&self, column: &str) -> &str {
        match self.cell(column) {
            Some(Cell::Text(text) | Cell::MaybeText(Some(text))) => text,
            _ => "",
        }
    }

    /// The figure in a column; 0 if there is none.
    pub fn int(&self, column: &str) -> i64 {
        match self.cell(column) {
            Some(Cell::Int(figure) | Cell::MaybeInt(Some(figure))) => *figure,
            _ => 0,
        }
    }
}

/// A row by the names of its columns, each cell by `Cell::from`: `row! { store_id, seq: signed(event.seq) }`.
#[macro_export]
macro_rules! row {
    ($($column:ident $(: $cell:expr)?),+ $(,)?) => {
        $crate::db::insert::NewRow {
            columns: &[$(stringify!($column)),+],
            cells: vec![$($crate::db::insert::Cell::from($crate::row!(@ $column $(: $cell)?))),+],
        }
    };
    (@ $column:ident) => { $column };
    (@ $column:ident: $cell:expr) => { $cell };
}

/// Adds rows of one shape to a table, in as few statements as the engines allow; `tail` states what happens to existing
/// rows.
pub async fn rows(
    connection: &mut AnyConnection,
    table: &str,
    tail: &str,
    rows: Vec<NewRow>,
) -> Result<(), sqlx::Error> {
    let Some(columns) = rows.first().map(|row| row.columns) else { return Ok(()) };
    let (names, engine) = (columns.join(", "), Engine::of_connection(connection));
    for chunk in rows.chunks(at_once(engine, columns.len())) {
        let sql = format!("INSERT INTO {table} ({names}) {} {tail}", given(engine, chunk));
        // With arrays the statement has the same text for any number of rows, and is prepared once. Without arrays,
        // batches differ in length: prepared statements of them would only fill the cache.
        execute(connection, (engine, engine == Engine::Postgres), sql, chunk).await?;
    }
    Ok(())
}

/// Changes existing rows: those with the key of one of these get its other columns, if `only` holds for them.
pub async fn update(
    connection: &mut AnyConnection,
    table: &str,
    key: &[&str],
    only: &str,
    rows: Vec<NewRow>,
) -> Result<(), sqlx::Error> {
    let Some(columns) = rows.first().map(|row| row.columns) else { return Ok(()) };
    let (names, engine) = (columns.join(", "), Engine::of_connection(connection));
    let rest = columns.iter().filter(|column| !key.contains(column));
    let changes = rest.map(|column| format!("{column} = given.{column}")).collect::<Vec<_>>().join(", ");
    let same = key.iter().map(|column| format!("{table}.{column} = given.{column}"));
    let same = same.collect::<Vec<_>>().join(" AND ");
    for chunk in rows.chunks(at_once(engine, columns.len())) {
        let sql = format!(
            "WITH given ({names}) AS ({}) UPDATE {table} SET {changes} FROM given WHERE {same} AND {only}",
            given(engine, chunk)
        );
        // The plan depends on the size of the table: it is not prepared once for all.
        execute(connection, (engine, false), sql, chunk).await?;
    }
    Ok(())
}

/// Number of rows of this many columns that one statement takes.
fn at_once(engine: Engine, width: usize) -> usize {
    match engine {
        Engine::Sqlite => (PARAMETERS_MAX / width.max(1)).max(1),
        Engine::Postgres => ROWS_MAX,
    }
}

/// Rows as a part of a statement.
fn given(engine: Engine, rows: &[NewRow]) -> String {
    let cells = rows.first().map(|row| row.cells.as_slice()).unwrap_or_default();
    match engine {
        Engine::Sqlite => format!("VALUES {}", places(rows.len(), cells.len())),
        Engine::Postgres => {
            let array = |(place, cell): (usize, &Cell)| format!("${place}::{}[]", cell.sql_type());
            let arrays = (1..).zip(cells).map(array).collect::<Vec<_>>().join(", ");
            format!("SELECT * FROM UNNEST({arrays})")
        }
    }
}

async fn execute(
    connection: &mut AnyConnection,
    (engine, prepared): (Engine, bool),
    sql: String,
    rows: &[NewRow],
) -> Result<(), sqlx::Error> {
    let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(prepared);
    match engine {
        Engine::Postgres => {
            let width = rows.first().map_or(0, |row| row.cells.len());
            for place in 0..width {
                query = query.bind(array(rows, place));
            }
        }
        Engine::Sqlite => {
            for cell in rows.iter().flat_map(|row| &row.cells).cloned() {
                query = match cell {
                    Cell::Int(value) => query.bind(value),
                    Cell::MaybeInt(value) => query.bind(value),
                    Cell::Text(value) => query.bind(value),
                    Cell::MaybeText(value) => query.bind(value),
                };
            }
        }
    }
    query.execute(connection).await.map(drop)
}

/// A column of rows as an array of PostgreSQL.
fn array(rows: &[NewRow], place: usize) -> String {
    let mut array = String::from("{");
    for (number, cell) in rows.iter().filter_map(|row| row.cells.get(place)).enumerate() {
        if number > 0 {
            array.push(',');
        }
        cell.write_into(&mut array);
    }
    array.push('}');
    array
}

/// Adds rows, or adds their figures to existing ones: every column that is not in the key.
pub async fn sums(
    connection: &mut AnyConnection,
    table: &str,
    key: &[&str],
    rows: Vec<NewRow>,
) -> Result<(), sqlx::Error> {
    upsert(connection, table, key, rows, |column| format!("{column} = {table}.{column} + excluded.{column}"))
        .await
}

/// Adds rows, or replaces existing ones.
pub async fn replace(
    connection: &mut AnyConnection,
    table: &str,
    key: &[&str],
    rows: Vec<NewRow>,
) -> Result<(), sqlx::Error> {
    upsert(connection, table, key, rows, |column| format!("{column} = excluded.{column}")).await
}

async fn upsert(
    connection: &mut AnyConnection,
    table: &str,
    key: &[&str],
    rows: Vec<NewRow>,
    change: impl Fn(&str) -> String,
) -> Result<(), sqlx::Error> {
    let Some(columns) = rows.first().map(|row| row.columns) else { return Ok(()) };
    let rest = columns.iter().filter(|column| !key.contains(column));
    let changes = rest.map(|column| change(column)).collect::<Vec<_>>().join(", ");
    let tail = format!("ON CONFLICT ({}) DO UPDATE SET {changes}", key.join(", "));
    self::rows(connection, table, &tail, rows).await
}

/// `($1,$2),($3,$4)`
fn places(rows: usize, width: usize) -> String {
    let row = |row: usize| {
        let cells: Vec<String> = (1..=width).map(|cell| format!("${}", row * width + cell)).collect();
        format!("({})", cells.join(","))
    };
    (0..rows).map(row).collect::<Vec<_>>().join(",")
}

/// `$from, …` for an `IN` list of `count` values.
pub fn list(from: usize, count: usize) -> String {
    (from..from.saturating_add(count)).map(|number| format!("${number}")).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn a_column_of_any_content_is_an_array() {
        let row = |text: Option<&str>| row! { name: text.map(str::to_owned), figure: -7_i64 };
        let rows = [Some("a,b"), Some("{\"\\"), Some(""), Some("NULL"), None].map(row);
        assert_eq!(array(&rows, 0), r#"{"a,b","{\"\\","","NULL",NULL}"#);
        assert_eq!(array(&rows[..2], 1), "{-7,-7}");
        assert_eq!(given(Engine::Postgres, &rows), "SELECT * FROM UNNEST($1::TEXT[], $2::BIGINT[])");
        assert_eq!(given(Engine::Sqlite, &rows[..2]), "VALUES ($1,$2),($3,$4)");
    }
}
