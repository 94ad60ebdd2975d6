//! A batch as it arrived: its limits, and the check of its chain.

use crate::projection::envelope::Incoming;
use crate::table::epoch::number;
use domain::model::hub::chain::HASH_BYTES_MAX;
use domain::rules::hub::sync::rules;
use domain::wire::sync::{PUSH_BYTES_MAX, PUSH_EVENTS_MAX, Push};
use edge::ApiError;
use serde_json::json;

/// A batch within its limits.
pub struct Batch {
    /// The epoch that the sender now writes.
    pub sender_epoch: String,
    /// The epoch of the records.
    pub epoch: String,
    /// The hash before the first record.
    pub prev_hash: String,
    /// The records, read but not yet judged.
    pub events: Vec<Incoming>,
    /// Whether every record follows the one before it.
    pub whole: bool,
    /// Records that wait at the store once this batch is stored.
    pub pending: u64,
    /// When the oldest of these records was made. Null if there are none.
    pub oldest_pending_at: Option<i64>,
}

impl Batch {
    /// Checks the limits and reads every record, before any SQL.
    ///
    /// # Errors
    /// 413 `body_too_large` naming the limit, 422 for a malformed batch.
    pub fn read(push: Push, store_id: &str) -> Result<Self, ApiError> {
        if push.store_id != store_id {
            return Err(ApiError::field("store_id", "is not the store of the token"));
        }
        limits(&push)?;
        for (field, epoch) in [("sender_epoch", &push.sender_epoch), ("epoch", &push.epoch)] {
            if number(epoch).is_none() {
                return Err(ApiError::field(field, "must be <n>-<16 hex>"));
            }
        }
        if push.events.iter().any(|event| event.seq == 0 || i64::try_from(event.seq).is_err()) {
            return Err(ApiError::field("events", "must each have a seq of at least 1"));
        }
        let long = || format!("must be at most {HASH_BYTES_MAX} bytes");
        if push.prev_hash.len() > HASH_BYTES_MAX {
            return Err(ApiError::field("prev_hash", long()));
        }
        if let Some(wrong) = push.events.iter().position(|event| event.hash.len() > HASH_BYTES_MAX) {
            return Err(ApiError::field(format!("events[{wrong}].hash"), long()));
        }
        let whole = rules::chained(&push.prev_hash, &push.events);
        // The store counts the records of this batch as waiting: once stored they no longer do.
        let pending = push.backlog.pending.saturating_sub(push.events.len() as u64);
        let oldest = push.backlog.oldest_pending_at.filter(|_| pending > 0);
        Ok(Self {
            sender_epoch: push.sender_epoch,
            epoch: push.epoch,
            prev_hash: push.prev_hash,
            events: push.events.into_iter().map(|event| Incoming::read(event, store_id)).collect(),
            whole,
            pending,
            oldest_pending_at: oldest.map(|at| at.0),
        })
    }
}

fn limits(push: &Push) -> Result<(), ApiError> {
    let too_large = |what: &str, limit: usize| {
        ApiError::body_too_large(limit).with_details(json!({"limit": what, "max": limit}))
    };
    if push.events.len() > PUSH_EVENTS_MAX {
        return Err(too_large("batch_events", PUSH_EVENTS_MAX));
    }
    if push.events.iter().map(|event| event.record.len()).sum::<usize>() > PUSH_BYTES_MAX {
        return Err(too_large("batch_bytes", PUSH_BYTES_MAX));
    }
    Ok(())
}
