//! What head office sets for a store, read and changed.

use crate::http::change::{self, begun};
use crate::http::{Answered, Request};
use crate::office::stores::store_setting::{self, Change, View};
use edge::{Doc, Reply, clock};
use serde_json::json;

const SETTINGS: &str = r#"{"approval.adjustment_value": null, "approval.pay_out_value": 250000,
    "holds.expire_after": "2h", "payments.cash_rounding": 100, "payments.cash_rounding_mode": null,
    "payments.methods": ["cash", "card", "qris"], "points.earn_per": null, "points.expire_after": null,
    "points.offline_limit": null, "points.restore_days": null, "pricing.discount_limit_bp": 1000, "pricing.override": "manager", "reasons": null,
    "receiving.over_tolerance_bp": null, "returns.cashier_limit": null, "returns.unreceipted_any_price": null,
    "returns.unreceipted_max": null, "returns.window_days": 14, "shifts.blind": true,
    "shifts.variance_tolerance": null, "stock.negative": null, "tax.default_rate_bp": 1200,
    "tax.prices_include_tax": null, "tiers": {"gold": 15000}}"#;

pub const READ: Doc =
    Doc::of("Stores", "Retrieve the settings that head office set for a store").answers::<View>(SETTINGS);
pub const CHANGE: Doc =
    Doc::of("Stores", "Override settings of a store's file. They apply when the store is notified; settings of tax, payments and points apply from the next shift")
        .body::<Change>(r#"{"returns.window_days": 14, "tiers": {"gold": 15000}}"#)
        .answers::<View>(SETTINGS);

/// `GET /api/stores/:id/settings`
pub async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&store_setting::read(&mut connection, request.param("id")).await?))
}

/// `PATCH /api/stores/:id/settings`
pub async fn change(request: Request) -> Answered {
    let asked: Change = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let (store_id, clock) = (request.param("id"), &request.state.clock);
    let [before, after] = store_setting::change(&mut keyed.write, clock, store_id, asked, now).await?;
    let done = ("store_settings.changed", json!({"store_id": store_id}));
    change::finish_changed(&request, keyed, done, [&before, &after]).await
}
