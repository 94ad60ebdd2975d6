//! Deny wins until a person at head office grants access again.

use super::super::broken::Broken;
use super::super::script::Does::*;
use super::super::script::{holds, holds_by};

#[test]
fn no_event_of_a_store_lifts_a_denial() {
    let history = [StoreRenames(0), OfficeDenies(0), Talks(0)];
    holds_by(&history, Broken::StoreLifts);
}

#[test]
fn a_store_refuses_users_whom_head_office_denies() {
    let history = [OfficeDenies(0), Talks(0), StoreLetsIn(0)];
    holds_by(&history, Broken::StoreLiftsHere);
}

#[test]
fn a_denial_that_a_restored_hub_has_lost_goes_back() {
    let history = [HubIsBackedUp, OfficeDenies(0), Talks(0), HubIsRestored];
    holds_by(&history, Broken::NothingGoesBack);
}

#[test]
fn a_denial_of_a_hub_put_back_by_hand_goes_back() {
    let history = [HubIsBackedUp, OfficeDenies(0), Talks(0), HubIsPutBack];
    holds_by(&history, Broken::BareCursor);
}

#[test]
fn a_person_at_head_office_grants_again() {
    let again = [OfficeDenies(0), Talks(0), OfficeGrants(0), Talks(0), IsLetIn(0)];
    holds(&again);
    let lost = [OfficeDenies(0), OfficeGrants(0), HubIsBackedUp, OfficeDenies(0), Talks(0), HubIsRestored];
    holds(&lost.into_iter().chain([Talks(0), OfficeGrants(0), Talks(0), IsLetIn(0)]).collect::<Vec<_>>());
}

#[test]
fn a_denial_of_the_store_is_one_of_head_office_too() {
    let history = [StoreKeepsOut(0), StoreLetsIn(0), StoreKeepsOut(0), Talks(0), StoreLetsIn(0)];
    holds(&history);
    holds(&history.into_iter().chain([OfficeGrants(0), Talks(0), IsLetIn(0)]).collect::<Vec<_>>());
}
