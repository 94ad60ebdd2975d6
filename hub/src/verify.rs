//! Holds the tables against the records: chains, what was acknowledged, and every sum folded anew.

use crate::ingest::envelope::Incoming;
use crate::ingest::own::{holes, text};
use crate::ingest::projection::Projection;
use crate::ingest::signed;
use domain::chain::{self, GENESIS};
use domain::sync::{Hole, PushEvent};
use jiff::tz::TimeZone;
use sqlx::{AnyPool, Row};
use std::collections::BTreeMap;

/// Records that are read at once.
const PAGE: i64 = 500;
/// Most problems that are told.
const PROBLEMS_MAX: usize = 100;

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Stores that were looked at.
    pub stores: usize,
    /// Records whose chain and effects were computed anew.
    pub records: u64,
    /// What is wrong, for a person; empty: nothing.
    pub problems: Vec<String>,
}

/// Figures by name: `stock A` → pieces, …
type Figures = BTreeMap<String, i64>;

/// Verifies everything. `progress` is told of the records so far.
///
/// # Errors
/// The database's; what is wrong with its contents is in the report.
pub async fn verify(pool: &AnyPool, progress: &mut dyn FnMut(u64)) -> Result<Report, sqlx::Error> {
    let mut report = Report::default();
    let sql = "SELECT store_id, timezone FROM stores ORDER BY store_id";
    for row in sqlx::query(sql).fetch_all(pool).await? {
        let (store_id, zone): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        let zone = TimeZone::get(&zone).unwrap_or(TimeZone::UTC);
        let mut folded = Figures::new();
        let sql = "SELECT epoch, seq, hash FROM epochs WHERE store_id = $1 ORDER BY epoch";
        for row in sqlx::query(sql).bind(&store_id).fetch_all(pool).await? {
            let end = (row.try_get::<i64, _>(1)?.unsigned_abs(), row.try_get(2)?);
            let epoch = Epoch { pool, store_id: &store_id, epoch: row.try_get(0)?, zone: &zone };
            epoch.verify(&end, &mut folded, &mut report, progress).await?;
        }
        folded.retain(|_, figure| *figure != 0);
        let stored = stored(pool, &store_id).await?;
        for name in folded.keys().chain(stored.keys()).collect::<std::collections::BTreeSet<_>>() {
            let figure = |figures: &Figures| figures.get(name).copied().unwrap_or_default();
            let (right, found) = (figure(&folded), figure(&stored));
            if right != found {
                report.wrong(format!("{store_id}: {name} is {found}, its records say {right}"));
            }
        }
        counts(pool, &store_id, &mut report).await?;
        report.stores = report.stores.saturating_add(1);
    }
    if let Some(problem) = crate::audit::verify::first_problem(pool).await? {
        report.wrong(problem);
    }
    Ok(report)
}

impl Report {
    fn wrong(&mut self, problem: String) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem);
        }
    }
}

/// One epoch of one store.
struct Epoch<'a> {
    pool: &'a AnyPool,
    store_id: &'a str,
    epoch: String,
    zone: &'a TimeZone,
}

impl Epoch<'_> {
    async fn verify(
        &self,
        end: &(u64, String),
        folded: &mut Figures,
        report: &mut Report,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), sqlx::Error> {
        let holes = holes(&mut *self.pool.acquire().await?, self.store_id, &self.epoch).await?;
        let (mut seq, mut hash) = (0_u64, GENESIS.to_owned());
        loop {
            let sql = "SELECT seq, hash, record, encoding, state, effective_at FROM records \
                       WHERE store_id = $1 AND epoch = $2 AND seq > $3 ORDER BY seq LIMIT $4";
            let query = sqlx::query(sql).bind(self.store_id).bind(&self.epoch).bind(signed(seq)).bind(PAGE);
            let rows = query.fetch_all(self.pool).await?;
            if rows.is_empty() {
                break;
            }
            let mut projection = Projection::new(self.store_id, self.zone);
            for row in &rows {
                let next = row.try_get::<i64, _>(0)?.unsigned_abs();
                (seq, hash) = over(&holes, seq, hash);
                let record = text(row.try_get(2)?, row.try_get(3)?)?;
                let told: String = row.try_get(1)?;
                let expected = chain::next(&hash, &record);
                if next != seq.saturating_add(1) || told != expected {
                    report.wrong(format!(
                        "{} {}: record {next} does not follow record {seq}",
                        self.store_id, self.epoch
                    ));
                }
                (seq, hash) = (next, told);
                if row.try_get::<String, _>(4)? == "applied" {
                    let stamp: Option<String> = row.try_get(5)?;
                    self.fold(&mut projection, record, seq, stamp.as_deref(), report);
                }
                report.records = report.records.saturating_add(1);
            }
            add(folded, projection);
            progress(report.records);
        }
        (seq, hash) = over(&holes, seq, hash);
        if (seq, &hash) != (end.0, &end.1) {
            report.wrong(format!(
                "{} {}: the cursor stands at {}, the records end at {seq}",
                self.store_id, self.epoch, end.0
            ));
        }
        Ok(())
    }

    fn fold(
        &self,
        projection: &mut Projection<'_>,
        record: String,
        seq: u64,
        stamp: Option<&str>,
        report: &mut Report,
    ) {
        let event = Incoming::read(PushEvent { seq, hash: String::new(), record }, self.store_id);
        match (&event.event_id, &event.effect) {
            (Some(event_id), Ok(effect)) => projection.fold(event_id, stamp.unwrap_or_default(), effect),
            _ => report.wrong(format!(
                "{} {}: record {seq} counts as applied and can't be read",
                self.store_id, self.epoch
            )),
        }
    }
}

/// Past a hole that begins here.
fn over(holes: &[Hole], seq: u64, hash: String) -> (u64, String) {
    match holes.iter().find(|hole| hole.from_seq == seq.saturating_add(1)) {
        Some(hole) => (hole.to_seq, hole.hash.clone()),
        None => (seq, hash),
    }
}

fn add(figures: &mut Figures, projection: Projection<'_>) {
    for (name, figure) in projection.figures() {
        let sum = figures.entry(name).or_default();
        *sum = sum.saturating_add(figure);
    }
}

/// The same figures as the tables have them.
async fn stored(pool: &AnyPool, store_id: &str) -> Result<Figures, sqlx::Error> {
    let queries = [
        "SELECT 'pieces ' || sku, qty FROM stock WHERE store_id = $1",
        "SELECT 'value ' || sku, value FROM stock WHERE store_id = $1",
        "SELECT 'shift ' || shift_id || ' ' || method, amount FROM shift_methods WHERE store_id = $1",
        "SELECT 'shift ' || shift_id || ' pay_in', pay_in FROM shift_cash WHERE store_id = $1",
        "SELECT 'shift ' || shift_id || ' pay_out', pay_out FROM shift_cash WHERE store_id = $1",
        "SELECT 'shift ' || shift_id || ' drops', drops FROM shift_cash WHERE store_id = $1",
        "SELECT 'points ' || member_id, points FROM store_points WHERE store_id = $1",
        "SELECT 'sales', sales_count FROM store_sums WHERE store_id = $1",
        "SELECT 'sales total', total FROM store_sums WHERE store_id = $1",
        "SELECT 'sales tax', tax FROM store_sums WHERE store_id = $1",
        "SELECT 'returns total', returns_total FROM store_sums WHERE store_id = $1",
        "SELECT 'audit entries', COUNT(*) FROM store_audit WHERE store_id = $1",
    ];
    let mut figures = Figures::new();
    for sql in queries {
        for row in sqlx::query(sql).bind(store_id).fetch_all(pool).await? {
            let figure: i64 = row.try_get(1)?;
            if figure != 0 {
                figures.insert(row.try_get(0)?, figure);
            }
        }
    }
    Ok(figures)
}

/// Acknowledged = applied + known before + parked, and each of these has its row.
async fn counts(pool: &AnyPool, store_id: &str, report: &mut Report) -> Result<(), sqlx::Error> {
    let sql = "SELECT (SELECT COUNT(*) FROM records WHERE store_id = $1 AND state = 'parked'), \
               (SELECT COUNT(*) FROM parked WHERE store_id = $1), \
               (SELECT COUNT(*) FROM records WHERE store_id = $1 AND state NOT IN ('applied', 'duplicate', 'parked'))";
    let row = sqlx::query(sql).bind(store_id).fetch_one(pool).await?;
    let (parked, rows, unknown): (i64, i64, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    if parked != rows || unknown != 0 {
        report.wrong(format!(
            "{store_id}: {parked} records are parked, {rows} are listed, {unknown} are neither"
        ));
    }
    Ok(())
}
