//! Codes at head office: each names one product that is sold, as its barcode or its sku.

use crate::db::failure::Failure;
use crate::db::insert;
use crate::{columns, row};
use domain::model::base::ids::Sku;
use domain::model::base::refusal::Refusal;
use domain::model::inventory::product::Product;
use domain::rules::inventory::product::taken_barcodes;
use edge::ApiError;
use sqlx::AnyConnection;
use std::collections::HashMap;
use std::convert::Infallible;

/// Codes and skus that one statement looks for.
const CHUNK: usize = 500;

/// Notes the new codes of products, as [`domain::model::inventory::barcode::normal`] writes them. The caller holds the
/// lane's lock; `lines` has the places of the products in a file.
///
/// # Errors
/// 409 `duplicate` with every code that another product has.
pub async fn claim(
    connection: &mut AnyConnection,
    products: &[Product],
    lines: &HashMap<Sku, u64>,
) -> Result<(), Failure> {
    for chunk in products.chunks(CHUNK) {
        let sql = format!("DELETE FROM product_barcodes WHERE sku IN ({})", insert::list(1, chunk.len()));
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false);
        for product in chunk {
            query = query.bind(product.sku.0.clone());
        }
        query.execute(&mut *connection).await?;
    }
    let sold = products.iter().filter(|product| product.is_active());
    let claims: Vec<(String, &str)> = sold
        .flat_map(|product| product.normal_codes().into_iter().map(|code| (code, product.sku.as_str())))
        .collect();
    let mut holders: HashMap<String, Sku> = HashMap::new();
    for chunk in claims.chunks(CHUNK) {
        let sql = format!(
            "SELECT code, sku FROM product_barcodes WHERE code IN ({})",
            insert::list(1, chunk.len())
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false);
        for (code, _) in chunk {
            query = query.bind(code.clone());
        }
        for row in query.fetch_all(&mut *connection).await? {
            let (code, sku) = columns!(row => (code, sku));
            holders.insert(code, sku);
        }
    }
    let holder = |code: &str| Ok::<_, Infallible>(holders.get(code).cloned().into_iter().collect());
    let Ok(mut taken) = taken_barcodes(products, holder);
    if !taken.is_empty() {
        for one in &mut taken {
            one.line = lines.get(&one.sku).copied();
        }
        return Err(ApiError::from(Refusal::BarcodeTaken(taken)).into());
    }
    let rows = claims.into_iter().map(|(code, sku)| row! { code, sku }).collect();
    Ok(insert::rows(connection, "product_barcodes", "", rows).await?)
}
