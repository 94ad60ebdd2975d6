//! Products in batches: an item whose SKU is known changes that product, another one creates a product.

use crate::db::failure::Failure;
use crate::http::batch::{self, BatchItem, Done, ItemPlace};
use crate::http::command::Command;
use crate::office::products::edit;
use crate::table::product::unknown;
use domain::model::base::ids::Sku;
use domain::model::base::limits::SKU_BYTES_MAX;
use domain::rules::inventory::product::CheckedProduct;
use domain::wire::feed::lane;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;
use std::collections::BTreeSet;

/// A product of a batch: the fields of a change, with the SKU beside them.
pub struct ProductItem;

impl BatchItem for ProductItem {
    const NAME: &'static str = "Product";
    const LANE: &'static str = lane::REST;
    type Answer = CheckedProduct;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let mut sku = generator.subschema_for::<Sku>();
        sku.insert("minLength".to_owned(), 1.into());
        sku.insert("maxLength".to_owned(), SKU_BYTES_MAX.into());
        let mut schema = edit::Change::json_schema(generator);
        let about =
            "A new product, which needs a name and a price, or a change of the product with this SKU.";
        batch::add_key(&mut schema, ("sku", sku), true, about);
        schema
    }

    async fn run(item: &Value, place: ItemPlace<'_>) -> Result<Done<CheckedProduct>, Failure> {
        let ItemPlace { connection, hub, now } = place;
        let (sku, rest) = batch::split_key(item, "sku");
        let sku = sku.as_ref().and_then(Value::as_str).unwrap_or_default();
        let is_new = !unknown(connection, &BTreeSet::from([&Sku(sku.to_owned())])).await?.is_empty();
        if is_new {
            let (data, details) = edit::create(hub, connection, batch::read(item)?, now).await?;
            return Ok(Done { status: 201, data, entry: (edit::New::ACTION, details) });
        }
        let (data, details) = edit::change(hub, connection, sku, batch::read(&rest)?, now).await?;
        Ok(Done { status: 200, data, entry: (edit::Change::ACTION, details) })
    }
}
