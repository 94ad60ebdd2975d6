//! Settings of head office for a store, read and changed.

use crate::http::prelude::*;
use crate::office::stores::store_setting::{self, Change, View};

const SETTINGS: &str = r#"{"approval.adjustment_value": null, "approval.pay_out_value": 250000,
    "holds.expire_after": "2h", "payments.cash_rounding": 100, "payments.cash_rounding_mode": null,
    "payments.methods": ["cash", "card", "qris"], "points.earn_per": null, "points.expire_after": null,
    "points.offline_limit": null, "points.restore_days": null, "pricing.discount_limit_bp": 1000, "pricing.override": "manager", "reasons": null,
    "receiving.over_tolerance_bp": null, "returns.cashier_limit": null, "returns.unreceipted_any_price": null,
    "returns.unreceipted_max": null, "returns.window_days": 14, "shifts.blind": true,
    "shifts.variance_tolerance": null, "stock.negative": null, "store.address": null, "store.name": null,
    "store.receipt_footer": "Thank you", "store.tax_id": null, "tax.default_rate_bp": 1200,
    "tax.prices_include_tax": null, "tiers": {"gold": 15000}}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/stores/:id/settings", ADMIN, "Stores").summary("Retrieve the settings that head office set for a store")
    .answers::<View>(SETTINGS, answers!(read)),
    patch("/api/stores/:id/settings", ADMIN, "Stores").summary("Override settings of a store's file. They apply when the store is notified; settings of tax, payments and points apply from the next shift")
    .command::<Change>(r#"{"returns.window_days": 14, "tiers": {"gold": 15000}}"#, SETTINGS),
];

async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&store_setting::read(&mut connection, request.param("id")).await?))
}

impl Command for Change {
    const ACTION: &'static str = "store_settings.changed";
    type Answer = View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        let (store_id, clock) = (tx.path.get("id"), &tx.hub.clock);
        let [before, after] = store_setting::change(tx.connection, clock, store_id, self, tx.now).await?;
        Ok(Changed::document([&before, &after], json!({"store_id": store_id})))
    }
}
