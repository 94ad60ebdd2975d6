//! Settings of head office, read and changed.

use crate::http::prelude::*;
use crate::office::settings::setting::{self, Change, Sources, View};

const SETTINGS: &str = r#"{"finance.approval_limit": 0, "finance.four_eyes": false, "finance.manual_limit": 5000000,
    "finance.points_redemption_bp": 8000, "purchasing.accept_limit": 0, "purchasing.approval_limit": 0,
    "purchasing.four_eyes": true, "purchasing.invoice_number_per_year": false, "purchasing.invoice_rounding": 100,
    "purchasing.lead_days": 7, "purchasing.no_order_stops": false, "purchasing.price_tolerance_amount": 0,
    "purchasing.price_tolerance_bp": 0, "purchasing.rate_days": 28, "purchasing.review_days": 7,
    "purchasing.safety_days": 3, "settlement.carry_days": 30}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/settings", ADMIN, "Settings")
        .summary("Retrieve head office's settings, those that can be changed while the hub runs")
        .answers::<View>(SETTINGS, answers!(read)),
    get("/api/settings/sources", ADMIN, "Settings")
        .summary("Retrieve the source of each setting")
        .answers::<Sources>(
            r#"{"finance.manual_limit": "administrator", "purchasing.rate_days": "file"}"#,
            answers!(sources),
        ),
    patch("/api/settings", ADMIN, "Settings")
        .summary("Update head office's settings; they apply from the next request on")
        .command::<Change>(r#"{"finance.manual_limit": 5000000, "purchasing.four_eyes": true}"#, SETTINGS),
];

async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&View::of(&request.state.settings(&mut connection).await?)))
}

async fn sources(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&Sources::read(&mut connection).await?))
}

impl Command for Change {
    const ACTION: &'static str = "settings.changed";
    type Answer = View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        let by = &tx.caller.user_id.0;
        let [before, after] = setting::change(tx.connection, tx.hub, self, (by, tx.now)).await?;
        Ok(Changed::document([&before, &after], json!({})))
    }
}
