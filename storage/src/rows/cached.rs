//! A small table kept in memory as a whole, until it changes: a sale must not read it from the disk.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The rows of a table, loaded on first use.
#[derive(Debug)]
pub struct Cached<T>(Mutex<State<T>>);

#[derive(Debug)]
struct State<T> {
    /// Rises with every change of the table.
    version: u64,
    rows: Option<Arc<Vec<T>>>,
}

impl<T> Default for Cached<T> {
    fn default() -> Self {
        Self(Mutex::new(State { version: 0, rows: None }))
    }
}

impl<T> Cached<T> {
    /// The rows as they are now; `read` is asked only after a change.
    pub fn get<E>(&self, read: impl FnOnce() -> Result<Vec<T>, E>) -> Result<Arc<Vec<T>>, E> {
        let version = {
            let state = self.lock();
            if let Some(rows) = &state.rows {
                return Ok(Arc::clone(rows));
            }
            state.version
        };
        let rows = Arc::new(read()?);
        let mut state = self.lock();
        // Changes during the read may be missing in it.
        if state.version == version {
            state.rows = Some(Arc::clone(&rows));
        }
        Ok(rows)
    }

    /// The table changed, and readers see it.
    pub fn forget(&self) {
        let mut state = self.lock();
        state.version += 1;
        state.rows = None;
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use std::convert::Infallible;

    fn read(kept: &Cached<u32>, rows: &[u32]) -> Vec<u32> {
        kept.get(|| Ok::<_, Infallible>(rows.to_vec())).unwrap().to_vec()
    }

    #[test]
    fn it_is_read_once_for_each_change() {
        let kept = Cached::default();
        assert_eq!((read(&kept, &[1]), read(&kept, &[2])), (vec![1], vec![1]));
        kept.forget();
        assert_eq!((read(&kept, &[2]), read(&kept, &[3])), (vec![2], vec![2]));
        assert_eq!(kept.get(|| Err("unread")).map(|rows| rows.len()), Ok(1));
    }

    #[test]
    fn a_row_that_changed_while_it_was_read_is_not_cached() {
        let kept = Cached::default();
        let seen = kept.get(|| {
            kept.forget();
            Ok::<_, Infallible>(vec![1])
        });
        assert_eq!((seen.unwrap().to_vec(), read(&kept, &[2])), (vec![1], vec![2]));
    }
}
