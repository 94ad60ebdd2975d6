//! Steps of orders: approvals, sending, revisions, ends. Their rules are `domain`'s.

use crate::db::failure::Failure;
use crate::feed;
use crate::office::finance::writer::check_text;
use crate::office::orders::order::{Buyer, active, check_note, row, warned};
use crate::office::suppliers::supplier::{self, Known};
use crate::projection::orders::entry;
use crate::table::purchase_order::{keep, locked, put};
use crate::table::{product, supplier_price, warehouse_rows};
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use domain::model::base::limits::{FIGURE_MAX, ITEMS_MAX, PRICE_MAX, QTY_MAX, SKU_BYTES_MAX, TEXT_CHARS_MAX};
use domain::model::inventory::purchase::{OrderState, PurchaseOrder};
use domain::rules::inventory::purchase::{OrderStep, RevisedLine, Revision, note_writer};
use edge::{ApiError, Code};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// Request body of a step of an order.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PurchaseOrderReason")]
pub struct Reason {
    /// Reason in free text. Required to reject an order, to close a line, and to cancel an order that was sent.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: Option<String>,
}

impl Reason {
    fn checked(&self) -> Result<Option<String>, ApiError> {
        if let Some(reason) = &self.reason {
            check_text("reason", reason)?;
        }
        Ok(self.reason.clone())
    }

    fn needed(&self) -> Result<String, ApiError> {
        self.checked()?.ok_or_else(|| ApiError::field("reason", "is needed"))
    }
}

/// Request body of an approval.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ApprovePurchaseOrder")]
pub struct Approve {
    /// Reason in free text.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: Option<String>,
    /// Total that the caller read, in minor currency units; if there is a proposed revision, the revision's total. The
    /// approval is refused if the total has changed since.
    #[schemars(range(min = 0, max = FIGURE_MAX))]
    pub total: Option<Money>,
}

/// Approves an order or its proposed revision.
///
/// # Errors
/// As [`take`]; 422 if the total differs from the one that was read.
pub async fn approve(
    connection: &mut AnyConnection,
    po_id: &str,
    asked: Approve,
    buyer: &Buyer<'_>,
) -> Result<PurchaseOrder, Failure> {
    let order = locked(connection, po_id).await?.ok_or_else(|| ApiError::not_found("the order"))?;
    let now = order.proposed.as_ref().map_or(order.total, |proposed| proposed.total);
    if asked.total.is_some_and(|total| total != now) {
        let problem = format!("is {now} now: read the order again before you approve it");
        return Err(ApiError::field("total", problem).into());
    }
    let reason = Reason { reason: asked.reason };
    take(connection, po_id, Step::Whole(OrderStep::Approve), &reason, buyer).await
}

/// A step, with its arguments.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// One of the whole order.
    Whole(OrderStep),
    /// One of a line.
    Line(OrderStep, u32),
}

/// Takes a step; the store receives every step from `send` on.
///
/// # Errors
/// 404; 409 `invalid_state` with the possible steps; 403 `approval_required`; 422 without a reason.
pub async fn take(
    connection: &mut AnyConnection,
    po_id: &str,
    step: Step,
    reason: &Reason,
    buyer: &Buyer<'_>,
) -> Result<PurchaseOrder, Failure> {
    // Also for a step that needs none.
    reason.checked()?;
    let mut order = locked(connection, po_id).await?.ok_or_else(|| ApiError::not_found("the order"))?;
    let reported = order.reaches_store();
    if matches!(step, Step::Whole(OrderStep::Approve)) && order.is_revision_proposed() {
        return approve_proposed(connection, order, buyer).await;
    }
    if matches!(step, Step::Whole(OrderStep::Approve | OrderStep::Send)) {
        active(connection, &order.supplier_id).await?;
    }
    let taken = match step {
        Step::Whole(OrderStep::Submit) => order.submit(buyer.approver.by, buyer.now),
        Step::Whole(OrderStep::Approve) => order.approve(buyer.approval, buyer.approver),
        Step::Whole(OrderStep::Reject) => order.reject(buyer.approval, buyer.approver, reason.needed()?),
        Step::Whole(OrderStep::Send) => order.send(buyer.now),
        Step::Whole(OrderStep::Cancel) => order.cancel(reason.checked()?, buyer.now),
        Step::Whole(OrderStep::Close) => order.close(reason.checked()?),
        Step::Line(OrderStep::OpenLine, line_no) => {
            let before = order.clone();
            let opened = order.close_line(line_no, false);
            if buyer.is_program() && order.exceeds(&before) {
                let problem = "an API key can't approve the larger total of the order: log in as a user";
                return Err(ApiError::new(Code::InsufficientRole, problem).into());
            }
            opened.and_then(|()| order.answer_for_more(&before, buyer.approval, buyer.approver))
        }
        Step::Line(_, line_no) => {
            reason.needed()?;
            order.close_line(line_no, true)
        }
        // These have arguments of their own.
        Step::Whole(step) => step.check(&order),
    };
    taken.map_err(ApiError::from)?;
    write(connection, &mut order, reported, buyer).await?;
    Ok(order)
}

async fn write(
    connection: &mut AnyConnection,
    order: &mut PurchaseOrder,
    reported: bool,
    buyer: &Buyer<'_>,
) -> Result<(), Failure> {
    order.updated_at = buyer.now;
    let is_here = warehouse_rows::is_warehouse(connection, order.store_id.as_str()).await?;
    // A warehouse is notified in this commit.
    order.cancel_final |= is_here && order.state == OrderState::Cancelled;
    put(connection, order).await?;
    if is_here {
        return Ok(());
    }
    if reported || order.reaches_store() {
        feed::publish(connection, vec![entry(order)?], buyer.now).await?;
    }
    Ok(())
}

/// Request body of `POST /api/purchase-orders/:id/revise`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RevisePurchaseOrder")]
pub struct Revise {
    /// Number of the current revision, which is replaced.
    pub revision: u32,
    /// All lines of the order. Lines that are omitted are closed.
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    pub lines: Vec<Line>,
    /// Expected delivery date of the order. Null to keep the current date.
    pub expected_at: Option<Date>,
    /// Note in free text. Null to keep the current note.
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub note: Option<String>,
    /// Reason for the revision.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
}

/// A line of the revised order.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RevisedOrderLine")]
pub struct Line {
    /// Line number. Null adds a line at the end.
    pub line_no: Option<u32>,
    /// Product code (SKU).
    #[schemars(length(min = 1, max = SKU_BYTES_MAX))]
    pub sku: Sku,
    /// Number of pieces, at least the quantity already received.
    #[schemars(range(min = 1, max = QTY_MAX))]
    pub qty: Quantity,
    /// Price per piece in minor currency units. Null for the price of the line, or the price list's for a new
    /// line or another product.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub unit_cost: Option<Money>,
    /// Total cost of all pieces, in place of `unit_cost`, in minor currency units.
    #[schemars(range(min = 0, max = FIGURE_MAX))]
    pub line_total: Option<Money>,
    /// Expected delivery date. Null for the order's date.
    pub expected_at: Option<Date>,
}

/// Changes a sent order; the previous version is kept. With four eyes, and for an API key, a total above the approved
/// one waits for another person's approval.
///
/// # Errors
/// 404; 409 `invalid_state`, also if the revision is not the current one; 422; 403 `approval_required` for a total
/// above the approved one and above the caller's limit.
pub async fn revise(
    connection: &mut AnyConnection,
    po_id: &str,
    asked: Revise,
    buyer: &Buyer<'_>,
) -> Result<PurchaseOrder, Failure> {
    check_text("reason", &asked.reason)?;
    check_note(asked.note.as_deref())?;
    let before = locked(connection, po_id).await?.ok_or_else(|| ApiError::not_found("the order"))?;
    let lines = asked.lines.iter().map(|line| RevisedLine {
        line_no: line.line_no,
        sku: line.sku.clone(),
        qty: line.qty,
        unit_cost: line.unit_cost,
        line_total: line.line_total,
        expected_at: line.expected_at,
    });
    let revision = Revision {
        revision: asked.revision,
        lines: lines.collect(),
        expected_at: asked.expected_at,
        note: asked.note.clone(),
    };
    let skus: BTreeSet<&Sku> = asked.lines.iter().map(|line| &line.sku).collect();
    let rows = supplier_price::of_skus(connection, Some(&before.supplier_id), &skus).await?;
    let listed = |line: &RevisedLine| row(&rows, &line.sku, line.qty, buyer.today).map(|row| row.unit_cost);
    let mut order = before.revised(&revision, listed).map_err(ApiError::from)?;
    product::check_known(connection, &skus).await?;
    let (by, reason) = (buyer.approver.by, asked.reason.as_str());
    if (buyer.approval.four_eyes || buyer.is_program()) && order.exceeds(&before) {
        let mut waiting = before.proposing(&revision, &order, (by, reason, buyer.now));
        waiting.updated_at = buyer.now;
        put(connection, &waiting).await?;
        return Ok(waiting);
    }
    note_writer(&mut order.writers, by);
    order.answer_for_more(&before, buyer.approval, buyer.approver).map_err(ApiError::from)?;
    replaced(connection, &before, order, (by, reason), buyer).await
}

/// Approves the revision that another user proposed.
async fn approve_proposed(
    connection: &mut AnyConnection,
    before: PurchaseOrder,
    buyer: &Buyer<'_>,
) -> Result<PurchaseOrder, Failure> {
    let order = before.with_proposed(buyer.approval, buyer.approver).map_err(ApiError::from)?;
    let Some(proposed) = &before.proposed else { return Ok(before) };
    let kept = PurchaseOrder { proposed: None, ..before.clone() };
    replaced(connection, &kept, order, (&proposed.by, &proposed.reason), buyer).await
}

/// Writes an order in place of the version before, which is kept.
async fn replaced(
    connection: &mut AnyConnection,
    before: &PurchaseOrder,
    mut order: PurchaseOrder,
    (by, reason): (&str, &str),
    buyer: &Buyer<'_>,
) -> Result<PurchaseOrder, Failure> {
    let skus: BTreeSet<&Sku> = order.lines.iter().map(|line| &line.sku).collect();
    let rows = supplier_price::of_skus(connection, Some(&order.supplier_id), &skus).await?;
    let known: Option<Known> = supplier::TABLE.locked(connection, &order.supplier_id).await?;
    let known = known.ok_or_else(|| ApiError::not_found("the supplier"))?;
    order.warnings = warned(&order.lines, order.total, &known, &rows, buyer.today);
    keep(connection, before, (buyer.now, by, reason)).await?;
    write(connection, &mut order, true, buyer).await?;
    Ok(order)
}
