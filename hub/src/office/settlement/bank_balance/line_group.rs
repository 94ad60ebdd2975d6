//! Lines of a source beside their entries, group by group: lines of one match are one.

use crate::columns;
use crate::db::column::Columns;
use crate::db::insert;
use crate::office::settlement::source::View as Source;
use domain::model::base::figures::Money;
use jiff::civil::Date;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::BTreeMap;

/// Lines that are looked up at once.
const CHUNK: usize = 500;

/// Sums of a source's lines and of their entries, group by group: lines of one match are one.
const GROUPS: &str = "SELECT grp, MIN(batch) AS batch, CAST(SUM(reported) AS BIGINT) AS reported, \
    CAST(SUM(booked) AS BIGINT) AS booked FROM (\
    SELECT COALESCE(match_id, line_id) AS grp, batch, COALESCE(net, gross, 0) AS reported, 0 AS booked FROM statement_lines \
    WHERE source_id = $1 AND line_date <= $3 \
    UNION ALL SELECT COALESCE(l.match_id, l.line_id), l.batch, 0, jl.debit - jl.credit FROM statement_lines l \
    JOIN journal j ON j.cause_id = l.statement_id AND j.cause_key = l.statement_id || ':' || l.line_id \
    JOIN journal_lines jl ON jl.store_id = j.store_id AND jl.entry_no = j.entry_no \
    WHERE l.source_id = $1 AND jl.account = $2 AND j.entry_date <= $4 \
    UNION ALL SELECT s.match_id, NULL, 0, s.net FROM match_slices s \
    JOIN settlement_matches m ON m.match_id = s.match_id \
    JOIN settlements t ON t.store_id = s.store_id AND t.business_date = s.settlement_date \
    JOIN journal j ON j.store_id = s.store_id \
    AND j.cause_key = t.settlement_id || ':' || m.source_id || ':' || m.line_date \
    WHERE m.source_id = $1 AND s.posted = 1 AND m.rule NOT IN ('contra', 'deposit', 'supplier_payment') \
    AND j.entry_date <= $4\
    ) moved GROUP BY grp";

/// Reported and booked amounts of a source, by group.
#[derive(Debug, Default)]
pub struct Group {
    reported: Money,
    booked: Money,
}

impl Group {
    /// Amount that is not booked.
    pub fn open(&self) -> Money {
        self.reported.saturating_sub(self.booked)
    }
}

/// The days that are looked at: until which the bank has reported, and the day of the books.
#[derive(Debug, Clone, Copy)]
pub struct Days {
    /// Last day that the bank has reported.
    pub reported: Date,
    /// Last day of the books.
    pub booked: Date,
}

/// Sums of the lines of a bank, with the resolutions of their exceptions; a group that is explained by its own entries
/// is left out.
pub async fn groups(
    connection: &mut AnyConnection,
    bank: &Source,
    days: Days,
) -> Result<BTreeMap<String, Group>, sqlx::Error> {
    let sql = format!("{GROUPS} HAVING SUM(reported) <> SUM(booked)");
    let query = sqlx::query(AssertSqlSafe(sql)).bind(&bank.source_id).bind(&bank.account);
    let query = query.bind(days.reported.to_string()).bind(days.booked.to_string());
    let mut groups = BTreeMap::new();
    for row in query.fetch_all(&mut *connection).await? {
        let key: String = row.cell("grp")?;
        groups.insert(key, columns!(row => Group { reported, booked }));
    }
    for said in said(connection, bank, days).await? {
        book(&mut groups, said.group, said.booked);
    }
    Ok(groups)
}

/// Counts an amount of the books for a group; one that was left out is explained but for it.
pub fn book(groups: &mut BTreeMap<String, Group>, key: String, amount: Money) {
    let group = groups.entry(key).or_default();
    group.booked = group.booked.saturating_add(amount);
}

/// An entry from a person's resolution of a line.
pub struct Said {
    group: String,
    /// The batch of the line.
    pub batch: Option<String>,
    /// Amount by which the account moved.
    pub booked: Money,
}

/// Amounts that were posted by resolutions of lines of a source.
pub async fn said(
    connection: &mut AnyConnection,
    source: &Source,
    days: Days,
) -> Result<Vec<Said>, sqlx::Error> {
    let sql = "SELECT e.lines, CAST(SUM(jl.debit - jl.credit) AS BIGINT) AS booked FROM settlement_exceptions e \
               JOIN journal j ON j.cause_id = e.exception_id \
               JOIN journal_lines jl ON jl.store_id = j.store_id AND jl.entry_no = j.entry_no \
               WHERE e.source_id = $1 AND e.entry_id IS NOT NULL AND jl.account = $2 AND j.entry_date <= $3 \
               GROUP BY e.exception_id, e.lines";
    let query = sqlx::query(sql).bind(&source.source_id).bind(&source.account).bind(days.booked.to_string());
    let mut posted: Vec<(String, Money)> = Vec::new();
    for row in query.fetch_all(&mut *connection).await? {
        let reported: Vec<String> = row.json("lines")?;
        posted.extend(reported.into_iter().next().zip(Some(row.cell("booked")?)));
    }
    let mut all = Vec::with_capacity(posted.len());
    for chunk in posted.chunks(CHUNK) {
        let sql = format!(
            "SELECT line_id, COALESCE(match_id, line_id) AS grp, batch FROM statement_lines WHERE line_id IN ({})",
            insert::list(1, chunk.len())
        );
        let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
        for (line_id, _) in chunk {
            query = query.bind(line_id.clone());
        }
        let mut lines: BTreeMap<String, (String, Option<String>)> = BTreeMap::new();
        for row in query.fetch_all(&mut *connection).await? {
            lines.insert(row.cell("line_id")?, columns!(row => (grp, batch)));
        }
        all.extend(chunk.iter().map(|(line_id, booked)| {
            let (group, batch) = lines.get(line_id).cloned().unwrap_or_else(|| (line_id.clone(), None));
            Said { group, batch, booked: *booked }
        }));
    }
    Ok(all)
}

/// Booked amount of each batch, and the bank's group.
pub type Batches = BTreeMap<Option<String>, (Money, Option<String>)>;

/// Booked amount of each batch of a provider, and the bank's group that it reached the bank with.
pub async fn batches(
    connection: &mut AnyConnection,
    provider: &Source,
    (bank, days): (&Source, Days),
) -> Result<Batches, sqlx::Error> {
    let sql = format!(
        "SELECT g.batch, CAST(SUM(g.booked) AS BIGINT) AS booked, MIN(COALESCE(l.match_id, l.line_id)) AS paid \
         FROM ({GROUPS}) g LEFT JOIN paid_batches p ON p.source_id = $1 AND p.batch = g.batch \
         LEFT JOIN statement_lines l ON l.line_id = p.line_id AND l.source_id = $5 AND l.line_date <= $6 \
         GROUP BY g.batch"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(&provider.source_id).bind(&provider.account);
    let query = query.bind(days.booked.to_string()).bind(days.booked.to_string());
    let query = query.bind(&bank.source_id).bind(days.reported.to_string());
    let rows = query.fetch_all(connection).await?;
    rows.iter().map(|row| Ok((row.cell("batch")?, columns!(row => (booked, paid))))).collect()
}
