//! Stores and hubs that were restored.

use super::super::broken::Broken;
use super::super::script::Does::{self, *};
use super::super::script::{holds, holds_by};

#[test]
fn the_tenth_epoch_is_after_the_ninth() {
    let mut history = vec![Sells(0), Talks(0), IsBackedUp(0)];
    for copy in 0..10 {
        // Backed up again, so that each restore knows of one more epoch.
        history.extend([IsRestored(copy), Sells(copy + 1), Talks(copy + 1), IsBackedUp(copy + 1)]);
    }
    holds_by(&history, Broken::EpochText);
}

#[test]
fn two_restores_from_one_backup_have_one_number() {
    let history = [IsBackedUp(0), IsRestored(0), Talks(1), IsRestored(1), Sells(2), Talks(2)];
    holds_by(&history, Broken::EpochEq);
}

#[test]
fn a_store_restored_before_it_had_sent_everything() {
    let mut history = vec![Sells(0), Talks(0), IsBackedUp(0), Sells(0), Sells(0), Talks(0)];
    history.extend([IsRestored(0), Sells(1), Talks(1)]);
    holds(&history);
    holds(&[Sells(0), IsBackedUp(0), Sells(0), Talks(0), IsRestored(0), Sells(1), Talks(1)]);
}

#[test]
fn a_store_restored_twice_from_one_backup() {
    let once = [Sells(0), Talks(0), IsBackedUp(0), Sells(0), Talks(0), IsRestored(0), Sells(1), Talks(1)];
    let history: Vec<Does> = once.into_iter().chain([IsRestored(1), Sells(2), Talks(2)]).collect();
    holds_by(&history, Broken::OwnKnown);
}

#[test]
fn recovered_records_are_never_pushed_as_new() {
    let history = [Sells(0), Talks(0), Sells(0), Talks(0), Burns(0), Sells(1), Talks(1)];
    holds_by(&history, Broken::OwnAsNew);
}

#[test]
fn a_box_burns_after_a_restore() {
    let history = [Sells(0), Talks(0), IsBackedUp(0), Sells(0), Talks(0), IsRestored(0), Sells(1), Talks(1)];
    let history: Vec<Does> = history.into_iter().chain([Burns(1), Sells(2), Talks(2)]).collect();
    holds_by(&history, Broken::OwnKnown);
}

#[test]
fn a_box_burns_while_its_clone_has_the_old_key() {
    let mut history = vec![Sells(0), IsCloned(0), Sells(1), Burns(0), Sells(2), Talks(2)];
    // The store is refused until it is enrolled, and is then only a copy.
    history.extend([Talks(1), IsEnrolled(1), Talks(1), Rejoins(1), Talks(1)]);
    holds(&history);
}

#[test]
fn a_hub_restored_gets_back_what_it_lost() {
    holds(&[Sells(0), Talks(0), HubIsBackedUp, Sells(0), Talks(0), HubIsRestored, Sells(0), Talks(0)]);
    // During a push: acknowledgements of another generation do not count.
    let mut history = vec![Talks(0), HubIsBackedUp, Sells(0), Pushes(0), Arrives];
    history.extend([HubIsRestored, Arrives, Sells(0), Talks(0)]);
    holds(&history);
}

#[test]
fn hub_and_store_restored_both() {
    let mut history = vec![Sells(0), Talks(0), IsBackedUp(0), HubIsBackedUp, Sells(0), Talks(0)];
    history.extend([IsRestored(0), Sells(1), Talks(1), HubIsRestored, Sells(1), Talks(1)]);
    holds(&history);
}

#[test]
fn no_shift_continues_after_a_restore() {
    let mut history = vec![Sells(0), IsBackedUp(0), Sells(0), Talks(0)];
    // Sales made in it since are not known here yet.
    history.extend([IsRestored(0), ClosesShift(1), Talks(1)]);
    holds_by(&history, Broken::Shifts);
}

#[test]
fn clocks_are_ten_years_off() {
    for days in [3650, -3650] {
        let mut history = vec![ClockIs(0, days), Sells(0), Talks(0), IsBackedUp(0), ClockIs(0, -days)];
        history.extend([Sells(0), ClosesShift(0), Talks(0), IsRestored(0), Sells(1), Talks(1), Proves(1)]);
        holds(&history);
    }
}
