//! A transfer between two stores in every order of steps: each interleaving of a sender that sends and cancels and of
//! a receiver that receives, without and with a hub that is restored at each position.

use super::super::broken::Broken;
use super::super::script::Does::{self, *};
use super::super::script::{ends, holds_by};

/// Steps of the sender: it sends, pushes, cancels, then pushes and pulls.
const SENDER: [Does; 4] = [Sends(0, 1), TellsOnly(0), CallsOff(0), Talks(0)];
/// Steps of the receiver: it pulls, receives, pushes, then pushes and pulls.
const RECEIVER: [Does; 4] = [HearsOnly(1), Receives(1), TellsOnly(1), Talks(1)];

/// All orders of both, without a restore and with the hub restored at each position.
fn every_order() -> Vec<Vec<Does>> {
    let mut orders = Vec::new();
    // A mask with four of eight bits set is an interleaving: a set bit is a step of the sender.
    for mask in 0..1_u32 << 8 {
        if mask.count_ones() != 4 {
            continue;
        }
        let (mut sender, mut receiver) = (SENDER.into_iter(), RECEIVER.into_iter());
        let next = |bit: u32| if mask >> bit & 1 == 1 { sender.next() } else { receiver.next() };
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
fn every_order_of_steps_keeps_the_goods_and_reports_conflicts() {
    let orders = every_order();
    assert_eq!(orders.len(), 700);
    for order in &orders {
        if let Err(problem) = ends(order, Broken::Nothing) {
            panic!("{order:?}: {problem}");
        }
    }
    for broken in [Broken::StateMachine, Broken::CancelledStands] {
        let fails = orders.iter().filter(|order| ends(order, broken).is_err()).count();
        assert!(fails > 0, "no order found {broken:?}");
    }
}

#[test]
fn a_transfer_is_cancelled_by_the_sender_then_received() {
    let history = [Sends(0, 1), Talks(0), Talks(1), CallsOff(0), Talks(0), Receives(1), Talks(1), Talks(0)];
    holds_by(&history, Broken::StateMachine);
}

#[test]
fn a_transfer_is_received_then_cancelled_by_the_sender() {
    let history = [Sends(0, 1), Talks(0), Talks(1), Receives(1), Talks(1), CallsOff(0), Talks(0)];
    holds_by(&history, Broken::StateMachine);
}
