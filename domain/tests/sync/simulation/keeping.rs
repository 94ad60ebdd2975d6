//! Balances and digests of a hub, and the records that its backups allow a store to delete.

use super::broken::Broken;
use super::fact;
use super::hub::Hub;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::Figure;
use domain::model::hub::sync::retention::stable_seq;
use domain::rules::hub::sync::counted;
use domain::wire::feed::{Coverage, Covered, PointsDown};
use domain::wire::sync::{Digest, DigestResult};
use std::collections::{BTreeMap, BTreeSet};

/// The only member.
pub const MEMBER: &str = "m1";

/// A verified copy of the hub's database.
pub struct Backup {
    pub hub: Hub,
    pub made_at: UtcMs,
    /// The generation that registered the backup.
    pub generation: u64,
    /// Whether the backup is still kept.
    pub kept: bool,
}

impl Hub {
    /// Records a new backup: records in all kept backups are stable.
    pub fn backed_up(&mut self, kept: &[&Backup]) {
        let newest = if self.broken == Broken::Stable { &kept[kept.len() - 1..] } else { kept };
        for (epoch, stored) in &mut self.epochs {
            let mut inside: Vec<u64> = newest.iter().map(|backup| backup.hub.head(epoch).seq).collect();
            if self.broken == Broken::Stable {
                inside.push(inside[0]);
            }
            stored.stable = stable_seq(&inside);
        }
    }

    /// Returns a page with the member's balance, and the store's records that it covers.
    pub fn points(&self) -> (PointsDown, Coverage) {
        let current =
            |epoch: &str| self.broken != Broken::IncludesCurrent || self.current.as_deref() == Some(epoch);
        let heads = self.heads().into_iter().filter(|head| head.seq > 0 && current(&head.epoch));
        let missing = self.parked.iter().map(|held| held.fact.id.clone());
        let balance = self.books.sums(&BTreeSet::new()).get("points").copied().unwrap_or_default();
        let coverage = Coverage {
            includes: heads
                .map(|head| Covered { epoch: head.epoch, seq: head.seq, hash: head.hash })
                .collect(),
            missing: missing.filter(|_| self.broken != Broken::Missing).collect(),
        };
        (PointsDown { member_id: MEMBER.to_owned(), balance: balance.into() }, coverage)
    }

    /// Compares a business day.
    pub fn digest(&self, ask: &Digest) -> DigestResult {
        let stored: Vec<Option<String>> =
            ask.heads.iter().map(|head| self.hash_at(&head.epoch, head.seq)).collect();
        let current =
            |epoch: &str| self.broken != Broken::DigestOfEpoch || self.current.as_deref() == Some(epoch);
        let applied =
            |text: &str| self.broken != Broken::DigestApplied || self.books.has(&fact::read(text).id);
        let mut figures: BTreeMap<String, Figure> = BTreeMap::new();
        let events = self.known.values().filter(|first| {
            let reached = self.broken == Broken::DigestAhead || ask.reaches(&first.epoch, first.seq);
            current(&first.epoch) && applied(&first.text) && reached
        });
        for counted in events.filter_map(|first| counted(&first.text)) {
            if counted.business_date == ask.business_date {
                let figure = figures.entry(counted.kind).or_default();
                figure.count += 1;
                figure.total += counted.total;
            }
        }
        ask.compare(&stored, &figures).0
    }
}
