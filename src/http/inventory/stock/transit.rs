//! Goods in transit to this store.

use crate::http::failure::stored;
use domain::model::base::figures::Quantity;
use domain::model::base::ids::{Sku, StoreId};
use domain::model::inventory::transfer::TransferState;
use edge::ApiError;
use std::collections::HashMap;
use storage::Storage;

/// Pieces by sku that other stores sent to `own` and that are not received yet.
pub fn in_transit(storage: &Storage, own: &StoreId) -> Result<HashMap<Sku, Quantity>, ApiError> {
    let mut pieces: HashMap<Sku, Quantity> = HashMap::new();
    let open = storage.stock_documents().open_transfers().map_err(stored)?;
    let coming = open
        .iter()
        .filter(|transfer| transfer.to_store_id == *own && transfer.state == TransferState::InTransit);
    for line in coming.flat_map(|transfer| &transfer.lines) {
        let sum = pieces.entry(line.sku.clone()).or_default();
        *sum = sum.saturating_add(line.qty);
    }
    Ok(pieces)
}
