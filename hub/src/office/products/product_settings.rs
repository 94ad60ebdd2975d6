//! A store's settings of a product, as head office reads and writes them: it is one more of their owners.

use crate::db::failure::Failure;
use crate::projection::announce::FeedUpdates;
use crate::projection::fields::{self, PRODUCT_SETTINGS, Writer};
use crate::secret;
use crate::table::audit;
use crate::table::store;
use domain::model::base::ids::UserId;
use domain::model::base::time::UtcMs;
use domain::model::hub::hlc::Clock;
use domain::rules::inventory::product_settings::ChangeProductSettings;
use domain::wire::record::FieldWrite;
use edge::ApiError;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use sqlx::AnyConnection;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A store's settings of a product. A field is null if it was never set; the catalogue's value then applies.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "StoreProductSettings")]
pub struct View {
    /// ID of the store.
    pub store_id: String,
    /// Product code (SKU).
    pub sku: String,
    /// On-hand quantity at or below which the product should be ordered. Null for the catalogue's level.
    #[schemars(with = "Option<i64>")]
    pub reorder_level: Value,
    /// Place in the store where the product is kept. Null if none is recorded.
    #[schemars(with = "Option<String>")]
    pub shelf_place: Value,
}

/// Effective settings of a product in a store.
///
/// # Errors
/// 404 for a store or a product that is not there.
pub async fn read(connection: &mut AnyConnection, store_id: &str, sku: &str) -> Result<View, Failure> {
    let there = [
        ("the store", "SELECT COUNT(*) FROM stores WHERE store_id = $1", store_id),
        ("the product", "SELECT COUNT(*) FROM products WHERE sku = $1", sku),
    ];
    for (what, sql, id) in there {
        if sqlx::query_scalar::<_, i64>(sql).bind(id).fetch_one(&mut *connection).await? == 0 {
            return Err(ApiError::not_found(what).into());
        }
    }
    let known = fields::read(connection, PRODUCT_SETTINGS, &format!("{store_id}:{sku}")).await?;
    let field = |name: &str| known.get(name).map_or(Value::Null, |field| field.value.clone());
    Ok(View {
        store_id: store_id.to_owned(),
        sku: sku.to_owned(),
        reorder_level: field("reorder_level"),
        shelf_place: field("shelf_place"),
    })
}

/// Writes over the present values. A write of the store that has not seen them is a conflict, decided by stamp when it
/// arrives.
///
/// # Errors
/// 404; 422.
pub async fn change(
    connection: &mut AnyConnection,
    clock: &Mutex<Clock>,
    by: &UserId,
    (store_id, sku): (&str, &str),
    command: &ChangeProductSettings,
    now: UtcMs,
) -> Result<View, Failure> {
    let written = command.written().map_err(ApiError::from)?;
    // The first statement locks the store's row: its pushes wait.
    store::lock(connection, store_id).await?;
    let before = read(connection, store_id, sku).await?;
    let known = fields::read(connection, PRODUCT_SETTINGS, &format!("{store_id}:{sku}")).await?;
    let stamp = clock.lock().unwrap_or_else(PoisonError::into_inner).now(now);
    let write = |(field, value): (&'static str, Value)| {
        let base = known.get(field).map(|now| now.by.clone()).unwrap_or_default();
        (field.to_owned(), FieldWrite { value, at: stamp.clone(), base })
    };
    let differing =
        written.into_iter().filter(|(field, value)| known.get(*field).is_none_or(|now| now.value != *value));
    let writes: BTreeMap<String, FieldWrite> = differing.map(write).collect();
    if !writes.is_empty() {
        let change = format!("chg_{}", secret::mark());
        let writer = Writer { by: &change, stamp: &stamp, store_id, now };
        let mut later = FeedUpdates::default();
        fields::write_settings(connection, sku, &writes, &writer, &mut later).await?;
        later.announce(connection, now).await?;
        let after = read(connection, store_id, sku).await?;
        let details = audit::with_change(json!({"store_id": store_id, "sku": sku}), [&before, &after]);
        audit::append(connection, by, "product_settings.changed", &details, now).await?;
    }
    read(connection, store_id, sku).await
}
