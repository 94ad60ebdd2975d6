//! A store's settings of a product, at head office.

use crate::http::prelude::*;
use crate::office::products::product_settings::{self, View};
use domain::rules::inventory::product_settings::ChangeProductSettings;

const SETTINGS: &str =
    r#"{"store_id": "S001", "sku": "8991234567890", "reorder_level": 24, "shelf_place": "A-12"}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/stores/:id/products/:sku/settings", EVERYONE, "Catalogue")
        .summary("Retrieve a product's reorder level and shelf at a store")
        .answers::<View>(SETTINGS, answers!(read)),
    patch("/api/stores/:id/products/:sku/settings", ADMIN, "Catalogue")
        .summary("Update a store's reorder level or shelf place of a product")
        .command::<ChangeProductSettings>(r#"{"reorder_level": 24, "shelf_place": "A-12"}"#, SETTINGS),
];

async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&product_settings::read(&mut connection, request.param("id"), request.param("sku")).await?))
}

impl Command for ChangeProductSettings {
    /// Empty, since [`product_settings::change`] makes the audit log's entry.
    const ACTION: &'static str = "";
    type Answer = View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        let (clock, by) = (&tx.hub.clock, &tx.caller.user_id);
        let whose = (tx.path.get("id"), tx.path.get("sku"));
        let changed = product_settings::change(tx.connection, clock, by, whose, &self, tx.now).await?;
        Ok(Changed::without_entry(&changed))
    }
}
