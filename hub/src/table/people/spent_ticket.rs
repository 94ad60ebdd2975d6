//! `spent_tickets`: tickets of event streams that were used, at whichever process.

use domain::model::base::time::UtcMs;
use edge::identity::ticket::TICKET_S;
use sqlx::{AnyConnection, Error};

/// A used ticket is kept for so long, in milliseconds: far longer than one works, whatever the clocks of the processes.
const KEPT_MS: i64 = TICKET_S * 1000 * 10;

/// Uses a ticket up. False if it was used before.
pub async fn spend(connection: &mut AnyConnection, ticket_id: &str, now: UtcMs) -> Result<bool, Error> {
    let sql = "DELETE FROM spent_tickets WHERE spent_at < $1";
    let before = now.0.saturating_sub(KEPT_MS);
    sqlx::query(sql).bind(before).execute(&mut *connection).await?;
    let sql = "INSERT INTO spent_tickets (ticket_id, spent_at) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    let done = sqlx::query(sql).bind(ticket_id).bind(now.0).execute(connection).await?;
    Ok(done.rows_affected() == 1)
}
