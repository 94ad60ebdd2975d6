//! Conditions that must hold between the books and their lists: each side is summed separately.

use crate::columns;
use crate::db::column::Columns;
use crate::db::document::encode;
use crate::db::guarded::guarded;
use crate::db::{Db, Engine};
use crate::office::finance::proof_lists::{ROLLUPS, found_elsewhere, lists};
use crate::projection::journal;
use crate::table::alarm;
use crate::table::journal::posted;
use domain::model::base::figures::Money;
use domain::model::base::money::shown_sum;
use domain::model::base::time::UtcMs;
use jiff::Span;
use jiff::tz::TimeZone;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

/// The code of the alarm of a proof that fails.
const ALARM: &str = "proof_failed";
/// Most differences that one proof reports.
const TOLD_MAX: usize = 100;
/// Number of days before today whose rollups are compared with the documents.
const ROLLUP_DAYS: i64 = 3;

/// Proof that a part of the books agrees with its list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Proof {
    /// Name of the proof.
    #[schemars(schema_with = "names")]
    pub name: &'static str,
    /// Whether the proof holds.
    pub ok: bool,
    /// Sum according to the books, in minor currency units.
    pub left: Money,
    /// Sum according to the list that is compared with the books, in minor currency units.
    pub right: Money,
    /// Differences that were found. Empty if the proof holds.
    pub details: Vec<Value>,
}

/// The names of all proofs.
pub const NAMES: [&str; 15] = [
    "entries",
    "cash_in_tills",
    "exchange",
    "clearing",
    "on_the_way",
    "inventory",
    "damaged",
    "payables",
    "not_invoiced",
    "output_tax",
    "in_transit",
    "payables_by_supplier",
    "between_stores",
    "points",
    "rollups",
];

fn names(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": NAMES})
}

/// Result of all proofs.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProofResults")]
pub struct Proofs {
    /// When the proofs were run.
    pub at: UtcMs,
    /// Whether all proofs hold.
    pub ok: bool,
    /// Result of each proof.
    pub proofs: Vec<Proof>,
}

/// Proves the books as they are now, in a transaction of its own: who posts does not wait for it.
pub async fn of_now(db: &Db, now: UtcMs) -> Result<Proofs, sqlx::Error> {
    let mut read = db.read().await?;
    run(&mut read, now).await
}

/// Result of the proofs at a moment, and the state of the books then.
pub struct Proven {
    proofs: Proofs,
    posted: i64,
    turn: i64,
}

/// Number of changes of the books that head office has begun.
async fn turn(connection: &mut AnyConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT turn FROM books_turn WHERE singleton = 1").fetch_one(connection).await
}

/// Proves the books before they are locked: who posts does not wait for it.
pub async fn beforehand(db: &Db, now: UtcMs) -> Result<Proven, sqlx::Error> {
    let mut read = db.read().await?;
    let (posted, turn) = (posted(&mut read).await?, turn(&mut read).await?);
    Ok(Proven { proofs: run(&mut read, now).await?, posted, turn })
}

/// Proofs of books that the next change locks: the earlier ones, unless there are new postings since.
pub async fn of_locked(
    connection: &mut AnyConnection,
    proven: Proven,
    now: UtcMs,
) -> Result<Proofs, sqlx::Error> {
    let is_next = turn(&mut *connection).await? == proven.turn.saturating_add(1);
    if is_next && posted(&mut *connection).await? == proven.posted {
        return Ok(proven.proofs);
    }
    run(connection, now).await
}

/// Proves the books as a transaction sees them.
async fn run(connection: &mut AnyConnection, now: UtcMs) -> Result<Proofs, sqlx::Error> {
    let wrong = journal::problems(&mut *connection).await?;
    let left = i64::try_from(wrong.len()).unwrap_or(i64::MAX);
    let details = wrong.into_iter().take(TOLD_MAX).map(Value::String).collect();
    let mut proofs =
        vec![Proof { name: "entries", ok: left == 0, left: left.into(), right: Money::ZERO, details }];
    for (name, key, sql) in lists() {
        let sql = guarded(Engine::of_connection(connection), &sql);
        let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(&mut *connection).await?;
        proofs.push(Proof::of(name, key, &rows)?);
    }
    let sql =
        "SELECT CAST(COALESCE(SUM(debit - credit), 0) AS BIGINT) FROM ledger_days WHERE account = '1290'";
    let engine = Engine::of_connection(connection);
    let query = sqlx::query_scalar(AssertSqlSafe(guarded(engine, sql)));
    let left = query.fetch_one(&mut *connection).await.map(Money::new)?;
    proofs.push(Proof::of_two("between_stores", left, found_elsewhere(connection).await?));
    let sql = "SELECT value, (SELECT CAST(COALESCE(SUM(credit - debit), 0) AS BIGINT) FROM ledger_days \
               WHERE account = '2040') AS owed FROM points_pool";
    let row = sqlx::query(AssertSqlSafe(guarded(engine, sql))).fetch_one(&mut *connection).await?;
    let (owed, value): (Money, Money) = columns!(row => (owed, value));
    proofs.push(Proof::of_two("points", owed, value));
    let today = now.timestamp().to_zoned(TimeZone::UTC).date();
    let from = today.checked_sub(Span::new().days(ROLLUP_DAYS)).unwrap_or(today);
    let rows = sqlx::query(AssertSqlSafe(guarded(engine, ROLLUPS)))
        .bind(from.to_string())
        .fetch_all(connection)
        .await?;
    proofs.push(Proof::of("rollups", "figure", &rows)?);
    Ok(Proofs { at: now, ok: proofs.iter().all(|proof| proof.ok), proofs })
}

impl Proof {
    /// Proof of rows with a key, the booked and the listed amount.
    fn of(name: &'static str, key: &str, rows: &[AnyRow]) -> Result<Self, sqlx::Error> {
        let mut proof = Self { name, ok: true, left: Money::ZERO, right: Money::ZERO, details: Vec::new() };
        for row in rows {
            let whose: String = row.try_get(key)?;
            let (booked, listed): (Money, Money) = columns!(row => (booked, listed));
            proof.left = shown_sum([proof.left, booked]);
            proof.right = shown_sum([proof.right, listed]);
            if booked != listed {
                proof.ok = false;
                if proof.details.len() < TOLD_MAX {
                    proof.details.push(serde_json::json!({key: whose, "left": booked, "right": listed}));
                }
            }
        }
        Ok(proof)
    }

    /// Proof of the company as a whole.
    fn of_two(name: &'static str, left: Money, right: Money) -> Self {
        Self { name, ok: left == right, left, right, details: Vec::new() }
    }
}

/// Stores the results; a failing one raises an alarm.
pub async fn note(connection: &mut AnyConnection, proofs: &Proofs) -> Result<(), sqlx::Error> {
    let failed: Vec<&Proof> = proofs.proofs.iter().filter(|proof| !proof.ok).collect();
    let sql = "INSERT INTO proofs (singleton, at, ok, problems, failed) VALUES (1, $1, $2, $3, $4) \
               ON CONFLICT (singleton) DO UPDATE SET at = excluded.at, ok = excluded.ok, \
               problems = excluded.problems, failed = excluded.failed";
    let count = i64::try_from(failed.len()).unwrap_or(i64::MAX);
    let names: Vec<&str> = failed.iter().map(|proof| proof.name).collect();
    let query = sqlx::query(sql).bind(proofs.at.0).bind(i64::from(proofs.ok)).bind(count);
    query.bind(encode(&names)?).execute(&mut *connection).await?;
    if failed.is_empty() {
        return alarm::clear(connection, "", ALARM).await;
    }
    let words =
        |proof: &&Proof| format!("{}: {} in the books, {} in the lists", proof.name, proof.left, proof.right);
    let message = failed.iter().map(words).collect::<Vec<_>>().join("; ");
    alarm::raise(connection, "", ALARM, &message, proofs.at).await
}

/// The proofs that failed when they were last run.
pub async fn failed(connection: &mut AnyConnection) -> Result<Vec<String>, sqlx::Error> {
    let row = sqlx::query("SELECT failed FROM proofs").fetch_optional(connection).await?;
    row.map_or_else(|| Ok(Vec::new()), |row| row.json("failed"))
}

/// Result of the last run of the proofs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LastProof {
    /// When the proofs were run.
    pub at: UtcMs,
    /// Whether all proofs held.
    pub ok: bool,
    /// Number of proofs that did not hold.
    pub problems: i64,
}

/// Result of the last run. `None` if none has run yet.
pub async fn last(connection: &mut AnyConnection) -> Result<Option<LastProof>, sqlx::Error> {
    let row = sqlx::query("SELECT at, ok, problems FROM proofs").fetch_optional(connection).await?;
    row.map(|row| Ok(columns!(row => LastProof { at, ok, problems }))).transpose()
}
