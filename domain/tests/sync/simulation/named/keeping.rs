//! Records that a store may delete, and the handling of gaps.

use super::super::broken::Broken;
use super::super::script::Does::*;
use super::super::script::{ends, holds, holds_by};

#[test]
fn the_older_of_two_backups_is_put_back() {
    let mut history = vec![HubIsBackedUp, Sells(0), Talks(0), HubIsBackedUp];
    history.extend([DaysPass(37), Crashes(0), Talks(0), HubIsRestoredFrom(0), Talks(0)]);
    holds_by(&history, Broken::Stable);
}

#[test]
fn a_young_backup_that_counts_no_more_is_put_back() {
    let mut history = vec![HubIsBackedUp, Sells(0), Talks(0), HubIsBackedUp, HubIsBackedUp];
    // By the store's clock ten years have passed since.
    history.extend([ClockIs(0, 3650), Crashes(0), Talks(0), HubIsRestoredFrom(0), Talks(0)]);
    holds_by(&history, Broken::Age);
}

#[test]
fn records_that_every_backup_holds_are_forgotten() {
    let mut history = vec![Sells(0), Talks(0), HubIsBackedUp, HubIsBackedUp, DaysPass(37), Crashes(0)];
    history.extend([Talks(0), HubIsRestoredFrom(0), Sells(0), Talks(0)]);
    holds(&history);
}

#[test]
fn a_gap_is_named_and_the_store_continues() {
    let mut history = vec![HubIsBackedUp, Sells(0), Talks(0), HubIsBackedUp, HubIsBackedUp];
    // Older than all kept backups, and than the days for which a store keeps its records.
    history.extend([DaysPass(37), Crashes(0), Talks(0), HubIsRestoredFrom(0), Sells(0), Talks(0)]);
    holds_by(&history, Broken::Gap);
    // A rebuilt store gets back the remaining records.
    history.extend([Burns(0), Sells(1), Talks(1)]);
    ends(&history, Broken::Nothing).unwrap();
}
