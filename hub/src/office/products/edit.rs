//! Creates and changes single products.

use crate::db::failure::Failure;
use crate::feed;
use crate::office::lists::category;
use crate::office::products::product::put;
use crate::state::hub::Hub;
use crate::table::product::{document, documents, same_numbers};
use crate::table::{audit, price};
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::rules::inventory::product::{CheckedProduct, doubts_beside};
use domain::wire::feed::lane;
use edge::{ApiError, product_codes};
use serde_json::{Value, json};
use sqlx::AnyConnection;
use std::collections::HashMap;

pub use domain::rules::inventory::product::{ChangeProduct as Change, NewProduct as New};

/// Creates a product; returns it with the details of its audit entry.
///
/// # Errors
/// 422 with every field that is wrong; 409 `duplicate` for the sku, or for a barcode of another product.
pub async fn create(
    hub: &Hub,
    connection: &mut AnyConnection,
    mut new: New,
    now: UtcMs,
) -> Result<(CheckedProduct, Value), Failure> {
    category::check_allowed(hub, connection, new.category.value().into_iter()).await?;
    let wrong = product_codes::of_new(&mut new);
    let product = new.product(now, wrong).map_err(ApiError::from)?;
    // The lane's lock is taken first, in the order in which imports take their locks.
    feed::take(connection, lane::REST, 0, now).await?;
    if documents(connection, std::slice::from_ref(&product)).await?.contains_key(product.sku.as_str()) {
        return Err(ApiError::from(Refusal::Duplicate { what: "product", id: product.sku.0 }).into());
    }
    put(connection, vec![product.clone()], &HashMap::new(), now).await?;
    let details = json!({"sku": product.sku, "price": product.price});
    let sku = product.sku.clone();
    let mut checked = CheckedProduct::from(product);
    let stored = same_numbers(connection, std::iter::once(&sku)).await?;
    checked.warnings.extend(doubts_beside(&[&sku], &stored).into_iter().map(|(_, doubt)| doubt));
    Ok((checked, details))
}

/// Changes a product. A given price is the latest price for all stores, even if it equals the product's own previous
/// one. Returns the product with the details of its audit entry.
///
/// # Errors
/// 404; 422 with every field that is wrong; 409 `duplicate` for a barcode of another product.
pub async fn change(
    hub: &Hub,
    connection: &mut AnyConnection,
    sku: &str,
    mut change: Change,
    now: UtcMs,
) -> Result<(CheckedProduct, Value), Failure> {
    category::check_allowed(hub, connection, change.category.value().into_iter()).await?;
    feed::take(connection, lane::REST, 0, now).await?;
    let sql = "SELECT document FROM products WHERE sku = $1";
    let row = sqlx::query(sql).bind(sku).fetch_optional(&mut *connection).await?;
    let before = document(&row.ok_or_else(|| ApiError::not_found("the product"))?)?;
    let wrong = product_codes::of_change(&mut change);
    let priced_at = match change.price {
        Some(_) => price::next_moment(connection, &before.sku, now).await?,
        None => now,
    };
    let product = change.over(&before, (now, priced_at), wrong).map_err(ApiError::from)?;
    put(connection, vec![product.clone()], &HashMap::new(), now).await?;
    let details = audit::with_change(json!({"sku": product.sku}), [&before, &product]);
    Ok((CheckedProduct::from(product), details))
}
