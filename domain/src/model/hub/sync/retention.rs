//! The records of an epoch that a store still offers. It forgets a record only when the record was acknowledged, is
//! contained in every backup that the hub keeps, and was acknowledged long enough ago, hub time to hub time
//! (docs/protocol.md#generations-and-recovery). Its segments stay.

use crate::model::base::time::UtcMs;
use crate::model::hub::stamp::AckMark;
use serde::{Deserialize, Serialize};

/// Most noted acknowledgements: beyond it older ones are forgotten, which only keeps records for longer.
const NOTED_MAX: usize = 400;

/// A day, in milliseconds: acknowledgements that are noted with their time lie at least this far apart.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Fewest verified backups of the hub that allow anything to be forgotten.
pub const BACKUPS_MIN: usize = 2;

/// Up to where an epoch is contained in every kept backup. `inside`: how far each of them is; 0 where it does
/// not know the epoch.
pub fn stable_seq(inside: &[u64]) -> u64 {
    if inside.len() < BACKUPS_MIN { 0 } else { inside.iter().copied().min().unwrap_or_default() }
}

/// So much was acknowledged by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AckedAt {
    /// When it was acknowledged, in hub time.
    pub at: UtcMs,
    pub seq: u64,
}

/// Part of an epoch that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Retention {
    /// Name of the epoch.
    pub epoch: String,
    /// The lowest seq that is still offered; 0 as 1: all of them.
    pub min_kept_seq: u64,
    /// The hub's generation: acknowledgements of another one are ignored.
    pub generation: String,
    /// Acknowledgements whose records were not forgotten yet, oldest first.
    pub acked: Vec<AckedAt>,
}

impl Retention {
    /// State after an answer of a hub of this generation that acknowledged up to a position at its time. `certain` is
    /// the part of that time that is trusted, so that a clock that jumps ahead does not make records look old.
    #[must_use]
    pub fn after(
        &self,
        mark: &AckMark,
        generation: &str,
        (hub_time, certain): (UtcMs, UtcMs),
        retain_days: u32,
    ) -> Self {
        let mut kept = Self { epoch: mark.epoch.clone(), ..self.clone() };
        if kept.generation != generation {
            generation.clone_into(&mut kept.generation);
            kept.acked.clear();
        }
        // Acknowledgements noted during a jump would keep records for as long as the clock was ahead.
        kept.acked.retain(|noted| noted.seq <= mark.seq && noted.at <= hub_time);
        let due = |last: &AckedAt| hub_time.0.saturating_sub(last.at.0) >= DAY_MS;
        if kept.acked.last().is_none_or(|last| last.seq < mark.seq && due(last)) {
            kept.acked.push(AckedAt { at: hub_time, seq: mark.seq });
        }
        if kept.acked.len() > NOTED_MAX {
            kept.acked.remove(0);
        }
        let retain = DAY_MS.saturating_mul(i64::from(retain_days));
        let old = |noted: &&AckedAt| certain.0.saturating_sub(noted.at.0) > retain;
        let acked = kept.acked.iter().filter(old).map(|noted| noted.seq).max();
        let forgotten = acked.unwrap_or_default().min(mark.seq).min(mark.stable_seq);
        kept.min_kept_seq = kept.min_kept_seq.max(forgotten.saturating_add(1));
        kept.acked.retain(|noted| noted.seq >= kept.min_kept_seq);
        kept
    }

    /// Lowest sequence number that the store can still send.
    pub fn first(&self) -> u64 {
        self.min_kept_seq.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(seq: u64, stable_seq: u64) -> AckMark {
        AckMark { epoch: "1-a".to_owned(), seq, hash: "h".to_owned(), stable_seq }
    }

    /// A clock that is certain.
    fn at(now: UtcMs) -> (UtcMs, UtcMs) {
        (now, now)
    }

    #[test]
    fn a_clock_that_jumps_forgets_nothing_and_keeps_nothing_for_longer() {
        let day = |days: i64| UtcMs(days * DAY_MS);
        let start = Retention::default().after(&mark(10, 10), "g", at(day(0)), 35);
        let jumped = start.after(&mark(20, 20), "g", (day(400), day(1)), 35);
        assert_eq!((jumped.first(), jumped.acked.len()), (1, 2));
        let back = jumped.after(&mark(20, 20), "g", at(day(2)), 35);
        assert_eq!(back.first(), 1);
        assert_eq!(back.after(&mark(20, 20), "g", at(day(36)), 35).first(), 11);
        assert_eq!(back.after(&mark(20, 20), "g", at(day(38)), 35).first(), 21);
    }

    #[test]
    fn a_record_is_forgotten_only_under_all_three_conditions() {
        let day = |days: i64| UtcMs(days * DAY_MS);
        let start = Retention::default().after(&mark(10, 0), "g1", at(day(0)), 35);
        assert_eq!((start.first(), start.acked.len()), (1, 1));
        // Long enough ago, but not in every backup; in every backup, but not long enough ago.
        assert_eq!(start.after(&mark(20, 0), "g1", at(day(36)), 35).first(), 1);
        assert_eq!(start.after(&mark(20, 20), "g1", at(day(35)), 35).first(), 1);
        // Both: as far as it had been acknowledged by then, and as far as the backups go.
        assert_eq!(start.after(&mark(20, 20), "g1", at(day(36)), 35).first(), 11);
        assert_eq!(start.after(&mark(20, 4), "g1", at(day(36)), 35).first(), 5);
        // The rest follows when its time has come, or the backups'.
        let some = start.after(&mark(20, 4), "g1", at(day(36)), 35);
        assert_eq!(some.after(&mark(20, 20), "g1", at(day(37)), 35).first(), 11);
        assert_eq!(some.after(&mark(20, 20), "g1", at(day(72)), 35).first(), 21);
    }

    #[test]
    fn another_generation_voids_what_was_acknowledged_and_never_what_was_forgotten() {
        let before = Retention::default().after(&mark(10, 0), "g1", at(UtcMs(0)), 0);
        let forgot = before.after(&mark(10, 6), "g1", at(UtcMs(1)), 0);
        assert_eq!(forgot.first(), 7);
        let restored = forgot.after(&mark(3, 10), "g2", at(UtcMs(2)), 0);
        assert_eq!(
            (restored.first(), restored.acked.len()),
            (7, 0),
            "it has less, and nothing is noted twice"
        );
        let again = restored.after(&mark(12, 12), "g2", at(UtcMs(3)), 0);
        assert_eq!(again.first(), 7, "acknowledged just now");
        assert_eq!(again.after(&mark(12, 12), "g2", at(UtcMs(4)), 0).first(), 13);
    }

    #[test]
    fn acknowledgements_are_noted_now_and_then() {
        let mut kept = Retention::default();
        for hour in 0..1_000_u64 {
            let now = UtcMs(i64::try_from(hour).unwrap_or_default() * DAY_MS / 24);
            kept = kept.after(&mark(hour + 1, 0), "g", at(now), 35);
        }
        assert_eq!(kept.acked.len(), 42);
    }
}
