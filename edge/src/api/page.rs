//! Pages of lists: the query parameters `limit` and `cursor`, and the answer.

use crate::api::error::ApiError;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned, de::Error as _};

/// Number of items on a page if the client requests no other.
pub const LIMIT_DEFAULT: usize = 50;
/// Highest number of items on a page.
pub const LIMIT_MAX: usize = 500;
/// Longest cursor that is decoded, in bytes.
pub const CURSOR_BYTES_MAX: usize = 1024;

/// The query parameter `limit`: 1–500, 50 when absent (use with `#[serde(default)]`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(pub usize);

impl Limit {
    /// One more than the limit: if the query returns as many rows, there is a next page.
    pub fn one_more(self) -> usize {
        self.0.saturating_add(1)
    }
}

impl Default for Limit {
    fn default() -> Self {
        Self(LIMIT_DEFAULT)
    }
}

impl JsonSchema for Limit {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Limit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": LIMIT_DEFAULT})
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match usize::deserialize(deserializer)? {
            limit @ 1..=LIMIT_MAX => Ok(Self(limit)),
            _ => Err(D::Error::custom("must be 1 to 500")),
        }
    }
}

/// `next_cursor` of the previous page; omitted for the first page.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Cursor(String);

impl Cursor {
    /// Position of the last item of the page before.
    ///
    /// # Errors
    /// 400 `invalid_cursor` for a cursor that this list did not create.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        if self.0.len() > CURSOR_BYTES_MAX {
            return Err(ApiError::invalid_cursor());
        }
        let bytes = URL_SAFE_NO_PAD.decode(&self.0).map_err(|_| ApiError::invalid_cursor())?;
        domain::wire::json::check(&bytes).map_err(|_| ApiError::invalid_cursor())?;
        serde_json::from_slice(&bytes).map_err(|_| ApiError::invalid_cursor())
    }
}

/// The query of a list without filters.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// Number of items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
}

impl Page {
    /// Position of the last item of the page before. `None` for the first page.
    ///
    /// # Errors
    /// 400 `invalid_cursor` for a cursor that this list did not create.
    pub fn after<T: DeserializeOwned>(&self) -> Result<Option<T>, ApiError> {
        self.cursor.as_ref().map(Cursor::read).transpose()
    }
}

/// Cursor to continue after `position`.
pub fn cursor<T: Serialize>(position: &T) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(position).unwrap_or_default())
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "{T}List")]
pub struct List<T> {
    /// Items of this page.
    pub items: Vec<T>,
    /// Cursor of the next page. Null on the last page.
    pub next_cursor: Option<String>,
}

impl<T> List<T> {
    /// A page of at most `limit` items. `items` were queried with [`Limit::one_more`]: an extra item means that there
    /// is a next page. `position` returns the position of the last item of the page.
    pub fn cut<P: Serialize>(mut items: Vec<T>, limit: Limit, position: impl Fn(&T) -> P) -> Self {
        let more = items.len() > limit.0;
        items.truncate(limit.0);
        let last = items.last().filter(|_| more);
        let next_cursor = last.map(|item| cursor(&position(item)));
        Self { items, next_cursor }
    }
}
