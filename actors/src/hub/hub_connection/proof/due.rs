//! Days to compare: those that were marked when their figures changed, and all days after the hub has changed. Days
//! that were compared successfully are not compared again.

use super::DAYS_AT_ONCE;
use domain::model::hub::sync::local::{Change, DayFigures, Proving};
use storage::{Storage, StorageError};

/// Result of looking at a due day.
pub(super) enum Look {
    /// To be compared with the hub.
    Due(DayFigures),
    /// Proven as it is.
    Proven,
    /// It is under way, or was asked for a moment ago.
    Waits,
}

/// The next days that are due because the hub's generation has changed; `None` if all of them are done.
pub(super) fn proving(storage: &Storage, generation: &str) -> Result<Option<Vec<Change>>, StorageError> {
    let known = storage.days().proving()?;
    let same = known.generation == generation;
    if same && known.whole {
        return Ok(None);
    }
    let after = known.after.filter(|_| same);
    let days: Vec<_> =
        storage.days().days_after(after, DAYS_AT_ONCE)?.into_iter().map(|day| day.business_date).collect();
    let proving = Proving {
        generation: generation.to_owned(),
        after: days.last().copied().or(after),
        whole: days.len() < DAYS_AT_ONCE,
    };
    Ok(Some(vec![Change::Proving { proving, days }]))
}
