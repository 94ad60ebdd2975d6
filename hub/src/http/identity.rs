//! Where the hub keeps users, sessions and devices: rows of its database.

use super::{Answered, Request};
use crate::app::Hub;
use crate::failure::Failure;
use crate::idempotency::{self, Begun, RequestKey};
use crate::{passkey, session, user};
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::ids::{SessionId, StoreId, UserId};
use domain::time::UtcMs;
use domain::user::passkey::{Assertion, Passkey};
use domain::user::people::{self, Change, Decided, Device, Known, Undecided};
use domain::user::rotation::{Presented, Refreshed};
use domain::user::{Caller, Role, Session, User};
use edge::identity::{Accounts, Identity, Kept, Proof};
use edge::{ApiError, ids};
use serde_json::json;

/// Seconds after which a change that met another one may be tried again.
const RETRY_AFTER_S: u64 = 1;

/// Who asks, under which key.
pub struct Ask {
    caller: Caller,
    key: Option<RequestKey>,
}

impl Accounts for Hub {
    type Ask = Ask;
    const ROLES: &'static [Role] = &Role::HEAD_OFFICE;

    fn identity(&self) -> &Identity {
        &self.people
    }

    fn fingerprint(&self, parts: &[&[u8]]) -> [u8; 32] {
        self.fingerprints.bytes(parts)
    }

    fn ask(request: &Request, body: &[u8]) -> Result<Ask, ApiError> {
        let key = RequestKey::of(&request.state.fingerprints, request, body)?;
        Ok(Ask { caller: request.caller()?.clone(), key })
    }

    async fn user_by_name(&self, name: &str) -> Kept<Option<User>> {
        Ok(user::by_name(self.db.pool(), name).await.map_err(Failure::from)?)
    }

    async fn user(&self, id: &UserId) -> Kept<Option<User>> {
        let mut connection = self.db.pool().acquire().await.map_err(Failure::from)?;
        Ok(user::by_id(&mut connection, id).await.map_err(Failure::from)?)
    }

    async fn users(&self) -> Kept<Vec<User>> {
        let mut users = user::list(self.db.pool()).await.map_err(Failure::from)?;
        users.sort_by(|a, b| a.user_id.cmp(&b.user_id));
        Ok(users)
    }

    async fn passkeys(&self, user: &User) -> Kept<Vec<Passkey>> {
        Ok(passkey::of(self.db.pool(), user).await.map_err(Failure::from)?)
    }

    async fn open_session(&self, user: &User, proof: Proof) -> Kept<Session> {
        Ok(self.open(user, &proof).await?)
    }

    async fn use_passkey(&self, user: &User, assertion: Assertion) -> Kept<()> {
        let mut write = self.db.write().await.map_err(Failure::from)?;
        counted(&mut write, user, &assertion, self.people.now()).await?;
        Ok(write.commit().await.map_err(Failure::from)?)
    }

    async fn close_session(&self, session: &SessionId) -> Kept<()> {
        let mut write = self.db.write().await.map_err(Failure::from)?;
        if let Some(user_id) = session::close(&mut write, session).await.map_err(Failure::from)? {
            let details = json!({"session_id": session});
            let noted =
                user::audit(&mut write, &user_id, "session.closed", &details, self.people.now()).await;
            noted.map_err(Failure::from)?;
        }
        Ok(write.commit().await.map_err(Failure::from)?)
    }

    async fn rehash(&self, user: &User, hash: String) -> Kept<()> {
        let mut write = self.db.write().await.map_err(Failure::from)?;
        user::rehash(&mut write, user, &hash).await.map_err(Failure::from)?;
        Ok(write.commit().await.map_err(Failure::from)?)
    }

    async fn refresh(&self, presented: Presented) -> Kept<Refreshed> {
        let mut write = self.db.write().await.map_err(Failure::from)?;
        let refreshed = session::refresh(&mut write, &presented).await?;
        write.commit().await.map_err(Failure::from)?;
        Ok(refreshed)
    }

    async fn audit(&self, entries: Vec<AuditEntry>) -> Kept<()> {
        let mut write = self.db.write().await.map_err(Failure::from)?;
        for AuditEntry { user_id, action, at, details, .. } in entries {
            user::audit(&mut write, &user_id, &action, &details, at).await.map_err(Failure::from)?;
        }
        Ok(write.commit().await.map_err(Failure::from)?)
    }

    async fn replayed(&self, ask: &Ask) -> Kept<Option<Answer>> {
        let Some(key) = &ask.key else { return Ok(None) };
        Ok(idempotency::stored(self.db.pool(), key).await?)
    }

    async fn change(&self, ask: &Ask, change: Change) -> Answered {
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
        user::audit(&mut write, &user.user_id, "session.opened", &details, now).await?;
        write.commit().await?;
        Ok(session)
    }

    async fn carry_out(&self, ask: &Ask, change: &Change) -> Result<edge::Reply, Failure> {
        let now = self.people.now();
        let mut keyed = match idempotency::begin_as(&self.db, &self.running, ask.key.clone(), now).await? {
            Begun::Before(reply) => return Ok(reply),
            Begun::Now(keyed) => keyed,
        };
        // One change of people at a time: each decides on what the one before left.
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
        let decided = people::decide(change, &known).map_err(|undecided| match undecided {
            Undecided::Refused(refusal) => ApiError::from(refusal),
            Undecided::Moved => ApiError::unavailable("the account has just been changed", RETRY_AFTER_S),
        })?;
        let Decided { user, session, devices, action, details, answer } = decided;
        if let Some(user) = user {
            user::put(&mut keyed.write, &user).await?;
        }
        if let Some(session) = session {
            session::go_on(&mut keyed.write, &session).await?;
        }
        for device in devices {
            match device {
                Device::Saved(device) => passkey::add(&mut keyed.write, &device).await?,
                Device::Removed(device) => passkey::remove(&mut keyed.write, &device).await?,
            }
        }
        user::audit(&mut keyed.write, &ask.caller.user_id, action, &details, now).await?;
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
    tracing::error!(%user_id, device, "a passkey's counter has not risen: refused");
    Err(ApiError::invalid_credentials().into())
}
