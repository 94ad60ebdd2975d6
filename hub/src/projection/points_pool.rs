//! The points' liability of the company: a row that is locked after the books, and each of its steps.

use crate::db::column::Columns;
use crate::db::insert;
use crate::{columns, row};
use domain::model::base::figures::{Money, Points};
use domain::rules::books::posting::points_pool::{self, PoolStep, PoolTerms, StepKind};
use domain::rules::books::posting::{PointsEffect, PointsPolicy};
use domain::rules::people::points::Pool;
use domain::wire::record::AnyPayload;
use sqlx::{AnyConnection, AnyPool};

/// The pool, locked until the transaction ends.
pub(crate) struct LockedPool {
    pool: Pool,
    terms: PoolTerms,
    next_no: i64,
    steps: Vec<(String, PoolStep)>,
}

impl LockedPool {
    pub async fn lock(connection: &mut AnyConnection) -> Result<Self, sqlx::Error> {
        let sql = "UPDATE points_pool SET next_no = next_no WHERE singleton = 1 \
                   RETURNING policy, redemption_bp, redeem_value, next_no, points, value";
        let row = sqlx::query(sql).fetch_one(connection).await?;
        let policy = row.json("policy")?;
        let (redemption_bp, redeem_value, next_no) = columns!(row => (redemption_bp, redeem_value, next_no));
        let terms = PoolTerms { policy, redeem_value, redemption_bp };
        Ok(Self { pool: columns!(row => Pool { points, value }), terms, next_no, steps: Vec::new() })
    }

    /// Moves the pool by a record.
    pub async fn fold(
        &mut self,
        connection: &mut AnyConnection,
        event_id: &str,
        payload: &AnyPayload,
    ) -> Result<PointsEffect, sqlx::Error> {
        let before = match points_pool::sale_of(payload).filter(|sale| !sale.is_empty()) {
            Some(sale) => self.before(connection, sale).await?,
            None => Vec::new(),
        };
        // An expiry of head office states no value: the value that a store stated last counts.
        self.terms.redeem_value = points_pool::worth(payload).unwrap_or(self.terms.redeem_value);
        let (effect, steps) = points_pool::fold(&mut self.pool, &self.terms, payload, &before);
        self.steps.extend(steps.into_iter().map(|step| (event_id.to_owned(), step)));
        Ok(effect)
    }

    /// The previous steps of a sale's points.
    async fn before(
        &self,
        connection: &mut AnyConnection,
        transaction_id: &str,
    ) -> Result<Vec<PoolStep>, sqlx::Error> {
        let sql = "SELECT kind, document_id, points, value FROM points_steps WHERE transaction_id = $1";
        let own =
            self.steps.iter().map(|(_, step)| step).filter(|step| step.transaction_id == transaction_id);
        let mut steps: Vec<PoolStep> = own.cloned().collect();
        for row in sqlx::query(sql).bind(transaction_id).fetch_all(connection).await? {
            let kind: StepKind = row.json("kind")?;
            steps.push(columns!(row => PoolStep {
                document_id, points, value; kind = kind, transaction_id = transaction_id.to_owned(),
            }));
        }
        Ok(steps)
    }

    /// Stores the pool's present state and the step that led to it.
    pub async fn write(self, connection: &mut AnyConnection, store_id: &str) -> Result<(), sqlx::Error> {
        let Self { pool, terms, mut next_no, steps } = self;
        let mut rows = Vec::new();
        for (event_id, step) in steps {
            let PoolStep { kind, transaction_id, document_id, points, value } = step;
            let kind = serde_json::to_string(&kind).map_err(|error| sqlx::Error::Encode(error.into()))?;
            rows.push(row! {
                store_id, event_id, pool_no: next_no, kind, transaction_id, document_id, points, value,
            });
            next_no = next_no.saturating_add(1);
        }
        insert::rows(connection, "points_steps", "", rows).await?;
        let sql = "UPDATE points_pool SET next_no = $1, points = $2, value = $3, redeem_value = $4 WHERE singleton = 1";
        let query = sqlx::query(sql)
            .bind(next_no)
            .bind(pool.points.get())
            .bind(pool.value.get())
            .bind(terms.redeem_value.get());
        query.execute(connection).await.map(drop)
    }
}

/// Locks the pool's row: a change of how points are valued waits.
pub(crate) async fn lock(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    let sql = "UPDATE points_pool SET policy = policy WHERE singleton = 1";
    sqlx::query(sql).execute(connection).await.map(drop)
}

/// Sets the valuation of points from here on. Returns false if the pool is not empty and has a different policy.
pub(crate) async fn adopt(
    connection: &mut AnyConnection,
    policy: PointsPolicy,
    redemption_bp: u32,
) -> Result<bool, sqlx::Error> {
    let policy = serde_json::to_string(&policy).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let sql = "UPDATE points_pool SET policy = $1, redemption_bp = $2 WHERE singleton = 1 \
               AND (policy = $1 OR (points = 0 AND value = 0))";
    let done = sqlx::query(sql).bind(policy).bind(i64::from(redemption_bp)).execute(connection).await?;
    Ok(done.rows_affected() > 0)
}

/// Share of the points earned from here on that is expected to be redeemed, in basis points.
pub(crate) async fn expect_redeemed(
    connection: &mut AnyConnection,
    redemption_bp: u32,
) -> Result<(), sqlx::Error> {
    let sql = "UPDATE points_pool SET redemption_bp = $1 WHERE singleton = 1";
    sqlx::query(sql).bind(i64::from(redemption_bp)).execute(connection).await.map(drop)
}

/// Problems of the pool in itself, and against the books.
pub(crate) async fn problems(pool: &AnyPool) -> Result<Vec<String>, sqlx::Error> {
    let mut problems = Vec::new();
    let (mut no, mut folded) = (0_i64, Pool::default());
    let sql =
        "SELECT pool_no, points, value FROM points_steps WHERE pool_no > $1 ORDER BY pool_no LIMIT 1000";
    loop {
        let rows = sqlx::query(sql).bind(no).fetch_all(pool).await?;
        if rows.is_empty() {
            break;
        }
        for row in rows {
            let (next, moved, worth): (i64, Points, Money) = columns!(row => (pool_no, points, value));
            folded.add(moved, worth);
            if next != no.saturating_add(1) || folded.points < 0 || folded.value < 0 {
                problems.push(format!(
                    "the points pool: step {next} does not follow step {no}, or makes it negative"
                ));
            }
            no = next;
        }
    }
    let sql = "SELECT next_no, points, value, (SELECT CAST(COALESCE(SUM(credit - debit), 0) AS BIGINT) \
               FROM ledger_days WHERE account = '2040') AS owed FROM points_pool";
    let row = sqlx::query(sql).fetch_one(pool).await?;
    let (next_no, owed): (i64, Money) = columns!(row => (next_no, owed));
    let kept = columns!(row => Pool { points, value });
    if next_no != no.saturating_add(1) || kept != folded || owed != folded.value {
        problems.push(format!(
            "the points pool has {} points worth {}, but account 2040 has {owed}; its {no} steps give {} points worth {}",
            kept.points, kept.value, folded.points, folded.value
        ));
    }
    Ok(problems)
}
