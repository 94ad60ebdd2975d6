//! The hub's storage of users, sessions and devices: rows of its database.

use crate::account::{passkey, session, user};
use crate::db::failure::Failure;
use crate::http::Request;
use crate::state::hub::Hub;
use crate::state::idempotency::{self, Begun, RequestKey};
use crate::table::audit;
use domain::model::base::answer::Answer;
use domain::model::base::ids::{SessionId, StoreId, UserId};
use domain::model::base::time::UtcMs;
use domain::model::people::audit::AuditEntry;
use domain::model::people::user::{Passkey, Principal, Role, Session, User};
use domain::rules::people::user::account_change;
use domain::rules::people::user::account_change::{Change, Decided, Device, Known, Undecided};
use domain::rules::people::user::passkey::Assertion;
use domain::rules::people::user::rotation::{Presented, Refreshed};
use edge::identity::{AccountResult, Accounts, Identity, Proof};
use edge::{ApiError, ids};
use serde_json::json;

/// Seconds after which a change that met another one may be tried again.
const RETRY_AFTER_S: u64 = 1;

/// Identity and key of a request.
pub struct RequestContext {
    caller: Principal,
    key: Option<RequestKey>,
}

impl Accounts for Hub {
    type Context = RequestContext;
    const ROLES: &'static [Role] = &Role::HEAD_OFFICE;

    fn identity(&self) -> &Identity {
        &self.people
    }

    fn fingerprint(&self, parts: &[&[u8]]) -> [u8; 32] {
        self.fingerprints.bytes(parts)
    }

    fn context(request: &Request, body: &[u8]) -> Result<RequestContext, ApiError> {
        let key = RequestKey::of(&request.state.fingerprints, request, body)?;
        Ok(RequestContext { caller: request.caller()?.clone(), key })
    }

    async fn user_by_name(&self, name: &str) -> AccountResult<Option<User>> {
        Ok(user::by_name(self.db.pool(), name).await.map_err(Failure::from)?)
    }

    async fn user(&self, id: &UserId) -> AccountResult<Option<User>> {
        let mut connection = self.db.pool().acquire().await.map_err(Failure::from)?;
        Ok(user::by_id(&mut connection, id).await.map_err(Failure::from)?)
    }

    async fn users(&self) -> AccountResult<Vec<User>> {
        let mut users = user::list(self.db.pool()).await.map_err(Failure::from)?;
        users.sort_by(|a, b| a.user_id.cmp(&b.user_id));
        Ok(users)
    }

    async fn passkeys(&self, user: &User) -> AccountResult<Vec<Passkey>> {
        Ok(passkey::of(self.db.pool(), user).await.map_err(Failure::from)?)
    }

    async fn open_session(&self, user: &User, proof: Proof) -> AccountResult<Session> {
        Ok(self.open(user, &proof).await?)
    }

    async fn use_passkey(&self, user: &User, assertion: Assertion) -> AccountResult<()> {
        let mut write = self.db.write().await.map_err(Failure::from)?;
        counted(&mut write, user, &assertion, self.people.now()).await?;
        Ok(write.commit().await.map_err(Failure::from)?)
    }

    async fn close_session(&self, session: &SessionId) -> AccountResult<()> {
        let mut write = self.db.write().await.map_err(Failure::from)?;
        if let Some(user_id) = session::close(&mut write, session).await.map_err(Failure::from)? {
            let details = json!({"session_id": session});
            let noted =
                audit::append(&mut write, &user_id, "session.closed", &details, self.people.now()).await;
            noted.map_err(Failure::from)?;
        }
        Ok(write.commit().await.map_err(Failure::from)?)
    }

    async fn rehash(&self, user: &User, hash: String) -> AccountResult<()> {
        let mut write = self.db.write().await.map_err(Failure::from)?;
        user::rehash(&mut write, user, &hash).await.map_err(Failure::from)?;
        Ok(write.commit().await.map_err(Failure::from)?)
    }

    async fn refresh(&self, presented: Presented) -> AccountResult<Refreshed> {
        let mut write = self.db.write().await.map_err(Failure::from)?;
        let refreshed = session::refresh(&mut write, &presented).await?;
        write.commit().await.map_err(Failure::from)?;
        Ok(refreshed)
    }

    async fn audit(&self, entries: Vec<AuditEntry>) -> AccountResult<()> {
        let mut write = self.db.write().await.map_err(Failure::from)?;
        for AuditEntry { user_id, action, at, details, .. } in entries {
            audit::append(&mut write, &user_id, &action, &details, at).await.map_err(Failure::from)?;
        }
        Ok(write.commit().await.map_err(Failure::from)?)
    }

    async fn replayed(&self, ask: &RequestContext) -> AccountResult<Option<Answer>> {
        let Some(key) = &ask.key else { return Ok(None) };
        Ok(idempotency::stored(self.db.pool(), key).await?)
    }

    async fn change(&self, ask: &RequestContext, change: Change) -> AccountResult<edge::Reply> {
        Ok(self.carry_out(ask, &change).await?)
    }
}

impl Hub {
    async fn open(&self, user: &User, proof: &Proof) -> Result<Session, Failure> {
        let now = self.people.now();
        let lifetime_ms = i64::try_from(self.people.session_lifetime.as_millis()).unwrap_or(i64::MAX);
        let mut write = self.db.write().await?;
        let expires_at = UtcMs(now.0.saturating_add(lifetime_ms));
        let session = session::open(&mut write, user, now, expires_at).await?;
        if let Proof::Passkey(assertion) = proof {
            counted(&mut write, user, assertion, now).await?;
        }
        let details = json!({"session_id": session.session_id, "by": proof.name()});
        audit::append(&mut write, &user.user_id, "session.opened", &details, now).await?;
        write.commit().await?;
        Ok(session)
    }

    async fn carry_out(&self, ask: &RequestContext, change: &Change) -> Result<edge::Reply, Failure> {
        let now = self.people.now();
        let mut keyed = match idempotency::begin_as(&self.db, &self.running, ask.key.clone(), now).await? {
            Begun::Before(reply) => return Ok(reply),
            Begun::Now(keyed) => keyed,
        };
        // One change of people at a time: each decides on the result of the one before.
        user::lock_all(&mut keyed.write).await?;
        let users = user::all(&mut keyed.write).await?;
        let passkeys = passkey::all(&mut keyed.write).await?;
        let session = session::in_transaction(&mut keyed.write, ask.caller.session_id.as_str()).await?;
        let known = Known {
            caller: &ask.caller,
            users: &users,
            passkeys: &passkeys,
            session: session.as_ref(),
            roles: &Role::HEAD_OFFICE,
            store_id: &StoreId::default(),
            new_id: UserId(ids::new("usr_")),
            now,
        };
        let decided = account_change::decide(change, &known).map_err(|undecided| match undecided {
            Undecided::Refused(refusal) => ApiError::from(refusal),
            Undecided::Moved => ApiError::unavailable("the user was just changed", RETRY_AFTER_S),
        })?;
        let Decided { user, session, devices, action, details, answer } = decided;
        if let Some(user) = user {
            user::put(&mut keyed.write, &user).await?;
        }
        if let Some(session) = session {
            session::keep_open(&mut keyed.write, &session).await?;
        }
        for device in devices {
            match device {
                Device::Saved(device) => passkey::add(&mut keyed.write, &device).await?,
                Device::Removed(device) => passkey::remove(&mut keyed.write, &device).await?,
            }
        }
        audit::append(&mut keyed.write, &ask.caller.user_id, action, &details, now).await?;
        keyed.finish(answer).await
    }
}

async fn counted(
    write: &mut crate::db::Write,
    user: &User,
    assertion: &Assertion,
    now: UtcMs,
) -> Result<(), Failure> {
    if passkey::count(write, user, assertion, now).await? {
        return Ok(());
    }
    let (user_id, device) = (&user.user_id, &assertion.credential_id);
    tracing::error!(%user_id, device, "a passkey's counter did not increase: refused");
    Err(ApiError::invalid_credentials().into())
}
