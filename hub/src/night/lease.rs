//! Table `jobs`: the process that runs each daily job, and whether the job is done.

use domain::model::base::time::UtcMs;
use jiff::{Span, civil::Date};
use sqlx::{AnyConnection, Error};

/// Time without a sign of life after which another process takes a job over, in milliseconds.
const LEASE_MS: i64 = 60_000;
/// Days for which done jobs are kept.
const KEPT_DAYS: i32 = 30;

/// A job of a day that a process has taken.
pub struct Lease<'a> {
    /// Name of the job.
    pub name: &'static str,
    /// Day of the job.
    pub day: Date,
    /// Process that holds the lease.
    pub holder: &'a str,
}

impl Lease<'_> {
    /// Takes a job that is not done, and that no other process has taken recently. Returns false if there is one.
    pub async fn claim(&self, connection: &mut AnyConnection, now: UtcMs) -> Result<bool, Error> {
        let sql = "INSERT INTO jobs (name, day, holder, beat_at) VALUES ($1, $2, $3, $4) ON CONFLICT (name, day) \
                   DO UPDATE SET holder = excluded.holder, beat_at = excluded.beat_at \
                   WHERE jobs.done_at IS NULL AND jobs.beat_at < $5";
        let query = sqlx::query(sql).bind(self.name).bind(self.day.to_string()).bind(self.holder);
        let query = query.bind(now.0).bind(now.0.saturating_sub(LEASE_MS));
        Ok(query.execute(connection).await?.rows_affected() > 0)
    }

    /// Gives a sign of life. Returns false if another process has taken the job over.
    pub async fn beat(&self, connection: &mut AnyConnection, now: UtcMs) -> Result<bool, Error> {
        let sql =
            "UPDATE jobs SET beat_at = $4 WHERE name = $1 AND day = $2 AND holder = $3 AND done_at IS NULL";
        let query = sqlx::query(sql).bind(self.name).bind(self.day.to_string()).bind(self.holder);
        Ok(query.bind(now.0).execute(connection).await?.rows_affected() > 0)
    }

    /// Marks the job as done, and deletes jobs done long ago.
    pub async fn done(&self, connection: &mut AnyConnection, now: UtcMs) -> Result<(), Error> {
        let sql = "UPDATE jobs SET done_at = $4 WHERE name = $1 AND day = $2 AND holder = $3";
        let query = sqlx::query(sql).bind(self.name).bind(self.day.to_string()).bind(self.holder);
        query.bind(now.0).execute(&mut *connection).await?;
        let before = self.day.checked_sub(Span::new().days(KEPT_DAYS)).unwrap_or(self.day);
        let sql = "DELETE FROM jobs WHERE name = $1 AND day < $2";
        sqlx::query(sql).bind(self.name).bind(before.to_string()).execute(connection).await?;
        Ok(())
    }
}
