//! Rows as their types.

use crate::error::StorageError;
use crate::rows::apply::EpochRow;
use crate::rows::codec::decode;
use crate::rows::table::Table;
use crate::rows::{Page, Rows, failed, guarded};
use serde::de::DeserializeOwned;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::Bound;
use std::sync::atomic::Ordering::Relaxed;

type Read<T> = Result<T, StorageError>;

/// Most keys of a word that one page of a search reads, so that a very common word does not make it slow.
pub const SEARCH_KEYS_MAX: usize = 5_000;

impl Rows {
    /// A row as its type.
    pub fn row<T: DeserializeOwned>(&self, table: Table, key: &str) -> Read<Option<T>> {
        self.get(&table.key(key))?.map(|bytes| self.decoded(&bytes)).transpose()
    }

    /// A page of a table, in key order.
    pub fn page<T: DeserializeOwned>(&self, table: Table, after: Option<&str>, limit: usize) -> Read<Vec<T>> {
        let rows = self.range(&[table as u8], after.map(str::as_bytes), limit)?;
        rows.iter().map(|(_, bytes)| self.decoded(bytes)).collect()
    }

    /// Number of rows of a table: those of the engine, with the changes of the memtable.
    pub fn count(&self, table: Table) -> Read<u64> {
        // The engine is given nothing meanwhile.
        let state = self.state();
        let memtable = self.memtable();
        let (first, next) = ([table as u8], [table as u8 + 1]);
        let newer = memtable.range(Bound::Included(first.as_slice()), Bound::Excluded(next.as_slice()));
        guarded(self.path(), || {
            let mut count = state.mark.sums.count(table as usize);
            for (key, value) in newer {
                self.counters.reads.fetch_add(1, Relaxed);
                match (self.db.contains_key(key)?, value.is_some()) {
                    (false, true) => count += 1,
                    (true, false) => count = count.saturating_sub(1),
                    _ => {}
                }
            }
            Ok(count)
        })
    }

    /// The epochs, oldest first.
    pub fn epochs(&self) -> Read<Vec<EpochRow>> {
        self.page(Table::Epoch, None, usize::MAX)
    }

    pub(crate) fn decoded<T: DeserializeOwned>(&self, bytes: &[u8]) -> Read<T> {
        decode(bytes).map_err(|what| failed(self.path(), what))
    }

    /// IDs under the longest typed word, which usually has the fewest, sorted and without duplicates. Only the
    /// requested part is sorted.
    pub fn candidates(
        &self,
        table: Table,
        typed: &BTreeSet<String>,
        after: Option<&str>,
    ) -> Read<impl Iterator<Item = String> + use<>> {
        let keys = match typed.iter().max_by_key(|word| word.len()) {
            Some(longest) => self.range(&table.key(longest), None, SEARCH_KEYS_MAX)?,
            None => Page::new(),
        };
        let id = |mut key: Vec<u8>| {
            let zero = key.iter().rposition(|byte| *byte == 0)?;
            Some(key.split_off(zero + 1))
        };
        let wanted = |id: &Vec<u8>| after.is_none_or(|after| id.as_slice() > after.as_bytes());
        let ids = keys.into_iter().filter_map(|(key, _)| id(key)).filter(wanted).map(Reverse);
        let mut heap: BinaryHeap<Reverse<Vec<u8>>> = ids.collect();
        let mut last = None;
        Ok(std::iter::from_fn(move || {
            loop {
                let Reverse(id) = heap.pop()?;
                if last.as_ref() != Some(&id) {
                    last = Some(id.clone());
                    return Some(String::from_utf8_lossy(&id).into_owned());
                }
            }
        }))
    }

    pub fn json_rows<T: DeserializeOwned>(
        &self,
        table: Table,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Read<Vec<T>> {
        self.json_texts(self.range(&table.key(prefix), after.map(str::as_bytes), limit)?)
    }

    /// Rows of JSON text, as their type.
    pub fn json_texts<T: DeserializeOwned>(&self, rows: Page) -> Read<Vec<T>> {
        let text = |bytes: &[u8]| decode::<String>(bytes);
        let parse = |bytes: &[u8]| text(bytes).map_err(|what| failed(self.path(), what));
        rows.iter().map(|(_, bytes)| self.parse_json(&parse(bytes)?)).collect()
    }

    pub fn parse_json<T: DeserializeOwned>(&self, text: &str) -> Read<T> {
        serde_json::from_str(text).map_err(|error| failed(self.path(), error.to_string()))
    }
}
