//! The events that decide where the chains and the clock continue.

use domain::model::base::event::{Event, Fact};
use domain::model::hub::sync::local::{Change, RecoveryPosition};

/// The epoch that one of the events opens.
pub fn opened_epoch(events: &[Event]) -> Option<String> {
    events.iter().find_map(|event| match &event.fact {
        Fact::EpochOpened(it) => Some(it.epoch.clone()),
        _ => None,
    })
}

/// The place of a commit's records, if not at the end of the current epoch.
pub fn recovery(events: &[Event]) -> Option<RecoveryPosition> {
    changes(events).find_map(|change| match change {
        Change::Refill { refill } => Some(refill.clone()),
        _ => None,
    })
}

/// The stamp that a correction of the hybrid clock continues from.
pub fn reset_clock(events: &[Event]) -> Option<String> {
    changes(events).find_map(|change| match change {
        Change::ClockReset { hlc } => Some(hlc.clone()),
        _ => None,
    })
}

fn changes(events: &[Event]) -> impl Iterator<Item = &Change> {
    events.iter().filter_map(|event| match &event.fact {
        Fact::SyncChanged(it) => Some(&it.change),
        _ => None,
    })
}
