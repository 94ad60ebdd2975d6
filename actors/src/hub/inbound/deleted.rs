//! Records that a complete snapshot of a lane no longer has.

use super::{Page, is_of_store, noted};
use crate::runtime::context::Context;
use domain::model::base::event::Event;
use domain::model::base::ids::Sku;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::local::Inbound;
use domain::model::inventory::product::Product;
use domain::wire::feed::{Change, Kind, lane};
use storage::{Scratch, StorageError};

/// Records of one kind that are read together.
const LOOKED_AT: usize = 500;

/// Note on a product that is sold here alone.
const NOT_AT_HEAD_OFFICE: &str = "it is sold here, but head office's catalogue does not have it: add it there, \
    and set it to inactive there if it is not sold any more";

/// The key of a record in the set of a snapshot's records.
pub(crate) fn key(kind: &str, id: &str) -> Vec<u8> {
    format!("{kind}\0{id}").into_bytes()
}

/// Records that are here and not in a snapshot of a lane, a page at a time. Denials, revocations and members stay: no
/// snapshot removes them.
pub(crate) struct DeletedRecords<'a> {
    context: &'a Context,
    seen: &'a Scratch,
    now: UtcMs,
    /// Kinds that are still to be looked at, the next one last, and where its next page begins.
    kinds: Vec<&'static str>,
    after: Option<String>,
    products: bool,
}

impl<'a> DeletedRecords<'a> {
    pub(crate) fn new(context: &'a Context, lane: &str, seen: &'a Scratch, now: UtcMs) -> Self {
        let (kinds, products) = (kept_kinds(lane), lane == lane::REST);
        Self { context, seen, now, kinds, after: None, products }
    }

    /// Events of the next page. `None` once everything was looked at.
    ///
    /// # Errors
    /// The rows can't be read.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<Event>>, StorageError> {
        while let Some(kind) = self.kinds.last() {
            let records = self.context.storage.sync().inbounds(kind, self.after.as_deref(), LOOKED_AT)?;
            if let Some(last) = records.last() {
                self.after = Some(last.id.clone());
                return self.records(kind, records).map(Some);
            }
            self.kinds.pop();
            self.after = None;
        }
        if !self.products {
            return Ok(None);
        }
        let after = self.after.take().map(Sku);
        let products = self.context.storage.products().products(after.as_ref(), LOOKED_AT)?;
        self.after = products.last().map(|product| product.sku.0.clone());
        if products.is_empty() { Ok(None) } else { self.unknown(products).map(Some) }
    }

    fn records(&self, kind: &str, records: Vec<Inbound>) -> Result<Vec<Event>, StorageError> {
        let mut page = Page::new(self.context);
        for record in records {
            // Settings that a manager made before the store joined have no version, and stay until head office sets any.
            let is_own = is_of_store(kind, &record.id) && record.version.is_empty();
            if !is_own && !self.seen.has(&key(kind, &record.id))? {
                page.take(&deleted(record))?;
            }
        }
        // Deleted records move no goods.
        Ok(page.end().events)
    }

    /// Products that are sold here and missing in head office's catalogue: created here before the store joined, or
    /// lost by a restored head office. Head office never deletes a product, it only marks it as no longer sold, and
    /// these goods are on the shelves: they stay on sale, and people are notified.
    fn unknown(&self, products: Vec<Product>) -> Result<Vec<Event>, StorageError> {
        let mut events = Vec::new();
        for Product { sku: Sku(id), .. } in products.into_iter().filter(|product| product.is_active()) {
            let kind = Kind::Product.name();
            if !self.seen.has(&key(kind, &id))? && !self.context.storage.sync().is_untaken(kind, &id)? {
                let (kind, version, payload) = (kind.to_owned(), String::new(), serde_json::Value::Null);
                let cursor = String::new();
                let absent =
                    Change { cursor, kind, id, version, deleted: false, effective_at: None, payload };
                events.push(noted(&absent, NOT_AT_HEAD_OFFICE.to_owned(), self.now));
            }
        }
        Ok(events)
    }
}

/// The deletion of a record, as the feed would send it.
fn deleted(record: Inbound) -> Change {
    let Inbound { kind, id, version, effective_at, payload } = record;
    Change { cursor: String::new(), kind, id, version, deleted: true, effective_at, payload }
}

/// The kinds of a lane that may vanish, the first one last.
fn kept_kinds(lane: &str) -> Vec<&'static str> {
    let kinds = [
        Kind::Transfer,
        Kind::PurchaseOrder,
        Kind::Supplier,
        Kind::Points,
        Kind::Promotion,
        Kind::Price,
        Kind::Store,
        Kind::Register,
        Kind::Settings,
    ];
    kinds.into_iter().filter(|kind| kind.lane() == lane).map(Kind::name).collect()
}
