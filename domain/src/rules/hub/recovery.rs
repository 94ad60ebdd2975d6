//! Restores rows from the store's own records: a new or restored box gets the effects of its records back
//! (docs/protocol.md#generations-and-recovery).
//!
//! Figures, costs and points of a record are used unchanged. Rows that a record only moves (stock, points, returns of
//! a sale, sums of a shift) are moved from their current values, so that later sales are kept. A record is skipped if
//! its event is in the journal already, in any epoch, or if its document exists.

use crate::model::base::event;
use crate::model::base::event::Event;
use crate::model::base::ids::is_id;
use crate::wire::json::check_keys;
use crate::wire::record::{AnyPayload, Record, each};
use serde_json::Value;

mod book;
mod sales;
mod shifts;
mod stock_documents;
mod users_and_members;
pub use book::{Book, Rows};

/// The envelope's parts that effects need.
struct Head<'a> {
    kind: &'a str,
    event_id: &'a str,
    at: &'a str,
    now: crate::model::base::time::UtcMs,
}

impl<R: Rows> Book<'_, R> {
    /// The event of a recovered record. `None` if it changes no row here or if this version can't read it; the record
    /// itself is kept in any case.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn take(&mut self, text: &str) -> Result<Option<Event>, R::Error> {
        if check_keys(text.as_bytes()).is_err() {
            return Ok(None);
        }
        let Ok(record) = serde_json::from_str::<Record<Value>>(text) else { return Ok(None) };
        let Record { event_id, kind, at, occurred_at, payload, .. } = record;
        // IDs of rows are derived from it.
        if !is_id(&event_id) {
            return Ok(None);
        }
        // The event may be in several epochs, or may have been written here. It is applied once.
        if self.knows(&event_id)? {
            return Ok(None);
        }
        let Ok(Some(payload)) = AnyPayload::read(&kind, &payload) else { return Ok(None) };
        let head = Head { kind: &kind, event_id: &event_id, at: &at, now: occurred_at };
        let mut event = each!(payload, |_, it| it.recover(&head, self))?;
        if let Some(event) = &mut event {
            event.rows.safe = self.safe_after(event)?.map(Box::new);
            self.evolve(event);
        }
        Ok(event)
    }
}

type Events<E> = Result<Option<Event>, E>;

/// A record that may come back.
trait Recover: Sized {
    /// The event that it becomes; `None` if it changes no row here.
    fn recover<R: Rows>(self, _head: &Head<'_>, _book: &mut Book<'_, R>) -> Events<R::Error> {
        Ok(None)
    }
}

/// Event of a record.
fn one<F>(fact: F, rows: event::Rows) -> Option<Event>
where
    Event<F>: Into<Event>,
{
    Some(Event::new(fact, rows).into())
}
