//! An existing document of a warehouse: which place reported it, and its last record.

use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::table::record;
use domain::model::base::limits::SHORT_ID_BYTES_MAX;
use domain::model::people::user::{Principal, Role};
use edge::{ApiError, Code};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;
use sqlx::AnyConnection;
use std::fmt;
use std::marker::PhantomData;

const STORE_ID: &str = "store_id";

/// Request body of a command for a warehouse: the fields of the store's command, and the warehouse.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Warehouse{T}", deny_unknown_fields)]
pub struct InWarehouse<T> {
    /// ID of the warehouse.
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
    pub store_id: String,
    /// The command, as at a store.
    #[serde(flatten)]
    pub command: T,
}

/// Reads the fields of the command one by one, so that a refusal names the path of a field. A derived `flatten` would
/// first read them all and lose it.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for InWarehouse<T> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_map(Body(PhantomData))
    }
}

struct Body<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Body<T> {
    type Value = InWarehouse<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<InWarehouse<T>, A::Error> {
        let mut store_id = None;
        let of_command = OfCommand { fields, store_id: &mut store_id };
        let command = T::deserialize(MapAccessDeserializer::new(of_command))?;
        let store_id = store_id.ok_or_else(|| A::Error::missing_field(STORE_ID))?;
        Ok(InWarehouse { store_id, command })
    }
}

/// The fields of an object but for the warehouse, which is kept.
struct OfCommand<'a, A> {
    fields: A,
    store_id: &'a mut Option<String>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for OfCommand<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(name) = self.fields.next_key::<String>()? {
            if name != STORE_ID {
                return seed.deserialize(name.into_deserializer()).map(Some);
            }
            *self.store_id = Some(self.fields.next_value()?);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.fields.next_value_seed(seed)
    }
}

/// A person of head office as a manager of the warehouse.
pub fn manager(caller: &Principal) -> Principal {
    as_role(caller, Role::StoreManager)
}

/// A person of head office as a user of the warehouse, who needs an administrator above its limits.
pub fn clerk(caller: &Principal) -> Principal {
    as_role(caller, Role::WarehouseStaff)
}

fn as_role(caller: &Principal, role: Role) -> Principal {
    let role = if caller.role == Role::Admin { Role::Admin } else { role };
    Principal { role, ..caller.clone() }
}

/// 409: an action of a store is undone at the store.
pub fn stores_own(what: &str) -> ApiError {
    ApiError::new(Code::InvalidState, format!("it belongs to a store: {what}"))
        .with_details(json!({"state": "of_store", "allowed": []}))
}

/// The warehouse whose document this is.
///
/// # Errors
/// 404; 409 `invalid_state` for a store's document, with `what` as its name.
pub async fn place(
    connection: &mut AnyConnection,
    (kind, id): (&str, &str),
    (noun, what): (&'static str, &str),
) -> Result<String, Failure> {
    let sql = "SELECT s.store_id, s.kind FROM goods_documents d JOIN stores s ON s.store_id = d.store_id \
               WHERE d.document_id = $1 AND d.kind = $2 ORDER BY s.kind DESC, s.store_id LIMIT 1";
    let row = sqlx::query(sql).bind(id).bind(kind).fetch_optional(connection).await?;
    let row = row.ok_or_else(|| ApiError::not_found(noun))?;
    if row.cell::<String>("kind")? == "warehouse" {
        Ok(row.cell("store_id")?)
    } else {
        Err(stores_own(what).into())
    }
}

/// Last report of a warehouse about a document; its row is locked.
///
/// # Errors
/// 404.
pub async fn latest<P: DeserializeOwned>(
    connection: &mut AnyConnection,
    store_id: &str,
    (kind, id): (&str, &str),
    noun: &'static str,
) -> Result<P, Failure> {
    let sql = "SELECT r.record, r.encoding FROM goods_documents d \
               JOIN events e ON e.store_id = d.store_id AND e.event_id = d.event_id \
               JOIN records r ON r.store_id = e.store_id AND r.epoch = e.epoch AND r.seq = e.seq \
               WHERE d.store_id = $1 AND d.kind = $2 AND d.document_id = $3 AND d.part = 1";
    let row = sqlx::query(sql).bind(store_id).bind(kind).bind(id).fetch_optional(connection).await?;
    Ok(record::payload_of(&row.ok_or_else(|| ApiError::not_found(noun))?)?)
}
