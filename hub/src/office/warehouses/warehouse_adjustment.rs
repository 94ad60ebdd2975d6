//! Adjustments of a warehouse's stock.

use crate::db::failure::Failure;
use crate::office::warehouses::warehouse::Warehouse;
use crate::office::warehouses::{warehouse_book, warehouse_document};
use crate::secret;
use crate::table::hub;
use domain::model::base::currency::Currency;
use domain::model::base::event::{Event, fact};
use domain::model::base::figures::Money;
use domain::model::base::ids::{AdjustmentId, MovementId};
use domain::model::base::refusal::Refusal;
use domain::model::inventory::adjustment::Adjustment;
use domain::rules::inventory::adjustment::{self, NewAdjustment};
use domain::rules::inventory::stock::StockContext;
use domain::wire::record::{self, AdjustmentPosted};
use edge::{ApiError, Code};
use serde_json::json;
use sqlx::AnyConnection;

/// Step of an existing adjustment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdjustmentStep {
    /// Posts it, with the present stock.
    Approve,
    /// Rejects the adjustment; no stock moves.
    Reject,
    /// Its goods go back.
    Reverse,
}

/// Adjusts the stock, or asks for it.
///
/// # Errors
/// 422; 403 `approval_required` above `approval.adjustment_value`; 409 `insufficient_stock`.
pub async fn adjust(
    connection: &mut AnyConnection,
    warehouse: &mut Warehouse<'_>,
    mut command: NewAdjustment,
) -> Result<Adjustment, Failure> {
    command.check().map_err(ApiError::from)?;
    warehouse_book::scanned(connection, &mut command.lines).await?;
    let skus = command.lines.iter().map(|line| &line.sku);
    let (products, book) = warehouse_book::load(connection, warehouse, skus).await?;
    let id = AdjustmentId(format!("adj_{}", secret::mark()));
    let ids = warehouse.movement_ids(command.lines.len());
    let event = adjustment::adjust(&command, id, ids, &products, &warehouse.context(&book));
    written(connection, warehouse, event).await
}

/// Takes the next step of an existing adjustment; `administers`: the caller may approve any value.
///
/// # Errors
/// 404; 409 `invalid_state`, `insufficient_stock`; 403 `approval_required`.
pub async fn take_step(
    connection: &mut AnyConnection,
    warehouse: &mut Warehouse<'_>,
    (id, step): (&str, AdjustmentStep),
    administers: bool,
) -> Result<Adjustment, Failure> {
    let store_id = warehouse.store_id().to_owned();
    let reported: AdjustmentPosted =
        warehouse_document::latest(connection, &store_id, ("adjustment", id), "the adjustment").await?;
    let document = reported.adjustment;
    let skus = document.lines.iter().map(|line| &line.sku);
    let (_, book) = warehouse_book::load(connection, warehouse, skus).await?;
    let ids = warehouse.movement_ids(document.lines.len());
    let rule = |ids: Vec<MovementId>, context: &StockContext<'_>| match step {
        AdjustmentStep::Approve => adjustment::approve(&document, ids, context),
        AdjustmentStep::Reject => adjustment::reject(&document, context),
        AdjustmentStep::Reverse => adjustment::reverse(&document, ids, context),
    };
    let event = rule(ids, &warehouse.context(&book));
    // The value that moves now counts, not the estimate at the time of the request.
    if let (AdjustmentStep::Approve, false, Ok(event)) = (step, administers, &event) {
        let limit = warehouse.rules.policy.adjustment_value;
        check_limit(&event.fact.adjustment, limit, hub::currency(connection).await?)?;
    }
    written(connection, warehouse, event).await
}

/// Purchasing approves up to the limit: the cost of all moved pieces, in either direction.
fn check_limit(document: &Adjustment, limit: Money, currency: Currency) -> Result<(), ApiError> {
    let costs = document.lines.iter().map(|line| line.cost.saturating_abs());
    let amount = costs.sum::<Money>();
    if limit == 0 || amount <= limit {
        return Ok(());
    }
    let [is, most] = [amount, limit].map(|amount| currency.decimal(amount));
    let message = format!("an adjustment of {is} is above {most}: an administrator must approve it");
    Err(ApiError::new(Code::ApprovalRequired, message)
        .with_details(json!({"limit": limit, "amount": amount})))
}

async fn written(
    connection: &mut AnyConnection,
    warehouse: &mut Warehouse<'_>,
    event: Result<Event<fact::AdjustmentChanged>, Refusal>,
) -> Result<Adjustment, Failure> {
    let event = event.map_err(ApiError::from)?;
    let (adjustment, movements) = (&event.fact.adjustment, &event.rows.movements);
    // A waiting one is recorded too, so that the list has it; no stock moves.
    let records = vec![record::adjustment_posted(&warehouse.stamp(), adjustment, movements)];
    warehouse.apply(connection, records, &event.rows.stock).await?;
    Ok(event.fact.adjustment)
}
