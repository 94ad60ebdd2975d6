//! Contradictions between the reports of stores. Nothing is held back for one: everything was applied, and a person
//! decides.

use crate::table::{event_log, notice};
use crate::{columns, secret};
use domain::model::base::time::UtcMs;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use sqlx::AnyConnection;

/// Two documents carry one receipt number.
pub const RECEIPT_TWICE: &str = "receipt_number_twice";
/// A document carries a receipt number that begins with another store's ID.
pub const RECEIPT_FOREIGN: &str = "receipt_number_of_another_store";
/// One store called a transfer off, the other took it in.
pub const TRANSFER_MET: &str = "transfer_cancelled_and_received";
/// More arrived than was sent.
pub const TRANSFER_OVER: &str = "transfer_over_receipt";
/// A store reported a transfer that is between others.
pub const TRANSFER_FOREIGN: &str = "transfer_of_other_stores";
/// Goods were sent to a store that head office does not know.
pub const TRANSFER_NOWHERE: &str = "transfer_to_unknown_store";
/// Goods were sent that head office's catalogue lacks: the store that receives them can't sell them.
pub const TRANSFER_UNKNOWN: &str = "transfer_of_unknown_products";
/// A store reported a person who is head office's or another store's.
pub const USER_FOREIGN: &str = "user_of_another_store";
/// A store reported a user of its own under a login name that head office has given to another user there.
pub const USER_NAME_TAKEN: &str = "user_name_taken";
/// Two members have one phone, e-mail or code: two stores registered them while they were apart.
pub const MEMBER_TWICE: &str = "member_registered_twice";
/// More came back of a sale than it had.
pub const RETURN_OVER: &str = "return_exceeds_sold";
/// More points were redeemed than there were.
pub const POINTS_OVERDRAWN: &str = "points_overdrawn";
/// An action in a shift that had been closed.
pub const SHIFT_CLOSED: &str = "shift_was_closed";
/// More came against an order than was ordered.
pub const ORDER_OVER: &str = "order_over_receipt";
/// Goods came against an order that had been called off.
pub const ORDER_CANCELLED: &str = "order_cancelled_and_received";
/// Two receipts carry one delivery note of a supplier.
pub const DELIVERY_NOTE_TWICE: &str = "delivery_note_twice";
/// A receipt repeats another one of its store, and no supplier or delivery note distinguishes them.
pub const RECEIPT_REPEATED: &str = "receipt_repeated";
/// Late records for a locked day: one exception for each day of a book.
pub const LATE_AFTER_LOCK: &str = "late_after_lock";
/// More cash was taken out of a safe than it held.
pub const SAFE_BELOW_ZERO: &str = "safe_below_zero";
/// Goods went back to a supplier, and no receipt has them.
pub const RETURN_UNALLOCATED: &str = "supplier_return_unallocated";
/// A receipt was reversed after an invoice had billed it.
pub const RECEIPT_REVERSED: &str = "receipt_reversed_after_invoice";
/// Goods were received for an order of another store, or an unknown one.
pub const ORDER_FOREIGN: &str = "order_of_another_store";
/// The figures of an event did not balance; the rest is in suspense.
pub const ENTRY_UNBALANCED: &str = "entry_unbalanced";
/// The value of an event's goods differs from its posting to inventory.
pub const STOCK_VALUE_DIFFERS: &str = "stock_value_differs";
/// Goods moved without a document, and not as the first stock.
pub const UNEXPLAINED_MOVEMENT: &str = "unexplained_movement";
/// A shift was open when its store was restored, and was never counted.
pub const SHIFT_INTERRUPTED: &str = "shift_interrupted";
/// An account that takes the place of the plan's is closed: the plan's was used.
pub const MAPPING_CLOSED: &str = "mapping_closed";

/// A webhook was paused because its receiver accepts nothing.
pub const WEBHOOK_PAUSED: &str = "webhook_paused";

/// Place of a contradiction.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// Store that has to look at it.
    pub store_id: &'a str,
    /// ID of the contradicting event.
    pub event_id: &'a str,
    /// Time at which it was found.
    pub now: UtcMs,
}

/// An ID for a contradiction.
pub fn new_id() -> String {
    format!("exc_{}", secret::mark())
}

/// The day on which an exception was found.
pub fn day(found_at: UtcMs) -> String {
    found_at.timestamp().to_zoned(TimeZone::UTC).date().to_string()
}

/// Notes a contradiction; one event contradicts in one way once.
pub async fn note(
    connection: &mut AnyConnection,
    found: Found<'_>,
    code: &'static str,
    details: &Value,
) -> Result<(), sqlx::Error> {
    tracing::warn!(store_id = found.store_id, event_id = found.event_id, code, "records contradict");
    let sql = "INSERT INTO exceptions (store_id, event_id, code, details, found_at, found_on, exception_id) \
               VALUES ($1, $2, $3, $4, $5, $6, $7) \
               ON CONFLICT (store_id, event_id, code) DO NOTHING";
    let query = sqlx::query(sql).bind(found.store_id).bind(found.event_id).bind(code);
    let query = query.bind(details.to_string()).bind(found.now.0).bind(day(found.now));
    let id = new_id();
    if query.bind(&id).execute(&mut *connection).await?.rows_affected() > 0 {
        event_log::write_exception(connection, found.store_id, &id, found.now).await?;
        notice::tell_exception(connection, (&id, found.store_id), code).await?;
    }
    Ok(())
}

/// Notes that two people of a store have one login name: once for each name, until it is settled. The store reports
/// either of them again with every change.
pub async fn note_name_taken(
    connection: &mut AnyConnection,
    found: Found<'_>,
    username: &str,
    details: &Value,
) -> Result<(), sqlx::Error> {
    let sql = "SELECT details FROM exceptions WHERE store_id = $1 AND code = $2 AND settled_at IS NULL";
    let query = sqlx::query_scalar(sql).bind(found.store_id).bind(USER_NAME_TAKEN);
    let open: Vec<String> = query.fetch_all(&mut *connection).await?;
    let name = |details: &String| Some(serde_json::from_str::<Value>(details).ok()?.get("username")?.clone());
    if open.iter().any(|details| name(details).is_some_and(|name| name == username)) {
        return Ok(());
    }
    note(connection, found, USER_NAME_TAKEN, details).await
}

/// Notes that a webhook was paused: one exception for each pause.
pub async fn note_paused_webhook(
    connection: &mut AnyConnection,
    webhook_id: &str,
    details: &Value,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    tracing::warn!(webhook_id, "a webhook was paused");
    let event_id = format!("{webhook_id}:{}", now.0);
    note(connection, Found { store_id: "", event_id: &event_id, now }, WEBHOOK_PAUSED, details).await
}

/// Closes the exception of a webhook that sends again, or that was deleted.
pub async fn close_paused_webhook(
    connection: &mut AnyConnection,
    webhook_id: &str,
    (now, why): (UtcMs, &str),
) -> Result<(), sqlx::Error> {
    let sql = "UPDATE exceptions SET settled_at = $3, note = $4 WHERE store_id = '' AND code = $1 \
               AND settled_at IS NULL AND event_id LIKE $2 || ':%'";
    let query = sqlx::query(sql).bind(WEBHOOK_PAUSED).bind(webhook_id).bind(now.0).bind(why);
    if query.execute(&mut *connection).await?.rows_affected() > 0 {
        notice::tell_exception(connection, ("", ""), WEBHOOK_PAUSED).await?;
    }
    Ok(())
}

/// Notes the shifts of earlier epochs that were never closed. Those epochs are complete here: a store reports them
/// before the first record of the next one.
pub async fn note_interrupted(
    connection: &mut AnyConnection,
    store_id: &str,
    epoch: &str,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let sql = "SELECT s.event_id, s.shift_id, s.register_id, s.business_date, s.opened_by FROM shifts s \
               JOIN events e ON e.store_id = s.store_id AND e.event_id = s.event_id \
               WHERE s.store_id = $1 AND s.state <> 'closed' AND e.epoch <> $2";
    for row in sqlx::query(sql).bind(store_id).bind(epoch).fetch_all(&mut *connection).await? {
        let (event_id, shift_id, register_id): (String, String, String) =
            columns!(row => (event_id, shift_id, register_id));
        let (business_date, opened_by): (String, String) = columns!(row => (business_date, opened_by));
        let details = json!({"shift_id": shift_id, "register_id": register_id, "business_date": business_date,
            "opened_by": opened_by});
        note(connection, Found { store_id, event_id: &event_id, now }, SHIFT_INTERRUPTED, &details).await?;
    }
    Ok(())
}

/// Closes the exception of a shift that its store has counted after all.
pub async fn close_interrupted(
    connection: &mut AnyConnection,
    store_id: &str,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let sql = "UPDATE exceptions SET settled_at = $3, note = 'its store has counted it' WHERE store_id = $1 \
               AND code = $2 AND settled_at IS NULL AND NOT EXISTS (SELECT 1 FROM shifts s \
               WHERE s.store_id = exceptions.store_id AND s.event_id = exceptions.event_id AND s.state <> 'closed')";
    let query = sqlx::query(sql).bind(store_id).bind(SHIFT_INTERRUPTED).bind(now.0);
    if query.execute(&mut *connection).await?.rows_affected() > 0 {
        notice::tell_exception(connection, ("", store_id), SHIFT_INTERRUPTED).await?;
    }
    Ok(())
}
