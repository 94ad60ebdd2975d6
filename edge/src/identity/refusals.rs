//! Refusals on their way into the audit log: counted by who, from where and why, and written down once a
//! minute. A client that is refused a million times must not fill the disk: the rows are few, the counts are exact.

use domain::model::base::ids::UserId;
use domain::model::base::time::UtcMs;
use domain::model::people::audit::AuditEntry;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Interval in milliseconds at which they are written into the audit log.
pub const EVERY_MS: i64 = 60_000;
/// Most kinds that are distinguished between two writes; further kinds are counted together.
pub const KINDS_MAX: usize = 256;
/// Rows that may be written at once, after a quiet time.
pub const ROWS_MAX: usize = 60;
/// A row more may be written after so long, in milliseconds: at most 1,440 a day in the long run.
pub const ROW_EVERY_MS: i64 = 60_000;

/// The action of a log-in that was refused.
pub const LOG_IN: &str = "log_in.refused";
/// The action of an approval that was refused.
pub const APPROVAL: &str = "approval.refused";
/// The action of a request that its caller's role has no part in.
pub const REQUEST: &str = "request.refused";

/// Key by which refusals are distinguished.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    action: &'static str,
    /// Empty if the user is unknown. Never the typed name: users type passwords into that field.
    user_id: UserId,
    address: IpAddr,
    why: &'static str,
}

#[derive(Debug, Clone, Copy)]
struct Count {
    times: u64,
    first: UtcMs,
    last: UtcMs,
}

impl Count {
    fn once(now: UtcMs) -> Self {
        Self { times: 1, first: now, last: now }
    }

    fn and(&mut self, other: Self) {
        self.times = self.times.saturating_add(other.times);
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }
}

/// Refusals that are not in the audit log yet.
#[derive(Debug, Default)]
pub struct Refusals(Mutex<Counting>);

#[derive(Debug, Default)]
struct Counting {
    kinds: BTreeMap<Kind, Count>,
    /// Refusals without a kind or a row of their own.
    others: Option<Count>,
    written: Option<UtcMs>,
    /// When a row was last given to the allowance, and how many were used since.
    used: usize,
    given: Option<UtcMs>,
}

impl Refusals {
    /// Counts a refusal.
    pub fn add(
        &self,
        action: &'static str,
        user_id: Option<&UserId>,
        address: IpAddr,
        why: &'static str,
        now: UtcMs,
    ) {
        let user_id = user_id.cloned().unwrap_or_default();
        let kind = Kind { action, user_id, address: address.to_canonical(), why };
        let mut counting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counting.written.get_or_insert(now);
        let room = counting.kinds.len() < KINDS_MAX;
        match counting.kinds.get_mut(&kind) {
            Some(count) => count.and(Count::once(now)),
            None if room => drop(counting.kinds.insert(kind, Count::once(now))),
            None => counting.together(Count::once(now)),
        }
    }

    /// Entries to record now; empty before their time.
    pub fn due(&self, now: UtcMs) -> Vec<AuditEntry> {
        let mut counting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let since_ms = counting.written.map_or(0, |at| now.0.saturating_sub(at.0));
        // Negative: the clock was set back.
        if (0..EVERY_MS).contains(&since_ms) { Vec::new() } else { counting.take(now) }
    }

    /// Everything that there is room for, before its time: the program ends.
    pub fn rest(&self, now: UtcMs) -> Vec<AuditEntry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take(now)
    }
}

impl Counting {
    fn together(&mut self, count: Count) {
        match &mut self.others {
            Some(others) => others.and(count),
            None => self.others = Some(count),
        }
    }

    /// Refills the unused allowance.
    fn refill(&mut self, now: UtcMs) {
        let given = *self.given.get_or_insert(now);
        let more = now.0.saturating_sub(given.0).div_euclid(ROW_EVERY_MS);
        if more != 0 {
            // A clock that was set back restarts it without adding to it.
            self.used = self.used.saturating_sub(usize::try_from(more).unwrap_or(0));
            self.given = Some(now);
        }
    }

    fn take(&mut self, now: UtcMs) -> Vec<AuditEntry> {
        self.written = None;
        self.refill(now);
        let mut kinds: Vec<_> = std::mem::take(&mut self.kinds).into_iter().collect();
        // The most frequent first; one row is kept for all without a row.
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(count.times));
        let room = ROWS_MAX.saturating_sub(self.used);
        let alone = if kinds.len() > room || self.others.is_some() { room.saturating_sub(1) } else { room };
        for (_, count) in kinds.split_off(alone.min(kinds.len())) {
            self.together(count);
        }
        let mut rows: Vec<_> = kinds.iter().map(|(kind, count)| row(kind, count)).collect();
        if room > rows.len()
            && let Some(others) = self.others.take()
        {
            let details = counted(json!({"why": "many"}), &others);
            rows.push(AuditEntry::unapproved(&UserId::default(), LOG_IN, others.last, details));
        }
        if self.others.is_some() {
            self.written = Some(now);
        }
        self.used = self.used.saturating_add(rows.len());
        rows
    }
}

fn row(kind: &Kind, count: &Count) -> AuditEntry {
    let details = counted(json!({"address": kind.address, "why": kind.why}), count);
    AuditEntry::unapproved(&kind.user_id, kind.action, count.last, details)
}

fn counted(mut details: Value, count: &Count) -> Value {
    if let Value::Object(fields) = &mut details {
        fields.insert("count".to_owned(), json!(count.times));
        fields.insert("since".to_owned(), json!(count.first));
    }
    details
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

    use super::{KINDS_MAX, LOG_IN, REQUEST, ROWS_MAX, Refusals};
    use domain::model::base::ids::UserId;
    use domain::model::base::time::UtcMs;
    use domain::model::people::audit::AuditEntry;
    use std::net::{IpAddr, Ipv4Addr};

    const NOW: UtcMs = UtcMs(1_795_140_394_739);
    const KINDS: u32 = KINDS_MAX as u32;

    fn address(number: u32) -> IpAddr {
        IpAddr::V4(Ipv4Addr::from_bits(number))
    }

    fn after(minutes: i64) -> UtcMs {
        UtcMs(NOW.0 + minutes * 60_000)
    }

    fn counted(rows: &[AuditEntry]) -> u64 {
        rows.iter().map(|row| row.details["count"].as_u64().unwrap()).sum()
    }

    #[test]
    fn equal_ones_are_one_row_a_minute() {
        let (refusals, ani) = (Refusals::default(), UserId("usr_1".into()));
        for _ in 0..1_000 {
            refusals.add(LOG_IN, Some(&ani), address(1), "invalid_credentials", NOW);
        }
        refusals.add(LOG_IN, None, address(1), "rate_limited", NOW);
        refusals.add(REQUEST, Some(&ani), address(2), "/api/users", NOW);
        assert!(refusals.due(UtcMs(NOW.0 + 59_999)).is_empty());
        let rows = refusals.due(after(1));
        assert_eq!((rows.len(), counted(&rows)), (3, 1_002));
        assert_eq!((rows[0].user_id.as_str(), rows[0].action.as_str(), rows[0].at), ("usr_1", LOG_IN, NOW));
        assert_eq!(rows[0].details["address"], "0.0.0.1");
        assert!(refusals.due(after(2)).is_empty(), "written down once");
    }

    #[test]
    fn a_flood_fills_no_disk_and_every_refusal_is_counted() {
        let refusals = Refusals::default();
        let (mut rows, mut refused) = (Vec::new(), 0);
        for minute in 0..24 * 60 {
            // More kinds than are distinguished.
            for guess in 0..KINDS + 44 {
                let from = u32::try_from(minute).unwrap() * (KINDS + 44) + guess;
                refusals.add(LOG_IN, None, address(from), "invalid_credentials", after(minute));
                refused += 1;
            }
            let written = refusals.due(after(minute + 1));
            assert!(written.len() <= ROWS_MAX);
            rows.extend(written);
        }
        assert!(rows.len() <= ROWS_MAX + 24 * 60, "{} rows in a day", rows.len());
        rows.extend(refusals.due(after(48 * 60)));
        assert_eq!(counted(&rows), refused);
    }

    #[test]
    fn a_clock_that_was_set_back_keeps_nothing_from_being_written() {
        let refusals = Refusals::default();
        refusals.add(LOG_IN, None, address(1), "invalid_credentials", NOW);
        assert_eq!(refusals.due(after(-10_000)).len(), 1);
        refusals.add(LOG_IN, None, address(1), "invalid_credentials", after(-10_000));
        assert_eq!(refusals.rest(after(-10_000)).len(), 1);
    }
}
