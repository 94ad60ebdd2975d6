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

/// A row of cells, each by `Cell::from`.
#[macro_export]
macro_rules! row {
    ($($cell:expr),+ $(,)?) => { vec![$($crate::db::insert::Cell::from($cell)),+] };
}

/// `{head} VALUES (…), (…) {tail}` in as few statements as the engines allow.
///
/// # Errors
/// The database's.
pub async fn rows(
    connection: &mut AnyConnection,
    head: &'static str,
    tail: &'static str,
    rows: Vec<Vec<Cell>>,
) -> Result<(), sqlx::Error> {
    let Some(width) = rows.first().map(Vec::len).filter(|width| *width > 0) else { return Ok(()) };
    for chunk in rows.chunks((PARAMETERS_MAX / width).max(1)) {
        let sql = format!("{head} VALUES {} {tail}", places(chunk.len(), width));
        // Batches differ in length: prepared statements of them would only fill the cache.
        let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
        for cell in chunk.iter().flatten().cloned() {
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
