//! Compares rollups with the records: these are folded again into tables that only this transaction sees, so that the
//! use of memory does not grow with their number.

use crate::db::column::Columns;
use crate::table::rollup::{ROLLUPS, Rollup, RollupSums};
use sqlx::{AnyConnection, AssertSqlSafe, Error, Row};

/// Prefix of the names of such tables.
const FOLDED: &str = "folded_";
/// Sums that wait for being written.
const SUMS_MAX: usize = 20_000;

/// A store's records, folded again.
#[derive(Default)]
pub struct Refolded(RollupSums);

impl Refolded {
    /// Makes the tables; they go with the transaction, which is never committed.
    pub async fn begin(connection: &mut AnyConnection) -> Result<Self, Error> {
        for Rollup { table, key, .. } in ROLLUPS {
            let sql = format!("CREATE TEMPORARY TABLE {FOLDED}{table} AS SELECT * FROM {table} WHERE 1 = 0");
            sqlx::query(AssertSqlSafe(sql)).execute(&mut *connection).await?;
            let sql =
                format!("CREATE UNIQUE INDEX {FOLDED}{table}_key ON {FOLDED}{table} ({})", key.join(", "));
            sqlx::query(AssertSqlSafe(sql)).execute(&mut *connection).await?;
        }
        Ok(Self::default())
    }

    /// Adds the sums of records.
    pub async fn add(&mut self, connection: &mut AnyConnection, sums: RollupSums) -> Result<(), Error> {
        self.0.merge(sums);
        match self.0.rows() >= SUMS_MAX {
            true => self.flush(connection).await,
            false => Ok(()),
        }
    }

    async fn flush(&mut self, connection: &mut AnyConnection) -> Result<(), Error> {
        std::mem::take(&mut self.0).write_into(connection, FOLDED).await
    }

    /// The sums of a store that differ from its records, in words, up to a limit.
    pub async fn problems(
        mut self,
        connection: &mut AnyConnection,
        store_id: &str,
        most: usize,
    ) -> Result<Vec<String>, Error> {
        self.flush(&mut *connection).await?;
        let mut problems = Vec::new();
        for rollup in ROLLUPS {
            let sql = differences(rollup, most);
            let query = sqlx::query(AssertSqlSafe(sql)).bind(store_id.to_owned());
            for row in query.fetch_all(&mut *connection).await? {
                let key: Vec<String> =
                    rollup.key.iter().map(|name| row.cell(name)).collect::<Result<_, _>>()?;
                for figure in rollup.figures {
                    let (found, right): (i64, i64) = (
                        row.try_get(format!("{figure}_found").as_str())?,
                        row.try_get(format!("{figure}_right").as_str())?,
                    );
                    if found != right {
                        let (table, key) = (rollup.table, key.join(" "));
                        problems.push(format!(
                            "{store_id}: {table} {key} {figure} is {found}, but its records give {right}"
                        ));
                    }
                }
            }
        }
        Ok(problems)
    }
}

/// The statement that finds the rows of a store, `$1`, with a different sum.
fn differences(rollup: &Rollup, most: usize) -> String {
    let Rollup { table, key, figures, .. } = rollup;
    let each =
        |of: fn(&str) -> String| figures.iter().map(|figure| of(figure)).collect::<Vec<_>>().join(", ");
    let text = |name: &&str| format!("CAST({name} AS TEXT) AS {name}");
    let (names, keys) = (key.iter().map(text).collect::<Vec<_>>().join(", "), key.join(", "));
    let sums = each(|figure| {
        format!(
            "CAST(SUM({figure}_f) AS BIGINT) AS {figure}_found, CAST(SUM({figure}_r) AS BIGINT) AS {figure}_right"
        )
    });
    let found = each(|figure| format!("{figure} AS {figure}_f, 0 AS {figure}_r"));
    let right = each(|figure| format!("0, {figure}"));
    let differ: Vec<String> =
        figures.iter().map(|figure| format!("SUM({figure}_f) <> SUM({figure}_r)")).collect();
    format!(
        "SELECT {names}, {sums} FROM (SELECT {keys}, {found} FROM {table} WHERE store_id = $1 \
         UNION ALL SELECT {keys}, {right} FROM {FOLDED}{table}) d GROUP BY {keys} HAVING {} LIMIT {most}",
        differ.join(" OR ")
    )
}
