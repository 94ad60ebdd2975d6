//! Stores.

use crate::http::paged_list;
use crate::http::prelude::*;
use crate::office::stores::store::{self, NewStore, StoreKind, StoreState};
use crate::office::stores::{status, sums};
use crate::table::{self, audit};
use domain::model::base::answer::Answer;
use domain::model::base::limits::{NAME_CHARS_MAX, SHORT_ID_BYTES_MAX};
use domain::wire::sync::ZONE_BYTES_MAX;
use edge::Doc;
use edge::identity::EmptyBody;

pub const ROUTES: &[Route<Hub>] = &[
    Route::post("/api/stores", ADMIN, ADD, answers!(add)),
    get("/api/stores", GOODS, "Stores").summary("List stores").lists::<Stores>(""),
    get("/api/stores/:id/status", ADMIN, "Stores")
        .summary("Retrieve a store's detailed status")
        .answers::<status::Status>(STATUS, answers!(status)),
    patch("/api/stores/:id", ADMIN, "Stores")
        .summary("Update a store's name or address, and its time zone before its first record")
        .command::<store::Fields>(
            r#"{"address": "Jl. Cikini Raya 1, Jakarta"}"#,
            r#"{"store_id": "S001", "name": "Menteng", "address": "Jl. Cikini Raya 1, Jakarta",
        "timezone": "Asia/Jakarta"}"#,
        ),
    get("/api/stores/:id/sums", ADMIN, "Stores")
        .summary("Retrieve the sums of a store's records, each event counted once")
        .query::<SumsQuery>()
        .answers::<List<sums::Sum>>(
            r#"{"items": [{"sku": "8990001", "on_hand": 94, "value": 112800}], "next_cursor": null}"#,
            paged_list::handler::<SumsQuery>(),
        ),
    post("/api/stores/:id/disable", ADMIN, "Stores")
        .summary("Disable a store; the hub refuses its requests")
        .step::<Disable>(r#"{"store_id": "S001", "state": "disabled"}"#),
    Route::post("/api/stores/:id/token", ADMIN, TOKEN, answers!(token)),
    post("/api/stores/:id/enable", ADMIN, "Stores")
        .summary("Enable a disabled store")
        .step::<Enable>(r#"{"store_id": "S001", "state": "active"}"#),
];

const ADD: Doc = Doc::of("Stores", "Create a store; its enrolment token is shown only once")
    .body::<Add>(r#"{"store_id": "S001", "name": "Menteng", "timezone": "Asia/Jakarta"}"#)
    .creates::<Added>(r#"{"store_id": "S001", "enrolment_token": "k3Jx0c8mQ1u5bZ7w"}"#)
    .unkeyed(ADD_UNKEYED)
    .refuses(&[Code::Duplicate]);
const ADD_UNKEYED: &str = "the answer has a token, and tokens are never stored in clear text; if it was lost, the same request is refused (409), and `POST /api/stores/S001/token` creates another token";

const TOKEN: Doc = Doc::of(
    "Stores",
    "Create a new enrolment token for a store; it is shown only once, and the previous one is revoked",
)
.optional_body::<EmptyBody>("{}")
.answers::<Added>(r#"{"store_id": "S001", "enrolment_token": "k3Jx0c8mQ1u5bZ7w"}"#)
.unkeyed("the answer has a token, and tokens are never stored in clear text; if it was lost, the request creates another token");

const STATUS: &str = r#"{"store_id": "S001", "kind": "store", "name": "Menteng", "timezone": "Asia/Jakarta",
        "address": null, "state": "active",
        "created_at": "2026-11-01T00:00:00.000Z", "enrolled_at": "2026-11-01T01:00:00.000Z",
        "last_seen": "2026-11-20T02:06:34.739Z", "version": "0.1.0", "pending": 0, "oldest_pending_at": null,
        "clock_skew_ms": 12, "epoch": "1-00a1b2c3d4e5f607",
        "problems": [{"code": "silent", "message": "not heard from", "since": "2026-11-20T02:06:34.739Z"}],
        "digest": {"business_date": "2026-11-19", "result": "match", "compared_at": "2026-11-20T00:10:00.000Z"},
        "drill": {"finished_at": "2026-11-19T20:41:09.120Z", "duration_ms": 5210,
            "backup_made_at": "2026-11-19T20:40:34.739Z", "records_count": 1042, "problem": null,
            "succeeded_at": "2026-11-19T20:41:09.120Z"},
        "holes": [],
        "heads": [{"epoch": "1-00a1b2c3d4e5f607", "seq": 1042,
            "hash": "5f0d8c6a1b7e4f2d9c3a8b6e5d4f7a1c2b3e4d5f6a7b8c9d0e1f2a3b4c5d6e7f"}],
        "sums": {"sales_count": 1, "items_count": 2, "gross_sales": 30000, "discounts": 1000, "tax": 3190,
            "rounding": 0, "total": 32190, "voids_count": 0, "voids_total": 0, "returns_count": 0,
            "returns_total": 0, "returns_tax": 0},
        "parked_count": 0, "parked": [], "exceptions_count": 0, "conflicts": {"total": 0, "recent": []},
        "stamped_ahead": {"count": 0, "since": null, "last_at": null}}"#;

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
pub struct Switched {
    /// ID of the store.
    store_id: String,
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
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
    store_id: String,
    /// Name of the store. Defaults to its ID.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    name: Option<String>,
    /// Time zone of the store, IANA name. Defaults to `Asia/Jakarta`.
    #[schemars(length(min = 1, max = ZONE_BYTES_MAX))]
    timezone: Option<String>,
    /// Kind of store. `warehouse` is a warehouse of head office, which has no Store Router.
    #[serde(default)]
    kind: StoreKind,
}

async fn add(request: Request) -> Answered {
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

async fn token(request: Request) -> Answered {
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

/// The list of stores.
pub struct Stores;

impl PagedList for Stores {
    type Query = Page;
    type Item = status::StoreView;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<status::StoreView>, Failure> {
        let after = page.after.unwrap_or_default();
        Ok(status::list(page.pool, &after, page.limit, clock::now()).await?)
    }
    fn position(store: &status::StoreView) -> String {
        store.store_id.clone()
    }
}

async fn status(request: Request) -> Answered {
    Ok(Reply::ok(&status::of(request.state.db.pool(), request.param("id"), clock::now()).await?))
}

impl Command for store::Fields {
    const ACTION: &'static str = "store.changed";
    type Answer = store::Changed;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<store::Changed>, Failure> {
        let store_id = tx.path.get("id");
        let [before, after] = store::change(tx.connection, store_id, self, tx.now).await?;
        Ok(Changed::document([&before, &after], json!({"store_id": store_id})))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SumsQuery {
    of: sums::Of,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}
page_query!(SumsQuery);

impl PagedList for SumsQuery {
    type Query = Self;
    type Item = sums::Sum;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<sums::Sum>, Failure> {
        let (pool, store_id) = (page.pool, page.request.param("id"));
        if table::store::credentials(pool, store_id).await?.is_none() {
            return Err(ApiError::not_found("the store").into());
        }
        Ok(sums::list(pool, store_id, page.query.of, &page.after.unwrap_or_default(), page.limit).await?)
    }
    fn position(sum: &sums::Sum) -> String {
        sum.key().to_owned()
    }
}

without_body!(Disable, Enable);

impl Command for Disable {
    const ACTION: &'static str = store::audit_action(true);
    type Answer = Switched;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Switched>, Failure> {
        set_disabled(tx, true).await
    }
}

impl Command for Enable {
    const ACTION: &'static str = store::audit_action(false);
    type Answer = Switched;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Switched>, Failure> {
        set_disabled(tx, false).await
    }
}

async fn set_disabled(tx: &mut Tx<'_>, disabled: bool) -> Result<Changed<Switched>, Failure> {
    let store_id = tx.path.get("id").to_owned();
    let state = store::set_disabled(tx.connection, &store_id, disabled, tx.now).await?;
    let state = state.ok_or_else(|| ApiError::not_found("the store"))?;
    let details = json!({"store_id": store_id});
    Ok(Changed::answer(&Switched { store_id, state }, details))
}
