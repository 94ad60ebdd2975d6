//! Goods between two stores, in every order: each interleaving of a sender that sends and calls off with a
//! receiver that takes in, and of one restored hub.

use super::super::broken::Broken;
use super::super::script::Does::{self, *};
use super::super::script::{ends, holds_by};

/// The sender sends, and calls off, and tells of both; then it hears.
const SENDER: [Does; 4] = [Sends(0, 1), TellsOnly(0), CallsOff(0), Talks(0)];
/// The receiver hears, takes in, tells of it, and hears again.
const RECEIVER: [Does; 4] = [HearsOnly(1), Receives(1), TellsOnly(1), Talks(1)];

/// Both in every order, with the hub restored at every place, or never.
fn every_order() -> Vec<Vec<Does>> {
    let mut orders = Vec::new();
    for places in 0..1_u32 << 8 {
        if places.count_ones() != 4 {
            continue;
        }
        let (mut sender, mut receiver) = (SENDER.into_iter(), RECEIVER.into_iter());
        let next = |place: u32| if places >> place & 1 == 1 { sender.next() } else { receiver.next() };
        let order: Vec<Does> = (0..8).filter_map(next).collect();
        for at in 0..=8 {
            let mut restored = order.clone();
            restored.insert(at, HubIsRestored);
            restored.insert(0, HubIsBackedUp);
            orders.push(restored);
        }
        orders.push(order);
    }
    orders
}

#[test]
fn whatever_the_order_goods_are_where_they_are_and_contradictions_are_told() {
    let orders = every_order();
    assert_eq!(orders.len(), 700);
    for order in &orders {
        if let Err(what) = ends(order, Broken::Nothing) {
            panic!("{order:?}: {what}");
        }
    }
    for broken in [Broken::StateMachine, Broken::CancelledStands] {
        let fails = orders.iter().filter(|order| ends(order, broken).is_err()).count();
        assert!(fails > 0, "{broken:?} went unseen");
    }
}

#[test]
fn a_transfer_called_off_by_one_and_received_by_the_other() {
    let history = [Sends(0, 1), Talks(0), Talks(1), CallsOff(0), Talks(0), Receives(1), Talks(1), Talks(0)];
    holds_by(&history, Broken::StateMachine);
}

#[test]
fn a_transfer_received_by_one_and_called_off_by_the_other() {
    let history = [Sends(0, 1), Talks(0), Talks(1), Receives(1), Talks(1), CallsOff(0), Talks(0)];
    holds_by(&history, Broken::StateMachine);
}
