//! Records that are stamped ahead of the hub: an alarm while it continues, which ends with it.

use crate::table::alarm;
use domain::model::base::time::UtcMs;
use sqlx::AnyConnection;

/// Stamps of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamps {
    /// Whether the last record is stamped ahead. `None` if there was none.
    last: Option<bool>,
}

impl Stamps {
    /// Counts one more record, in the store's order.
    pub fn note(&mut self, ahead: bool) {
        self.last = Some(ahead);
    }
}

/// Raises the alarm, or ends it: after a clock is set right, its next record is stamped correctly. The number of such
/// records is counted when a user opens the store's status, not in every push.
pub async fn note_stamps(
    connection: &mut AnyConnection,
    store_id: &str,
    stamps: Stamps,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    match stamps.last {
        None => Ok(()),
        Some(false) => alarm::clear(connection, store_id, alarm::AHEAD).await,
        Some(true) => {
            let message = "its records have timestamps ahead of the hub's clock, so the hub's time is used for \
                them: set the store's clock";
            alarm::raise(connection, store_id, alarm::AHEAD, message, now).await
        }
    }
}
