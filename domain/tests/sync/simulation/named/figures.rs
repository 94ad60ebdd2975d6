//! Figures that a store shows and proves: points and digests.

use super::super::broken::Broken;
use super::super::script::Does::*;
use super::super::script::holds_by;

#[test]
fn a_balance_lacks_what_is_parked() {
    holds_by(&[SellsNewer(0), Talks(0), PullsPoints(0)], Broken::Missing);
}

#[test]
fn a_balance_that_was_read_before_the_last_sales_counts_them_on_top() {
    let history = [Sells(0), Talks(0), ReadsPoints, Sells(0), Talks(0), Sells(0), PullsReadPoints(0)];
    holds_by(&history, Broken::IncludesTorn);
}

#[test]
fn a_balance_covers_every_epoch() {
    let history = [Sells(0), Talks(0), IsBackedUp(0), IsRestored(0), Talks(1), PullsPoints(1)];
    holds_by(&history, Broken::IncludesCurrent);
}

#[test]
fn a_balance_covers_own_records_only() {
    let mut history = vec![IsCloned(0)];
    for copy in [0, 1] {
        history.extend([SaysHello(copy), Arrives, Arrives, Sells(copy)]);
    }
    history.extend([Pushes(0), Arrives, Arrives, PullsPoints(1)]);
    holds_by(&history, Broken::IncludesHash);
}

#[test]
fn points_of_a_moved_record_count_once() {
    let mut history = vec![Sells(0), Talks(0), IsCloned(0), Sells(0), Sells(1), Sells(1), Talks(0)];
    history.extend([Talks(1), Rejoins(1), Talks(1), PullsPoints(1)]);
    holds_by(&history, Broken::FirstPlace);
}

#[test]
fn a_digest_counts_every_epoch() {
    let history = [Sells(0), Talks(0), IsBackedUp(0), IsRestored(0), Sells(1), Talks(1), Proves(1)];
    holds_by(&history, Broken::DigestOfEpoch);
}

#[test]
fn a_digest_counts_what_is_parked() {
    holds_by(&[SellsNewer(0), Talks(0), Proves(0)], Broken::DigestApplied);
}

#[test]
fn a_digest_goes_as_far_as_the_store_says() {
    let history = [Sells(0), Talks(0), Sells(0), Pushes(0), Arrives, Proves(0)];
    holds_by(&history, Broken::DigestAhead);
}

#[test]
fn a_digest_is_counted_anew_when_the_hubs_copy_is_as_long() {
    let mut history = vec![HubIsBackedUp, IsCloned(0), Sells(0), Sells(1), Talks(1), Proves(1)];
    // The hub has lost this, and accepts the other copy's sale with the same numbers.
    history.extend([HubIsRestored, Talks(0), Talks(1), Rejoins(1), Talks(1), Proves(1)]);
    holds_by(&history, Broken::Recount);
}

#[test]
fn a_digest_counts_an_event_once_whatever_epochs_it_stands_in() {
    let mut history = vec![HubIsBackedUp, IsCloned(0), Sells(0), Sells(1), IsBackedUp(1)];
    history.extend([Talks(0), Talks(1), Rejoins(1), Talks(1)]);
    // The sale is moved to the clone's epoch. Then another copy pushes it from its first epoch.
    history.extend([HubIsRestored, IsRestoredBeside, Talks(2), Talks(1)]);
    holds_by(&history, Broken::CountTwice);
}
