//! Records that are stamped ahead of the hub: said while it continues, and ended when it ends.

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
    /// Takes one more into account, in the store's order.
    pub fn note(&mut self, ahead: bool) {
        self.last = Some(ahead);
    }
}

/// Raises the alarm, or ends it: a clock that was set again stamps its next record well. How many there are is
/// counted when somebody asks for the store's status, not in every push.
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
