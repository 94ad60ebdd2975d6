//! The last restore drill of head office's own backups, in the row of the hub.

use crate::columns;
use crate::db::{Db, signed};
use domain::model::base::time::UtcMs;
use domain::wire::sync::BackupDrill;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::AnyPool;

// Not `BackupDrill`: a request of the sync protocol refuses unknown fields, an answer may get more of them later.
/// Result of a restore drill: the newest backup was restored into a scratch place, verified, and removed again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "RestoreDrill")]
pub struct DrillView {
    /// When the drill ended.
    pub finished_at: UtcMs,
    /// Duration of the drill in milliseconds.
    pub duration_ms: u64,
    /// When the backup was made. Null if there was no backup.
    pub backup_made_at: Option<UtcMs>,
    /// Number of records that were verified. 0 if the drill failed.
    pub records_count: u64,
    /// Reason of the failure. Null if the drill succeeded.
    pub problem: Option<String>,
    /// When the last successful drill ended. Null if there was none.
    pub succeeded_at: Option<UtcMs>,
}

/// The result of the last drill. `None` if there was none.
///
/// # Errors
/// A database error.
pub async fn last(pool: &AnyPool) -> Result<Option<DrillView>, sqlx::Error> {
    let sql = "SELECT drill_finished_at, drill_duration_ms, drill_backup_at, drill_records, drill_problem, \
               drill_succeeded_at FROM hub WHERE drill_finished_at IS NOT NULL";
    let row = sqlx::query(sql).fetch_optional(pool).await?;
    let read = |row: &sqlx::any::AnyRow| {
        let (finished_at, duration_ms, backup_made_at, records, problem, succeeded_at): (
            UtcMs,
            i64,
            Option<UtcMs>,
            i64,
            Option<String>,
            Option<UtcMs>,
        ) = columns!(row => (drill_finished_at, drill_duration_ms, drill_backup_at, drill_records, drill_problem,
            drill_succeeded_at));
        let (duration_ms, records_count) = (duration_ms.unsigned_abs(), records.unsigned_abs());
        Ok(DrillView { finished_at, duration_ms, backup_made_at, records_count, problem, succeeded_at })
    };
    row.as_ref().map(read).transpose()
}

/// Keeps the result of a drill.
///
/// # Errors
/// A database error.
pub async fn keep(db: &Db, result: &BackupDrill) -> Result<(), sqlx::Error> {
    let mut write = db.write().await?;
    let sql = "UPDATE hub SET drill_finished_at = $1, drill_duration_ms = $2, drill_backup_at = $3, drill_records = $4, \
               drill_problem = $5, drill_succeeded_at = $6 WHERE singleton = 1";
    let query = sqlx::query(sql).bind(result.finished_at.0).bind(signed(result.duration_ms));
    let query = query.bind(result.backup_made_at.map(|at| at.0)).bind(signed(result.records_count));
    let query = query.bind(result.problem.clone()).bind(result.succeeded_at.map(|at| at.0));
    query.execute(&mut **write).await?;
    write.commit().await
}
