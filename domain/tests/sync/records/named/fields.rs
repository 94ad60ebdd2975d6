//! Fields that both sides write: only the hub decides, and nothing is lost.

use super::super::broken::Broken;
use super::super::script::Does::*;
use super::super::script::{holds, holds_by};

const MINUTE_MS: i64 = 60_000;
const DECADE_MS: i64 = 10 * 365 * 24 * 60 * MINUTE_MS;

#[test]
fn a_clock_ten_years_ahead_does_not_win_at_its_store() {
    let first = [ClockIsOff(0, DECADE_MS), Writes(0), Talks(0), Passes(1), Writes(1), Talks(1), Talks(0)];
    let history = first;
    holds_by(&history, Broken::StoresCompare);
}

#[test]
fn a_later_write_on_top_wins_whatever_its_stamp() {
    let ahead = [Writes(0), ClockIsOff(0, DECADE_MS), Writes(0), Pulls(0, 0), SaysHello(0), Arrives, Arrives];
    let history: Vec<_> = ahead.into_iter().chain([Writes(0), Talks(0)]).collect();
    holds_by(&history, Broken::NoBase);
}

#[test]
fn a_value_that_was_never_seen_is_not_replaced_silently() {
    let history = [Writes(0), Passes(1), OfficeWrites, OfficeWrites, SaysHello(0), Arrives, Arrives];
    let pulled = [Pulls(0, 2), Arrives, Arrives, Passes(1), Writes(0), Talks(0)];
    let history: Vec<_> = history.into_iter().chain(pulled).collect();
    holds_by(&history, Broken::BaseIsVersion);
}

#[test]
fn a_clock_that_was_set_right_stays_right() {
    let history = [ClockIsOff(1, DECADE_MS), Writes(1), Talks(1), Writes(1), Talks(1)];
    holds_by(&history, Broken::NoReset);
}

#[test]
fn a_clock_set_back_never_reorders_own_writes() {
    let history = [Writes(0), Passes(1), ClockIsOff(0, -DECADE_MS), Writes(0), Talks(0)];
    holds_by(&history, Broken::WallClock);
    let crashed = [Writes(0), ClockIsOff(0, -DECADE_MS), Crashes(0), Writes(0), Talks(0)];
    holds_by(&crashed, Broken::WallClock);
}

#[test]
fn a_stamp_years_ahead_never_counts() {
    let history = [ClockIsOff(0, DECADE_MS), Writes(0), Talks(0), Talks(1), Writes(1), Talks(1), Writes(0)];
    holds_by(&history, Broken::AheadCounts);
}

#[test]
fn fields_that_a_restored_hub_lost_go_back_to_it() {
    let history = [HubIsBackedUp, OfficeWrites, Talks(0), HubIsRestored];
    holds_by(&history, Broken::NothingGoesBack);
}

#[test]
fn fields_that_a_restored_hub_lost_go_back_although_their_clock_was_earlier() {
    // The clock of store 1 is off by less than the hub tolerates, so head office's stamp is the earlier one.
    let first = [ClockIsOff(1, 4 * MINUTE_MS), Writes(1), Talks(1), HubIsBackedUp];
    let history: Vec<_> = first.into_iter().chain([OfficeWrites, Talks(0), HubIsRestored]).collect();
    holds_by(&history, Broken::NothingGoesBack);
}

#[test]
fn an_own_write_that_lost_gives_way_although_its_answer_was_lost() {
    for off_ms in [0, 6 * MINUTE_MS, DECADE_MS] {
        let first = [ClockIsOff(0, off_ms), Writes(0), SaysHello(0), Arrives, Arrives, Pushes(0), Arrives];
        let lost = [GetsLost, Talks(1), Writes(1), Talks(1), Talks(0)];
        holds(&first.into_iter().chain(lost).collect::<Vec<_>>());
    }
}

#[test]
fn own_settings_that_lost_give_way() {
    let first = [OfficeSettlesLevel(0), Talks(0), SettlesLevel(0), Passes(1), OfficeSettlesLevel(0)];
    let history: Vec<_> = first.into_iter().chain([OfficeSettlesPlace(0), Talks(0)]).collect();
    holds(&history);
}

#[test]
fn a_setting_that_waits_is_not_taken_for_another_that_is_there() {
    let first = [OfficeSettlesPlace(0), Talks(0), SettlesPlace(0), SettlesLevel(0), Passes(1)];
    let history: Vec<_> = first.into_iter().chain([OfficeSettlesPlace(0), OfficeSettlesLevel(0)]).collect();
    holds(&history);
}

#[test]
fn a_setting_that_a_restored_hub_lost_goes_back() {
    holds(&[HubIsBackedUp, OfficeSettlesPlace(0), Talks(0), HubIsRestored]);
    holds(&[OfficeSettlesPlace(0), HubIsBackedUp, OfficeSettlesPlace(0), Talks(0), HubIsRestored]);
}

#[test]
fn a_write_that_arrives_twice_is_decided_once() {
    let sent = [Writes(0), SaysHello(0), Arrives, Arrives, Pushes(0), ArrivesAndStays, GetsLost, GivesUp(0)];
    let history: Vec<_> = sent.into_iter().chain([OfficeWrites, Arrives, HubRestarts, Arrives]).collect();
    holds(&history);
}

#[test]
fn a_write_on_top_stays_on_top_after_a_hub_restore() {
    // The store that wrote first has a clock that is ahead by less than the hub tolerates.
    let first = [HubIsBackedUp, ClockIsOff(1, 4 * MINUTE_MS), Writes(1), Talks(1), Talks(0), Writes(0)];
    let history: Vec<_> = first.into_iter().chain([Talks(0), HubIsRestored, Talks(0), Talks(1)]).collect();
    holds_by(&history, Broken::NothingMerged);
}
