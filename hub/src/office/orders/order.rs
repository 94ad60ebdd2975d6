//! Orders: written, and changed while they are drafts.

use crate::db::failure::Failure;
use crate::http::command::Tx;
use crate::office::suppliers::supplier::{self, Known};
use crate::state::api_key::ID_PREFIX;
use crate::table::purchase_order::{add, locked, put};
use crate::table::{counter, product, store, supplier_price};
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::{Sku, StoreId};
use domain::model::base::limits::{
    FIGURE_MAX, ID_BYTES_MAX, ITEMS_MAX, PRICE_MAX, QTY_MAX, SHORT_ID_BYTES_MAX, SKU_BYTES_MAX,
    TEXT_CHARS_MAX,
};
use domain::model::base::patch::Given;
use domain::model::base::text::is_blank;
use domain::model::base::time::UtcMs;
use domain::model::inventory::purchase::{OrderLine, OrderState, OrderWarning, PurchaseOrder, SupplierState};
use domain::model::inventory::supplier_price::SupplierPrice;
use domain::rules::inventory::purchase::{
    Approval, Approver, COST_NEEDED, LineCost, Terms, check_lines, in_force, note_writer, order_total,
    warnings,
};
use edge::{ApiError, ids};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// Context of a change of an order: user, time and limits.
#[derive(Debug, Clone, Copy)]
pub struct Buyer<'a> {
    /// User who works on the order.
    pub approver: Approver<'a>,
    /// Time of the change.
    pub now: UtcMs,
    /// The date at head office.
    pub today: Date,
    /// Rules of head office for approvals.
    pub approval: Approval,
}

impl Buyer<'_> {
    /// Whether a program works on the order: it approves nothing.
    pub fn is_program(&self) -> bool {
        self.approver.by.starts_with(ID_PREFIX)
    }
}

impl<'a> Tx<'a> {
    /// The caller, who works on an order.
    ///
    /// # Errors
    /// A database error.
    pub async fn buyer(&mut self) -> Result<Buyer<'a>, Failure> {
        let set = self.settings().await?.purchasing;
        Ok(Buyer {
            approver: Approver { by: &self.caller.user_id.0, role: self.caller.role },
            now: self.now,
            today: self.today,
            approval: Approval { limit: set.approval_limit, four_eyes: set.four_eyes },
        })
    }
}

/// Request body of `POST /api/purchase-orders`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewPurchaseOrder")]
pub struct New {
    /// Supplier of the order.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub supplier_id: String,
    /// Store that the order is for.
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
    pub store_id: String,
    /// Expected delivery date of the order. Null if none is known.
    pub expected_at: Option<Date>,
    /// Lines of the order.
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    pub lines: Vec<NewLine>,
    /// Note in free text. Null for none.
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub note: Option<String>,
}

/// One product of a new order.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewOrderLine")]
pub struct NewLine {
    /// Product code (SKU).
    #[schemars(length(min = 1, max = SKU_BYTES_MAX))]
    pub sku: Sku,
    /// Number of pieces.
    #[schemars(range(min = 1, max = QTY_MAX))]
    pub qty: Quantity,
    /// Price per piece in minor currency units. Null for the supplier's price list.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub unit_cost: Option<Money>,
    /// Total cost of all pieces, in place of `unit_cost`, in minor currency units.
    #[schemars(range(min = 0, max = FIGURE_MAX))]
    pub line_total: Option<Money>,
    /// Expected delivery date. Null for the order's date.
    pub expected_at: Option<Date>,
}

/// Request body of `PATCH /api/purchase-orders/:id`. Omitted fields stay as they are.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ChangePurchaseOrder")]
pub struct Change {
    /// Supplier of the order.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub supplier_id: Option<String>,
    /// Store that the order is for.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
    pub store_id: Option<String>,
    /// Expected delivery date of the order.
    #[serde(default)]
    pub expected_at: Given<Date>,
    /// Lines of the order; they replace all existing lines.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    pub lines: Option<Vec<NewLine>>,
    /// Note in free text.
    #[serde(default, deserialize_with = "domain::model::base::patch::text_up_to::<TEXT_CHARS_MAX, _>")]
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub note: Given<String>,
}

impl Change {
    /// The order as it would be stored now.
    fn of(self, order: &PurchaseOrder) -> New {
        let line = |line: &OrderLine| NewLine {
            sku: line.sku.clone(),
            qty: line.qty,
            unit_cost: Some(line.unit_cost).filter(|_| line.line_total.is_none()),
            line_total: line.line_total,
            expected_at: line.expected_at,
        };
        New {
            supplier_id: self.supplier_id.unwrap_or_else(|| order.supplier_id.clone()),
            store_id: self.store_id.unwrap_or_else(|| order.store_id.0.clone()),
            expected_at: self.expected_at.over(order.expected_at),
            lines: self.lines.unwrap_or_else(|| order.lines.iter().map(line).collect()),
            note: self.note.over(order.note.clone()),
        }
    }
}

/// Lines with their prices, their total, and the supplier's terms that they miss.
struct Priced {
    lines: Vec<OrderLine>,
    total: Money,
    warnings: Vec<OrderWarning>,
}

/// Stores an order.
///
/// # Errors
/// 422 with the field that is wrong; `unknown_sku`.
pub async fn create(
    connection: &mut AnyConnection,
    new: New,
    buyer: &Buyer<'_>,
) -> Result<PurchaseOrder, Failure> {
    let Priced { lines, total, warnings } = priced(connection, &new, buyer.today).await?;
    let order = PurchaseOrder {
        po_id: ids::new("po_"),
        supplier_id: new.supplier_id,
        store_id: StoreId(new.store_id),
        po_no: counter::next(connection, "PO", buyer.today.year()).await?,
        state: OrderState::Draft,
        revision: 0,
        expected_at: new.expected_at,
        lines,
        total,
        note: new.note.filter(|note| !is_blank(note)),
        created_by: buyer.approver.by.to_owned(),
        created_at: buyer.now,
        writers: Vec::new(),
        proposed: None,
        submitted_by: None,
        submitted_at: None,
        rejected_reason: None,
        approved_by: None,
        approved_total: None,
        sent_at: None,
        cancel_requested_at: None,
        cancel_final: false,
        closed_reason: None,
        warnings,
        updated_at: buyer.now,
    };
    add(connection, &order, buyer.today).await?;
    Ok(order)
}

/// Changes a draft order; no store knows it yet. An approval that was asked for must be asked for again.
///
/// # Errors
/// 404; 409 `invalid_state` once it is approved; as [`create`].
pub async fn change(
    connection: &mut AnyConnection,
    po_id: &str,
    change: Change,
    buyer: &Buyer<'_>,
) -> Result<PurchaseOrder, Failure> {
    let before = locked(connection, po_id).await?.ok_or_else(|| ApiError::not_found("the order"))?;
    if before.state != OrderState::Draft {
        // The refusal lists the states that a step allows which only a draft takes.
        let refused = domain::rules::inventory::purchase::OrderStep::Approve.check(&before);
        return Err(refused.err().map_or_else(|| ApiError::not_found("the order"), ApiError::from).into());
    }
    let new = change.of(&before);
    let Priced { lines, total, warnings } = priced(connection, &new, buyer.today).await?;
    let mut writers = before.writers.clone();
    let asks = |lines: &[OrderLine]| {
        lines.iter().map(|line| (line.sku.clone(), line.qty, line.unit_cost)).collect::<Vec<_>>()
    };
    let same = new.supplier_id == before.supplier_id && new.store_id == before.store_id.0;
    if !same || asks(&lines) != asks(&before.lines) {
        note_writer(&mut writers, buyer.approver.by);
    }
    let order = PurchaseOrder {
        writers,
        supplier_id: new.supplier_id,
        store_id: StoreId(new.store_id),
        expected_at: new.expected_at,
        lines,
        total,
        warnings,
        note: new.note.filter(|note| !is_blank(note)),
        submitted_by: None,
        submitted_at: None,
        updated_at: buyer.now,
        ..before
    };
    put(connection, &order).await?;
    Ok(order)
}

/// The lines of an order with their prices, once supplier, store and products are known.
async fn priced(connection: &mut AnyConnection, new: &New, today: Date) -> Result<Priced, Failure> {
    check_note(new.note.as_deref())?;
    let asked = |(place, line): (usize, &NewLine)| {
        LineCost::requested(place, line.qty, (line.unit_cost, line.line_total))
    };
    let asked: Result<Vec<_>, _> = new.lines.iter().enumerate().map(asked).collect();
    let asked = asked.map_err(ApiError::from)?;
    let all: Option<Vec<LineCost>> = asked.iter().copied().collect();
    if let Some(costs) = all {
        let shape = new.lines.iter().zip(&costs).map(|(line, cost)| (&line.sku, line.qty, cost.unit_cost));
        check_lines(shape).map_err(ApiError::from)?;
    }
    let known = active(connection, &new.supplier_id).await?;
    store::check_known(connection, "store_id", &new.store_id).await?;
    let skus: BTreeSet<&Sku> = new.lines.iter().map(|line| &line.sku).collect();
    product::check_known(connection, &skus).await?;
    let rows = supplier_price::of_skus(connection, Some(&new.supplier_id), &skus).await?;
    let mut lines = Vec::new();
    for (line_no, (line, asked)) in (1_u32..).zip(new.lines.iter().zip(asked)) {
        let row = row(&rows, &line.sku, line.qty, today);
        let Some(cost) = asked.or(row.map(|row| LineCost::each(row.unit_cost))) else {
            let path = format!("lines[{}].unit_cost", line_no.saturating_sub(1));
            return Err(ApiError::field(path, COST_NEEDED).into());
        };
        let (sku, expected_at, LineCost { unit_cost, line_total }) =
            (line.sku.clone(), line.expected_at, cost);
        let (qty, rest) = (line.qty, OrderLine::default());
        lines.push(OrderLine { line_no, sku, qty, unit_cost, line_total, expected_at, ..rest });
    }
    check_lines(lines.iter().map(|line| (&line.sku, line.qty, line.unit_cost))).map_err(ApiError::from)?;
    let total = order_total(&lines).map_err(ApiError::from)?;
    let warnings = warned(&lines, total, &known, &rows, today);
    Ok(Priced { lines, total, warnings })
}

/// The supplier, who may be ordered from.
pub(super) async fn active(connection: &mut AnyConnection, supplier_id: &str) -> Result<Known, Failure> {
    let found: Option<Known> = supplier::TABLE.locked(connection, supplier_id).await?;
    let found = found.filter(|known| known.supplier.state == SupplierState::Active);
    Ok(found.ok_or_else(|| ApiError::field("supplier_id", "is not an active supplier"))?)
}

/// The row of the supplier's price list that counts.
pub(super) fn row<'a>(
    rows: &'a [SupplierPrice],
    sku: &Sku,
    qty: Quantity,
    today: Date,
) -> Option<&'a SupplierPrice> {
    in_force(rows.iter().filter(|row| row.sku == *sku), qty, today)
}

/// Warnings of an order by the supplier's terms.
pub(super) fn warned(
    lines: &[OrderLine],
    total: Money,
    known: &Known,
    rows: &[SupplierPrice],
    today: Date,
) -> Vec<OrderWarning> {
    let terms = Terms { min_order_total: known.terms.min_order_total };
    warnings(lines, total, terms, |line| row(rows, &line.sku, line.qty, today))
}

/// 422 for a note that is too long or has characters that a database refuses.
pub(super) fn check_note(note: Option<&str>) -> Result<(), ApiError> {
    match note {
        Some(note) if note.chars().count() > TEXT_CHARS_MAX => {
            Err(ApiError::field("note", "must be at most 500 characters"))
        }
        Some(note) if note.contains('\0') => Err(ApiError::field("note", "must not contain NUL")),
        _ => Ok(()),
    }
}
