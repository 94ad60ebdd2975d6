//! Settings of head office, read and changed.

use crate::http::change::{self, begun};
use crate::http::{Answered, Request};
use crate::office::settings::setting::{self, Change, Sources, View};
use edge::{Doc, Reply, clock};
use serde_json::json;

const SETTINGS: &str = r#"{"finance.approval_limit": 0, "finance.four_eyes": false, "finance.manual_limit": 5000000,
    "finance.points_redemption_bp": 8000, "purchasing.accept_limit": 0, "purchasing.approval_limit": 0,
    "purchasing.four_eyes": true, "purchasing.invoice_number_per_year": false, "purchasing.invoice_rounding": 100,
    "purchasing.lead_days": 7, "purchasing.no_order_stops": false, "purchasing.price_tolerance_amount": 0,
    "purchasing.price_tolerance_bp": 0, "purchasing.rate_days": 28, "purchasing.review_days": 7,
    "purchasing.safety_days": 3, "settlement.carry_days": 30}"#;

pub const READ: Doc =
    Doc::of("Settings", "Retrieve head office's settings that can be changed while the hub runs")
        .answers::<View>(SETTINGS);
pub const SOURCES: Doc = Doc::of("Settings", "Retrieve the source of each setting")
    .answers::<Sources>(r#"{"finance.manual_limit": "administrator", "purchasing.rate_days": "file"}"#);
pub const CHANGE: Doc =
    Doc::of("Settings", "Update head office's settings; they apply from the next request on")
        .body::<Change>(r#"{"finance.manual_limit": 5000000, "purchasing.four_eyes": true}"#)
        .answers::<View>(SETTINGS);

/// `GET /api/settings`
pub async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&View::of(&request.state.settings(&mut connection).await?)))
}

/// `GET /api/settings/sources`
pub async fn sources(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&Sources::read(&mut connection).await?))
}

/// `PATCH /api/settings`
pub async fn change(request: Request) -> Answered {
    let asked: Change = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let by = &request.caller()?.user_id.0;
    let [before, after] = setting::change(&mut keyed.write, &request.state, asked, (by, now)).await?;
    change::finish_changed(&request, keyed, ("settings.changed", json!({})), [&before, &after]).await
}
