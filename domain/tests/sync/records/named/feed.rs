//! Histories in which a feed could skip a change or bring an old one back. Each fails with the defect that it names.

use super::super::broken::Broken;
use super::super::script::Does::*;
use super::super::script::{holds, holds_by};

/// Index of the lane of suppliers.
const REST: usize = 3;

#[test]
fn a_change_commits_after_a_later_one_was_read() {
    let history = [OfficeBegins(0), OfficeBegins(1), OfficeCommitsTheLast, Talks(0), OfficeCommitsTheLast];
    holds_by(&history, Broken::BareFeed);
}

#[test]
fn a_hub_put_back_by_hand_lacks_what_was_read() {
    let history = [HubIsBackedUp, OfficeBegins(0), OfficeCommitsTheLast, Talks(0), HubIsPutBack];
    holds_by(&history, Broken::BareCursor);
}

#[test]
fn a_hub_put_back_by_hand_has_other_changes_below_the_cursor() {
    let first = [OfficeBegins(0), OfficeCommitsTheLast, HubIsBackedUp, OfficeBegins(1), OfficeCommitsTheLast];
    let history: Vec<_> =
        first.into_iter().chain([Talks(0), HubIsPutBack, OfficeBegins(2), OfficeCommitsTheLast]).collect();
    holds_by(&history, Broken::BareCursor);
}

#[test]
fn a_change_commits_while_a_snapshot_is_read() {
    let first = [OfficeBegins(0), OfficeBegins(1), OfficeBegins(2)];
    let commits = [OfficeCommitsTheLast, OfficeCommitsTheLast, OfficeCommitsTheLast, Talks(0), HubIsBackedUp];
    let anew = [HubIsRestored, SaysHello(0), Arrives, Arrives, Pulls(0, REST), Arrives, Arrives];
    let first_page = [Pulls(0, REST), Arrives, Arrives, OfficeBegins(0), OfficeCommitsTheLast];
    let last_page = [Pulls(0, REST), Arrives, Arrives];
    let history = first.into_iter().chain(commits).chain(anew).chain(first_page).chain(last_page);
    holds_by(&history.collect::<Vec<_>>(), Broken::LateCursor);
}

#[test]
fn a_page_comes_late_behind_a_newer_one() {
    let asked =
        [OfficeBegins(0), OfficeCommitsTheLast, SaysHello(0), Arrives, Arrives, Pulls(0, REST), Arrives];
    let newer = [OfficeBegins(0), OfficeCommitsTheLast, SaysHello(0), Arrives, Arrives, Pulls(0, REST)];
    let history: Vec<_> = asked.into_iter().chain(newer).chain([Arrives, Arrives, OldestArrives]).collect();
    holds(&history);
}

#[test]
fn a_store_dies_between_a_page_and_its_cursor() {
    let history =
        [OfficeBegins(0), OfficeCommitsTheLast, SaysHello(0), Arrives, Arrives, Pulls(0, REST), Arrives];
    for commits in 0..3 {
        let history: Vec<_> = history.into_iter().chain([ArrivesAndKills(commits)]).collect();
        holds(&history);
    }
    let history: Vec<_> = history.into_iter().chain([ArrivesAndKills(1)]).collect();
    holds_by(&history, Broken::CursorFirst);
}
