//! Numbers of entries that this process has made since its start, by kind: for metrics.

use crate::table::journal::Kind;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Mutex, PoisonError};

/// Counts of the entries that were made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of entries by kind.
    pub entries: BTreeMap<&'static str, u64>,
    /// The entries among them for an earlier day than their date.
    pub late: u64,
}

static MADE: Mutex<Counts> = Mutex::new(Counts { entries: BTreeMap::new(), late: 0 });

tokio::task_local! {
    /// Set while entries are made only to be shown: they are taken back.
    static SHOWN: ();
}

/// Makes entries for a preview: none of them is kept or counted.
pub async fn uncounted<T>(work: impl Future<Output = T>) -> T {
    SHOWN.scope((), work).await
}

pub fn note(kind: Kind, is_late: bool) {
    if SHOWN.try_with(|()| ()).is_ok() {
        return;
    }
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let count = made.entries.entry(kind.name()).or_default();
    *count = count.saturating_add(1);
    made.late = made.late.saturating_add(u64::from(is_late));
}

pub fn read() -> Counts {
    MADE.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
