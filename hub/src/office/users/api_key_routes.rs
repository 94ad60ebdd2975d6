//! API keys: credentials of programs. Only administrators, and no key, manage them.

use crate::http::prelude::*;
use crate::state::api_key::{ID_PREFIX, new_secret};
use crate::table::api_key::{self, ApiKey, KeyRole};
use crate::table::key_scope::{SCOPES, Scope};
use crate::table::{audit, store};
use domain::model::base::answer::Answer;
use domain::model::base::ids::UserId;
use domain::model::base::limits::{NAME_CHARS_MAX, SHORT_ID_BYTES_MAX};
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use edge::{Doc, ids};

const TAG: &str = "API keys";
/// Longest time for which two secrets of a key work, in hours.
const OVERLAP_HOURS_MAX: u16 = 7 * 24;
/// Most stores of a key.
const STORES_MAX: usize = 500;
const HOUR_MS: i64 = 3_600_000;

const KEY: &str = r#"{"key_id": "key_1", "name": "Accounting connector", "role": "read_only",
    "scopes": ["finance:read"], "store_ids": [], "hint": "x9Qk", "previous_until": null, "created_by": "usr_1",
    "created_at": "2026-11-20T02:06:34.739Z", "expires_at": "2027-11-20T00:00:00.000Z", "revoked_at": null,
    "last_used_at": null}"#;
const KEY_WITH_SECRET: &str = r#"{"key_id": "key_1", "name": "Accounting connector", "role": "read_only",
    "scopes": ["finance:read"], "store_ids": [], "hint": "x9Qk", "previous_until": null, "created_by": "usr_1",
    "created_at": "2026-11-20T02:06:34.739Z", "expires_at": "2027-11-20T00:00:00.000Z", "revoked_at": null,
    "last_used_at": null, "secret": "srk_k3Jx0c8mQ1u5bZ7wR2t4y6A8s0D2f4G6h8J0k2L4x9Qk"}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/api-keys", ADMIN, TAG).summary("List API keys, without their secrets").lists::<Keys>(KEY),
    get("/api/api-keys/scopes", ADMIN, TAG)
        .summary("List the scopes that an API key can have")
        .answers::<Scopes>(
            r#"{"items": [{"scope": "finance:read", "area": "Finance", "writes": false}]}"#,
            answers!(scopes),
        ),
    Route::post("/api/api-keys", ADMIN, CREATE, answers!(create)),
    Route::post("/api/api-keys/:key_id/rotate", ADMIN, ROTATE, answers!(rotate)),
    post("/api/api-keys/:key_id/revoke", ADMIN, TAG)
        .summary("Revoke an API key; the next request with it is refused")
        .step::<Revoke>(KEY),
];

const CREATE: Doc = Doc::of(TAG, "Create an API key; its secret is shown only once")
    .body::<NewKey>(
        r#"{"name": "Accounting connector", "role": "read_only", "scopes": ["finance:read"],
        "expires_at": "2027-11-20T00:00:00.000Z"}"#,
    )
    .creates::<KeyWithSecret>(KEY_WITH_SECRET)
    .unkeyed(
        "the answer has a secret, and secrets are never stored in clear text; if it was lost, revoke the key and create \
         another one",
    );
const ROTATE: Doc = Doc::of(TAG, "Give an API key a new secret; the previous one still works for `overlap_hours`")
    .body::<Rotation>(r#"{"overlap_hours": 24}"#)
    .answers::<KeyWithSecret>(KEY_WITH_SECRET)
    .unkeyed("the answer has a secret, and secrets are never stored in clear text; if it was lost, rotate the key again")
    .refuses(&[Code::InvalidState]);

/// An API key with its secret. The secret is never logged.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ApiKeyWithSecret")]
struct KeyWithSecret {
    #[serde(flatten)]
    key: ApiKey,
    /// The secret, `srk_…`, for the header `Authorization: Bearer srk_…`. It is shown only here.
    secret: String,
}

/// Request body that creates an API key.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewApiKey")]
struct NewKey {
    /// Name of the key, for example of the program that uses it.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    name: String,
    /// Role of the key. The key may do what both its role and its scopes permit.
    role: KeyRole,
    /// Scopes of the key, at least one; a `read_only` key has only scopes to read.
    #[schemars(length(min = 1, max = SCOPES))]
    scopes: Vec<Scope>,
    /// Stores that the key may read. Empty for all stores. A key with stores has only scopes to read, and each of its
    /// requests names one of the stores in the query parameter `store_id`.
    #[serde(default)]
    #[schemars(length(max = STORES_MAX), inner(length(min = 1, max = SHORT_ID_BYTES_MAX)))]
    store_ids: Vec<String>,
    /// When the key expires. Null if it does not expire.
    expires_at: Option<UtcMs>,
}

/// Request body that rotates an API key.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ApiKeyRotation")]
struct Rotation {
    /// Hours for which the previous secret still works, 0 to 168. With 0 it stops working at once.
    #[schemars(range(max = OVERLAP_HOURS_MAX))]
    overlap_hours: u16,
}

impl NewKey {
    fn checked(mut self, now: UtcMs) -> Result<Self, ApiError> {
        // The spaces around it count too: the longest text of the request is then the longest of the document.
        let long = self.name.chars().count() > NAME_CHARS_MAX;
        self.name = self.name.trim().to_owned();
        if long || self.name.is_empty() || self.name.chars().any(char::is_control) {
            return Err(ApiError::field("name", "must have 1 to 255 characters"));
        }
        if self.scopes.len() > SCOPES {
            return Err(ApiError::field("scopes", format!("must have at most {SCOPES} scopes")));
        }
        self.scopes.sort_unstable();
        self.scopes.dedup();
        if self.scopes.is_empty() {
            return Err(ApiError::field("scopes", "must have at least one scope"));
        }
        let reads = self.role == KeyRole::ReadOnly || !self.store_ids.is_empty();
        if reads && self.scopes.iter().any(|scope| scope.writes()) {
            let problem = "must only be scopes to read for the role read_only and for a key with stores";
            return Err(ApiError::field("scopes", problem));
        }
        if self.store_ids.len() > STORES_MAX {
            return Err(ApiError::field("store_ids", "must have at most 500 stores"));
        }
        if self.expires_at.is_some_and(|at| at <= now) {
            return Err(ApiError::field("expires_at", "must be in the future"));
        }
        Ok(self)
    }
}

/// The list of keys.
pub struct Keys;

impl PagedList for Keys {
    type Query = Page;
    type Item = ApiKey;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<ApiKey>, Failure> {
        Ok(api_key::list(page.pool, &page.after.unwrap_or_default(), page.limit).await?)
    }
    fn position(key: &ApiKey) -> String {
        key.key_id.0.clone()
    }
}

/// A scope that an API key can have.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ApiKeyScopeDetail")]
struct ScopeView {
    scope: Scope,
    /// Tag of the operations that it permits.
    area: &'static str,
    /// Whether it permits changes.
    writes: bool,
}

/// The scopes that an API key can have.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ApiKeyScopes")]
struct Scopes {
    /// All scopes.
    items: Vec<ScopeView>,
}

async fn scopes(_request: Request) -> Answered {
    let items = Scope::all().map(|scope| ScopeView { scope, area: scope.area(), writes: scope.writes() });
    Ok(Reply::ok(&Scopes { items: items.collect() }))
}

async fn create(request: Request) -> Answered {
    let now = clock::now();
    let NewKey { name, role, scopes, store_ids, expires_at } = request.json::<NewKey>()?.checked(now)?;
    let (hub, by) = (&request.state, request.caller()?.user_id.clone());
    for store_id in &store_ids {
        if store::credentials(hub.db.pool(), store_id).await?.is_none() {
            return Err(ApiError::field("store_ids", format!("{store_id} is not a store")).into());
        }
    }
    let (secret, hash, hint) = new_secret();
    let key = ApiKey {
        key_id: UserId(ids::new(ID_PREFIX)),
        name,
        role,
        scopes,
        store_ids,
        hint,
        previous_until: None,
        created_by: by.clone(),
        created_at: now,
        expires_at,
        revoked_at: None,
        last_used_at: None,
    };
    let mut write = hub.db.write().await?;
    api_key::insert(&mut write, &key, &hash).await?;
    let scopes: Vec<_> = key.scopes.iter().map(|scope| scope.name()).collect();
    let details = json!({"key_id": key.key_id, "name": key.name, "role": key.role, "scopes": scopes.join(", "),
        "store_ids": key.store_ids.join(", "), "expires_at": key.expires_at});
    audit::append(&mut write, &by, "api_key.created", &details, now).await?;
    write.commit().await?;
    Ok(Answer::created("/api/api-keys".to_owned(), &KeyWithSecret { key, secret }).into())
}

async fn rotate(request: Request) -> Answered {
    let Rotation { overlap_hours } = request.json()?;
    if overlap_hours > OVERLAP_HOURS_MAX {
        return Err(ApiError::field("overlap_hours", "must be 0 to 168").into());
    }
    let (hub, now) = (&request.state, clock::now());
    let mut write = hub.db.write().await?;
    let mut key = found(api_key::locked(&mut write, request.param("key_id")).await?)?;
    if key.revoked_at.is_some() {
        let revoked = Refusal::InvalidState { state: "revoked".to_owned(), allowed: Vec::new() };
        return Err(ApiError::from(revoked).into());
    }
    let (secret, hash, hint) = new_secret();
    key.hint = hint;
    let overlap_ms = i64::from(overlap_hours).saturating_mul(HOUR_MS);
    key.previous_until = (overlap_ms > 0).then_some(UtcMs(now.0.saturating_add(overlap_ms)));
    api_key::rotate(&mut write, &key, &hash).await?;
    let details = json!({"key_id": key.key_id, "overlap_hours": overlap_hours});
    audit::append(&mut write, &request.caller()?.user_id, "api_key.rotated", &details, now).await?;
    write.commit().await?;
    Ok(Reply::ok(&KeyWithSecret { key, secret }))
}

without_body!(Revoke);

impl Command for Revoke {
    const ACTION: &'static str = "api_key.revoked";
    type Answer = ApiKey;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<ApiKey>, Failure> {
        let mut key = found(api_key::locked(tx.connection, tx.path.get("key_id")).await?)?;
        if key.revoked_at.is_some() {
            return Ok(Changed::without_entry(&key));
        }
        api_key::revoke(tx.connection, &key.key_id, tx.now).await?;
        key.revoked_at = Some(tx.now);
        let details = json!({"key_id": key.key_id});
        Ok(Changed::answer(&key, details))
    }
}

fn found(key: Option<ApiKey>) -> Result<ApiKey, ApiError> {
    key.ok_or_else(|| ApiError::not_found("the API key"))
}
