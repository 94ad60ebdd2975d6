//! The decoder of a push as a fuzz target, which also runs briefly in the normal suite. Built with the feature `fuzz`
//! only, so it is not part of a release.

use crate::ingest::batch::Batch;
use domain::wire::sync::{PUSH_EVENTS_MAX, Push};

/// A body as a store sends it: it is refused, or within its limits with every record kept.
pub fn push(bytes: &[u8]) {
    let Ok(push) = serde_json::from_slice::<Push>(bytes) else { return };
    let (store, records) = (push.store_id.clone(), push.events.len());
    if let Ok(batch) = Batch::read(push, &store) {
        assert!(batch.events.len() == records && records <= PUSH_EVENTS_MAX);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    proptest! {
        #[test]
        fn random_bytes_break_nothing(bytes in prop::collection::vec(any::<u8>(), 0..1024)) {
            super::push(&bytes);
        }

        #[test]
        fn nor_do_batches_of_nonsense(
            epoch in "[0-9]{1,3}-[0-9a-f]{14,17}",
            records in prop::collection::vec((any::<u64>(), "\\PC{0,60}", "\\PC{0,200}"), 0..8),
            kind in "[a-z.]{0,40}",
            pending in any::<u64>(),
        ) {
            let envelope = json!({"event_id": "evt_1", "type": kind, "occurred_at": "", "payload": {"a": []}});
            let events: Vec<_> = records
                .into_iter()
                .map(|(seq, hash, text)| {
                    let record = if seq % 2 == 0 { text } else { envelope.to_string() };
                    json!({"seq": seq, "hash": hash, "record": record})
                })
                .collect();
            let push = json!({
                "store_id": "S001", "sender_epoch": epoch, "epoch": epoch, "prev_hash": "00", "events": events,
                "backlog": {"pending": pending, "oldest_pending_at": null},
            });
            super::push(push.to_string().as_bytes());
        }
    }
}
