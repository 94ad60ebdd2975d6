//! Machines that were cloned, and disks that were put back by hand.

use super::super::broken::Broken;
use super::super::script::Does::{self, *};
use super::super::script::{holds, holds_by};

#[test]
fn a_disk_put_back_by_hand() {
    let mut history = vec![Sells(0), Talks(0), IsBackedUp(0), Sells(0), Sells(0), Talks(0)];
    history.extend([IsPutBackByHand(0), Sells(1), Talks(1), Rejoins(1), Talks(1)]);
    holds_by(&history, Broken::Rejoin);
}

#[test]
fn a_clone_behind_ahead_and_both_ahead() {
    holds(&[Sells(0), Talks(0), IsCloned(0), Sells(0), Talks(0), Talks(1), Rejoins(1), Talks(1)]);
    holds(&[Sells(0), Talks(0), IsCloned(0), Sells(1), Talks(1), Talks(0), Rejoins(0), Talks(0)]);
    let both =
        [Sells(0), Talks(0), IsCloned(0), Sells(0), Sells(1), Talks(1), Sells(0), Talks(0), Rejoins(0)];
    holds_by(&both.into_iter().chain([Talks(0)]).collect::<Vec<_>>(), Broken::Rejoin);
}

#[test]
fn an_idle_copy_never_becomes_the_shop() {
    holds_by(&[IsCloned(0), Sells(1), Talks(1), Talks(0)], Broken::Takeover);
}

#[test]
fn a_backup_restored_beside_its_shop() {
    let mut history = vec![Sells(0), Talks(0), IsBackedUp(0), Sells(0), IsRestoredBeside, Sells(1)];
    history.extend([Talks(1), Sells(0), Talks(0), Rejoins(0), Talks(0)]);
    holds(&history);
}

/// Three copies with one sale that the hub lacks, and one without it that was quicker.
fn one_sale_on_two_fenced_copies() -> Vec<Does> {
    let mut history = vec![IsCloned(0), Sells(1), IsCloned(1), Sells(0), Talks(0)];
    for copy in [1, 2] {
        history.extend([Talks(copy), Rejoins(copy), Talks(copy)]);
    }
    history
}

#[test]
fn records_that_another_copy_brought_are_not_moved_again() {
    holds_by(&one_sale_on_two_fenced_copies(), Broken::MovesKnown);
}
