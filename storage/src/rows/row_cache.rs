//! Rows that are decoded once and kept until they change: tills read the same ones all day.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Values by key, a bounded number of them.
#[derive(Debug)]
pub struct RowCache<V> {
    state: RwLock<State<V>>,
    most: usize,
}

#[derive(Debug)]
struct State<V> {
    /// Rises with every change of the rows that values are made of.
    version: u64,
    values: HashMap<Box<str>, Arc<V>>,
}

impl<V> RowCache<V> {
    /// Keeps up to this many values; when it is full, all are dropped.
    pub fn new(most: usize) -> Self {
        Self { state: RwLock::new(State { version: 0, values: HashMap::new() }), most }
    }

    /// The value of a key: the kept one while it is `fit`, else the result of `read`. A missing value is not kept.
    pub fn get<E>(
        &self,
        key: &str,
        fit: impl FnOnce(&V) -> bool,
        read: impl FnOnce() -> Result<Option<V>, E>,
    ) -> Result<Option<Arc<V>>, E> {
        let version = {
            let state = self.read();
            if let Some(kept) = state.values.get(key).filter(|kept| fit(kept)) {
                return Ok(Some(Arc::clone(kept)));
            }
            state.version
        };
        let Some(value) = read()?.map(Arc::new) else { return Ok(None) };
        let mut state = self.write();
        // Changes during the read may be missing in it.
        if state.version != version {
            return Ok(Some(value));
        }
        let full = state.values.len() >= self.most;
        let gone = full.then(|| std::mem::take(&mut state.values));
        state.values.insert(key.into(), Arc::clone(&value));
        drop(state);
        // Thousands of values are freed while no caller waits for them.
        drop(gone);
        Ok(Some(value))
    }

    /// Rows of these keys changed, and readers see it.
    pub fn forget(&self, keys: &[String]) {
        if keys.is_empty() {
            return;
        }
        let mut state = self.write();
        state.version = state.version.wrapping_add(1);
        for key in keys {
            state.values.remove(key.as_str());
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, State<V>> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State<V>> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use std::convert::Infallible;

    fn read(kept: &RowCache<u32>, key: &str, row: Option<u32>) -> Option<u32> {
        kept.get(key, |_| true, || Ok::<_, Infallible>(row)).unwrap().map(|value| *value)
    }

    #[test]
    fn a_value_is_read_once_for_each_change_of_its_rows() {
        let kept = RowCache::new(9);
        assert_eq!((read(&kept, "a", Some(1)), read(&kept, "a", Some(2))), (Some(1), Some(1)));
        assert_eq!((read(&kept, "b", None), read(&kept, "b", Some(5))), (None, Some(5)));
        kept.forget(&["a".to_owned()]);
        assert_eq!((read(&kept, "a", Some(3)), read(&kept, "b", Some(6))), (Some(3), Some(5)));
        let unfit = kept.get("a", |_| false, || Ok::<_, Infallible>(Some(4))).unwrap();
        assert_eq!((unfit.map(|value| *value), read(&kept, "a", Some(7))), (Some(4), Some(4)));
    }

    #[test]
    fn rows_that_changed_while_they_were_read_are_not_cached() {
        let kept = RowCache::new(9);
        let seen = kept.get(
            "a",
            |_| true,
            || {
                kept.forget(&["b".to_owned()]);
                Ok::<_, Infallible>(Some(1))
            },
        );
        assert_eq!((seen.unwrap().map(|value| *value), read(&kept, "a", Some(2))), (Some(1), Some(2)));
    }

    #[test]
    fn no_more_are_kept_than_there_is_room_for() {
        let kept = RowCache::new(3);
        for number in 0..100 {
            assert_eq!(read(&kept, &number.to_string(), Some(number)), Some(number));
            assert!(kept.read().values.len() <= 3);
        }
    }
}
