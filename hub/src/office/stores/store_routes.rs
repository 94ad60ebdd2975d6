//! Stores.

use crate::http::change::{self, begun};
use crate::http::{Answered, Request, bound_page};
use crate::office::stores::store::{self, NewStore, StoreKind, StoreState};
use crate::office::stores::{status, sums};
use crate::table::{self, audit};
use domain::model::base::answer::Answer;
use edge::identity::EmptyBody;
use edge::page::{Cursor, Limit, List, Page};
use edge::{ApiError, Code, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// `POST /api/stores`
pub const ADD: Doc = Doc::of("Stores", "Create a store; its enrolment token is shown only once")
    .body::<Add>(r#"{"store_id": "S001", "name": "Menteng", "timezone": "Asia/Jakarta"}"#)
    .creates::<Added>(r#"{"store_id": "S001", "enrolment_token": "k3Jx0c8mQ1u5bZ7w"}"#)
    .unkeyed(ADD_UNKEYED)
    .refuses(&[Code::Duplicate]);
const ADD_UNKEYED: &str = "the answer has a token, and tokens are never stored in clear text; if it was lost, the same request is refused (409), and `POST /api/stores/S001/token` creates another token";

pub const LIST: Doc = Doc::of("Stores", "List stores")
    .query::<Page>()
    .answers::<List<status::StoreView>>(r#"{"items": [], "next_cursor": null}"#);
pub const STATUS: Doc = Doc::of("Stores", "Retrieve a store's detailed status").answers::<status::Status>(
    r#"{"store_id": "S001", "kind": "store", "name": "Menteng", "timezone": "Asia/Jakarta",
        "address": null, "state": "active",
        "created_at": "2026-11-01T00:00:00.000Z", "enrolled_at": "2026-11-01T01:00:00.000Z",
        "last_seen": "2026-11-20T02:06:34.739Z", "version": "0.1.0", "pending": 0, "oldest_pending_at": null,
        "clock_skew_ms": 12, "epoch": "1-00a1b2c3d4e5f607",
        "problems": [{"code": "silent", "message": "not heard from", "since": "2026-11-20T02:06:34.739Z"}],
        "digest": {"business_date": "2026-11-19", "result": "match", "compared_at": "2026-11-20T00:10:00.000Z"},
        "holes": [],
        "heads": [{"epoch": "1-00a1b2c3d4e5f607", "seq": 1042,
            "hash": "5f0d8c6a1b7e4f2d9c3a8b6e5d4f7a1c2b3e4d5f6a7b8c9d0e1f2a3b4c5d6e7f"}],
        "sums": {"sales_count": 1, "items_count": 2, "gross_sales": 30000, "discounts": 1000, "tax": 3190,
            "rounding": 0, "total": 32190, "voids_count": 0, "voids_total": 0, "returns_count": 0,
            "returns_total": 0, "returns_tax": 0},
        "parked_count": 0, "parked": [], "exceptions_count": 0, "conflicts": {"total": 0, "recent": []},
        "stamped_ahead": {"count": 0, "since": null, "last_at": null}}"#,
);
pub const CHANGE: Doc =
    Doc::of("Stores", "Update a store's name or address, and its time zone before its first record")
        .body::<store::Fields>(r#"{"address": "Jl. Cikini Raya 1, Jakarta"}"#)
        .answers::<store::Changed>(
            r#"{"store_id": "S001", "name": "Menteng", "address": "Jl. Cikini Raya 1, Jakarta",
        "timezone": "Asia/Jakarta"}"#,
        );
pub const SUMS: Doc = Doc::of("Stores", "Retrieve the sums of a store's records, each event counted once")
    .query::<SumsQuery>()
    .answers::<List<sums::Sum>>(
        r#"{"items": [{"sku": "8990001", "on_hand": 94, "value": 112800}], "next_cursor": null}"#,
    );
pub const DISABLE: Doc = Doc::of("Stores", "Disable a store; the hub refuses its requests")
    .optional_body::<EmptyBody>("{}")
    .answers::<Switched>(r#"{"store_id": "S001", "state": "disabled"}"#);
pub const ENABLE: Doc = Doc::of("Stores", "Enable a disabled store")
    .optional_body::<EmptyBody>("{}")
    .answers::<Switched>(r#"{"store_id": "S001", "state": "active"}"#);

/// `POST /api/stores/:id/token`
pub const TOKEN: Doc = Doc::of(
    "Stores",
    "Create a new enrolment token for a store; it is shown only once, and the previous one is revoked",
)
.optional_body::<EmptyBody>("{}")
.answers::<Added>(r#"{"store_id": "S001", "enrolment_token": "k3Jx0c8mQ1u5bZ7w"}"#)
.unkeyed("the answer has a token, and tokens are never stored in clear text; if it was lost, the request creates another token");

/// The created store.
#[derive(Serialize, JsonSchema)]
struct Added<'a> {
    /// ID of the store.
    store_id: &'a str,
    /// Token for `store-router enrol`, valid once. Null for a warehouse.
    enrolment_token: Option<&'a str>,
}

/// A store that was disabled or enabled.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StoreSwitched")]
struct Switched<'a> {
    /// ID of the store.
    store_id: &'a str,
    /// State of the store.
    state: StoreState,
}

/// Time zone of most stores.
pub const TIMEZONE_DEFAULT: &str = "Asia/Jakarta";

/// Request body that creates a store.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Add {
    /// ID of the store, which also begins its receipt numbers.
    store_id: String,
    /// Name of the store. Defaults to its ID.
    name: Option<String>,
    /// Time zone of the store, IANA name. Defaults to `Asia/Jakarta`.
    timezone: Option<String>,
    /// Kind of store. `warehouse` is a warehouse of head office, which has no Store Router.
    #[serde(default)]
    kind: StoreKind,
}

/// `POST /api/stores`: the enrolment token is shown this once.
pub async fn add(request: Request) -> Answered {
    let ask: Add = request.json()?;
    let name = ask.name.as_deref().unwrap_or(&ask.store_id);
    let new = NewStore::new(&ask.store_id, name, ask.timezone.as_deref().unwrap_or(TIMEZONE_DEFAULT))?;
    let (hub, now) = (&request.state, clock::now());
    // Whatever key came along: the answer is stored nowhere.
    let mut write = hub.db.write().await?;
    let token = match ask.kind {
        StoreKind::Store => Some(store::add(&mut write, &new, hub.enrolment_ttl, now).await?),
        StoreKind::Warehouse => {
            store::add_warehouse(&mut write, &new, now).await?;
            None
        }
    };
    let (by, details) = (&request.caller()?.user_id, json!({"store_id": new.id()}));
    audit::append(&mut write, by, "store.created", &details, now).await?;
    write.commit().await?;
    let data = Added { store_id: new.id(), enrolment_token: token.as_deref() };
    let location = format!("/api/stores/{}/status", new.id());
    Ok(Answer::created(location, &data).into())
}

/// `POST /api/stores/:id/token`: for a box that is new, or that lost its key.
pub async fn token(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let (hub, now, store_id) = (&request.state, clock::now(), request.param("id"));
    let mut write = hub.db.write().await?;
    let token = store::new_token(&mut write, store_id, hub.enrolment_ttl, now).await?;
    let token = token.ok_or_else(|| ApiError::not_found("the store"))?;
    let (by, details) = (&request.caller()?.user_id, json!({"store_id": store_id}));
    audit::append(&mut write, by, "store.token_renewed", &details, now).await?;
    write.commit().await?;
    Ok(Reply::ok(&Added { store_id, enrolment_token: Some(&token) }))
}

/// `GET /api/stores`
pub async fn list(request: Request) -> Answered {
    let page: Page = request.query()?;
    let (after, limit) = (
        bound_page::after_in::<String>(&request, page.cursor.as_ref())?.unwrap_or_default(),
        change::one_more(page.limit),
    );
    let stores = status::list(request.state.db.pool(), &after, limit, clock::now()).await?;
    Ok(Reply::ok(&bound_page::cut_in(&request, stores, page.limit, |store| store.store_id.clone())?))
}

/// `GET /api/stores/:id/status`
pub async fn status(request: Request) -> Answered {
    Ok(Reply::ok(&status::of(request.state.db.pool(), request.param("id"), clock::now()).await?))
}

/// `PATCH /api/stores/:id`
pub async fn change(request: Request) -> Answered {
    let fields: store::Fields = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let store_id = request.param("id");
    let [before, after] = store::change(&mut keyed.write, store_id, fields, now).await?;
    let done = ("store.changed", json!({"store_id": store_id}));
    change::finish_changed(&request, keyed, done, [&before, &after]).await
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SumsQuery {
    of: sums::Of,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `GET /api/stores/:id/sums`
pub async fn sums(request: Request) -> Answered {
    let query: SumsQuery = request.query()?;
    let (after, limit) = (
        bound_page::after_in::<String>(&request, query.cursor.as_ref())?.unwrap_or_default(),
        change::one_more(query.limit),
    );
    let (pool, store_id) = (request.state.db.pool(), request.param("id"));
    if table::store::credentials(pool, store_id).await?.is_none() {
        return Err(ApiError::not_found("the store").into());
    }
    let found = sums::list(pool, store_id, query.of, &after, limit).await?;
    Ok(Reply::ok(&bound_page::cut_in(&request, found, query.limit, |sum| sum.key().to_owned())?))
}

/// `POST /api/stores/:id/disable`
pub async fn disable(request: Request) -> Answered {
    set_disabled(request, true).await
}

/// `POST /api/stores/:id/enable`
pub async fn enable(request: Request) -> Answered {
    set_disabled(request, false).await
}

async fn set_disabled(request: Request, disabled: bool) -> Answered {
    let EmptyBody {} = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let store_id = request.param("id");
    let state = store::set_disabled(&mut keyed.write, store_id, disabled, now).await?;
    let Some(state) = state else { return Err(ApiError::not_found("the store").into()) };
    let data = Switched { store_id, state };
    let done = (store::audit_action(disabled), json!({"store_id": store_id}));
    change::finish_audited(&request, keyed, done, Answer::ok(&data)).await
}
