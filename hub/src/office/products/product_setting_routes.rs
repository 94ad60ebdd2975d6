//! What a store settles about a product, at head office.

use crate::http::change::{self, begun};
use crate::http::{Answered, Request};
use crate::office::products::product_settings::{self, View};
use domain::model::base::answer::Answer;
use domain::rules::inventory::product_settings::ChangeProductSettings;
use edge::{Doc, Reply, clock};

const SETTINGS: &str =
    r#"{"store_id": "S001", "sku": "8991234567890", "reorder_level": 24, "shelf_place": "A-12"}"#;

pub const READ: Doc = Doc::of("Catalogue", "Retrieve a store's reorder level and shelf place of a product")
    .answers::<View>(SETTINGS);
pub const CHANGE: Doc = Doc::of("Catalogue", "Update a store's reorder level or shelf place of a product")
    .body::<ChangeProductSettings>(r#"{"reorder_level": 24, "shelf_place": "A-12"}"#)
    .answers::<View>(SETTINGS);

/// `GET /api/stores/:id/products/:sku/settings`
pub async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&product_settings::read(&mut connection, request.param("id"), request.param("sku")).await?))
}

/// `PATCH /api/stores/:id/products/:sku/settings`
pub async fn change(request: Request) -> Answered {
    let command: ChangeProductSettings = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let (clock, by) = (&request.state.clock, &request.caller()?.user_id);
    let whose = (request.param("id"), request.param("sku"));
    let changed = product_settings::change(&mut keyed.write, clock, by, whose, &command, now).await?;
    change::finish(&request, keyed, Answer::ok(&changed)).await
}
