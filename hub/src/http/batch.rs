//! Batches: up to 500 changes of one kind in one request and one transaction. An item that is refused is undone alone,
//! and the answer has the result of each.

use crate::db::failure::Failure;
use crate::feed;
use crate::http::command::{Changed, Command, Tx};
use crate::state::hub::Hub;
use crate::table::audit;
use domain::model::base::time::UtcMs;
use edge::{ApiError, clock};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use sqlx::{AnyConnection, Connection};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

/// Most items of a batch.
const ITEMS_MAX: usize = 500;

/// One kind of change that comes in batches.
pub trait BatchItem: Send + 'static {
    /// Name of the item's schema.
    const NAME: &'static str;
    /// Lane of the feed that the changes go to. It is locked before the first item is run.
    const LANE: &'static str;
    /// Data of an item's result.
    type Answer: Serialize + JsonSchema + Send;

    /// Schema of an item.
    fn schema(generator: &mut SchemaGenerator) -> Schema;

    /// Locks the rows that other transactions lock before the lane.
    ///
    /// # Errors
    /// A database error.
    fn lock_rows(
        _items: &[Value],
        _connection: &mut AnyConnection,
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send {
        async { Ok(()) }
    }

    /// Makes the change of one item.
    ///
    /// # Errors
    /// The refusal of this item, or a failure of the machine, which fails the whole batch.
    fn run(
        item: &Value,
        place: ItemPlace<'_>,
    ) -> impl Future<Output = Result<Done<Self::Answer>, Failure>> + Send;
}

/// Where an item is run.
pub struct ItemPlace<'a> {
    /// Connection of the batch's transaction, within the item's savepoint.
    pub connection: &'a mut AnyConnection,
    pub hub: &'a Arc<Hub>,
    /// Time of the batch.
    pub now: UtcMs,
}

/// The change of one item.
pub struct Done<T> {
    /// 201 for a new resource, 200 for a changed one.
    pub status: u16,
    pub data: T,
    /// Action in the audit log, and the details of its entry.
    pub entry: (&'static str, Value),
}

/// Reads an item as the body of the command for a single resource.
///
/// # Errors
/// 422 with the path of the field.
pub fn read<T: DeserializeOwned>(item: &Value) -> Result<T, ApiError> {
    edge::parse_json(item.to_string().as_bytes())
}

/// The value of an item's key, and the item without it: the body of the command that changes a resource.
pub fn split_key(item: &Value, key: &str) -> (Option<Value>, Value) {
    let mut rest = item.clone();
    let value = rest.as_object_mut().and_then(|fields| fields.remove(key));
    (value.filter(|value| !value.is_null()), rest)
}

/// Adds the key of the resource to the schema of a change.
pub fn add_key(schema: &mut Schema, (key, of_key): (&str, Schema), is_required: bool, about: &str) {
    let fields = schema.ensure_object();
    fields.insert("description".to_owned(), about.into());
    if let Some(properties) = fields.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(key.to_owned(), of_key.to_value());
    }
    if is_required {
        fields.insert("required".to_owned(), vec![key].into());
    }
}

/// A request's items. They are read one by one: a malformed one is refused alone.
pub struct Batch<I> {
    items: Vec<Value>,
    of: PhantomData<fn() -> I>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    items: Vec<Value>,
}

impl<'de, I> Deserialize<'de> for Batch<I> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Body { items } = Body::deserialize(deserializer)?;
        Ok(Self { items, of: PhantomData })
    }
}

impl<I: BatchItem> JsonSchema for Batch<I> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}Batch", I::NAME).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Changes that are made together. A refused item does not stop the others.",
            "type": "object",
            "properties": {"items": {
                "description": "The changes, in the order in which they are made.",
                "type": "array",
                "minItems": 1,
                "maxItems": ITEMS_MAX,
                "items": I::schema(generator),
            }},
            "required": ["items"],
            "additionalProperties": false,
        })
    }
}

/// Results of a batch.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}Results")]
pub struct BatchResults<T> {
    /// Results of the items, in their order.
    pub items: Vec<ItemResult<T>>,
    /// Number of items that were done.
    pub done: usize,
    /// Number of items that were refused and changed nothing.
    pub refused: usize,
}

/// Result of one item: `data` if it was done, `error` if it was refused.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}Result")]
pub struct ItemResult<T> {
    /// Position of the item in the request, from 0.
    pub index: usize,
    /// HTTP status that a request with this item alone would have had.
    pub http_status: u16,
    /// The resource after the change. Omitted for a refused item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<T>,
    /// The refusal. Omitted for an item that was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ItemError>,
}

/// Refusal of one item, as in the error of a request with this item alone.
#[derive(Serialize, JsonSchema)]
pub struct ItemError {
    /// Code of the error table.
    pub code: &'static str,
    /// Error message for people.
    pub message: String,
    /// Figures and fields of the refusal.
    #[schemars(with = "Map<String, Value>")]
    pub details: Value,
}

impl<T> ItemResult<T> {
    fn refused(index: usize, error: ApiError) -> Self {
        let ApiError { code, message, details, .. } = error;
        let error = ItemError { code: code.name(), message, details };
        Self { index, http_status: code.status(), data: None, error: Some(error) }
    }
}

impl<I: BatchItem> Command for Batch<I> {
    // Each item has an entry of its own.
    const ACTION: &'static str = "";
    type Answer = BatchResults<I::Answer>;

    fn check(&self) -> Result<(), ApiError> {
        match self.items.len() {
            1..=ITEMS_MAX => Ok(()),
            found => Err(ApiError::field("items", format!("must be 1 to {ITEMS_MAX}, not {found}"))),
        }
    }

    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Self::Answer>, Failure> {
        let (hub, now) = (tx.hub, tx.now);
        I::lock_rows(&self.items, tx.connection).await?;
        feed::take(tx.connection, I::LANE, 0, now).await?;
        let (mut items, mut entries) = (Vec::with_capacity(self.items.len()), Vec::new());
        for (index, item) in self.items.iter().enumerate() {
            let mut savepoint = tx.connection.begin().await?;
            let done = I::run(item, ItemPlace { connection: &mut savepoint, hub, now }).await;
            items.push(match done {
                Ok(Done { status, data, entry }) => {
                    savepoint.commit().await?;
                    entries.push(entry);
                    ItemResult { index, http_status: status, data: Some(data), error: None }
                }
                Err(Failure::Refused(error)) if (400..500).contains(&error.code.status()) => {
                    savepoint.rollback().await?;
                    ItemResult::refused(index, error)
                }
                Err(failure) => return Err(failure),
            });
        }
        // The end of the audit chain is locked last.
        for (action, details) in &entries {
            audit::append(tx.connection, &tx.caller.user_id, action, details, clock::now()).await?;
        }
        let (done, refused) = (entries.len(), items.len().saturating_sub(entries.len()));
        Ok(Changed::without_entry(&BatchResults { items, done, refused }))
    }
}
