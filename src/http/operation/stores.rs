//! The company's stores, as head office sent them: the possible destinations of transfers.

use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::stored;
use domain::model::base::ids::StoreId;
use domain::model::base::search::fold;
use domain::wire::feed::{Kind, StoreDown};
use edge::page::{Cursor, Limit, List};
use edge::{ApiError, Doc, Reply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Records that are looked at together.
const LOOKED_AT: usize = 500;
/// The longest text that is searched for, in bytes.
const Q_CHARS_MAX: usize = 128;

pub const LIST: Doc = Doc::of("Transfers", "List the company's other stores; empty without a head office")
    .query::<Query>()
    .lists::<Store>(r#"{"store_id": "S002", "name": "North", "state": "active"}"#);

/// Whether goods may be sent to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "StoreState")]
enum State {
    /// Goods may be sent to the store.
    Active,
    /// Disabled by head office.
    Disabled,
}

/// Another store of the company.
#[derive(Serialize, JsonSchema)]
struct Store {
    /// ID of the store.
    store_id: StoreId,
    /// Name of the store.
    name: String,
    /// Whether goods may be sent to the store.
    state: State,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "StoreSearch")]
struct Query {
    /// Part of the name or the ID.
    q: Option<String>,
    /// Only those in this state.
    state: Option<State>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `GET /api/stores`
pub async fn list(request: Request) -> Answered {
    let Query { q, state, limit, cursor } = request.query()?;
    let q = q.unwrap_or_default();
    if q.chars().count() > Q_CHARS_MAX {
        return Err(ApiError::invalid_query("q", "must have at most 128 characters"));
    }
    let q = fold(&q);
    let store = &request.state.store;
    let wanted = |one: &Store| {
        let text = |text: &str| fold(text).contains(&q);
        one.store_id != store.rules().store_id
            && (text(&one.name) || text(one.store_id.as_str()))
            && state.is_none_or(|state| one.state == state)
    };
    let mut after = cursor.map(|cursor| cursor.read::<String>()).transpose()?;
    let mut found = Vec::new();
    while found.len() < limit.one_more() {
        let records = store.storage().sync().inbounds(Kind::Store.name(), after.as_deref(), LOOKED_AT);
        let records = records.map_err(stored)?;
        let Some(last) = records.last() else { break };
        after = Some(last.id.clone());
        // Unusable records are listed in the status.
        let known = records.into_iter().filter_map(|record| serde_json::from_value(record.payload).ok());
        found.extend(known.map(shown).filter(wanted));
    }
    found.truncate(limit.one_more());
    Ok(Reply::ok(&List::cut(found, limit, |one| one.store_id.clone())))
}

fn shown(down: StoreDown) -> Store {
    let StoreDown { store_id, name, disabled } = down;
    Store { store_id, name, state: if disabled { State::Disabled } else { State::Active } }
}
