//! Reads of a running store, by noun: current rows, and history.
//!
//! Everything that was answered is seen, nothing that is not durable. Every read fails alike: the rows or the journal
//! can't be read.

mod days;
mod hub_points;
pub mod log;
mod members;
mod outbox;
mod products;
mod purchasing;
mod sales;
mod shifts;
mod stock_documents;
mod stock_rows;
mod sync_state;
mod users;

use crate::error::StorageError;
use crate::handle::Storage;
use crate::writer::shared::Shared;

type Read<T> = Result<T, StorageError>;

/// Things with their lsn, newest first; the last lsn is where the next page starts.
pub type Listed<T> = Vec<(u64, T)>;

/// Merges several lists, newest first: up to `limit` items, and the last commit whole.
fn newest_of<T>(lists: Vec<Listed<T>>, limit: usize) -> Listed<T> {
    let mut all: Listed<T> = lists.into_iter().flatten().collect();
    all.sort_by_key(|(lsn, _)| std::cmp::Reverse(*lsn));
    if let Some(last) = all.get(limit.saturating_sub(1)).map(|(lsn, _)| *lsn) {
        all.retain(|(lsn, _)| *lsn >= last);
    }
    all
}

macro_rules! document {
    ($one:ident, $many:ident, $noun:ident, $id:ident, $field:ident, $($fact:ident { $name:ident })|+) => {
        /// A document of this noun, as it is now.
        pub fn $one(&self, id: &$id) -> Read<Option<$noun>> {
            self.0.history.find(document(id.as_str()), |body| {
                Ok(body.events()?.into_iter().find_map(|event| match event.fact {
                    $(domain::model::base::event::Fact::$fact(it) if it.$name.$field == *id => Some(it.$name),)+
                    _ => None,
                }))
            })
        }

        /// Documents of this noun, last changed first: those changed before the lsn `before`.
        pub fn $many(&self, before: Option<u64>, limit: usize) -> Read<Listed<$noun>> {
            let steps = |before, limit| {
                self.0.history.newest(list(domain::model::base::event::Noun::$noun), before, limit, |event, found| match event.fact {
                    $(domain::model::base::event::Fact::$fact(it) => found.push(it.$name),)+
                    _ => {}
                })
            };
            self.0.history.as_they_are(before, limit, steps, |document| document.$field.as_str())
        }
    };
}
use document;

/// Makes a type of each reader, and the method of [`Storage`] that gives it.
macro_rules! readers {
    ($($(#[$doc:meta])* $method:ident: $reader:ident,)+) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy)]
            pub struct $reader<'s>(&'s Shared);
        )+

        impl Storage {
            $(
                $(#[$doc])*
                pub fn $method(&self) -> $reader<'_> {
                    $reader(self.shared())
                }
            )+
        }
    };
}

readers! {
    /// Sales and returns: baskets, holds, and paid, voided, returned and printed documents.
    sales: Sales,
    /// Shifts, registers and cash: drawers, deposits, the safe.
    shifts: Shifts,
    /// Business days: sealed ones, their figures, and the results of head office's comparison.
    days: Days,
    /// Products, their prices and settings, promotions.
    products: Products,
    /// Stock and its movements.
    stock: StockRows,
    /// Documents that move stock: adjustments, transfers, stock counts.
    stock_documents: StockDocuments,
    /// Suppliers, purchase orders, receivings, supplier returns.
    purchasing: Purchasing,
    /// Members and their points.
    members: Members,
    /// Users, their sessions, passkeys and PINs.
    users: Users,
    /// Stored answers by key, and the audit log.
    log: Log,
    /// Synchronisation: the hub's identity, the position in its feed, the results of the store's records.
    sync: SyncRows,
    /// The numbered records, and the ones that head office has.
    outbox: Outbox,
}
