//! A page of a list whose cursor holds for that list and its filters alone.

use crate::http::Request;
use crate::secret;
use edge::ApiError;
use edge::page::{Cursor, Limit, List, cursor};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Number of hexadecimal characters that stand for a list and its filters.
const OF_CHARS: usize = 16;

/// Query of a list: its filters, the limit and the cursor.
pub trait ListQuery: Serialize {
    const LIST: &'static str;
    /// Items on a page.
    fn limit(&self) -> Limit;
    /// Cursor of the previous page.
    fn cursor(&self) -> Option<&Cursor>;
}

/// A position in a list, with the query that it belongs to.
#[derive(Serialize, Deserialize)]
struct BoundPosition<T> {
    of: String,
    at: T,
}

/// Name of a list with its filters, without its limit and cursor, which are not serialised.
pub fn of<A: ListQuery>(ask: &A) -> String {
    let filters = serde_json::to_string(ask).unwrap_or_default();
    let mut of = secret::digest(&format!("{} {filters}", A::LIST));
    of.truncate(OF_CHARS);
    of
}

/// Position of the previous page's end in the list of that name. `None` at the beginning of the list.
///
/// # Errors
/// 400 `invalid_cursor` for one of another list, or of other filters.
pub fn after_of<T: DeserializeOwned>(name: &str, cursor: Option<&Cursor>) -> Result<Option<T>, ApiError> {
    let Some(cursor) = cursor else { return Ok(None) };
    let bound: BoundPosition<T> = cursor.read()?;
    if bound.of != name {
        return Err(ApiError::invalid_cursor());
    }
    Ok(Some(bound.at))
}

/// A page of the list of that name, from items of which one more was asked for than it holds.
pub fn cut_of<T, P: Serialize>(
    name: &str,
    items: Vec<T>,
    limit: Limit,
    position: impl Fn(&T) -> P,
) -> List<T> {
    List::cut(items, limit, |item| BoundPosition { of: name.to_owned(), at: position(item) })
}

/// As [`after_of`], for a query that names its list.
///
/// # Errors
/// As [`after_of`].
pub fn after<A: ListQuery, T: DeserializeOwned>(ask: &A) -> Result<Option<T>, ApiError> {
    after_of(&of(ask), ask.cursor())
}

/// As [`cut_of`], for a query that names its list.
pub fn cut<A: ListQuery, T, P: Serialize>(ask: &A, items: Vec<T>, position: impl Fn(&T) -> P) -> List<T> {
    cut_of(&of(ask), items, ask.limit(), position)
}

/// The list at a path with these filters.
fn at_path(path: &str, filters: &BTreeMap<String, String>) -> String {
    let filters = serde_json::to_string(filters).unwrap_or_default();
    let mut of = secret::digest(&format!("{path} {filters}"));
    of.truncate(OF_CHARS);
    of
}

/// Name of the list at the path of a request with its filters.
///
/// # Errors
/// 400 `invalid_query`.
pub fn of_request(request: &Request) -> Result<String, ApiError> {
    let mut filters: BTreeMap<String, String> = request.query()?;
    filters.retain(|name, _| name != "limit" && name != "cursor");
    Ok(at_path(&request.path, &filters))
}

/// The cursor of a place in the whole list at a path.
pub fn cursor_at<P: Serialize>(path: &str, position: &P) -> String {
    cursor(&BoundPosition { of: at_path(path, &BTreeMap::new()), at: position })
}

/// `limit` and `cursor` of a query, and the list that it is of.
macro_rules! asks {
    ($query:ty, $list:literal) => {
        impl $crate::http::bound_page::ListQuery for $query {
            const LIST: &'static str = $list;
            fn limit(&self) -> edge::page::Limit {
                self.limit
            }
            fn cursor(&self) -> Option<&edge::page::Cursor> {
                self.cursor.as_ref()
            }
        }

        impl $crate::http::paged_list::PageQuery for $query {
            fn limit(&self) -> edge::page::Limit {
                self.limit
            }
            fn cursor(&self) -> Option<&edge::page::Cursor> {
                self.cursor.as_ref()
            }
            fn list_name(&self, _request: &$crate::http::Request) -> Result<String, edge::ApiError> {
                Ok($crate::http::bound_page::of(self))
            }
        }
    };
}
pub(crate) use asks;
