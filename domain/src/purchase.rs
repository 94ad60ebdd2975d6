//! Purchasing: whom head office buys from, and what it ordered for which store.

use crate::ids::{Sku, StoreId};
use crate::time::UtcMs;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod progress;

pub use progress::{Came, OrderProgress};

/// Whether a supplier may be ordered from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SupplierState {
    /// Yes.
    #[default]
    Active,
    /// No longer.
    Inactive,
}

/// Whom head office buys from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Supplier {
    /// `sup_…`
    pub supplier_id: String,
    /// Short and unique.
    pub code: String,
    /// Its name.
    pub name: String,
    /// Tax number.
    pub tax_id: Option<String>,
    /// Telephone.
    pub phone: Option<String>,
    /// E-mail.
    pub email: Option<String>,
    /// Address.
    pub address: Option<String>,
    /// Days until an invoice has to be paid.
    pub payment_terms_days: Option<u32>,
    /// Days from order to delivery.
    pub lead_time_days: Option<u32>,
    /// Whether it may be ordered from.
    pub state: SupplierState,
    /// When it was last changed.
    pub updated_at: UtcMs,
}

/// How far a purchase order is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderState {
    /// May still be changed.
    Draft,
    /// Somebody answers for it.
    Approved,
    /// The supplier and the store know it.
    Sent,
    /// Something came.
    PartiallyReceived,
    /// Everything came.
    Received,
    /// Nothing more is expected.
    Closed,
    /// Called off before anything came.
    Cancelled,
}

impl OrderState {
    /// The name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Approved => "approved",
            Self::Sent => "sent",
            Self::PartiallyReceived => "partially_received",
            Self::Received => "received",
            Self::Closed => "closed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether a store may receive against it.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Sent | Self::PartiallyReceived)
    }
}

/// One product of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OrderLine {
    /// 1-based.
    pub line_no: u32,
    /// The product.
    pub sku: Sku,
    /// Pieces ordered.
    pub qty: i64,
    /// Price per piece in whole currency units.
    pub unit_cost: i64,
    /// Pieces that came so far.
    pub received_qty: i64,
}

/// What head office ordered for a store; kind `purchase_order` of the feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PurchaseOrder {
    /// `po_…`
    pub po_id: String,
    /// From whom.
    pub supplier_id: String,
    /// For which store.
    pub store_id: StoreId,
    /// How far it is.
    pub state: OrderState,
    /// How often it was changed after it was sent.
    pub revision: u32,
    /// When the goods should be there.
    pub expected_at: Option<Date>,
    /// What was ordered.
    pub lines: Vec<OrderLine>,
    /// Σ qty × unit cost.
    pub total: i64,
    /// For people.
    pub note: Option<String>,
    /// Who made it.
    pub created_by: String,
    /// When.
    pub created_at: UtcMs,
    /// Who approved it.
    pub approved_by: Option<String>,
    /// When somebody called it off. Goods that came all the same win: the state says what counts.
    pub cancel_requested_at: Option<UtcMs>,
    /// When it was last changed.
    pub updated_at: UtcMs,
}

impl PurchaseOrder {
    /// The order after `qty` pieces of `sku` came, or went back (below 0): filled line by line, what is left
    /// over stays on the last line of the sku. False: the order has no such sku.
    pub fn receive(&mut self, sku: &Sku, qty: i64) -> bool {
        let mut left = qty;
        let mut last = None;
        for (index, line) in self.lines.iter_mut().enumerate().filter(|(_, line)| line.sku == *sku) {
            let open = line.qty.saturating_sub(line.received_qty).max(0);
            let part = left.clamp(line.received_qty.saturating_neg().min(0), open);
            line.received_qty = line.received_qty.saturating_add(part);
            left = left.saturating_sub(part);
            last = Some(index);
        }
        let Some(line) = last.and_then(|index| self.lines.get_mut(index)) else { return false };
        line.received_qty = line.received_qty.saturating_add(left).max(0);
        true
    }

    /// The state that follows from what came; one that people closed stays. Only a store that knows of no
    /// cancellation receives against an order, so what came wins over it, and proves that the order was sent. Once
    /// all of it was taken back, the cancellation stands again.
    pub fn settle(&mut self) {
        if self.state == OrderState::Closed {
            return;
        }
        self.state = if self.lines.iter().all(|line| line.received_qty <= 0) {
            match self.state {
                OrderState::PartiallyReceived | OrderState::Received
                    if self.cancel_requested_at.is_some() =>
                {
                    OrderState::Cancelled
                }
                OrderState::PartiallyReceived | OrderState::Received => OrderState::Sent,
                state => state,
            }
        } else if self.lines.iter().all(|line| line.received_qty >= line.qty) {
            OrderState::Received
        } else {
            OrderState::PartiallyReceived
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sent order of these pieces.
    pub(super) fn order(lines: &[(&str, i64)]) -> PurchaseOrder {
        let line = |(line_no, (sku, qty)): (u32, &(&str, i64))| OrderLine {
            line_no,
            sku: (*sku).into(),
            qty: *qty,
            unit_cost: 10,
            received_qty: 0,
        };
        PurchaseOrder {
            po_id: "po_1".to_owned(),
            supplier_id: "sup_1".to_owned(),
            store_id: "S001".into(),
            state: OrderState::Sent,
            revision: 0,
            expected_at: None,
            lines: (1..).zip(lines).map(line).collect(),
            total: 0,
            note: None,
            created_by: "usr_1".to_owned(),
            created_at: UtcMs(0),
            approved_by: None,
            cancel_requested_at: None,
            updated_at: UtcMs(0),
        }
    }

    #[test]
    fn deliveries_fill_the_lines_of_a_sku_one_after_the_other() {
        let mut order = order(&[("A", 5), ("A", 3)]);
        let came =
            |order: &PurchaseOrder| order.lines.iter().map(|line| line.received_qty).collect::<Vec<_>>();
        assert!(!order.receive(&"B".into(), 1));
        assert!(order.receive(&"A".into(), 6));
        order.settle();
        assert_eq!((came(&order), order.state), (vec![5, 1], OrderState::PartiallyReceived));
        assert!(order.receive(&"A".into(), 4));
        order.settle();
        assert_eq!((came(&order), order.state), (vec![5, 5], OrderState::Received));
        assert!(order.receive(&"A".into(), -10));
        order.settle();
        assert_eq!((came(&order), order.state), (vec![0, 0], OrderState::Sent));
    }

    #[test]
    fn what_came_wins_over_a_cancellation_until_it_is_taken_back() {
        use OrderState::{Approved, Cancelled, Closed, PartiallyReceived, Received, Sent};
        for (before, cancelled, came, after) in [
            (Cancelled, true, 0, Cancelled),
            (Cancelled, true, 2, PartiallyReceived),
            (Cancelled, true, 5, Received),
            (PartiallyReceived, true, 0, Cancelled),
            (PartiallyReceived, false, 0, Sent),
            (Approved, false, 0, Approved),
            (Approved, false, 2, PartiallyReceived),
            (Closed, false, 2, Closed),
        ] {
            let mut order = order(&[("A", 5)]);
            order.state = before;
            order.cancel_requested_at = cancelled.then_some(UtcMs(1));
            order.receive(&"A".into(), came);
            order.settle();
            assert_eq!(order.state, after, "{before:?}, {came} came");
        }
    }
}
