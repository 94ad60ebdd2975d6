//! Recent counts and receipts, with which arriving goods are compared for warnings.

use domain::model::base::ids::{ReceivingId, Sku};
use domain::model::base::time::UtcMs;
use domain::model::inventory::opname::{Opname, OpnameLine, OpnameState};
use domain::model::inventory::receiving::{Receiving, ReceivingWarning};
use domain::rules::inventory::receiving::{COMPARED_MAX, counted_before, repeats};
use std::collections::BTreeSet;
use storage::{Storage, StorageError};

/// Counted lines of products, each with its count.
#[derive(Default)]
pub struct Counted(Vec<(Opname, OpnameLine)>);

impl Counted {
    /// Reads the lines of these products in open counts and in the newest ones that were posted.
    pub fn load<'a>(
        storage: &Storage,
        skus: impl IntoIterator<Item = &'a Sku>,
    ) -> Result<Self, StorageError> {
        let skus: BTreeSet<&Sku> = skus.into_iter().collect();
        let documents = storage.stock_documents();
        let newest = documents.opnames(None, COMPARED_MAX)?.into_iter().map(|(_, count)| count);
        let posted = newest.filter(|count| count.state == OpnameState::Posted);
        let mut lines = Vec::new();
        for count in documents.open_opnames()?.into_iter().chain(posted) {
            for sku in &skus {
                let line = documents.opname_line(&count.opname_id, sku)?;
                lines.extend(line.map(|line| (count.clone(), line)));
            }
        }
        Ok(Self(lines))
    }

    /// Warnings about these products, received now.
    pub fn warnings(&self, now: UtcMs) -> Vec<ReceivingWarning> {
        counted_before(&self.0, now)
    }
}

/// Data that a receipt is compared with.
#[derive(Default)]
pub struct Doubts {
    counted: Counted,
    receipts: Vec<Receiving>,
}

impl Doubts {
    /// Reads counts of these products and the newest receipts.
    pub fn load<'a>(
        storage: &Storage,
        skus: impl IntoIterator<Item = &'a Sku>,
    ) -> Result<Self, StorageError> {
        let receipts = storage.purchasing().receivings(None, COMPARED_MAX)?;
        let receipts = receipts.into_iter().map(|(_, receipt)| receipt).collect();
        Ok(Self { counted: Counted::load(storage, skus)?, receipts })
    }

    /// Without the receipt that a new one replaces.
    pub fn without(mut self, replaced: &ReceivingId) -> Self {
        self.receipts.retain(|receipt| receipt.receiving_id != *replaced);
        self
    }

    /// Warnings about a receipt.
    pub fn warnings(&self, receipt: &Receiving) -> Vec<ReceivingWarning> {
        let mut warnings = self.counted.warnings(receipt.created_at);
        warnings.extend(self.receipts.iter().find_map(|earlier| repeats(receipt, earlier)));
        warnings
    }
}
