//! Where the store keeps users, sessions and devices: rows that the sessions actor owns.

use super::ask::{answered, ask_for};
use super::failure::{failed, stored};
use super::{Answered, Request, Shop};
use actors::commands;
use actors::{Failure, RequestContext};
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::ids::{SessionId, UserId};
use domain::refusal::Refusal;
use domain::user::passkey::{Assertion, Passkey};
use domain::user::people::Change;
use domain::user::rotation::{Presented, Refreshed};
use domain::user::{Role, Session, User};
use edge::ApiError;
use edge::identity::{Accounts, Identity, Kept, Proof};

impl Accounts for Shop {
    type Ask = RequestContext;
    const ROLES: &'static [Role] = &Role::STORE;

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn fingerprint(&self, parts: &[&[u8]]) -> [u8; 32] {
        self.store.storage().fingerprint(parts)
    }

    fn ask(request: &Request, body: &[u8]) -> Result<RequestContext, ApiError> {
        ask_for(request, body)
    }

    async fn user_by_name(&self, name: &str) -> Kept<Option<User>> {
        self.store.storage().user_by_name(name).map_err(stored)
    }

    async fn user(&self, id: &UserId) -> Kept<Option<User>> {
        self.store.storage().user(id).map_err(stored)
    }

    async fn users(&self) -> Kept<Vec<User>> {
        self.store.storage().users().map_err(stored)
    }

    async fn passkeys(&self, user: &User) -> Kept<Vec<Passkey>> {
        let mut passkeys = self.store.storage().passkeys_of(&user.user_id).map_err(stored)?;
        passkeys.retain(|passkey| passkey.is_alive(user));
        Ok(passkeys)
    }

    async fn open_session(&self, user: &User, proof: Proof) -> Kept<Session> {
        let device = match proof {
            Proof::Password => None,
            Proof::Passkey(assertion) => Some(assertion),
        };
        let lifetime = self.identity.session_lifetime;
        self.store.open_session(user, device, lifetime).await.map_err(no_longer)
    }

    async fn use_passkey(&self, user: &User, assertion: Assertion) -> Kept<()> {
        self.store.use_passkey(user, assertion).await.map_err(no_longer)
    }

    async fn close_session(&self, session: &SessionId) -> Kept<()> {
        self.store.close_session(session.clone()).await.map_err(failed)
    }

    async fn rehash(&self, user: &User, hash: String) -> Kept<()> {
        self.store.rehash(user, hash).await.map_err(failed)
    }

    async fn refresh(&self, presented: Presented) -> Kept<Refreshed> {
        self.store.refresh(presented).await.map_err(failed)
    }

    async fn audit(&self, entries: Vec<AuditEntry>) -> Kept<()> {
        self.store.audit(entries).await.map_err(failed)
    }

    async fn replayed(&self, ask: &RequestContext) -> Kept<Option<Answer>> {
        Ok(self.store.replayed(ask).map_err(failed)?.map(|done| done.answer))
    }

    async fn change(&self, ask: &RequestContext, change: Change) -> Answered {
        answered(self.store.run(ask.clone(), commands::ChangeUsers(change)).await)
    }
}

/// Password or device were changed while they were being checked.
fn no_longer(failure: Failure) -> ApiError {
    match failure {
        Failure::Refused(Refusal::NotFound(_)) => ApiError::invalid_credentials(),
        failure => failed(failure),
    }
}
