//! Overview for an administrator: the number of stores without problems, and the work that waits.

use crate::office::finance::proof::{self, LastProof};
use crate::office::stores::status;
use crate::table::drill::{self, DrillView};
use domain::model::base::time::UtcMs;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::AnyPool;
use std::collections::BTreeMap;

/// Stores that are looked at together.
const STORES_AT_ONCE: i64 = 500;

/// Overview for administrators.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Overview {
    /// Number of stores by state: `new` (never enrolled), `active` and `disabled`.
    pub stores_by_state: BTreeMap<String, i64>,
    /// Number of stores that have a problem.
    pub stores_with_problems_count: i64,
    /// Number of stores that have each problem, by its code. A store may have several.
    pub stores_by_problem: BTreeMap<String, i64>,
    /// Number of parked records, which could not be applied.
    pub parked_count: i64,
    /// Number of parked records by the code of their reason.
    pub parked_by_code: BTreeMap<String, i64>,
    /// Number of open exceptions.
    pub exceptions_count: i64,
    /// Number of purchase orders that wait for approval.
    pub orders_to_approve_count: i64,
    /// Number of settlements of stores' days that are not approved.
    pub settlements_open_count: i64,
    /// Number of unpaid invoices that are due today or earlier.
    pub invoices_due_count: i64,
    /// Result of the last proof of the books. Null if none was made yet.
    pub last_proof: Option<LastProof>,
    /// Time of the last `cloud-hub backup`. Null if there was none.
    pub last_backup_at: Option<UtcMs>,
    /// The last restore drill, in which the newest backup was restored and verified. Null if there was none.
    pub last_drill: Option<DrillView>,
}

/// Looks at everything, store by store in pages.
pub async fn read(pool: &AnyPool, now: UtcMs, today: Date) -> Result<Overview, sqlx::Error> {
    let (stores_by_state, stores_with_problems_count, stores_by_problem) = stores(pool, now).await?;
    let count = |sql: &'static str| sqlx::query_scalar::<_, i64>(sql).fetch_one(pool);
    let sql = "SELECT MAX(at) FROM own_audit WHERE action = $1";
    let backup: Option<i64> = sqlx::query_scalar(sql).bind("backup.made").fetch_one(pool).await?;
    let sql = "SELECT COUNT(*) FROM invoices WHERE open > 0 AND due_date <= $1";
    let invoices_due_count = sqlx::query_scalar(sql).bind(today.to_string()).fetch_one(pool).await?;
    let sql = "SELECT code, COUNT(*) FROM parked GROUP BY code";
    let parked_by_code: Counts =
        sqlx::query_as::<_, (String, i64)>(sql).fetch_all(pool).await?.into_iter().collect();
    let last_drill = drill::last(pool).await?;
    let last_proof = proof::last(&mut *pool.acquire().await?).await?;
    Ok(Overview {
        stores_by_state,
        stores_with_problems_count,
        stores_by_problem,
        parked_count: parked_by_code.values().sum(),
        parked_by_code,
        exceptions_count: count("SELECT COUNT(*) FROM exceptions WHERE settled_at IS NULL").await?,
        orders_to_approve_count: count("SELECT COUNT(*) FROM purchase_orders WHERE state = 'draft'").await?,
        settlements_open_count: count("SELECT COUNT(*) FROM settlements WHERE state <> 'approved'").await?,
        invoices_due_count,
        last_proof,
        last_backup_at: backup.map(UtcMs),
        last_drill,
    })
}

type Counts = BTreeMap<String, i64>;

async fn stores(pool: &AnyPool, now: UtcMs) -> Result<(Counts, i64, Counts), sqlx::Error> {
    let (mut states, mut problems) = (Counts::new(), Counts::new());
    let (mut with_problems, mut after) = (0, String::new());
    loop {
        let page = status::list(pool, &after, STORES_AT_ONCE, now).await?;
        let Some(last) = page.last() else { return Ok((states, with_problems, problems)) };
        last.store_id.clone_into(&mut after);
        for store in page {
            *states.entry(store.state.name().to_owned()).or_default() += 1;
            with_problems += i64::from(!store.problems.is_empty());
            for problem in store.problems {
                *problems.entry(problem.code).or_default() += 1;
            }
        }
    }
}
