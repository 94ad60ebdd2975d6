//! Tax by the books.

use crate::http::{Answered, Request};
use crate::office::finance::tax::{self, Filter, GroupBy};
use edge::{ApiError, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

/// `GET /api/finance/tax`
pub const TAX: Doc = Doc::of("Finance", "Tax of a range of days in the books, with what the accounts say of it")
    .query::<TaxQuery>()
    .answers::<tax::View>(
        r#"{"output": [{"entry_date": null, "store_id": null, "tax_code": null, "tax_rate_bp": 1100,
            "sales_base": 1580000, "sales_tax": 173800, "returns_base": 156000, "returns_tax": 17160, "base": 1424000,
            "tax": 156640, "base_11_12": 1305333}], "input": [], "late": [{"store_id": "S002",
            "reference_date": "2026-11-20", "entry_date": "2026-11-21", "tax": 22000}], "more_late": false, "output_tax": 156640,
            "input_tax": 0, "payable": 156640, "ledger": {"output_tax": 156640, "input_tax": 0, "agrees": true}}"#,
    );

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TaxQuery {
    /// From this day in the books on.
    from: Option<Date>,
    /// Until this day; at most 366.
    to: Option<Date>,
    /// Of one store; none: of all.
    store_id: Option<String>,
    /// By what the rows are kept apart.
    #[serde(default)]
    group_by: GroupBy,
}

/// `GET /api/finance/tax`
pub async fn tax(request: Request) -> Answered {
    let TaxQuery { from, to, store_id, group_by } = request.query()?;
    let (Some(from), Some(to)) = (from, to) else {
        return Err(ApiError::invalid_query("from and to are needed: days, YYYY-MM-DD").into());
    };
    let filter = Filter { from, to, store_id: store_id.filter(|id| !id.is_empty()), group_by };
    filter.check()?;
    // One state of the database: what was sold and what was posted are held against one another.
    let mut read = request.state.db.read().await?;
    let tax = filter.read(&mut read).await?;
    drop(read);
    filter.note(&request.state.db, &tax, clock::now()).await?;
    Ok(Reply::ok(&tax))
}
