//! One product of a count: the quantities of its zones add up, and the expected quantity is the stock at the latest of
//! them (docs/arithmetic.md#counts-of-stock).

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::UserId;
use crate::model::base::money::{half_up, product, sum};
use crate::model::base::refusal::Refusal;
use crate::model::base::text::plain;
use crate::model::base::time::UtcMs;
use crate::model::inventory::opname::{OpnameLine, ZoneCount};
use crate::model::inventory::stock::Stock;
use crate::rules::inventory::stock::{Incoming, Moved};

impl OpnameLine {
    /// Records a count in place of the zone's previous one. `qty` includes the pieces of `before`, the part that others
    /// had counted there.
    ///
    /// # Errors
    /// `validation_failed` when the zones leave the range of figures.
    pub fn count(
        &mut self,
        zone: &str,
        (qty, before): (Quantity, Option<&ZoneCount>),
        stock: &Stock,
        by: &UserId,
        at: UtcMs,
    ) -> Result<(), Refusal> {
        let mut others = before.map(ZoneCount::counters).unwrap_or_default();
        others.remove(by);
        let moved = before.is_some_and(|part| part.moved || part.moves != stock.moves);
        let (moves, on_hand, user_id) = (stock.moves, stock.qty, by.clone());
        let count = ZoneCount { qty, moves, on_hand, user_id, others, moved, at };
        self.zones.insert(zone.to_owned(), count);
        (self.expected, self.counted_by, self.counted_at) = (stock.qty, by.clone(), at);
        sum("counts", [self.counted(), self.expected.saturating_neg()]).map(|_| ())
    }

    /// Name of a zone: as the line spells it if it has the zone. Two spellings that differ in case, in spaces or in
    /// invisible characters are one zone, and a blank name means no zone.
    pub fn zone_name(&self, typed: &str) -> String {
        let key = zone_key(typed);
        if key.is_empty() {
            return key;
        }
        let known = self.zones.keys().find(|zone| zone_key(zone) == key);
        known.cloned().unwrap_or_else(|| collapsed(typed))
    }

    /// Removes the count of a zone, if there is one. The counts of the other zones are then compared with the stock at
    /// the latest of them.
    pub fn withdraw(&mut self, zone: &str) -> bool {
        let was_there = self.zones.remove(zone).is_some();
        if let Some(last) = self.zones.values().max_by_key(|count| (count.at, count.moves)) {
            (self.expected, self.counted_by, self.counted_at) = (last.on_hand, last.user_id.clone(), last.at);
        }
        was_there
    }

    /// Sum of the zones' quantities.
    pub fn counted(&self) -> Quantity {
        self.zones.values().map(|zone| zone.qty).sum()
    }

    /// Variance in pieces: `counted` − `expected`.
    pub fn variance(&self) -> Quantity {
        self.counted().saturating_sub(self.expected)
    }

    /// Whether the SKU moved between its first and its last count, so that it is unknown which zone had the goods.
    pub fn moved_between_counts(&self) -> bool {
        let mut moves = self.zones.values().map(|zone| zone.moves);
        let first = moves.next();
        moves.any(|zone| Some(zone) != first) || self.zones.values().any(|zone| zone.moved)
    }

    /// Value of the variance at the present average cost: an estimate until the count is posted.
    pub fn estimate(&self, stock: &Stock) -> Money {
        let variance = self.variance();
        let value = if stock.qty > 0 {
            half_up(product(stock.value, variance), i128::from(stock.qty))
        } else {
            product(variance, stock.unit_cost())
        };
        Money::saturating_from(value)
    }

    /// Moves the variance: missing pieces leave the stock, and found ones enter it without a cost of their own. `None`
    /// if nothing differs.
    ///
    /// # Errors
    /// `validation_failed` when the stock leaves the range of figures.
    pub fn post(&mut self, stock: &mut Stock) -> Result<Option<Moved>, Refusal> {
        let variance = self.variance();
        let moved = match variance.get() {
            0 => None,
            ..0 => Some(stock.take_out(variance.saturating_neg())?),
            _ => Some(stock.take_in(variance, Incoming::Found)?),
        };
        self.variance_value = Some(moved.map_or(Money::ZERO, |moved| moved.cost));
        self.correction = moved.map_or(Money::ZERO, |moved| moved.correction);
        self.balance_after = Some(stock.qty);
        Ok(moved)
    }
}

fn zone_key(zone: &str) -> String {
    collapsed(&plain(zone)).to_lowercase()
}

/// The words with one space between them.
fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}
