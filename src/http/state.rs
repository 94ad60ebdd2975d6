//! What handlers share, and who a bearer token belongs to.

use super::admin::Admin;
use super::failure::{stored, withdrawn};
use actors::StoreHandle;
use domain::chain::hex;
use domain::ids::{SessionId, UserId};
use domain::time::UtcMs;
use domain::user::Caller;
use edge::limiter::LoginLimiter;
use edge::passwords::Passwords;
use edge::tokens::{Keys, TokenKind};
use edge::{Access, ApiError, Authority, clock};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The running shop, as its HTTP interface sees it.
pub struct Shop {
    /// The one door into the actors, and storage for reads.
    pub store: StoreHandle,
    /// Signs and checks tokens.
    pub keys: Keys,
    /// Hashes and checks passwords.
    pub passwords: Passwords,
    /// Counts wrong log-ins.
    pub limiter: LoginLimiter,
    /// How long a session lives: as long as its refresh token.
    pub session_lifetime: Duration,
    /// Settings, verification, backups.
    pub admin: Admin,
    started: Instant,
    draining: AtomicBool,
}

impl Shop {
    /// A shop that starts now.
    pub fn new(
        store: StoreHandle,
        keys: Keys,
        passwords: Passwords,
        session_lifetime: Duration,
        admin: Admin,
    ) -> Self {
        Self {
            store,
            keys,
            passwords,
            limiter: LoginLimiter::default(),
            session_lifetime,
            admin,
            started: Instant::now(),
            draining: AtomicBool::new(false),
        }
    }

    /// A login name as the limiter knows it. People type passwords into that field: the limiter's file must
    /// not hold what was typed.
    pub fn subject(&self, name: &str) -> String {
        hex(&self.store.storage().fingerprint(&[b"login-name", name.as_bytes()]))
    }

    /// Seconds since the start.
    pub fn uptime_s(&self) -> u64 {
        self.started.elapsed().as_secs()
    }

    /// Says that the daemon is stopping: no longer ready.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Whether the daemon is stopping.
    pub fn draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// The caller behind an access token: signed by us and alive, its session still there, its user
    /// neither disabled nor revoked since. The role is the user's of now, not the token's.
    fn caller(&self, bearer: &str, now: UtcMs) -> Result<Caller, ApiError> {
        let claims = self.keys.verify(bearer, TokenKind::Access, now)?;
        let storage = self.store.storage();
        let session = storage.session(&SessionId(claims.sid.clone())).map_err(stored)?;
        let user = storage.user(&UserId(claims.sub.clone())).map_err(stored)?;
        let (session, user) = session.zip(user).ok_or_else(ApiError::token_revoked)?;
        if user.disabled {
            return Err(ApiError::account_disabled());
        }
        if withdrawn(&claims, &session, &user) {
            return Err(ApiError::token_revoked());
        }
        Ok(Caller {
            user_id: user.user_id,
            name: user.name,
            role: user.role,
            store_id: user.store_id,
            session_id: session.session_id,
        })
    }
}

impl Authority for Shop {
    async fn authenticate(&self, bearer: &str, access: &Access) -> Result<Caller, ApiError> {
        match access {
            // This store serves no other store; a sync token opens nothing here.
            Access::SyncToken => Err(ApiError::invalid_token()),
            Access::Public | Access::LoopbackOr(_) | Access::Roles(_) => self.caller(bearer, clock::now()),
        }
    }
}
