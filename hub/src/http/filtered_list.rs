//! A page of a list whose cursor is valid for that list and its filters only.

use crate::http::Request;
use crate::secret;
use edge::ApiError;
use edge::page::{Cursor, Limit, List, cursor};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Number of hexadecimal characters that identify a list and its filters.
const OF_CHARS: usize = 16;
/// Query parameters that are not filters.
const NOT_FILTERS: [&str; 4] = ["limit", "cursor", "include", "separator"];

/// A list with the filters of one request.
pub struct FilteredList {
    of: String,
}

/// A position in a list, with the list and filters that it belongs to.
#[derive(Serialize, Deserialize)]
struct BoundPosition<T> {
    of: String,
    at: T,
}

impl FilteredList {
    /// The list at the path of a request.
    ///
    /// # Errors
    /// 400 `invalid_query`.
    pub fn of(request: &Request) -> Result<Self, ApiError> {
        let mut filters: BTreeMap<String, String> = request.query()?;
        filters.retain(|name, _| !NOT_FILTERS.contains(&name.as_str()));
        Ok(Self::at_path(&request.path, &filters))
    }

    fn at_path(path: &str, filters: &BTreeMap<String, String>) -> Self {
        let filters = serde_json::to_string(filters).unwrap_or_default();
        let mut of = secret::digest(&format!("{path} {filters}"));
        of.truncate(OF_CHARS);
        Self { of }
    }

    /// Position at which the previous page ended. `None` at the beginning of the list.
    ///
    /// # Errors
    /// 400 `invalid_cursor` for a cursor of another list, or of other filters.
    pub fn after<T: DeserializeOwned>(&self, cursor: Option<&Cursor>) -> Result<Option<T>, ApiError> {
        let Some(cursor) = cursor else { return Ok(None) };
        let bound: BoundPosition<T> = cursor.read()?;
        if bound.of != self.of {
            return Err(ApiError::invalid_cursor());
        }
        Ok(Some(bound.at))
    }

    /// A page, cut from items of which one more was read than the page holds.
    pub fn cut<T, P: Serialize>(&self, items: Vec<T>, limit: Limit, position: impl Fn(&T) -> P) -> List<T> {
        List::cut(items, limit, |item| BoundPosition { of: self.of.clone(), at: position(item) })
    }
}

/// The cursor of a position in the whole list at a path.
pub fn cursor_at<P: Serialize>(path: &str, position: &P) -> String {
    let list = FilteredList::at_path(path, &BTreeMap::new());
    cursor(&BoundPosition { of: list.of, at: position })
}
