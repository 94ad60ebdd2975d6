//! Carried items and lines: a person is not asked about them for a while, then they come up again.

use crate::columns;
use crate::office::settlement::exceptions::raised;
use domain::model::base::time::UtcMs;
use domain::rules::books::settlement::ItemRef;
use jiff::civil::Date;
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// Assignments that reopen an exception.
const OPEN: &str = "state = 'open', resolution = NULL, reason = NULL, resolved_by = NULL, resolved_at = NULL";

/// Carries items: they stay open, and no person is asked for a while.
pub async fn carry_items(
    connection: &mut AnyConnection,
    items: &[ItemRef],
    until: Date,
) -> Result<(), sqlx::Error> {
    for (store_id, item_id) in items {
        let sql = "UPDATE settlement_items SET carried_until = $3 WHERE store_id = $1 AND item_id = $2 \
                   AND state = 'open'";
        let query = sqlx::query(sql).bind(store_id).bind(item_id).bind(until.to_string());
        query.execute(&mut *connection).await?;
    }
    Ok(())
}

/// Carries lines: they wait for later items, and no person is asked for a while.
pub async fn carry_lines(
    connection: &mut AnyConnection,
    line_ids: &[String],
    until: Date,
) -> Result<(), sqlx::Error> {
    for line_id in line_ids {
        let sql = "UPDATE statement_lines SET state = 'carried', carried_until = $2 WHERE line_id = $1 \
                   AND state = 'excepted'";
        sqlx::query(sql).bind(line_id).bind(until.to_string()).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Items that no person is asked about.
pub async fn items(connection: &mut AnyConnection) -> Result<BTreeSet<ItemRef>, sqlx::Error> {
    let sql =
        "SELECT store_id, item_id FROM settlement_items WHERE state = 'open' AND carried_until IS NOT NULL";
    let rows = sqlx::query(sql).fetch_all(connection).await?;
    rows.iter().map(|row| Ok(columns!(row => (store_id, item_id)))).collect()
}

/// Reopens exceptions that were carried for long enough: items of the sources that pay them out, and lines of a source.
/// Returns the settlements that they hold up.
pub async fn come_up_again(
    connection: &mut AnyConnection,
    source_id: &str,
    today: Date,
    now: UtcMs,
) -> Result<BTreeSet<(String, Date)>, sqlx::Error> {
    let mut touched = lines_again(connection, source_id, today, now).await?;
    let sql = "SELECT store_id, item_id, settlement_date FROM settlement_items WHERE state = 'open' \
               AND carried_until < $1 ORDER BY store_id, item_id";
    for row in sqlx::query(sql).bind(today.to_string()).fetch_all(&mut *connection).await? {
        let (store_id, item_id, day): (String, String, Date) =
            columns!(row => (store_id, item_id, settlement_date));
        // The open part belongs to another day by now, if its own day was approved.
        let sql = format!(
            "UPDATE settlement_exceptions SET {OPEN}, found_at = $3, business_date = $4 WHERE store_id = $1 \
             AND item_id = $2 AND state = 'resolved' AND resolution = 'carry' RETURNING store_id, business_date"
        );
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(store_id.clone()).bind(item_id.clone());
        let again = query.bind(now.0).bind(day.to_string()).fetch_all(&mut *connection).await?;
        touched.extend(raised::held_up(&again)?);
        // The rest of a payment has no exception yet, and holds up its settlement all the same.
        touched.insert((store_id.clone(), day));
        let sql = "UPDATE settlement_items SET carried_until = NULL WHERE store_id = $1 AND item_id = $2";
        sqlx::query(sql).bind(&store_id).bind(&item_id).execute(&mut *connection).await?;
    }
    Ok(touched)
}

/// Lines of a source, including contested ones. Of several resolutions of a line the last one is asked about again.
async fn lines_again(
    connection: &mut AnyConnection,
    source_id: &str,
    today: Date,
    now: UtcMs,
) -> Result<BTreeSet<(String, Date)>, sqlx::Error> {
    let sql = format!(
        "UPDATE settlement_exceptions SET {OPEN}, found_at = $3 WHERE state = 'resolved' \
         AND resolution IN ('carry', 'contest') AND first_line IN (SELECT line_id FROM statement_lines \
         WHERE source_id = $1 AND state = 'carried' AND carried_until < $2) AND NOT EXISTS (SELECT 1 \
         FROM settlement_exceptions n WHERE n.first_line = settlement_exceptions.first_line AND n.state = 'resolved' \
         AND n.resolved_at > settlement_exceptions.resolved_at) RETURNING store_id, business_date"
    );
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(source_id.to_owned()).bind(today.to_string());
    let again = query.bind(now.0).fetch_all(&mut *connection).await?;
    let sql = "UPDATE statement_lines SET state = 'excepted', carried_until = NULL WHERE source_id = $1 \
               AND state = 'carried' AND carried_until < $2";
    sqlx::query(sql).bind(source_id).bind(today.to_string()).execute(connection).await?;
    raised::held_up(&again)
}
