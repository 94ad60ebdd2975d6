//! Consequences of a restore from a backup (docs/protocol.md#generations-and-recovery).

use crate::model::base::event::{Event, Rows, fact};
use crate::model::books::register::Counters;
use crate::model::books::shift::{Shift, ShiftState};

/// The epoch after all known ones: highest number + 1, with a random part that no other copy has. None
/// where an epoch has no number.
pub fn next_epoch<'a>(known: impl Iterator<Item = &'a str>, random: u64) -> Option<String> {
    let numbers = known.map(|epoch| epoch.split_once('-')?.0.parse::<u64>().ok());
    let highest = numbers.collect::<Option<Vec<_>>>()?.into_iter().max()?;
    Some(format!("{}-{random:016x}", highest.checked_add(1)?))
}

/// Interrupts the open shifts, with all their unpaid transactions, and restarts the receipt counters: an epoch has its
/// own series. Z numbers continue.
pub fn restored(open: Vec<Shift>, counters: Vec<Counters>) -> Event {
    let interrupt = |shift| Shift { state: ShiftState::Interrupted, ..shift };
    Event::new(
        fact::Restored {},
        Rows {
            shifts: open.into_iter().map(interrupt).collect(),
            counters: counters.into_iter().map(|counters| Counters::new(counters.register_id)).collect(),
            ..Rows::default()
        },
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_as_numbers() {
        let next = |known: &[&str]| next_epoch(known.iter().copied(), 255);
        assert_eq!(next(&["1-0123456789abcdef"]).as_deref(), Some("2-00000000000000ff"));
        assert_eq!(next(&["9-ff", "10-00", "2-aa"]).as_deref(), Some("11-00000000000000ff"));
        assert_eq!(next(&["1-ff", "x"]), None);
        assert_eq!(next(&[]), None);
    }
}
