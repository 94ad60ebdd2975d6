//! Lists of documents: last changed first, filtered, page by page.

use crate::http::AppState;
use crate::http::Request;
use crate::http::failure::stored;
use edge::ApiError;
use edge::page::{Cursor, Limit, List, cursor};
use jiff::civil::Date;
use std::sync::Arc;
use storage::{Storage, StorageError};

/// Documents looked at for one page: a filter that few pass gives a short page and a cursor.
const SCANNED_MAX: usize = 5_000;
/// Documents read at once.
const CHUNK: usize = 100;

/// Business dates, both ends included; an omitted end is open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dates {
    /// First business date, included.
    pub from: Option<Date>,
    /// Last business date, included.
    pub to: Option<Date>,
}

impl Dates {
    /// Whether a date is one of them.
    pub fn hold(self, date: Date) -> bool {
        self.from.is_none_or(|from| date >= from) && self.to.is_none_or(|to| date <= to)
    }
}

/// Whether a filter that may not be there lets a value through.
pub(super) fn fits<T: PartialEq>(wanted: Option<&T>, value: &T) -> bool {
    wanted.is_none_or(|wanted| wanted == value)
}

/// Documents with the commit that changed each last, newest first.
type Listed<T> = Result<Vec<(u64, T)>, StorageError>;

/// A page of the documents that `read` gives and `wanted` lets through.
pub(super) async fn page<T: Send + 'static>(
    request: &Request,
    limit: Limit,
    from: Option<Cursor>,
    read: fn(&Storage, Option<u64>, usize) -> Listed<T>,
    wanted: impl Fn(&T) -> bool + Send + 'static,
) -> Result<List<T>, ApiError> {
    let before = from.map(|cursor| cursor.read::<u64>()).transpose()?;
    let shop: Arc<AppState> = Arc::clone(&request.state);
    let scan = move || scan(shop.store.storage(), limit, before, read, wanted);
    tokio::task::spawn_blocking(scan).await.map_err(ApiError::internal)?
}

fn scan<T>(
    storage: &Storage,
    limit: Limit,
    mut before: Option<u64>,
    read: fn(&Storage, Option<u64>, usize) -> Listed<T>,
    wanted: impl Fn(&T) -> bool,
) -> Result<List<T>, ApiError> {
    let (mut items, mut scanned, mut last) = (Vec::new(), 0_usize, before);
    while scanned < SCANNED_MAX {
        let chunk = read(storage, before, CHUNK).map_err(stored)?;
        let complete = chunk.len() < CHUNK;
        for (lsn, item) in chunk {
            before = Some(lsn);
            scanned = scanned.saturating_add(1);
            if !wanted(&item) {
                continue;
            }
            // An extra item shows that there are more; the next page begins after the last shown one.
            if items.len() == limit.0 {
                return Ok(List { items, next_cursor: last.as_ref().map(cursor) });
            }
            items.push(item);
            last = Some(lsn);
        }
        if complete {
            return Ok(List { items, next_cursor: None });
        }
    }
    Ok(List { items, next_cursor: before.as_ref().map(cursor) })
}
