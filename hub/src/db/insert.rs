//! Many rows in one statement.

use sqlx::{AnyConnection, AssertSqlSafe};

/// Most parameters of a statement. Both engines take tens of thousands, but SQLite looks each `$n` up among
/// the others: 10,000 sales took 6.9 s with as many as fit, and between 1 and 2 s with some hundreds.
const PARAMETERS_MAX: usize = 500;

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

/// A row on its way into a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRow {
    /// The names of its columns.
    pub columns: &'static [&'static str],
    /// What is in each.
    pub cells: Vec<Cell>,
}

impl NewRow {
    fn cell(&self, column: &str) -> Option<&Cell> {
        let place = self.columns.iter().position(|name| *name == column)?;
        self.cells.get(place)
    }

    /// Puts something else into a column.
    pub fn set(&mut self, column: &str, cell: impl Into<Cell>) {
        let place = self.columns.iter().position(|name| *name == column);
        if let Some(old) = place.and_then(|place| self.cells.get_mut(place)) {
            *old = cell.into();
        }
    }

    /// The text in a column; empty: none.
    pub fn text(&self, column: &str) -> &str {
        match self.cell(column) {
            Some(Cell::Text(text) | Cell::MaybeText(Some(text))) => text,
            _ => "",
        }
    }

    /// The figure in a column; 0: none.
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

/// Adds rows of one shape to a table, in as few statements as the engines allow; `tail` says what happens to those
/// that are there already.
pub async fn rows(
    connection: &mut AnyConnection,
    table: &str,
    tail: &str,
    rows: Vec<NewRow>,
) -> Result<(), sqlx::Error> {
    let Some(columns) = rows.first().map(|row| row.columns) else { return Ok(()) };
    let (names, width) = (columns.join(", "), columns.len().max(1));
    for chunk in rows.chunks((PARAMETERS_MAX / width).max(1)) {
        let sql = format!("INSERT INTO {table} ({names}) VALUES {} {tail}", places(chunk.len(), width));
        // Batches differ in length: prepared statements of them would only fill the cache.
        let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
        for cell in chunk.iter().flat_map(|row| &row.cells).cloned() {
            query = match cell {
                Cell::Int(value) => query.bind(value),
                Cell::MaybeInt(value) => query.bind(value),
                Cell::Text(value) => query.bind(value),
                Cell::MaybeText(value) => query.bind(value),
            };
        }
        query.execute(&mut *connection).await?;
    }
    Ok(())
}

/// Adds rows, or adds their figures to those that are there: every column that is not in the key.
pub async fn sums(
    connection: &mut AnyConnection,
    table: &str,
    key: &[&str],
    rows: Vec<NewRow>,
) -> Result<(), sqlx::Error> {
    upsert(connection, table, key, rows, |column| format!("{column} = {table}.{column} + excluded.{column}"))
        .await
}

/// Adds rows, or puts them in the place of those that are there.
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
