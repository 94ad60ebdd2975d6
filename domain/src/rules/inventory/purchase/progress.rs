//! Progress of an order in its store: the store's own count, which head office learns later.

use crate::model::base::figures::{BasisPoints, Quantity};
use crate::model::base::ids::Sku;
use crate::model::base::refusal::{OverReceived, Refusal};
use crate::model::inventory::purchase::{
    OrderLine, OrderLineReceipt, OrderProgress, OrderState, PurchaseOrder,
};
use crate::rules::inventory::receiving;

impl OrderProgress {
    /// From the facts of head office: for an order without a receipt here.
    pub fn of(order: &PurchaseOrder) -> Self {
        let came = |line: &OrderLine| OrderLineReceipt {
            line_no: line.line_no,
            received: line.received_qty,
            rejected: Quantity::ZERO,
        };
        Self { po_id: order.po_id.clone(), lines: order.lines.iter().map(came).collect() }
    }

    /// Records the accepted and rejected pieces of a SKU: open line by open line up to the ordered quantity,
    /// then up to the tolerance of each line (docs/arithmetic.md#receiving-orders-and-transfers). Returns false if the order does not
    /// have the SKU.
    ///
    /// # Errors
    /// `over_receipt` when the lines of the sku can't take it.
    pub fn receive(
        &mut self,
        order: &PurchaseOrder,
        sku: &Sku,
        qty: Quantity,
        rejected: Quantity,
        tolerance_bp: BasisPoints,
    ) -> Result<bool, Refusal> {
        let mut left = qty;
        let (mut limit, mut received, mut known) = (Quantity::ZERO, Quantity::ZERO, false);
        for beyond in [false, true] {
            for line in order.lines.iter().filter(|line| line.sku == *sku) {
                let Some(came) = self.line(line.line_no) else { continue };
                let of = receiving::OrderLine {
                    ordered: line.qty,
                    received: came.received,
                    rejected: came.rejected,
                };
                let most = of.limit(tolerance_bp);
                if !beyond {
                    limit = limit.saturating_add(most);
                    received = received.saturating_add(came.received);
                    came.rejected =
                        came.rejected.saturating_add(if known { Quantity::ZERO } else { rejected });
                    known = true;
                }
                let room = match (beyond, line.closed) {
                    (true, _) => most,
                    (false, true) => came.received,
                    (false, false) => line.qty,
                };
                let part = left.min(room.saturating_sub(came.received).max(Quantity::ZERO));
                came.received = came.received.saturating_add(part);
                left = left.saturating_sub(part);
            }
        }
        if known && left > 0 {
            return Err(Refusal::OverReceipt(Box::new(OverReceived::new(
                sku.as_str(),
                limit,
                received,
                qty,
            ))));
        }
        Ok(known)
    }

    /// Records pieces that are not expected any more, on the last line of the SKU and without a limit. Returns false
    /// if the order does not have the SKU.
    pub fn count(&mut self, order: &PurchaseOrder, sku: &Sku, qty: Quantity, rejected: Quantity) -> bool {
        let Some(line) = order.lines.iter().rev().find(|line| line.sku == *sku) else { return false };
        if let Some(came) = self.line(line.line_no) {
            came.received = came.received.saturating_add(qty);
            came.rejected = came.rejected.saturating_add(rejected);
        }
        true
    }

    /// Removes a receipt's pieces, the last line first.
    pub fn take_back(&mut self, order: &PurchaseOrder, sku: &Sku, qty: Quantity, rejected: Quantity) {
        let (mut left, mut refused) = (qty, rejected);
        for line in order.lines.iter().rev().filter(|line| line.sku == *sku) {
            let Some(came) = self.line(line.line_no) else { continue };
            let part = left.min(came.received);
            came.received = came.received.saturating_sub(part);
            left = left.saturating_sub(part);
            let part = refused.min(came.rejected);
            came.rejected = came.rejected.saturating_sub(part);
            refused = refused.saturating_sub(part);
        }
    }

    /// The order with the pieces received here, and the resulting state of each line.
    pub fn shown(&self, order: &PurchaseOrder) -> PurchaseOrder {
        let mut order = order.clone();
        for line in &mut order.lines {
            let came = self.lines.iter().find(|came| came.line_no == line.line_no);
            line.received_qty = came.map_or(line.received_qty, |came| came.received);
        }
        if order.state.is_open() || order.state == OrderState::Received {
            order.state = OrderState::Sent;
            order.settle();
        }
        order
    }

    /// Pieces of a line of the order that came here.
    pub(crate) fn received(&self, line: &OrderLine) -> Quantity {
        let came = self.lines.iter().find(|came| came.line_no == line.line_no);
        came.map_or(Quantity::ZERO, |came| came.received)
    }

    /// Receipts of a line; head office may have added the line since.
    fn line(&mut self, line_no: u32) -> Option<&mut OrderLineReceipt> {
        if !self.lines.iter().any(|came| came.line_no == line_no) {
            self.lines.push(OrderLineReceipt { line_no, ..OrderLineReceipt::default() });
        }
        self.lines.iter_mut().find(|came| came.line_no == line_no)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::model::inventory::purchase::tests::order;

    const TOLERANCE: BasisPoints = BasisPoints::new(1_000);

    #[test]
    fn each_line_has_its_own_limit_and_the_order_its_state_by_line() {
        let order = order(&[("A", 100), ("B", 4)]);
        let mut came = OrderProgress::of(&order);
        assert!(came.receive(&order, &"A".into(), 60.into(), 4.into(), TOLERANCE).unwrap());
        assert_eq!(came.shown(&order).state, OrderState::PartiallyReceived);
        assert!(came.receive(&order, &"A".into(), 50.into(), 0.into(), TOLERANCE).unwrap());
        let over = Refusal::OverReceipt(Box::new(OverReceived::new("A", 110.into(), 110.into(), 1.into())));
        assert_eq!(came.clone().receive(&order, &"A".into(), 1.into(), 0.into(), TOLERANCE), Err(over));
        // More of A than of both together: B is still open.
        assert_eq!(came.shown(&order).state, OrderState::PartiallyReceived);
        assert!(came.receive(&order, &"B".into(), 4.into(), 0.into(), TOLERANCE).unwrap());
        assert_eq!(came.shown(&order).state, OrderState::Received);
        assert!(!came.receive(&order, &"C".into(), 1.into(), 0.into(), TOLERANCE).unwrap());
        came.take_back(&order, &"B".into(), 1.into(), 0.into());
        assert_eq!(came.shown(&order).state, OrderState::PartiallyReceived);
    }

    #[test]
    fn lines_of_one_sku_are_filled_in_order_then_their_tolerance() {
        let order = order(&[("A", 10), ("A", 20)]);
        let mut came = OrderProgress::of(&order);
        let got =
            |came: &OrderProgress| came.lines.iter().map(|came| came.received.get()).collect::<Vec<_>>();
        came.receive(&order, &"A".into(), 15.into(), 2.into(), TOLERANCE).unwrap();
        assert_eq!((got(&came), came.lines.first().map(|came| came.rejected.get())), (vec![10, 5], Some(2)));
        came.receive(&order, &"A".into(), 17.into(), 0.into(), TOLERANCE).unwrap();
        assert_eq!(got(&came), [11, 21]);
        came.receive(&order, &"A".into(), 1.into(), 0.into(), TOLERANCE).unwrap();
        assert_eq!(got(&came), [11, 22]);
        let over = Refusal::OverReceipt(Box::new(OverReceived::new("A", 33.into(), 33.into(), 1.into())));
        assert_eq!(came.clone().receive(&order, &"A".into(), 1.into(), 0.into(), TOLERANCE), Err(over));
        came.take_back(&order, &"A".into(), 23.into(), 2.into());
        assert_eq!((got(&came), came.lines.first().map(|came| came.rejected.get())), (vec![10, 0], Some(0)));
    }
}
