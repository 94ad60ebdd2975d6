//! Orders: written, approved, sent, ended.

use super::{entry, locked, put, supplier};
use crate::document::{Table, decode, table};
use crate::failure::Failure;
use crate::feed;
use crate::product;
use crate::store;
use domain::ids::{Sku, StoreId};
use domain::purchase::{OrderLine, OrderState, PurchaseOrder, Supplier, SupplierState};
use domain::time::UtcMs;
use edge::{ApiError, ids};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use sqlx::{AnyConnection, AnyPool};

/// Most lines of an order.
const LINES_MAX: usize = 500;
/// Most pieces of a line.
const QTY_MAX: i64 = 1_000_000;
/// The highest price per piece.
const COST_MAX: i64 = 1_000_000_000_000;
/// The highest total: beyond it JSON numbers are no longer exact everywhere.
const TOTAL_MAX: i128 = (1 << 53) - 1;
const NOTE_BYTES_MAX: usize = 500;

/// Where they are.
pub const TABLE: Table = table!("purchase_orders", "po_id");

/// Which orders; what is none lets all through.
#[derive(Debug, Default)]
pub struct Filter {
    /// Those of a supplier.
    pub supplier_id: Option<String>,
    /// Those for a store.
    pub store_id: Option<String>,
    /// Those in a state.
    pub state: Option<OrderState>,
}

/// A page of orders after an id.
///
/// # Errors
/// The database's.
pub async fn list(
    pool: &AnyPool,
    filter: &Filter,
    after: &str,
    limit: i64,
) -> Result<Vec<PurchaseOrder>, sqlx::Error> {
    let sql = "SELECT document FROM purchase_orders WHERE po_id > $1 AND (supplier_id = $3 OR $3 = '') \
               AND (store_id = $4 OR $4 = '') AND (state = $5 OR $5 = '') ORDER BY po_id LIMIT $2";
    let query = sqlx::query_scalar(sql).bind(after).bind(limit);
    let query = query.bind(filter.supplier_id.clone().unwrap_or_default());
    let query = query.bind(filter.store_id.clone().unwrap_or_default());
    let rows: Vec<String> =
        query.bind(filter.state.map(OrderState::name).unwrap_or_default()).fetch_all(pool).await?;
    rows.iter().map(|text| decode(text)).collect()
}

/// `POST /api/purchase-orders`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewPurchaseOrder")]
pub struct New {
    /// From whom.
    pub supplier_id: String,
    /// For which store.
    pub store_id: String,
    /// When the goods should be there.
    pub expected_at: Option<Date>,
    /// What.
    pub lines: Vec<NewLine>,
    /// For people.
    pub note: Option<String>,
}

/// One product of a new order.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewOrderLine")]
pub struct NewLine {
    /// The product.
    pub sku: Sku,
    /// Pieces.
    pub qty: i64,
    /// Price per piece in whole currency units.
    pub unit_cost: i64,
}

/// `PATCH /api/purchase-orders/:id`: what is left out stays as it is.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ChangePurchaseOrder")]
pub struct Change {
    /// From whom.
    pub supplier_id: Option<String>,
    /// For which store.
    pub store_id: Option<String>,
    /// When the goods should be there.
    pub expected_at: Option<Date>,
    /// What, in place of all lines.
    pub lines: Option<Vec<NewLine>>,
    /// For people.
    pub note: Option<String>,
}

impl Change {
    /// The order as it would be written down now.
    fn of(self, order: &PurchaseOrder) -> New {
        let line =
            |line: &OrderLine| NewLine { sku: line.sku.clone(), qty: line.qty, unit_cost: line.unit_cost };
        New {
            supplier_id: self.supplier_id.unwrap_or_else(|| order.supplier_id.clone()),
            store_id: self.store_id.unwrap_or_else(|| order.store_id.0.clone()),
            expected_at: self.expected_at.or(order.expected_at),
            lines: self.lines.unwrap_or_else(|| order.lines.iter().map(line).collect()),
            note: self.note.or_else(|| order.note.clone()),
        }
    }
}

/// A step in an order's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Somebody answers for it.
    Approve,
    /// The supplier and the store know it.
    Send,
    /// Called off before anything came.
    Cancel,
    /// Nothing more is expected.
    Close,
}

impl Step {
    fn from(self, state: OrderState) -> Option<OrderState> {
        match (self, state) {
            (Self::Approve, OrderState::Draft) => Some(OrderState::Approved),
            (Self::Send, OrderState::Approved) => Some(OrderState::Sent),
            (Self::Cancel, OrderState::Draft | OrderState::Approved | OrderState::Sent) => {
                Some(OrderState::Cancelled)
            }
            (Self::Close, OrderState::PartiallyReceived | OrderState::Received) => Some(OrderState::Closed),
            _ => None,
        }
    }

    /// What the audit log calls it.
    pub fn audit_action(self) -> &'static str {
        match self {
            Self::Approve => "purchase_order.approved",
            Self::Send => "purchase_order.sent",
            Self::Cancel => "purchase_order.cancelled",
            Self::Close => "purchase_order.closed",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Send => "send",
            Self::Cancel => "cancel",
            Self::Close => "close",
        }
    }
}

/// Every step, for refusals.
const STEPS: [Step; 4] = [Step::Approve, Step::Send, Step::Cancel, Step::Close];

/// Writes an order down.
///
/// # Errors
/// 422 with the field that is wrong; `unknown_sku`.
pub async fn create(
    connection: &mut AnyConnection,
    new: New,
    by: &str,
    now: UtcMs,
) -> Result<PurchaseOrder, Failure> {
    let total = check(&new)?;
    known(connection, &new).await?;
    let order = PurchaseOrder {
        po_id: ids::new("po_"),
        supplier_id: new.supplier_id,
        store_id: StoreId(new.store_id),
        state: OrderState::Draft,
        revision: 0,
        expected_at: new.expected_at,
        lines: numbered(new.lines),
        total,
        note: new.note,
        created_by: by.to_owned(),
        created_at: now,
        approved_by: None,
        cancel_requested_at: None,
        updated_at: now,
    };
    put(connection, &order).await?;
    Ok(order)
}

fn numbered(lines: Vec<NewLine>) -> Vec<OrderLine> {
    let line = |(line_no, line): (u32, NewLine)| OrderLine {
        line_no,
        sku: line.sku,
        qty: line.qty,
        unit_cost: line.unit_cost,
        received_qty: 0,
    };
    (1_u32..).zip(lines).map(line).collect()
}

/// Changes an order that is a draft; no store knows of it yet.
///
/// # Errors
/// 404; 409 `invalid_state` once somebody has answered for it; as [`create`].
pub async fn change(
    connection: &mut AnyConnection,
    po_id: &str,
    change: Change,
    now: UtcMs,
) -> Result<PurchaseOrder, Failure> {
    let before = locked(connection, po_id).await?.ok_or_else(|| ApiError::not_found("the order"))?;
    if before.state != OrderState::Draft {
        return Err(not_now(before.state).into());
    }
    let new = change.of(&before);
    let total = check(&new)?;
    known(connection, &new).await?;
    let order = PurchaseOrder {
        supplier_id: new.supplier_id,
        store_id: StoreId(new.store_id),
        expected_at: new.expected_at,
        lines: numbered(new.lines),
        total,
        note: new.note,
        updated_at: now,
        ..before
    };
    put(connection, &order).await?;
    Ok(order)
}

/// What is possible in `state` instead.
fn not_now(state: OrderState) -> ApiError {
    let allowed: Vec<&str> =
        STEPS.into_iter().filter(|step| step.from(state).is_some()).map(Step::name).collect();
    let message = format!("a {} order can't be taken that step", state.name());
    ApiError::new(409, "invalid_state", message)
        .with_details(json!({"state": state.name(), "allowed": allowed}))
}

/// The shape; gives back Σ qty × unit cost.
fn check(new: &New) -> Result<i64, ApiError> {
    if !(1..=LINES_MAX).contains(&new.lines.len()) {
        return Err(ApiError::field("lines", "must have 1 to 500 entries"));
    }
    if new.note.as_ref().is_some_and(|note| note.len() > NOTE_BYTES_MAX) {
        return Err(ApiError::field("note", "must be at most 500 bytes"));
    }
    let mut total = 0_i128;
    for (place, line) in new.lines.iter().enumerate() {
        if !(1..=QTY_MAX).contains(&line.qty) {
            return Err(ApiError::field(format!("lines[{place}].qty"), "must be 1 to 1000000"));
        }
        if !(0..=COST_MAX).contains(&line.unit_cost) {
            return Err(ApiError::field(format!("lines[{place}].unit_cost"), "must be 0 to 1000000000000"));
        }
        total = total.saturating_add(i128::from(line.qty).saturating_mul(i128::from(line.unit_cost)));
    }
    match i64::try_from(total) {
        Ok(figure) if total <= TOTAL_MAX => Ok(figure),
        _ => Err(ApiError::field("lines", "amount to more than a figure holds")),
    }
}

/// Supplier, store and products have to be there.
async fn known(connection: &mut AnyConnection, new: &New) -> Result<(), Failure> {
    let supplier: Option<Supplier> = supplier::TABLE.locked(connection, &new.supplier_id).await?;
    if supplier.is_none_or(|supplier| supplier.state != SupplierState::Active) {
        return Err(ApiError::field("supplier_id", "is no active supplier").into());
    }
    store::check_known(connection, "store_id", &new.store_id).await?;
    product::check_known(connection, &new.lines.iter().map(|line| &line.sku).collect()).await
}

/// Takes a step; its store hears of every one from `send` on.
///
/// # Errors
/// 404; 409 `invalid_state` with what is possible instead.
pub async fn step(
    connection: &mut AnyConnection,
    po_id: &str,
    step: Step,
    by: &str,
    now: UtcMs,
) -> Result<PurchaseOrder, Failure> {
    let mut order = locked(connection, po_id).await?.ok_or_else(|| ApiError::not_found("the order"))?;
    let before = order.state;
    let after = step.from(before).ok_or_else(|| not_now(before))?;
    order.state = after;
    order.updated_at = now;
    match step {
        Step::Approve => order.approved_by = Some(by.to_owned()),
        Step::Cancel => order.cancel_requested_at = Some(now),
        Step::Send | Step::Close => {}
    }
    put(connection, &order).await?;
    let store_knows = step == Step::Send || before.is_open() || before == OrderState::Received;
    if store_knows {
        feed::publish(connection, vec![entry(&order)?], now).await?;
    }
    Ok(order)
}
