//! A day that is locked in many books at once.

use super::{Office, timed};
use serde_json::json;
use std::fmt::Write as _;
use std::time::Instant;

/// Books of as many stores.
const BOOKS: usize = 10_000;
/// Number of repetitions, each with another day.
const TIMES: u32 = 3;
/// Age of the first day.
const FIRST: u32 = 9;
const GOAL: f64 = 2.0;

/// A lock beside as many updates of one row, sent one by one in one transaction.
pub async fn measure(office: &mut Office) -> anyhow::Result<()> {
    office
        .plain(&format!(
            "INSERT INTO stores (store_id, name, timezone, disabled, created_at, current_n) \
         SELECT 'L' || n, 'S', 'Asia/Jakarta', 0, 0, 0 FROM generate_series(1, {BOOKS}) n; \
         INSERT INTO books (store_id, next_entry_no) SELECT 'L' || n, 1 FROM generate_series(1, {BOOKS}) n; \
         CREATE TABLE plain_books AS SELECT * FROM books; ALTER TABLE plain_books ADD PRIMARY KEY (store_id)"
        ))
        .await?;
    office.plain("VACUUM ANALYZE").await?;
    let mut updates = String::new();
    for number in 1..=BOOKS {
        writeln!(
            updates,
            "UPDATE plain_books SET next_entry_no = next_entry_no + 1 WHERE store_id = 'L{number}';"
        )?;
    }
    let file = office.place.file("updates.sql");
    std::fs::write(&file, updates)?;
    for time in 0..TIMES {
        let day = office.days_ago(FIRST - time).await?;
        let since = Instant::now();
        let ask = json!({"force": true, "reason": "made up"});
        office.reader.post(&format!("/api/finance/days/{day}/lock"), &format!("lock-{day}"), &ask).await?;
        let ours = since.elapsed();
        let theirs = timed(office.psql().args(["-1", "-o", "/dev/null", "-f"]).arg(&file)).await?;
        let what = format!("locking a day of {BOOKS} books / as many updates of a row");
        office.measured.add(&what, GOAL, ours, theirs);
    }
    Ok(())
}
