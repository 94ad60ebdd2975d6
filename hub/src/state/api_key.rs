//! The API key of a program, and whether it may make a request.

use crate::db::failure::Failure;
use crate::secret;
use crate::state::hub::Hub;
use crate::table::api_key::{self, ApiKey};
use crate::table::key_scope::Scope;
use domain::model::base::ids::{SessionId, StoreId};
use domain::model::base::time::UtcMs;
use domain::model::people::user::{Principal, Role};
use edge::identity::refusals;
use edge::{API_KEY_PREFIX, ApiError, Code, KeyedRequest, query};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

/// Precision of the time at which a key was last used, in milliseconds: a busy key costs a write an hour, not one with
/// each request.
const USED_EVERY_MS: i64 = 3_600_000;
/// Characters of a secret by which people recognise it.
const HINT_CHARS: usize = 4;
/// Changes that need a person although their area is open to keys: approvals, because an administrator could approve
/// their own documents with a key; and enrolment tokens of stores, because they are credentials.
const PEOPLE_ONLY: [&str; 2] = ["/api/stores", "/api/stores/:id/token"];
/// Lists whose documents may also name other stores than the one that they are filtered by.
const OF_SEVERAL_STORES: [&str; 1] = ["/api/finance/invoices"];
/// First characters of the ID of a key. A document that a key has changed has the ID as its author.
pub const ID_PREFIX: &str = "key_";

/// A new secret, with its hash and its hint.
///
/// The hash is a plain SHA-256. A slow hash with a salt protects passwords, which can be guessed; a secret of 256 random
/// bits can't, and a slow hash would cost its time with every request.
pub fn new_secret() -> (String, String, String) {
    let secret = format!("{API_KEY_PREFIX}{}", secret::token());
    let hint = secret.get(secret.len().saturating_sub(HINT_CHARS)..).unwrap_or_default().to_owned();
    let hash = secret::digest(&secret);
    (secret, hash, hint)
}

impl Hub {
    /// Caller behind an API key that may make this request.
    ///
    /// # Errors
    /// 401 `invalid_token`, `token_expired`, `token_revoked`, 403 `insufficient_role`.
    pub async fn key_caller(&self, key: &str, asked: &KeyedRequest<'_>) -> Result<Arc<Principal>, ApiError> {
        let now = self.people.now();
        let found = api_key::by_hash(self.db.pool(), &secret::digest(key)).await.map_err(Failure::from)?;
        let Some((key, is_previous)) = found else { return Err(self.unknown_key(asked.address, now)) };
        alive(&key, is_previous, now)?;
        let role = role(&key, asked);
        let caller = |role| Principal {
            user_id: key.key_id.clone(),
            name: key.name.clone(),
            role,
            store_id: StoreId::default(),
            session_id: SessionId(key.key_id.0.clone()),
        };
        match role {
            Ok(role) => {
                self.note_use(&key, now).await;
                Ok(Arc::new(caller(role)))
            }
            Err(refused) => {
                self.people.denied(&caller(Role::Admin), asked.pattern, asked.address);
                Err(refused)
            }
        }
    }

    /// Counts a key that does not exist like a failed log-in from its address. The answer is the same before and after
    /// the limit of the address: 256 bits can't be guessed; the limit protects people's passwords.
    fn unknown_key(&self, address: IpAddr, now: UtcMs) -> ApiError {
        let refused = refused(Code::InvalidToken, "is unknown");
        let limited = self.people.limiter.attempt_from(address, now);
        let why = limited.map_or_else(|limited| limited.code.name(), |()| refused.code.name());
        self.people.refusals.add(refusals::LOG_IN, None, address, why, now);
        refused
    }

    /// The request does not fail if the use can't be noted.
    async fn note_use(&self, key: &ApiKey, now: UtcMs) {
        let before = UtcMs(now.0.saturating_sub(USED_EVERY_MS));
        if key.last_used_at.is_some_and(|at| at >= before) {
            return;
        }
        let noted = async {
            let mut write = self.db.write().await?;
            api_key::used(&mut write, &key.key_id, now, before).await?;
            write.commit().await
        };
        if let Err(error) = noted.await {
            tracing::warn!(key_id = %key.key_id, %error, "the use of an API key could not be noted");
        }
    }
}

/// 401 in the words of a program, which has no log-in to repeat.
fn refused(code: Code, why: &str) -> ApiError {
    ApiError::new(code, format!("the API key {why}: ask an administrator for another one"))
}

fn alive(key: &ApiKey, is_previous: bool, now: UtcMs) -> Result<(), ApiError> {
    if key.revoked_at.is_some() {
        return Err(refused(Code::TokenRevoked, "was revoked"));
    }
    let over = is_previous && key.previous_until.is_none_or(|until| until <= now);
    if over || key.expires_at.is_some_and(|at| at <= now) {
        return Err(refused(Code::TokenExpired, "has expired"));
    }
    Ok(())
}

/// Role in which the key makes the request.
fn role(key: &ApiKey, asked: &KeyedRequest<'_>) -> Result<Role, ApiError> {
    let refused = |message: String| ApiError::new(Code::InsufficientRole, message);
    let person =
        asked.mutates && (asked.pattern.ends_with("/approve") || PEOPLE_ONLY.contains(&asked.pattern));
    let scope = Scope::of(asked.tag, asked.mutates).filter(|_| !person);
    let scope = scope.ok_or_else(|| refused("an API key can't do this: log in as a user".to_owned()))?;
    if !key.scopes.contains(&scope) {
        return Err(refused(format!("this API key lacks the scope {}", scope.name())));
    }
    if !key.store_ids.is_empty() && !names_store(key, asked) {
        let stores = key.store_ids.join(", ");
        let problem = if OF_SEVERAL_STORES.contains(&asked.pattern) {
            "a document of this list may be of several stores"
        } else if asked.filters_by_store {
            "send one of them as store_id"
        } else {
            "this operation does not read one store"
        };
        return Err(refused(format!("this API key only reads stores {stores}: {problem}")));
    }
    // A key that only reads acts in a role that may read this, but never as an administrator.
    let readers = [Role::HoFinance, Role::HoPurchasing];
    let reader = || readers.into_iter().find(|role| !asked.mutates && asked.roles.contains(role));
    let role = key.role.user_role().or_else(reader);
    role.filter(|role| asked.roles.contains(role))
        .ok_or_else(|| refused(format!("the role {} of this API key does not allow this", key.role.name())))
}

/// Whether the request reads one of the key's stores. An operation without the parameter would ignore it.
fn names_store(key: &ApiKey, asked: &KeyedRequest<'_>) -> bool {
    let filters: BTreeMap<String, String> = query::parse(asked.query).unwrap_or_default();
    !asked.mutates
        && asked.filters_by_store
        && !OF_SEVERAL_STORES.contains(&asked.pattern)
        && filters.get("store_id").is_some_and(|store_id| key.store_ids.contains(store_id))
}
