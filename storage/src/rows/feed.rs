//! What records of the feed became: prices, and notes of those that can't be used.

use super::sync::{SETTLED, UNTAKEN, WRITE};
use super::table::Table;
use crate::error::StorageError;
use crate::handle::Storage;
use domain::ids::Sku;
use domain::price::Price;
use domain::product_settings::ProductSettings;
use domain::sync::local::{OwnWrite, Untaken};

type Read<T> = Result<T, StorageError>;

impl Storage {
    /// Head office's prices of a product, in order of id.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn prices(&self, sku: &Sku) -> Read<Vec<Price>> {
        let rows = self.rows().range(&Table::Price.pair(sku.as_str(), ""), None, usize::MAX)?;
        rows.iter().map(|(_, bytes)| self.rows().decoded(bytes)).collect()
    }

    /// What the store settles about a product; none: nothing.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn product_settings(&self, sku: &Sku) -> Read<Option<ProductSettings>> {
        let text: Option<String> = self.rows().row(Table::Sync, &format!("{SETTLED}{sku}"))?;
        text.map(|text| self.parsed(&text)).transpose()
    }

    /// Own writes of a kind that head office decided on and the feed has not brought yet, of one record.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn own_writes(&self, kind: &str, id: &str) -> Read<Vec<OwnWrite>> {
        self.sync_rows(Table::Sync, &format!("{WRITE}{kind}\0{id}\0"), None, usize::MAX)
    }

    /// Such writes of all records of a kind after one of them, in order of record and event.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn own_writes_after(
        &self,
        kind: &str,
        after: Option<&OwnWrite>,
        limit: usize,
    ) -> Read<Vec<OwnWrite>> {
        let after = after.map(|write| format!("{}\0{}", write.id, write.event_id));
        self.sync_rows(Table::Sync, &format!("{WRITE}{kind}\0"), after.as_deref(), limit)
    }

    /// Whether the record of the feed is noted as one that can't be used.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn is_untaken(&self, kind: &str, id: &str) -> Read<bool> {
        let text: Option<String> = self.rows().row(Table::Sync, &format!("{UNTAKEN}{kind}\0{id}"))?;
        Ok(text.is_some())
    }

    /// Records of one kind of the feed that can't be used, in order of id.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn untaken_of(&self, kind: &str, limit: usize) -> Read<Vec<Untaken>> {
        self.sync_rows(Table::Sync, &format!("{UNTAKEN}{kind}\0"), None, limit)
    }

    /// Records of the feed that can't be used, in order of kind and id.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn untaken(&self, limit: usize) -> Read<Vec<Untaken>> {
        self.sync_rows(Table::Sync, UNTAKEN, None, limit)
    }
}
