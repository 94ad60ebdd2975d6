//! A store's own records become rows again: a box that burnt, or was restored, gets back what its records
//! did (docs/protocol.md#generations-and-recovery).
//!
//! What a record says is taken as it is: figures, costs, points. Rows that it only moves (stock, points,
//! what became of a sale, a shift's sums) are moved from where they are, so that what was sold meanwhile
//! stays sold. A record whose event is in the journal already, in whatever epoch, does nothing, nor does one
//! whose document is here.

use crate::event::Event;
use crate::ids::is_id;
use crate::json::check_keys;
use crate::record::Record;
use serde::de::DeserializeOwned;
use serde_json::Value;

mod book;
mod goods;
mod people;
mod sales;
mod shifts;

pub use book::{Book, Rows};

/// The envelope's parts that effects need.
struct Head<'a> {
    event_id: &'a str,
    at: &'a str,
    now: crate::time::UtcMs,
}

impl<R: Rows> Book<'_, R> {
    /// The events of a record that came back; none where it moves no row here, or can't be read by this
    /// version: the record itself is kept in any case.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn take(&mut self, text: &str) -> Result<Vec<Event>, R::Error> {
        if check_keys(text.as_bytes()).is_err() {
            return Ok(Vec::new());
        }
        let Ok(record) = serde_json::from_str::<Record<Value>>(text) else { return Ok(Vec::new()) };
        let Record { event_id, kind, at, occurred_at, payload, .. } = record;
        // Ids of rows are made from it.
        if !is_id(&event_id) {
            return Ok(Vec::new());
        }
        // It may stand in several epochs, or have been written here: it counts once.
        if self.knows(&event_id)? {
            return Ok(Vec::new());
        }
        let head = Head { event_id: &event_id, at: &at, now: occurred_at };
        let events = self.by_kind(&kind, &head, payload)?;
        events.iter().for_each(|event| self.evolve(event));
        Ok(events)
    }

    fn by_kind(&mut self, kind: &str, head: &Head<'_>, payload: Value) -> Result<Vec<Event>, R::Error> {
        let events = match kind {
            "transaction.paid" => read(payload).map(|paid| self.paid(head, paid)),
            "transaction.voided" => read(payload).map(|voided| self.voided(head, voided)),
            "tender.corrected" => read(payload).map(|corrected| self.corrected(&corrected)),
            "return.posted" => read(payload).map(|posted| self.returned(head, posted)),
            "return.voided" => read(payload).map(|voided| self.return_voided(head, voided)),
            "shift.opened" => read(payload).map(|record| self.opened(record)),
            "shift.closed" => read(payload).map(|record| self.closed(record)),
            "shift.recounted" => read(payload).map(|record| self.recounted(record)),
            "cash.moved" => read(payload).map(|moved| self.cash(moved)),
            "cash.deposited" => read(payload).map(|deposited| self.deposited(deposited)),
            "day.sealed" => read(payload).map(|day| Ok(vec![Event::DaySealed { day }])),
            "day.reopened" => read(payload).map(|day| Ok(vec![Event::DayReopened { day }])),
            "safe.opened" => read(payload).map(|opening| Ok(vec![Event::SafeOpened { opening }])),
            "receiving.posted" => read(payload).map(|posted| self.received(head, posted)),
            "receiving.reversed" => read(payload).map(|reversed| self.reversed(head, reversed)),
            "supplier_return.posted" => read(payload).map(|posted| self.sent_back(head, posted)),
            "transfer.sent" | "transfer.received" | "transfer.cancelled" | "transfer.resolved" => {
                read(payload).map(|record| self.transferred(head, kind, record))
            }
            "adjustment.posted" => read(payload).map(|posted| self.adjusted(head, posted)),
            "opname.posted" => read(payload).map(|posted| self.counted(head, posted)),
            "stock.moved" => read(payload).map(|moved| self.moved(moved)),
            "member.changed" => read(payload).map(|changed| self.member(head, changed)),
            "points.adjusted" => read(payload).map(|adjusted| self.points(adjusted)),
            "user.changed" => read(payload).map(|changed| self.user(changed)),
            "audit.recorded" => read(payload).map(|recorded| self.audited(recorded)),
            _ => None,
        };
        events.unwrap_or_else(|| Ok(Vec::new()))
    }
}

fn read<T: DeserializeOwned>(payload: Value) -> Option<T> {
    serde_json::from_value(payload).ok()
}
