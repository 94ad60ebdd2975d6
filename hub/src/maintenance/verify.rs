//! Compares the tables with the records: chains, acknowledgements, and every sum folded again.

use crate::columns;
use crate::db::column::time_zone;
use crate::db::{Engine, signed};
use crate::maintenance::match_check;
use crate::maintenance::payables_check;
use crate::maintenance::posted_check;
use crate::maintenance::refolded::Refolded;
use crate::maintenance::{counter_check, file_check};
use crate::projection::envelope::{Incoming, Understood};
use crate::projection::fold::Projection;
use crate::projection::members::own_expiry;
use crate::projection::{in_transit, journal, points_pool, recompute};
use crate::table::hole::holes;
use crate::table::record::text;
use domain::model::hub::chain::{self, GENESIS};
use domain::wire::sync::{Hole, PushEvent};
use jiff::tz::TimeZone;
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Executor, Row};
use std::collections::BTreeMap;

/// Records that are read at once.
const PAGE: i64 = 500;
/// Most problems that are reported.
const PROBLEMS_MAX: usize = 100;

/// Result of the verification.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Whether the database's file was read as a whole. Only for SQLite; other servers check their own.
    pub file_read: bool,
    /// Stores that were looked at.
    pub stores: usize,
    /// Records whose chain and effects were computed again.
    pub records: u64,
    /// Problems for people. Empty if there are none.
    pub problems: Vec<String>,
}

/// A record with its event and its stamp.
type Applied = (String, String, Understood);

/// Figures by name: `stock A` → pieces, …
type Figures = BTreeMap<String, i64>;

/// Verifies everything. `progress` receives the number of records so far.
///
/// # Errors
/// A database error; problems of its contents are in the report.
pub async fn verify(pool: &AnyPool, progress: &mut dyn FnMut(u64)) -> Result<Report, sqlx::Error> {
    let mut report = Report::default();
    if let Some(damage) = file_check::problems(pool).await? {
        report = Report { file_read: true, problems: damage, ..report };
        if !report.problems.is_empty() {
            return Ok(report);
        }
    }
    let sql = "SELECT store_id, timezone FROM stores ORDER BY store_id";
    for row in sqlx::query(sql).fetch_all(pool).await? {
        let (store_id, zone): (String, String) = columns!(row => (store_id, timezone));
        let Ok(zone) = time_zone(&zone) else {
            report.wrong(format!(
                "{store_id}: {zone} is no time zone; nothing else of this store was verified"
            ));
            continue;
        };
        // One state of the database for each store; nothing of this is kept.
        let mut read = pool.begin().await?;
        one_state(pool, &mut read).await?;
        let mut store = Folding {
            store_id: &store_id,
            zone: &zone,
            figures: Figures::new(),
            rollups: Refolded::begin(&mut read).await?,
        };
        let sql = "SELECT epoch, seq, hash FROM epochs WHERE store_id = $1 ORDER BY epoch";
        for row in sqlx::query(sql).bind(&store_id).fetch_all(&mut *read).await? {
            let (epoch, seq, hash): (String, u64, String) = columns!(row => (epoch, seq, hash));
            store.verify(&mut read, &epoch, &(seq, hash), &mut report, progress).await?;
        }
        store.compare(&mut read, &mut report).await?;
        counts(&mut read, &store_id, &mut report).await?;
        read.rollback().await?;
        report.stores = report.stores.saturating_add(1);
    }
    of_head_office(pool, &mut report).await?;
    report.extend(journal::problems(&mut *pool.acquire().await?).await?);
    report.extend(in_transit::problems(&mut *pool.acquire().await?).await?);
    report.extend(payables_check::problems(&mut *pool.acquire().await?).await?);
    // Documents and their counters are read from one state.
    let mut read = pool.begin().await?;
    one_state(pool, &mut read).await?;
    report.extend(counter_check::problems(&mut read).await?);
    read.rollback().await?;
    report.extend(documents(pool).await?);
    report.extend(match_check::problems(&mut *pool.acquire().await?).await?);
    report.extend(points_pool::problems(pool).await?);
    report.extend(crate::maintenance::audit_chain::first_problem(pool).await?);
    Ok(report)
}

impl Report {
    fn extend(&mut self, problems: impl IntoIterator<Item = String>) {
        problems.into_iter().for_each(|problem| self.wrong(problem));
    }

    fn wrong(&mut self, problem: String) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem);
        }
    }
}

/// Has PostgreSQL read one state until the transaction ends; SQLite does so by itself.
async fn one_state(pool: &AnyPool, connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    if Engine::of(pool.connect_options().database_url.as_str()) == Some(Engine::Postgres) {
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ").await?;
    }
    Ok(())
}

/// Head office's own records, folded again.
async fn of_head_office(pool: &AnyPool, report: &mut Report) -> Result<(), sqlx::Error> {
    let mut read = pool.begin().await?;
    one_state(pool, &mut read).await?;
    let (rollups, figures) = (Refolded::begin(&mut read).await?, Figures::new());
    let mut own = Folding { store_id: "", zone: &TimeZone::UTC, figures, rollups };
    let mut last = String::new();
    loop {
        let reported = own_expiry::after(&mut read, &last, PAGE).await?;
        let Some((event_id, _)) = reported.last() else { break };
        last.clone_from(event_id);
        let applied: Vec<_> = reported.into_iter().map(|(id, event)| (id, String::new(), event)).collect();
        own.fold(&mut read, &applied, report).await?;
    }
    own.compare(&mut read, report).await?;
    read.rollback().await
}

/// A store's records, folded again.
struct Folding<'a> {
    store_id: &'a str,
    zone: &'a TimeZone,
    figures: Figures,
    rollups: Refolded,
}

impl Folding<'_> {
    /// Walks through an epoch, which should end there.
    async fn verify(
        &mut self,
        connection: &mut AnyConnection,
        epoch: &str,
        end: &(u64, String),
        report: &mut Report,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), sqlx::Error> {
        let holes = holes(&mut *connection, self.store_id, epoch).await?;
        let (mut seq, mut hash) = (0_u64, GENESIS.to_owned());
        loop {
            let sql = "SELECT seq, hash, record, encoding, state, effective_at FROM records \
                       WHERE store_id = $1 AND epoch = $2 AND seq > $3 ORDER BY seq LIMIT $4";
            let query = sqlx::query(sql).bind(self.store_id).bind(epoch).bind(signed(seq)).bind(PAGE);
            let rows = query.fetch_all(&mut *connection).await?;
            if rows.is_empty() {
                break;
            }
            let mut applied = Vec::new();
            for row in &rows {
                let (next, reported, state): (u64, String, String) = columns!(row => (seq, hash, state));
                (seq, hash) = over(&holes, seq, hash);
                let record = text(row)?;
                let expected = chain::next(&hash, &record);
                if next != seq.saturating_add(1) || reported != expected {
                    report.wrong(format!(
                        "{} {epoch}: record {next} does not follow record {seq}",
                        self.store_id
                    ));
                }
                (seq, hash) = (next, reported);
                if state == "applied" {
                    let stamp: Option<String> = row.try_get("effective_at")?;
                    applied.extend(self.read(epoch, (seq, record), stamp.unwrap_or_default(), report));
                }
                report.records = report.records.saturating_add(1);
            }
            self.fold(&mut *connection, &applied, report).await?;
            progress(report.records);
        }
        (seq, hash) = over(&holes, seq, hash);
        if (seq, &hash) != (end.0, &end.1) {
            report.wrong(format!(
                "{} {epoch}: the cursor is at {}, but the records end at {seq}",
                self.store_id, end.0
            ));
        }
        Ok(())
    }

    /// Reports rows that the tables have and the records do not.
    async fn compare(self, connection: &mut AnyConnection, report: &mut Report) -> Result<(), sqlx::Error> {
        let Self { store_id, figures: mut folded, rollups, .. } = self;
        folded.retain(|_, figure| *figure != 0);
        let stored = stored(connection, store_id).await?;
        for name in folded.keys().chain(stored.keys()).collect::<std::collections::BTreeSet<_>>() {
            let figure = |figures: &Figures| figures.get(name).copied().unwrap_or_default();
            let (right, found) = (figure(&folded), figure(&stored));
            if right != found {
                let of = if store_id.is_empty() { "head office" } else { store_id };
                report.wrong(format!("{of}: {name} is {found}, but its records give {right}"));
            }
        }
        report.extend(rollups.problems(connection, store_id, PROBLEMS_MAX).await?);
        Ok(())
    }

    /// A record that counts as applied, with its event and its stamp.
    fn read(
        &self,
        epoch: &str,
        (seq, record): (u64, String),
        stamp: String,
        report: &mut Report,
    ) -> Option<Applied> {
        let event = Incoming::read(PushEvent { seq, hash: String::new(), record }, self.store_id);
        match (event.event_id, event.understood) {
            (Some(event_id), Ok(understood)) => Some((event_id, stamp, understood)),
            _ => {
                report.wrong(format!(
                    "{} {epoch}: record {seq} is marked as applied but can't be read",
                    self.store_id
                ));
                None
            }
        }
    }

    async fn fold(
        &mut self,
        connection: &mut AnyConnection,
        applied: &[Applied],
        report: &mut Report,
    ) -> Result<(), sqlx::Error> {
        let mut projection = Projection::new(self.store_id, self.zone);
        for (event_id, stamp, understood) in applied {
            projection.fold(event_id, stamp, understood);
        }
        let reported: Vec<_> =
            applied.iter().map(|(event_id, _, event)| (event_id.as_str(), event)).collect();
        let posted = recompute::posted(&mut *connection, self.store_id, &reported).await?;
        report.extend(posted_check::problems(&mut *connection, self.store_id, &posted).await?);
        let counts = [("entries", posted.entries.len()), ("items", posted.items.len())];
        let counts = counts.map(|(name, count)| (name.to_owned(), i64::try_from(count).unwrap_or(i64::MAX)));
        let sums = recompute::rollup_sums(&mut *connection, (self.store_id, self.zone), &reported).await?;
        self.rollups.add(connection, sums).await?;
        for (name, figure) in projection.figures().into_iter().chain(counts) {
            let sum = self.figures.entry(name).or_default();
            *sum = sum.saturating_add(figure);
        }
        Ok(())
    }
}

/// Past a hole that begins here.
fn over(holes: &[Hole], seq: u64, hash: String) -> (u64, String) {
    match holes.iter().find(|hole| hole.from_seq == seq.saturating_add(1)) {
        Some(hole) => (hole.to_seq, hole.hash.clone()),
        None => (seq, hash),
    }
}

/// The same figures as the tables have them.
async fn stored(connection: &mut AnyConnection, store_id: &str) -> Result<Figures, sqlx::Error> {
    let queries = [
        "SELECT 'pieces ' || sku AS name, qty AS figure FROM stock WHERE store_id = $1",
        "SELECT 'value ' || sku AS name, value AS figure FROM stock WHERE store_id = $1",
        "SELECT 'shift ' || shift_id || ' ' || method AS name, amount AS figure FROM shift_methods WHERE store_id = $1",
        "SELECT 'shift ' || shift_id || ' pay_in' AS name, pay_in AS figure FROM shift_cash WHERE store_id = $1",
        "SELECT 'shift ' || shift_id || ' pay_out' AS name, pay_out AS figure FROM shift_cash WHERE store_id = $1",
        "SELECT 'shift ' || shift_id || ' drops' AS name, drops AS figure FROM shift_cash WHERE store_id = $1",
        "SELECT 'points ' || member_id AS name, points AS figure FROM store_points WHERE store_id = $1",
        "SELECT 'points reported ' || business_date || ' ' || reason AS name, CAST(SUM(points) AS BIGINT) AS figure \
         FROM points_entries WHERE store_id = $1 GROUP BY business_date, reason",
        "SELECT 'sales' AS name, sales_count AS figure FROM store_sums WHERE store_id = $1",
        "SELECT 'sales total' AS name, total AS figure FROM store_sums WHERE store_id = $1",
        "SELECT 'sales tax' AS name, tax AS figure FROM store_sums WHERE store_id = $1",
        "SELECT 'returns total' AS name, returns_total AS figure FROM store_sums WHERE store_id = $1",
        // The entries of every record were compared: there must be no others.
        "SELECT 'entries' AS name, COUNT(*) AS figure FROM journal WHERE cause_store_id = $1 AND kind = 'event'",
        "SELECT 'items' AS name, COUNT(*) AS figure FROM settlement_items WHERE store_id = $1 AND event_id <> '' \
         AND item_id NOT LIKE '%#rest%'",
        "SELECT 'sold pieces ' || business_date AS name, CAST(SUM(qty) AS BIGINT) AS figure FROM sale_lines \
         WHERE store_id = $1 GROUP BY business_date",
        "SELECT 'returned pieces ' || business_date || ' ' || disposition AS name, CAST(SUM(qty) AS BIGINT) AS figure \
         FROM return_lines WHERE store_id = $1 GROUP BY business_date, disposition",
        "SELECT 'moved ' || business_date || ' ' || reason AS name, CAST(SUM(qty + cost + correction) AS BIGINT) AS figure \
         FROM movements WHERE store_id = $1 GROUP BY business_date, reason",
        "SELECT 'deposited ' || business_date AS name, CAST(SUM(amount) AS BIGINT) AS figure FROM deposits \
         WHERE store_id = $1 GROUP BY business_date",
        "SELECT 'paid ' || business_date || ' ' || method AS name, CAST(SUM(amount + rounding) AS BIGINT) AS figure \
         FROM payments WHERE store_id = $1 GROUP BY business_date, method",
        "SELECT 'audit entries' AS name, COUNT(*) AS figure FROM store_audit WHERE store_id = $1",
    ];
    let mut figures = Figures::new();
    for sql in queries {
        for row in sqlx::query(sql).bind(store_id).fetch_all(&mut *connection).await? {
            let (name, figure): (String, i64) = columns!(row => (name, figure));
            if figure != 0 {
                figures.insert(name, figure);
            }
        }
    }
    Ok(figures)
}

/// Documents whose record or day is not there.
async fn documents(pool: &AnyPool) -> Result<Vec<String>, sqlx::Error> {
    let reported = [
        (
            "sale",
            "SELECT store_id, transaction_id AS id, event_id, business_date, 'transaction.paid' AS kind FROM sales \
                  UNION ALL SELECT store_id, transaction_id, corrected_event, business_date, 'tender.%' \
                  FROM sales WHERE corrected_event IS NOT NULL \
                  UNION ALL SELECT store_id, transaction_id, voided_event, business_date, 'transaction.voided' \
                  FROM sales WHERE voided_event IS NOT NULL",
        ),
        (
            "return",
            "SELECT store_id, return_id AS id, COALESCE(voided_event, event_id) AS event_id, business_date, \
                    'return.%' AS kind FROM returns",
        ),
        ("shift", "SELECT store_id, shift_id AS id, event_id, business_date, 'shift.%' AS kind FROM shifts"),
        (
            "deposit",
            "SELECT store_id, deposit_id AS id, event_id, business_date, 'cash.deposited' AS kind FROM deposits",
        ),
        // Goods alone make no day.
        (
            "document",
            "SELECT store_id, document_id AS id, event_id, business_date, kind || '.%' AS kind FROM goods_documents",
        ),
    ];
    let mut problems = Vec::new();
    for (what, documents) in reported {
        let day = if what == "document" { "1 = 0" } else { "y.store_id IS NULL" };
        let sql = format!(
            "SELECT d.store_id, d.id FROM ({documents}) d \
             LEFT JOIN events e ON e.store_id = d.store_id AND e.event_id = d.event_id \
             LEFT JOIN store_days y ON y.store_id = d.store_id AND y.business_date = d.business_date \
             WHERE e.event_id IS NULL OR e.kind NOT LIKE d.kind OR {day}"
        );
        for row in sqlx::query(AssertSqlSafe(sql)).fetch_all(pool).await? {
            let (store_id, id): (String, String) = columns!(row => (store_id, id));
            problems.push(format!("{store_id}: {what} {id} names a record or a day that does not exist"));
        }
    }
    for (table, found_by) in [("sale_lines", "sku"), ("payments", "method"), ("return_lines", "disposition")]
    {
        let sql = format!(
            "SELECT store_id, event_id FROM {table} GROUP BY store_id, event_id, {found_by} HAVING SUM(is_first) <> 1"
        );
        for row in sqlx::query(AssertSqlSafe(sql)).fetch_all(pool).await? {
            let (store_id, event_id): (String, String) = columns!(row => (store_id, event_id));
            problems.push(format!(
                "{store_id}: {table} of {event_id} are not found exactly once by their {found_by}"
            ));
        }
    }
    Ok(problems)
}

/// Acknowledged = applied + known before + parked + replaced, and each of these has its row.
async fn counts(
    connection: &mut AnyConnection,
    store_id: &str,
    report: &mut Report,
) -> Result<(), sqlx::Error> {
    let sql = "SELECT (SELECT COUNT(*) FROM records WHERE store_id = $1 AND state = 'parked') AS parked, \
               (SELECT COUNT(*) FROM parked WHERE store_id = $1) AS listed, \
               (SELECT COUNT(*) FROM records WHERE store_id = $1 AND state = 'replaced') AS replaced, \
               (SELECT COUNT(*) FROM replaced WHERE store_id = $1) AS listed_replaced, \
               (SELECT COUNT(*) FROM records WHERE store_id = $1 \
               AND state NOT IN ('applied', 'duplicate', 'parked', 'replaced')) AS others";
    let row = sqlx::query(sql).bind(store_id).fetch_one(connection).await?;
    let (parked, rows, unknown): (i64, i64, i64) = columns!(row => (parked, listed, others));
    let (replaced, listed): (i64, i64) = columns!(row => (replaced, listed_replaced));
    if parked != rows || unknown != 0 {
        report.wrong(format!(
            "{store_id}: {parked} records are parked, {rows} are listed as parked, and {unknown} are neither \
             parked nor applied"
        ));
    }
    if replaced != listed {
        report.wrong(format!("{store_id}: {replaced} records are replaced, {listed} are listed as replaced"));
    }
    Ok(())
}
