//! Histories that broke earlier rules (the protocol's model found them), each by its name. Where a rule is all
//! that stands between a history and a loss, the same history with that rule broken is seen to fail.

use super::hub::Broken;
use super::world::{Does, World};
use Does::*;

/// Runs a history to its quiet end.
fn ends(history: &[Does], broken: Broken) -> Result<(), String> {
    let mut world = World::new(7, broken);
    history.iter().for_each(|what| world.does(*what));
    world.finish().map_err(|what| format!("{what}\n{}", world.history.join("\n")))
}

#[track_caller]
fn holds(history: &[Does]) {
    if let Err(what) = ends(history, Broken::Nothing) {
        panic!("{what}");
    }
}

/// It holds by this rule, and only by it.
#[track_caller]
fn holds_by(history: &[Does], broken: Broken) {
    holds(history);
    assert!(ends(history, broken).is_err(), "{broken:?} went unseen");
}

#[test]
fn an_answer_is_lost_after_apply() {
    let history = [Talks(0), Sells(0), Pushes(0), Arrives, GetsLost, Crashes(0), Talks(0)];
    holds(&history);
}

#[test]
fn a_batch_arrives_twice() {
    let history =
        [Talks(0), Sells(0), Pushes(0), ArrivesAndStays, GetsLost, Arrives, GetsLost, Crashes(0), Talks(0)];
    holds_by(&history, Broken::Dedup);
}

#[test]
fn the_hub_dies_within_a_push() {
    let history = [Talks(0), Sells(0), Pushes(0), ArrivesAndKillsTheHub, Crashes(0), Talks(0)];
    holds_by(&history, Broken::CursorFirst);
}

#[test]
fn a_change_commits_after_a_later_one_was_read() {
    let history =
        [Talks(0), OfficeBegins, OfficeBegins, OfficeCommitsTheLast, Pulls(0), OfficeCommitsTheLast];
    holds_by(&history, Broken::BareFeed);
}

#[test]
fn the_tenth_epoch_is_after_the_ninth() {
    let mut history = vec![Sells(0), Talks(0), IsBackedUp(0)];
    for copy in 0..10 {
        // Backed up anew, so that each restore knows of one epoch more.
        history.extend([IsRestored(copy), Sells(copy + 1), Talks(copy + 1), IsBackedUp(copy + 1)]);
    }
    holds_by(&history, Broken::EpochText);
}

#[test]
fn a_store_restored_before_it_had_sent_everything() {
    holds(&[
        Sells(0),
        Talks(0),
        IsBackedUp(0),
        Sells(0),
        Sells(0),
        Talks(0),
        IsRestored(0),
        Sells(1),
        Talks(1),
    ]);
    holds(&[Sells(0), IsBackedUp(0), Sells(0), Talks(0), IsRestored(0), Sells(1), Talks(1)]);
}

#[test]
fn a_store_restored_twice_from_one_backup() {
    let once = [Sells(0), Talks(0), IsBackedUp(0), Sells(0), Talks(0), IsRestored(0), Sells(1), Talks(1)];
    let history: Vec<Does> = once.into_iter().chain([IsRestored(1), Sells(2), Talks(2)]).collect();
    holds_by(&history, Broken::OwnKnown);
}

#[test]
fn what_came_back_is_never_pushed_as_new() {
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
fn a_hub_restored_gets_back_what_it_lost() {
    holds(&[Sells(0), Talks(0), HubIsBackedUp, Sells(0), Talks(0), HubIsRestored, Sells(0), Talks(0)]);
    // In the middle of a push: what another generation acknowledged counts for nothing.
    holds(&[
        Talks(0),
        HubIsBackedUp,
        Sells(0),
        Pushes(0),
        Arrives,
        HubIsRestored,
        Arrives,
        Sells(0),
        Talks(0),
    ]);
}

#[test]
fn hub_and_store_restored_both() {
    let history = [Sells(0), Talks(0), IsBackedUp(0), HubIsBackedUp, Sells(0), Talks(0), IsRestored(0)];
    holds(
        &history
            .into_iter()
            .chain([Sells(1), Talks(1), HubIsRestored, Sells(1), Talks(1)])
            .collect::<Vec<_>>(),
    );
}

#[test]
fn a_disk_put_back_by_hand() {
    let history =
        [Sells(0), Talks(0), IsBackedUp(0), Sells(0), Sells(0), Talks(0), IsPutBackByHand(0), Sells(1)];
    holds_by(
        &history.into_iter().chain([Talks(1), Rejoins(1), Talks(1)]).collect::<Vec<_>>(),
        Broken::Rejoin,
    );
}

#[test]
fn a_clone_behind_ahead_and_both_ahead() {
    holds(&[Sells(0), Talks(0), IsCloned(0), Sells(0), Talks(0), Talks(1), Rejoins(1), Talks(1)]);
    holds(&[Sells(0), Talks(0), IsCloned(0), Sells(1), Talks(1), Talks(0), Rejoins(0), Talks(0)]);
    let both =
        [Sells(0), Talks(0), IsCloned(0), Sells(0), Sells(1), Talks(1), Sells(0), Talks(0), Rejoins(0)];
    holds_by(&both.into_iter().chain([Talks(0)]).collect::<Vec<_>>(), Broken::Rejoin);
}
