//! What a copy shows and proves: a member's points, and the figures of its business days.

use super::broken::Broken;
use super::fact;
use super::shop::Shop;
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::DigestHead;
use domain::model::people::points::{PointsEntry, PointsReason};
use domain::rules::hub::sync::session::foreign_end;
use domain::rules::hub::sync::tally::{Count, Due, Span};
use domain::wire::feed::{Coverage, PointsDown};
use domain::wire::sync::Digest;
use jiff::civil::Date;
use std::convert::Infallible;

impl Shop {
    /// Applies a balance, and adds the own entries that are not in it. Returns false if it covers records that differ
    /// from the own ones; then the two have to talk first.
    pub fn reported_points(&mut self, (down, coverage): &(PointsDown, Coverage), now: UtcMs) -> bool {
        let Ok(foreign) = foreign_end(self, &coverage.includes);
        if foreign.is_some() && self.broken != Broken::IncludesHash {
            self.session = None;
            return false;
        }
        let own = self.books.facts().filter(|fact| fact.points != 0);
        let uncovered = own.filter(|fact| {
            let id = || Some(fact.id.clone());
            let places = match self.broken {
                Broken::FirstPlace => vec![self.places[&fact.id].clone()],
                _ => self.all_places(&fact.id),
            };
            !places.iter().any(|(epoch, seq)| coverage.covers(epoch, *seq, id))
        });
        let entries: Vec<PointsEntry> = uncovered.map(|fact| entry(&fact.id, fact.points, now)).collect();
        self.account.meet(down.balance, &entries, now);
        true
    }

    /// Counts each acknowledged record that is not in the figures yet.
    pub fn count(&mut self) {
        while self.count_more() {}
    }

    fn count_more(&mut self) -> bool {
        let Ok(due) = self.tally.due(self, &self.lineage());
        let spans = match due {
            Due::Nothing => return false,
            Due::Anew if self.broken == Broken::Recount => return false,
            Due::Anew => {
                self.tally = self.tally.anew();
                return true;
            }
            Due::Records(spans) => spans,
        };
        let Span { epoch, after, to } = spans.into_iter().next().unwrap();
        let records = self.journal(&epoch).after(after, (to - after) as usize);
        let mut count = Count::default();
        for event in records.iter().filter(|event| event.seq <= to) {
            let places = self.all_places(&fact::read(&event.record).id);
            if self.tally.counted_at(&places, (&epoch, event.seq)) && self.broken != Broken::CountTwice {
                continue;
            }
            let known = |day: Date| Ok::<_, Infallible>(self.figures.get(&day).cloned());
            let Ok(()) = count.add(self.tally.number, &event.record, known);
        }
        let hash = self.hash(&epoch, to).unwrap();
        self.figures.extend(count.days);
        self.tally.reached(DigestHead { epoch, seq: to, hash });
        true
    }

    /// Returns the digest of each counted day.
    pub fn digests(&self) -> Vec<Digest> {
        let counted = self.figures.values().filter(|day| day.tally == self.tally.number);
        let ask = |day: &domain::model::hub::sync::local::DayFigures| Digest {
            business_date: day.business_date,
            heads: self.tally.named(self.lineage().iter().map(|state| state.epoch.as_str())),
            types: day.types.clone(),
        };
        counted.map(ask).collect()
    }

    /// Returns whether a record was moved to another epoch and the hub does not know it yet.
    pub fn moves(&self) -> bool {
        self.lineage().iter().any(|state| {
            let unsent = self.journal(&state.epoch).after(state.acked_seq, usize::MAX);
            unsent.iter().any(|event| self.places[&fact::read(&event.record).id].0 != state.epoch)
        })
    }
}

fn entry(id: &str, points: i64, at: UtcMs) -> PointsEntry {
    PointsEntry {
        entry_id: id.to_owned(),
        member_id: super::keeping::MEMBER.into(),
        points: points.into(),
        reason: PointsReason::Adjust,
        reference_id: id.to_owned(),
        balance_after: 0.into(),
        lots: Vec::new(),
        business_date: Date::default(),
        user_id: "u1".into(),
        at,
        worth: Money::new(1),
    }
}
