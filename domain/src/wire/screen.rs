//! Notices to screens while the store sells: stock, holds, shifts, tills, prices and documents of goods, each to the
//! screens that need it.
//!
//! A notice has the current value, or names what to read again. So a screen may receive it twice.

use crate::model::base::event::fact::Noun;
use crate::model::base::event::{Event, Fact};
use crate::model::base::figures::Quantity;
use crate::model::base::ids::{RegisterId, ShiftId, Sku, UserId};
use crate::model::base::time::UtcMs;
use crate::model::books::shift::{Shift, ShiftState};
use crate::model::hub::sync::local::Change;
use crate::model::inventory::stock::Stock;
use crate::model::people::user::{Principal, Role};
use crate::model::selling::hold::Hold;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// An order's name in the stream.
const ORDER: &str = "order";

/// Something that a screen may show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A product's stock moved.
    Stock(StockNotice),
    /// A basket was put away, or waits no more.
    Hold(Box<Hold>),
    /// A shift was opened, moved, ended, closed, counted again, or interrupted.
    Shift(Box<ShiftNotice>),
    /// A till was added or renamed, may sell or not, or has other quick keys: to be read again.
    Register(RegisterId),
    /// Names or prices of goods may have changed: of one product, or of any.
    Catalogue(CatalogueNotice),
    /// A document of the stock room, or an order, is another one now: to be read again.
    Document(&'static str, String),
    /// A value lost against another one, or was put back: to be read again.
    Conflict(String),
    /// Somebody's rights may have changed: nothing to show, but the event stream checks its subscribers.
    Access,
}

/// A product's stock as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "StockEvent")]
pub struct StockNotice {
    /// Code of the product.
    sku: Sku,
    /// Pieces in the store, without damaged ones.
    on_hand: Quantity,
    /// Pieces that no held basket reserves. Omitted for cashiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    available: Option<Quantity>,
    /// Damaged pieces. Omitted for cashiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged: Option<Quantity>,
    /// When the stock last changed.
    updated_at: UtcMs,
}

/// A shift as it is now, without its figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ShiftEvent")]
pub struct ShiftNotice {
    /// ID of the shift.
    shift_id: ShiftId,
    /// Register at which the shift was opened.
    register_id: RegisterId,
    /// Registers at which the shift stands.
    register_ids: Vec<RegisterId>,
    /// Business date of the shift.
    business_date: Date,
    /// State of the shift.
    state: ShiftState,
    /// User who opened the shift.
    opened_by: UserId,
    /// When the shift was opened.
    opened_at: UtcMs,
    /// When the shift was closed. Null while it is not.
    closed_at: Option<UtcMs>,
    /// Number of the Z report. Null while the shift is not closed.
    z_no: Option<u64>,
    /// Whether it concerns the screens of all tills: other cashiers sell in it, or may no longer.
    #[serde(skip)]
    is_for_all: bool,
}

/// Product whose name, code, price or promotions are no longer what a screen remembers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CatalogueEvent")]
pub struct CatalogueNotice {
    /// Product to read again. Null if any product may have changed, for example by a promotion.
    sku: Option<Sku>,
}

/// A register to read again.
#[derive(Serialize, JsonSchema)]
pub struct RegisterEvent<'a> {
    /// ID of the register.
    register_id: &'a RegisterId,
}

/// A document to read again.
#[derive(Serialize, JsonSchema)]
pub struct DocumentEvent<'a> {
    /// ID of the document.
    id: &'a str,
}

impl CatalogueNotice {
    fn of(sku: Option<&Sku>) -> Vec<Notice> {
        vec![Notice::Catalogue(Self { sku: sku.cloned() })]
    }
}

impl StockNotice {
    fn of(stock: &Stock) -> Self {
        Self {
            sku: stock.sku.clone(),
            on_hand: stock.qty,
            available: Some(stock.qty.saturating_sub(stock.reserved)),
            damaged: Some(stock.damaged),
            updated_at: stock.updated_at,
        }
    }

    /// The figures that a cashier may see.
    fn of_till(&self) -> Self {
        Self { available: None, damaged: None, ..self.clone() }
    }
}

impl ShiftNotice {
    fn of(shift: &Shift, moved: bool) -> Self {
        Self {
            shift_id: shift.shift_id.clone(),
            register_id: shift.register_id.clone(),
            register_ids: shift.registers().to_vec(),
            business_date: shift.business_date,
            state: shift.state,
            opened_by: shift.opened_by.clone(),
            opened_at: shift.opened_at,
            closed_at: shift.closed_at,
            z_no: shift.z_no,
            is_for_all: moved || shift.is_shared(),
        }
    }
}

/// Notices of a stored fact for screens.
pub fn notices(event: &Event) -> Vec<Notice> {
    let moved = matches!(event.fact, Fact::ShiftMoved(_));
    let notice = |shift: &Shift| Notice::Shift(Box::new(ShiftNotice::of(shift, moved)));
    let shifts = || event.shifts().map(notice).collect();
    match &event.fact {
        Fact::TransactionHeld(it) => vec![Notice::Hold(Box::new(it.hold.clone()))],
        Fact::HoldRecalled(it) => vec![Notice::Hold(Box::new(it.hold.clone()))],
        Fact::HoldVoided(it) => vec![Notice::Hold(Box::new(it.hold.clone()))],
        Fact::ShiftOpened(_)
        | Fact::ShiftMoved(_)
        | Fact::ShiftEnded(_)
        | Fact::ShiftClosed(_)
        | Fact::ShiftRecounted(_)
        | Fact::Restored(_) => shifts(),
        Fact::RegisterChanged(it) => vec![Notice::Register(it.register.register_id.clone())],
        Fact::ProductChanged(it) => CatalogueNotice::of(Some(&it.product.sku)),
        Fact::PromotionChanged(_) | Fact::PromotionWithdrawn(_) => CatalogueNotice::of(None),
        Fact::SyncChanged(it) => match &it.change {
            Change::Price { price } | Change::PriceGone { price } => {
                CatalogueNotice::of(Some(&price.price.sku))
            }
            Change::Conflict { id, .. } => vec![Notice::Conflict(id.clone())],
            _ => Vec::new(),
        },
        Fact::PurchaseOrderChanged(it) => vec![Notice::Document(ORDER, it.order.po_id.clone())],
        Fact::UserChanged(_) | Fact::SessionClosed(_) => vec![Notice::Access],
        // Sales, returns and documents of the stock room.
        _ => {
            let moved = event.rows.stock.iter().map(|row| Notice::Stock(StockNotice::of(row)));
            moved.chain(documents(event)).collect()
        }
    }
}

/// Notices for the stock room's lists: the fact's document, and the order that goods came for.
fn documents(event: &Event) -> impl Iterator<Item = Notice> {
    let named = event.fact.document().and_then(|(noun, id)| {
        let name = match noun {
            Noun::Receiving => "receiving",
            Noun::SupplierReturn => "supplier_return",
            Noun::Adjustment => "adjustment",
            Noun::Transfer => "transfer",
            Noun::Opname => "opname",
            Noun::Return | Noun::Deposit | Noun::Audit => return None,
        };
        Some(Notice::Document(name, id.to_owned()))
    });
    let order = event.rows.progress.as_ref().map(|of| Notice::Document(ORDER, of.po_id.clone()));
    named.into_iter().chain(order)
}

impl Notice {
    /// Name and data of the notice for a user. `None` if it does not concern the user. Cashiers see the stock of the
    /// till's products, every hold, their own shifts, and those that are moved or shared. Warehouse staff see stock and
    /// its documents. Managers see everything.
    pub fn seen_by(&self, caller: &Principal) -> Option<(&'static str, Value)> {
        let manages = caller.role.manages();
        let sells = caller.role == Role::Cashier || manages;
        let keeps_stock = caller.role == Role::WarehouseStaff || manages;
        let seen = match self {
            Self::Stock(stock) if caller.role == Role::Cashier => value(&stock.of_till()),
            Self::Stock(stock) if keeps_stock => value(stock),
            Self::Hold(hold) if sells => value(hold),
            Self::Shift(shift)
                if manages || (sells && (shift.is_for_all || shift.opened_by == caller.user_id)) =>
            {
                value(shift)
            }
            Self::Register(register_id) if sells => value(&RegisterEvent { register_id }),
            Self::Document(_, id) if keeps_stock => value(&DocumentEvent { id }),
            Self::Conflict(id) if manages => value(&DocumentEvent { id }),
            Self::Catalogue(goods) => value(goods),
            _ => return None,
        };
        Some((self.name(), seen))
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Stock(_) => "stock",
            Self::Hold(_) => "hold",
            Self::Shift(_) => "shift",
            Self::Register(_) => "register",
            Self::Catalogue(_) => "catalogue",
            Self::Document(name, _) => name,
            Self::Conflict(_) => "conflict",
            Self::Access => "access",
        }
    }
}

/// Values of texts and numbers have a JSON form.
fn value(seen: &impl Serialize) -> Value {
    serde_json::to_value(seen).unwrap_or_default()
}
