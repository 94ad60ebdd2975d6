//! Records that the hub parks.

use super::super::broken::Broken;
use super::super::script::Does::{self, *};
use super::super::script::{holds, holds_by};

#[test]
fn an_unreadable_record_does_not_block_other_records() {
    holds(&[Sells(0), SellsNewer(0), Voids(0), Sells(0), Talks(0), HubIsUpgraded, Voids(0), Talks(0)]);
}

#[test]
fn an_unreadable_record_is_replayed_after_a_restore() {
    let mut history = vec![SellsNewer(0), IsBackedUp(0), Talks(0), IsRestored(0), Voids(1), Talks(1)];
    history.extend([HubIsUpgraded, Sells(1), Talks(1)]);
    holds(&history);
}

#[test]
fn a_parked_event_comes_again_in_another_epoch() {
    let mut history = vec![HubIsBackedUp, IsCloned(0), Sells(0), SellsNewer(1), IsBackedUp(1)];
    // The clone is fenced, and moves its sale to its own epoch.
    history.extend([Talks(0), Talks(1), Rejoins(1), Talks(1)]);
    // The hub has lost both. A copy that has the sale in its first epoch connects before the other.
    history.extend([HubIsRestored, IsRestoredBeside, Talks(2), Talks(1)]);
    holds_by(&history, Broken::DupScope);
}

#[test]
fn records_of_a_document_keep_their_order_over_epochs() {
    let mut history = vec![Sells(0), Talks(0), CorrectsNewer(0), Talks(0), IsBackedUp(0)];
    history.extend([IsRestored(0), Corrects(1), Talks(1)]);
    holds_by(&history, Broken::ParkKeys);
}

/// A sale is moved behind its own void, because another copy has taken its place.
fn a_void_comes_before_its_sale() -> Vec<Does> {
    let mut history = vec![IsCloned(0), Sells(1), IsBackedUp(1), IsRestored(1), Voids(2)];
    history.extend([Sells(0), Talks(0), Talks(2)]);
    history
}

#[test]
fn a_waiting_record_is_tried_when_its_predecessor_arrives() {
    holds_by(&a_void_comes_before_its_sale(), Broken::RetryParked);
}

#[test]
fn a_waiting_record_does_not_block_later_records() {
    holds_by(&a_void_comes_before_its_sale(), Broken::WaitingBlocks);
}
