//! Tills of stores: those with sales, and the settings of head office for them.

use crate::columns;
use crate::db::column::Columns;
use crate::db::document::encode;
use crate::db::failure::Failure;
use crate::db::filter::{Bound, Conditions};
use crate::feed::{self, Entry};
use crate::http::paged_list::page_query;
use crate::table::store;
use domain::model::base::ids::{RegisterId, SHORT_ID_PROBLEM, is_short_id};
use domain::model::base::time::UtcMs;
use domain::model::books::register::NAME_CHARS_MAX;
use domain::rules::books::register::{ChangeRegister, RegisterState};
use domain::wire::feed::{Kind, RegisterDown};
use edge::ApiError;
use edge::page::{Cursor, Limit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::{AnyConnection, AnyPool};

/// A register of a store.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreRegister")]
pub struct View {
    /// Store of the register.
    pub store_id: String,
    /// ID of the register.
    pub register_id: String,
    /// Display name given by head office. Null if the store's own name applies.
    pub name: Option<String>,
    /// Whether the register may sell, as set by head office.
    pub state: RegisterState,
}

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegistersQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this store.
    pub store_id: Option<String>,
}
page_query!(RegistersQuery);

/// Position of a page: the store and till of the last item before it.
pub type Bookmark = (String, String);

/// Tills with a shift, and those that head office named, by store and ID.
pub async fn list(
    pool: &AnyPool,
    ask: &RegistersQuery,
    after: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let after = after.map(|(store, id)| [Bound::from(store.as_str()), Bound::from(id.as_str())]);
    let conditions = Conditions::default()
        .text("store_id = ?", ask.store_id.as_deref())
        .above(["store_id", "register_id"], after);
    let sql = format!(
        "SELECT store_id, register_id, MAX(name) AS name, CAST(MAX(disabled) AS BIGINT) AS disabled FROM \
         (SELECT store_id, register_id, NULL AS name, 0 AS disabled FROM shifts \
         UNION SELECT store_id, register_id, name, disabled FROM registers) t \
         WHERE {{}} GROUP BY store_id, register_id ORDER BY store_id, register_id LIMIT {limit}"
    );
    let rows = conditions.query(&sql).fetch_all(pool).await?;
    rows.iter().map(read).collect()
}

fn read(row: &sqlx::any::AnyRow) -> Result<View, sqlx::Error> {
    let (store_id, register_id, name, disabled): (String, String, Option<String>, Option<bool>) =
        columns!(row => (store_id, register_id, name, disabled));
    let state = if disabled.unwrap_or(false) { RegisterState::Disabled } else { RegisterState::Active };
    Ok(View { store_id, register_id, name, state })
}

/// Names a till, or lets it sell or not; the change is sent to the store. One that the
/// store does not know is added there.
///
/// # Errors
/// 404 for a store that is not there; 422.
pub async fn change(
    connection: &mut AnyConnection,
    (store_id, register_id): (&str, &str),
    asked: &ChangeRegister,
    now: UtcMs,
) -> Result<View, Failure> {
    if !is_short_id(register_id) {
        return Err(ApiError::field("register_id", SHORT_ID_PROBLEM).into());
    }
    let name = asked.name.as_deref().map(str::trim);
    let sound =
        |name: &str| (1..=NAME_CHARS_MAX).contains(&name.chars().count()) && !name.contains(char::is_control);
    if name.is_some_and(|name| !sound(name)) {
        return Err(ApiError::field("name", "must have 1 to 64 characters").into());
    }
    if !store::is_known(&mut *connection, store_id).await? {
        return Err(ApiError::not_found("the store").into());
    }
    let disabled = asked.state.map(|state| i64::from(state == RegisterState::Disabled));
    let sql = "INSERT INTO registers (store_id, register_id, name, disabled) \
               VALUES ($1, $2, $3, $4) ON CONFLICT (store_id, register_id) DO UPDATE SET \
               name = COALESCE($3, registers.name), disabled = COALESCE($4, registers.disabled) \
               RETURNING store_id, register_id, name, disabled";
    let query = sqlx::query(sql).bind(store_id).bind(register_id).bind(name).bind(disabled);
    let row = query.fetch_one(&mut *connection).await?;
    let view = read(&row)?;
    let down = RegisterDown {
        register_id: RegisterId::from(register_id),
        name: view.name.clone(),
        disabled: row.cell::<Option<bool>>("disabled")?,
    };
    let entry = Entry::for_store(Kind::Register, register_id, store_id, encode(&down)?);
    feed::publish(connection, vec![entry], now).await?;
    Ok(view)
}
