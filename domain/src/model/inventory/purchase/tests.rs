//! Orders, step by step, and the effect of receipts.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
use super::*;
use crate::model::base::figures::Money;

/// A sent order of these pieces.
pub(crate) fn order(lines: &[(&str, i64)]) -> PurchaseOrder {
    let line = |(line_no, (sku, qty)): (u32, &(&str, i64))| OrderLine {
        line_no,
        sku: (*sku).into(),
        qty: (*qty).into(),
        unit_cost: Money::new(10),
        ..OrderLine::default()
    };
    PurchaseOrder {
        po_id: "po_1".to_owned(),
        supplier_id: "sup_1".to_owned(),
        store_id: "S001".into(),
        po_no: String::new(),
        state: OrderState::Sent,
        revision: 0,
        expected_at: None,
        lines: (1..).zip(lines).map(line).collect(),
        total: Money::ZERO,
        note: None,
        created_by: "usr_1".to_owned(),
        created_at: UtcMs(0),
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
        warnings: Vec::new(),
        updated_at: UtcMs(0),
    }
}

#[test]
fn deliveries_fill_the_lines_of_a_sku_one_after_the_other() {
    let mut order = order(&[("A", 5), ("A", 3)]);
    let came =
        |order: &PurchaseOrder| order.lines.iter().map(|line| line.received_qty.get()).collect::<Vec<_>>();
    assert!(!order.receive(&"B".into(), Quantity::new(1)));
    assert!(order.receive(&"A".into(), Quantity::new(6)));
    order.settle();
    assert_eq!((came(&order), order.state), (vec![5, 1], OrderState::PartiallyReceived));
    assert!(order.receive(&"A".into(), Quantity::new(4)));
    order.settle();
    assert_eq!((came(&order), order.state), (vec![5, 5], OrderState::Received));
    assert!(order.receive(&"A".into(), Quantity::new(-10)));
    order.settle();
    assert_eq!((came(&order), order.state), (vec![0, 0], OrderState::Sent));
}

#[test]
fn a_line_that_a_person_closed_is_waited_for_no_longer() {
    let mut order = order(&[("A", 100), ("B", 5)]);
    order.receive(&"A".into(), Quantity::new(96));
    order.receive(&"B".into(), Quantity::new(5));
    order.settle();
    let states = |order: &PurchaseOrder| order.lines.iter().map(|line| line.state).collect::<Vec<_>>();
    assert_eq!(states(&order), [LineState::Partial, LineState::Received]);
    order.lines.first_mut().unwrap().closed = true;
    order.settle();
    assert_eq!(
        (order.state, states(&order)),
        (OrderState::Received, vec![LineState::Closed, LineState::Received])
    );
    order.lines.first_mut().unwrap().closed = false;
    order.settle();
    assert_eq!(order.state, OrderState::PartiallyReceived);
}

#[test]
fn received_pieces_win_over_a_cancellation_until_they_are_reversed() {
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
        order.receive(&"A".into(), Quantity::new(came));
        order.settle();
        assert_eq!(order.state, after, "{before:?}, {came} came");
    }
}
