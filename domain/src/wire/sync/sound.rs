//! Bounds of the hub's answers. One beyond them is not the hub's: it is not used, and asked for again.

use crate::model::base::time::UtcMs;
use crate::model::hub::sync::ConflictDown;
use crate::wire::feed::PullAnswer;
use crate::wire::feed::check::MOMENTS;
use crate::wire::sync::{
    ChainHead, DigestAnswer, Enrolled, FoundMember, HelloAnswer, OwnAnswer, PUSH_EVENTS_MAX, Parked,
    PushAnswer, ReleasedReceipt, ReservedReceipt, SnapshotAnswer,
};

/// Most changes of the feed in one answer.
pub const CHANGES_MAX: usize = 500;

/// The longest cursor, page and generation, in bytes.
const CURSOR_BYTES_MAX: usize = 2048;

/// The longest ID, hash, code and name of a field, in bytes.
const WORD_BYTES_MAX: usize = 256;

/// Most epochs, conflicts, versions and parked records that an answer names.
const NAMED_MAX: usize = 10_000;

/// The highest number of an epoch: each is one more than the one before, and none opens by the second.
const EPOCH_MAX: u64 = 1_000_000_000;

/// An answer of the hub.
pub trait Sound {
    /// Whether it is one that a hub could have given.
    ///
    /// # Errors
    /// What is beyond its bounds, for a person.
    fn sound(&self) -> Result<(), &'static str>;
}

fn holds(holds: bool, problem: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(problem) }
}

fn time(at: UtcMs) -> Result<(), &'static str> {
    holds(MOMENTS.contains(&at.0), "its time is not between the years 2000 and 2200")
}

/// Checks the text of a cursor, which goes back to the hub in an address.
fn cursor(text: &str) -> Result<(), &'static str> {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
    holds(text.len() <= CURSOR_BYTES_MAX && text.chars().all(safe), "a cursor or generation is not valid")
}

fn check_word(text: &str) -> Result<(), &'static str> {
    holds(text.len() <= WORD_BYTES_MAX && !text.chars().any(char::is_control), "an id or a hash is too long")
}

fn count(count: usize, most: usize) -> Result<(), &'static str> {
    holds(count <= most, "a list in it is too long")
}

fn head(head: &ChainHead) -> Result<(), &'static str> {
    check_word(&head.epoch).and_then(|()| check_word(&head.hash))
}

fn conflict(conflict: &ConflictDown) -> Result<(), &'static str> {
    let ConflictDown { conflict_id, resource, id, winner, lost_fields, kept_fields, resolved_at } = conflict;
    holds(
        lost_fields.len() == 1 && lost_fields.keys().eq(kept_fields.keys()),
        "a conflict is not about one field",
    )?;
    let words = [conflict_id, resource, id, winner].into_iter().chain(lost_fields.keys());
    words.into_iter().try_for_each(|text| check_word(text))?;
    time(*resolved_at)
}

fn parked_record(parked: &Parked) -> Result<(), &'static str> {
    check_word(&parked.event_id)?;
    check_word(&parked.code)
}

impl Sound for HelloAnswer {
    fn sound(&self) -> Result<(), &'static str> {
        holds(self.n <= EPOCH_MAX, "the number of its epoch is not valid")?;
        count(self.heads.len(), NAMED_MAX)?;
        self.heads.iter().try_for_each(head)?;
        cursor(&self.hub_generation)?;
        time(self.hub_time)?;
        let (limits, parked) = (&self.limits, self.parked.as_deref().unwrap_or_default());
        holds(limits.batch_events > 0 && limits.batch_bytes > 0, "its limits for a batch are 0")?;
        count(parked.len(), NAMED_MAX)?;
        parked.iter().try_for_each(|at| {
            check_word(&at.epoch)?;
            time(at.parked_at)?;
            parked_record(&at.parked)
        })?;
        count(self.conflicts.len(), NAMED_MAX)?;
        self.conflicts.iter().try_for_each(conflict)
    }
}

impl Sound for PushAnswer {
    fn sound(&self) -> Result<(), &'static str> {
        check_word(&self.epoch)?;
        check_word(&self.acked_hash)?;
        cursor(&self.hub_generation)?;
        count(self.parked.len(), PUSH_EVENTS_MAX)?;
        self.parked.iter().try_for_each(parked_record)?;
        count(self.conflicts.len(), NAMED_MAX)?;
        self.conflicts.iter().try_for_each(conflict)?;
        count(self.versions.len(), NAMED_MAX)?;
        let words = |version: &crate::wire::feed::RecordVersion| {
            [&version.kind, &version.id, &version.version].into_iter().try_for_each(|text| check_word(text))
        };
        self.versions.iter().try_for_each(words)?;
        time(self.hub_time)
    }
}

impl Sound for PullAnswer {
    fn sound(&self) -> Result<(), &'static str> {
        count(self.changes.len(), CHANGES_MAX)?;
        cursor(&self.next_cursor)?;
        cursor(&self.hub_generation)?;
        time(self.hub_time)
    }
}

impl Sound for SnapshotAnswer {
    fn sound(&self) -> Result<(), &'static str> {
        count(self.changes.len(), CHANGES_MAX)?;
        cursor(self.next_page.as_deref().unwrap_or_default())?;
        cursor(&self.cursor)?;
        cursor(&self.hub_generation)?;
        time(self.hub_time)
    }
}

impl Sound for OwnAnswer {
    fn sound(&self) -> Result<(), &'static str> {
        [&self.epoch, &self.prev_hash].into_iter().try_for_each(|text| check_word(text))?;
        count(self.events.len(), NAMED_MAX)?;
        count(self.holes.len(), NAMED_MAX)?;
        head(&self.head)?;
        cursor(&self.hub_generation)?;
        time(self.hub_time)
    }
}

impl Sound for DigestAnswer {
    fn sound(&self) -> Result<(), &'static str> {
        cursor(&self.hub_generation)?;
        time(self.hub_time)
    }
}

impl Sound for Enrolled {
    fn sound(&self) -> Result<(), &'static str> {
        holds(self.n <= EPOCH_MAX, "the number of its epoch is not valid")?;
        holds(!self.hub_id.is_empty(), "its hub_id is empty")?;
        check_word(&self.hub_id)?;
        cursor(&self.hub_generation)
    }
}

impl Sound for ReservedReceipt {
    fn sound(&self) -> Result<(), &'static str> {
        time(self.hub_time)
    }
}

impl Sound for FoundMember {
    fn sound(&self) -> Result<(), &'static str> {
        count(self.changes.len(), CHANGES_MAX)?;
        cursor(&self.hub_generation)?;
        time(self.hub_time)
    }
}

impl Sound for ReleasedReceipt {
    fn sound(&self) -> Result<(), &'static str> {
        time(self.hub_time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::feed::Coverage;
    use crate::wire::sync::{Directive, Limits, ParkedSince};

    fn pull() -> PullAnswer {
        PullAnswer {
            changes: Vec::new(),
            next_cursor: "g1.5.ab".into(),
            more: false,
            coverage: Coverage::default(),
            hub_generation: "g1".into(),
            hub_time: UtcMs(1_795_140_394_739),
        }
    }

    fn hello() -> HelloAnswer {
        HelloAnswer {
            directive: Directive::Ok,
            n: 1,
            heads: Vec::new(),
            hub_generation: "g1".into(),
            hub_time: UtcMs(1_795_140_394_739),
            limits: Limits::default(),
            parked: None,
            conflicts: Vec::new(),
        }
    }

    #[test]
    fn answers_beyond_their_bounds_are_no_answers() {
        assert_eq!((pull().sound(), hello().sound()), (Ok(()), Ok(())));
        for wrong in [
            PullAnswer { next_cursor: "x".repeat(3000), ..pull() },
            PullAnswer { next_cursor: "a b".into(), ..pull() },
            PullAnswer { hub_generation: "\u{0}".into(), ..pull() },
            PullAnswer { hub_time: UtcMs(i64::MAX), ..pull() },
            PullAnswer { hub_time: UtcMs(0), ..pull() },
        ] {
            assert!(wrong.sound().is_err(), "{wrong:?}");
        }
        let at = |epoch: &str| ParkedSince {
            epoch: epoch.to_owned(),
            parked_at: UtcMs(1_795_140_394_739),
            parked: Parked {
                seq: 1,
                event_id: "evt_1".to_owned(),
                code: "unknown_type".to_owned(),
                message: "?".to_owned(),
            },
        };
        let parked = |epoch: &str, count: usize| Some(vec![at(epoch); count]);
        let sound = HelloAnswer { parked: parked("1-a", NAMED_MAX), ..hello() };
        assert_eq!(sound.sound(), Ok(()));
        for wrong in [
            HelloAnswer { n: u64::MAX, ..hello() },
            HelloAnswer { parked: parked("1-a", NAMED_MAX + 1), ..hello() },
            HelloAnswer { parked: parked(&"x".repeat(300), 1), ..hello() },
            HelloAnswer { limits: Limits { batch_events: 0, ..Limits::default() }, ..hello() },
            HelloAnswer { limits: Limits { batch_bytes: 0, ..Limits::default() }, ..hello() },
        ] {
            assert!(wrong.sound().is_err());
        }
    }
}
