//! Products into the catalogue, in commits that stay well below the limit of a frame.

use super::wire::Trouble;
use actors::{Failure, StoreHandle};
use domain::model::base::ids::Sku;
use domain::model::inventory::product::Product;
use domain::rules::inventory::product::{CatalogueRow, doubts_beside};
use edge::sheet::{PROBLEMS_MAX, RowProblem};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The most product bytes of one commit.
const COMMIT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Most bytes that make an event of a product.
const EVENT_BYTES: usize = 64;

/// Imports a catalogue.
///
/// # Errors
/// A barcode belongs to another product; then nothing was imported. It could not be written; importing again completes
/// it.
pub async fn products(store: &StoreHandle, rows: Vec<CatalogueRow>) -> Result<Value, Trouble> {
    let count = rows.len();
    let lines: HashMap<Sku, u64> = rows.iter().map(|row| (row.product.sku.clone(), row.line)).collect();
    let mut products = Vec::with_capacity(count);
    for row in rows {
        let known = store.storage().products().product(&row.product.sku).map_err(Failure::from)?;
        products.push(row.over(known.as_ref()));
    }
    store.check_barcodes(&products, &lines)?;
    let skus: Vec<&Sku> = products.iter().map(|product| &product.sku).collect();
    let stored = store.storage().products().same_numbers(skus.iter().copied()).map_err(Failure::from)?;
    let doubt = |(sku, problem): (&Sku, String)| {
        RowProblem { line: lines.get(sku).copied().unwrap_or_default(), problem }.to_string()
    };
    let warnings: Vec<String> =
        doubts_beside(&skus, &stored).into_iter().take(PROBLEMS_MAX).map(doubt).collect();
    for products in commits(products) {
        store.storage().writable().map_err(|why| Failure::StorageFull(why.to_string()))?;
        store.import_products(products).await?;
    }
    Ok(json!({"rows": count, "warnings": warnings}))
}

/// One commit where they fit. A larger catalogue takes several: rows are good on their own, and
/// importing again after a crash between two of them completes it.
fn commits(products: Vec<Product>) -> Vec<Vec<Product>> {
    let (mut commits, mut commit, mut bytes) = (Vec::new(), Vec::new(), 0_usize);
    for product in products {
        let size = serde_json::to_vec(&product).map_or(0, |text| text.len()) + EVENT_BYTES;
        if bytes + size > COMMIT_BYTES_MAX {
            commits.push(std::mem::take(&mut commit));
            bytes = 0;
        }
        bytes += size;
        commit.push(product);
    }
    if !commit.is_empty() {
        commits.push(commit);
    }
    commits
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use domain::model::base::currency::Currency;
    use domain::model::base::event::Event;
    use edge::sheet::Encoding;
    use edge::{clock, product_csv};

    #[test]
    fn commits_stay_small_and_nothing_is_left_out() {
        let mut text = "sku,name,price,category,barcode,reorder_level\n".to_owned();
        for row in 0..100_000 {
            text.push_str(&format!("SKU{row},{},{row},,,\n", "n".repeat(255)));
        }
        let rows = product_csv::read(
            text.as_bytes(),
            Encoding::Utf8,
            None,
            (product_csv::ROWS_MAX, Currency::RUPIAH),
            clock::now(),
        )
        .unwrap()
        .rows;
        let commits = commits(rows.into_iter().map(|row| row.product).collect());
        assert_eq!(commits.iter().map(Vec::len).sum::<usize>(), 100_000);
        for products in commits {
            let events = products.into_iter().map(Event::product_changed);
            let bytes: usize = events.map(|event| serde_json::to_vec(&event).unwrap().len()).sum();
            assert!(bytes <= COMMIT_BYTES_MAX, "{bytes}");
        }
    }
}
