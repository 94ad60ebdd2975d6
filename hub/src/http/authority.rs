//! Whom a bearer token belongs to: a person with a session, or a store with its key.

use crate::account::session;
use crate::db::failure::Failure;
use crate::state::hub::Hub;
use crate::table::{alarm, replaced_key, spent_ticket, store};
use domain::model::base::ids::{SessionId, StoreId, UserId};
use domain::model::base::time::UtcMs;
use domain::model::people::user::{Principal, Role};
use edge::identity::ticket::Listeners;
use edge::identity::{self, AccountResult, Accounts};
use edge::rate_limit::RateLimits;
use edge::tokens::{Claims, TokenError, sync};
use edge::{Access, ApiError, Authority, KeyedRequest, clock, keys};
use serde_json::json;
use std::net::IpAddr;
use std::sync::Arc;

/// Longest time for the answer to a challenge: the lifetime of the token that carries it.
const CHALLENGE_MS_MAX: i64 = sync::SYNC_TTL_S_MAX * 1000;

/// Time after an enrolment in which calls under the old key may come from the enrolled box itself, in milliseconds.
const REPLACED_LATELY_MS: i64 = sync::SYNC_TTL_S_MAX * 1000;
/// A box that was replaced is reported this often, in milliseconds.
const REPORTED_EVERY_MS: i64 = 60_000;

/// Words of a 401 for a store, which has no log-in.
const UNKNOWN_KEY: &str = "the token was not signed with this store's key, or its time is wrong: check the clock of the store's machine; if \
    it is right, enrol the store again (cloud-hub store add ID --new-token, then store-router enrol)";

impl Authority for Hub {
    async fn authenticate(&self, bearer: &str, access: &Access) -> Result<Arc<Principal>, ApiError> {
        let now = clock::now();
        match access {
            Access::SyncToken => {
                let store = self.store(bearer, now).await;
                store.map(Arc::new).map_err(|failure| self.with_hub_time(failure.into(), now))
            }
            Access::Public | Access::LoopbackOr(_) | Access::Roles(_) | Access::CookieOr(_) => {
                let claims = self.people.claims(bearer)?;
                self.holder(&claims).await
            }
        }
    }

    async fn authenticate_key(
        &self,
        key: &str,
        asked: &KeyedRequest<'_>,
    ) -> Result<Arc<Principal>, ApiError> {
        self.key_caller(key, asked).await
    }

    fn usual_addresses(&self) -> Vec<IpAddr> {
        self.people.limiter.usual_addresses()
    }

    fn rate_limits(&self, address: IpAddr) -> Option<RateLimits> {
        Some(self.people.rate_limits(address))
    }

    fn denied(&self, caller: &Principal, pattern: &'static str, address: IpAddr) {
        self.people.denied(caller, pattern, address);
    }
}

impl Listeners for Hub {
    async fn holder(&self, claims: &Claims) -> AccountResult<Arc<Principal>> {
        let session = session::by_id(self.db.pool(), &claims.sid).await.map_err(Failure::from)?;
        let user = self.user(&UserId(claims.sub.clone())).await?;
        identity::caller(claims, session, user).map(Arc::new)
    }

    async fn spend(&self, ticket: &Claims) -> AccountResult<bool> {
        let mut write = self.db.write().await.map_err(Failure::from)?;
        let first = spent_ticket::spend(&mut write, &ticket.jti, self.people.now()).await;
        let first = first.map_err(Failure::from)?;
        write.commit().await.map_err(Failure::from)?;
        Ok(first)
    }
}

impl Hub {
    /// A refused token's answer states the time and the content that it should have had: a store whose clock is wrong
    /// by more than a token's lifetime could not learn it in any other way.
    fn with_hub_time(&self, refused: ApiError, now: UtcMs) -> ApiError {
        if refused.code.is_unauthenticated() {
            let challenge = self.challenge(now);
            ApiError::new(refused.code, UNKNOWN_KEY)
                .with_details(json!({"hub_time": now, "challenge": challenge}))
        } else {
            refused
        }
    }

    /// Proof that this hub named that moment.
    fn challenge(&self, at: UtcMs) -> String {
        let at = at.0.to_string();
        let hub_id = self.identity.hub_id.as_bytes();
        format!("{at}.{}", self.fingerprints.of(&[b"sync challenge", hub_id, at.as_bytes()]))
    }

    /// Whether a token without a challenge, or with one that this hub gave out a moment ago.
    fn fresh(&self, challenge: Option<&str>, now: UtcMs) -> bool {
        let Some(challenge) = challenge else { return true };
        let at = challenge.split_once('.').and_then(|(at, _)| at.parse().ok()).map(UtcMs);
        at.is_some_and(|at| {
            let age_ms = now.0.saturating_sub(at.0);
            (0..=CHALLENGE_MS_MAX).contains(&age_ms) && self.challenge(at) == challenge
        })
    }

    /// A store as a caller. Its role opens nothing: routes of stores look at the token alone.
    async fn store(&self, bearer: &str, now: UtcMs) -> Result<Principal, Failure> {
        let store_id = sync::claimed_store(bearer).map_err(ApiError::from)?;
        let known = store::credentials(self.db.pool(), &store_id).await?;
        let known = known.ok_or_else(ApiError::invalid_token)?;
        let key = known.public_key.as_deref().and_then(keys::parse_public_key);
        let key = key.ok_or_else(ApiError::invalid_token)?;
        let claims = match sync::verify(bearer, &key, &store_id, &self.identity.hub_id, now) {
            Ok(claims) => claims,
            Err(error) => {
                self.refuse_replaced(bearer, &store_id, &keys::kid(&key), now).await?;
                return Err(ApiError::from(error).into());
            }
        };
        if !self.fresh(claims.challenge.as_deref(), now) {
            return Err(ApiError::invalid_token().into());
        }
        if known.disabled {
            return Err(store::disabled().into());
        }
        if !self.sync_tokens.record_use(&store_id, claims.jti.clone(), claims.exp, now.0.div_euclid(1000)) {
            return Err(ApiError::invalid_token().into());
        }
        Ok(Principal {
            user_id: UserId(claims.sub),
            name: known.name,
            role: Role::Cashier,
            store_id: StoreId(store_id),
            session_id: SessionId(claims.jti),
        })
    }

    /// Refuses a box whose key another enrolment replaced. `kid` names the key that counts.
    ///
    /// # Errors
    /// 403 `store_replaced`; 401 if the store's clock is wrong: it gets the 403 once it has signed for the right time.
    async fn refuse_replaced(
        &self,
        bearer: &str,
        store_id: &str,
        kid: &str,
        now: UtcMs,
    ) -> Result<(), Failure> {
        for replaced in replaced_key::of(self.db.pool(), store_id).await? {
            let Some(key) = keys::parse_public_key(&replaced.public_key) else { continue };
            match sync::verify(bearer, &key, store_id, &self.identity.hub_id, now) {
                Ok(claims) if self.fresh(claims.challenge.as_deref(), now) => {
                    self.report_replaced(store_id, replaced.replaced_at, now).await?;
                    return Err(replaced_key::refusal(store_id, replaced.replaced_at, kid).into());
                }
                Err(TokenError::Expired) => return Err(ApiError::from(TokenError::Expired).into()),
                Ok(_) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Raises the alarm that a replaced box still runs. Not at once, since the box itself may have been enrolled again,
    /// and not with every call.
    async fn report_replaced(&self, store_id: &str, replaced_at: UtcMs, now: UtcMs) -> Result<(), Failure> {
        let mut write = self.db.write().await?;
        let last = alarm::last_at(&mut write, store_id, alarm::FENCED).await?;
        let is_known = last.is_some_and(|last| now.0.saturating_sub(last.0) < REPORTED_EVERY_MS);
        if is_known || now.0.saturating_sub(replaced_at.0) < REPLACED_LATELY_MS {
            return Ok(());
        }
        let message = format!(
            "a machine that another one replaced on {replaced_at} still connects, and can't sell: find it, and switch it off"
        );
        alarm::raise(&mut write, store_id, alarm::FENCED, &message, now).await?;
        Ok(write.commit().await?)
    }
}
