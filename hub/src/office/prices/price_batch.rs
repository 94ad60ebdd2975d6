//! Prices in batches.

use crate::db::failure::Failure;
use crate::http::batch::{self, BatchItem, Done, ItemPlace};
use crate::http::command::Command;
use crate::office::prices::price;
use domain::model::selling::price::PriceDown;
use domain::wire::feed::lane;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

/// A price of a batch.
pub struct PriceItem;

impl BatchItem for PriceItem {
    const NAME: &'static str = "Price";
    const LANE: &'static str = lane::REST;
    type Answer = PriceDown;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        price::New::json_schema(generator)
    }

    async fn run(item: &Value, place: ItemPlace<'_>) -> Result<Done<PriceDown>, Failure> {
        let price = price::set(place.connection, batch::read(item)?, place.now).await?;
        let details = json!(price);
        Ok(Done { status: 201, data: price, entry: (price::New::ACTION, details) })
    }
}
