//! Settings of head office, read and changed.

use crate::config::Company;
use crate::http::prelude::*;
use crate::office::settings::setting::{self, Change, Sources, View};
use domain::model::base::currency::Currency;

const SETTINGS: &str = r#"{"company.address": "Jl. Sudirman 1\nJakarta", "company.currency": "IDR",
    "company.name": "PT Toko Contoh", "company.tax_number": "01.234.567.8-901.000", "finance.approval_limit": 0, "finance.four_eyes": false, "finance.manual_limit": 5000000,
    "finance.points_redemption_bp": 8000, "purchasing.accept_limit": 0, "purchasing.approval_limit": 0,
    "purchasing.four_eyes": true, "purchasing.invoice_number_per_year": false, "purchasing.invoice_rounding": 100,
    "purchasing.lead_days": 7, "purchasing.no_order_stops": false, "purchasing.price_tolerance_amount": 0,
    "purchasing.price_tolerance_bp": 0, "purchasing.rate_days": 28, "purchasing.review_days": 7,
    "purchasing.safety_days": 3, "settlement.carry_days": 30}"#;

const COMPANY: &str = r#"{"name": "PT Toko Contoh", "address": "Jl. Sudirman 1\nJakarta",
    "tax_number": "01.234.567.8-901.000", "currency": "IDR", "currency_exponent": 0}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/company", GOODS, "Settings")
        .summary("Retrieve the company as its documents name it")
        .answers::<CompanyView>(COMPANY, answers!(company)),
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

/// The company as its documents name it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Company")]
pub struct CompanyView {
    /// Name. Empty if it was not set.
    name: String,
    /// Postal address, with line breaks. Empty if it was not set.
    address: String,
    /// Number under which the company pays tax. Empty if it was not set.
    tax_number: String,
    /// Currency of all amounts, ISO 4217.
    currency: String,
    /// Number of decimals of the currency. An amount of 1250 is 12.50 if it is 2.
    currency_exponent: u32,
}

async fn company(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    let Company { name, address, tax_number, currency } =
        request.state.settings(&mut connection).await?.company;
    let currency_exponent = Currency::of(&currency).unwrap_or_default().exponent().into();
    Ok(Reply::ok(&CompanyView { name, address, tax_number, currency, currency_exponent }))
}

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
