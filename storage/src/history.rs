//! History in the journal: found by the segments' indexes, read from the frames.

pub mod read;

use crate::body::Body;
use crate::error::StorageError;
use crate::index::Entries;
use crate::segment::Segment;
use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError, RwLock};

/// A sealed segment with its index.
#[derive(Debug)]
pub struct Part {
    /// The segment.
    pub segment: Arc<Segment>,
    /// Its index.
    pub entries: Arc<Entries>,
}

/// All segments, oldest first; the last one is being written.
#[derive(Debug)]
pub struct History {
    parts: RwLock<Parts>,
}

#[derive(Debug)]
struct Parts {
    sealed: Vec<Arc<Part>>,
    segment: Arc<Segment>,
    entries: Arc<RwLock<Entries>>,
}

/// A segment and the offsets of the frames that may hold what is looked for, ascending.
pub type Hits = (Arc<Segment>, Vec<u32>);

impl History {
    /// From what a start found.
    pub fn new(sealed: Vec<Arc<Part>>, segment: Arc<Segment>, entries: Entries) -> Self {
        let entries = Arc::new(RwLock::new(entries));
        Self { parts: RwLock::new(Parts { sealed, segment, entries }) }
    }

    /// Adds durable frames of the open segment.
    pub fn add(&self, add: impl FnOnce(&mut Entries)) {
        let parts = self.parts.read().unwrap_or_else(PoisonError::into_inner);
        add(&mut parts.entries.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// Goes on in a new segment.
    pub fn rotate(&self, segment: Arc<Segment>) {
        let mut parts = self.parts.write().unwrap_or_else(PoisonError::into_inner);
        let sealed = std::mem::replace(&mut parts.segment, segment);
        let entries = std::mem::take(&mut *parts.entries.write().unwrap_or_else(PoisonError::into_inner));
        parts.sealed.push(Arc::new(Part { segment: sealed, entries: Arc::new(entries) }));
    }

    /// Segments, oldest first.
    pub fn segments(&self) -> Vec<Arc<Segment>> {
        let parts = self.parts.read().unwrap_or_else(PoisonError::into_inner);
        let sealed = parts.sealed.iter().map(|part| Arc::clone(&part.segment));
        sealed.chain([Arc::clone(&parts.segment)]).collect()
    }

    /// Visits the segments that may hold a hash, newest first, until the visitor has enough.
    pub fn search<T>(
        &self,
        hash: u64,
        mut visit: impl FnMut(Hits) -> Result<ControlFlow<T>, StorageError>,
    ) -> Result<Option<T>, StorageError> {
        let (sealed, open) = {
            let parts = self.parts.read().unwrap_or_else(PoisonError::into_inner);
            let entries = parts.entries.read().unwrap_or_else(PoisonError::into_inner);
            (parts.sealed.clone(), (Arc::clone(&parts.segment), entries.offsets(hash)))
        };
        if !open.1.is_empty()
            && let ControlFlow::Break(found) = visit(open)?
        {
            return Ok(Some(found));
        }
        for part in sealed.iter().rev() {
            let offsets = part.entries.offsets(hash);
            if !offsets.is_empty()
                && let ControlFlow::Break(found) = visit((Arc::clone(&part.segment), offsets))?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The first thing under a hash that `pick` finds in a frame, newest first.
    pub fn find<T>(
        &self,
        hash: u64,
        pick: impl Fn(Body) -> Result<Option<T>, String>,
    ) -> Result<Option<T>, StorageError> {
        self.search(hash, |(segment, offsets)| {
            for offset in offsets.into_iter().rev().map(u64::from) {
                let (_, body) = segment.frame(offset)?;
                let picked = pick(body).map_err(|what| StorageError::damaged(&segment.path, offset, what))?;
                if let Some(found) = picked {
                    return Ok(ControlFlow::Break(found));
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }
}
