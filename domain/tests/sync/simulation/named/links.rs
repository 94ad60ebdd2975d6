//! Messages that are lost, late or duplicated, or whose receiver dies.

use super::super::broken::Broken;
use super::super::script::Does::*;
use super::super::script::{holds, holds_by};

#[test]
fn an_answer_is_lost_after_apply() {
    holds(&[Talks(0), Sells(0), Pushes(0), Arrives, GetsLost, Crashes(0), Talks(0)]);
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
fn an_acknowledgement_of_another_history_moves_nothing() {
    let mut history = vec![Sells(0), IsCloned(0)];
    for copy in [0, 1] {
        history.extend([SaysHello(copy), Arrives, Arrives, Sells(copy)]);
    }
    history.extend([Pushes(0), Arrives, Arrives]);
    // The hub's records also end where this copy ends, but with a different record.
    history.extend([PushesOne(1), Arrives, Arrives]);
    holds_by(&history, Broken::AckHash);
}

#[test]
fn a_push_of_a_dead_box_arrives_after_its_successor_spoke() {
    let mut history = vec![Sells(0), Talks(0), IsBackedUp(0), IsRestored(0)];
    history.extend([SaysHello(1), Arrives, Arrives, Sells(1), Pushes(1)]);
    // In the meantime that machine is lost, too.
    history.extend([IsRestored(1), Talks(2), Arrives, Crashes(2), Talks(2)]);
    holds_by(&history, Broken::FenceAtPush);
}
