//! Receipt numbers: every epoch has its own series.

use super::super::broken::Broken;
use super::super::script::Does::*;
use super::super::script::holds_by;

#[test]
fn a_restored_till_gives_no_number_twice() {
    let mut history = vec![IsBackedUp(0), Sells(0), Sells(0), Sells(0), Sells(0)];
    history.extend([IsRestored(0), Sells(1), Talks(1)]);
    holds_by(&history, Broken::Receipts);
}

#[test]
fn no_clock_decides_on_a_number() {
    let history = [ClockIs(0, 3650), IsBackedUp(0), Sells(0), IsRestored(0), Sells(1), Talks(1)];
    holds_by(&history, Broken::ReceiptsByTime);
}

#[test]
fn a_box_without_a_past_does_not_begin_with_the_first_epoch() {
    holds_by(&[Sells(0), Talks(0), Burns(0), Sells(1), Talks(1)], Broken::Enrol);
}

#[test]
fn a_number_seen_twice_is_reported_and_blocks_nothing() {
    let mut history = vec![IsCloned(0), Sells(0), Sells(1), Talks(0)];
    history.extend([Talks(1), Rejoins(1), Talks(1)]);
    holds_by(&history, Broken::ParkBusiness);
}
