//! Notices of this process to screens: the latest ones of all processes, and the listening screens.

use crate::config::Limits;
use crate::db::Db;
use crate::table::notice::{self, Notice};
use edge::event_stream::{EventBuffer, Streams};
use sqlx::AnyPool;
use std::sync::Arc;

/// The streams of this process.
pub struct Screens {
    /// Notices that were sent lately.
    pub buffer: EventBuffer<Notice>,
    /// Places of the streams.
    pub streams: Streams,
}

impl Screens {
    /// Streams without past events.
    ///
    /// # Errors
    /// A database error.
    pub async fn load(pool: &AnyPool, limits: &Limits) -> Result<Self, sqlx::Error> {
        let newest = notice::newest(pool).await?;
        Ok(Self {
            buffer: EventBuffer::after_commit(newest, limits.event_buffer),
            streams: Streams::at_most(limits.event_streams, limits.event_streams_per_person),
        })
    }

    /// Reads the notices since the last look, of this process or another one, and sends them.
    ///
    /// # Errors
    /// A database error; the next look finds it.
    pub async fn look(&self, db: &Db) -> Result<(), sqlx::Error> {
        loop {
            let head = self.buffer.head();
            let found = notice::after(db, head).await?;
            let Some(first) = found.first() else { return Ok(()) };
            // The last look is so long ago that some were deleted: readers have to load again.
            if first.number > head.saturating_add(1) {
                self.buffer.forget(first.number.saturating_sub(1));
            }
            for notice in found {
                self.buffer.push(notice.number, 1, Arc::new(notice));
            }
        }
    }
}
