//! Where the store keeps users, sessions and devices: rows that the sessions actor owns.

use crate::http::Answered;
use crate::http::AppState;
use crate::http::Request;
use crate::http::ask::{answered, ask_for};
use crate::http::failure::{failed, stored};
use actors::commands;
use actors::{Failure, RequestContext};
use domain::model::base::answer::Answer;
use domain::model::base::ids::{SessionId, UserId};
use domain::model::base::refusal::Refusal;
use domain::model::people::audit::AuditEntry;
use domain::model::people::user::{Passkey, Role, Session, User};
use domain::rules::people::user::account_change::Change;
use domain::rules::people::user::passkey::Assertion;
use domain::rules::people::user::rotation::{Presented, Refreshed};
use edge::ApiError;
use edge::identity::{AccountResult, Accounts, Identity, Proof};

impl Accounts for AppState {
    type Context = RequestContext;
    const ROLES: &'static [Role] = &Role::STORE;

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn fingerprint(&self, parts: &[&[u8]]) -> [u8; 32] {
        self.store.storage().fingerprint(parts)
    }

    fn context(request: &Request, body: &[u8]) -> Result<RequestContext, ApiError> {
        ask_for(request, body)
    }

    async fn user_by_name(&self, name: &str) -> AccountResult<Option<User>> {
        self.store.storage().users().user_by_name(name).map_err(stored)
    }

    async fn user(&self, id: &UserId) -> AccountResult<Option<User>> {
        self.store.storage().users().user(id).map_err(stored)
    }

    async fn users(&self) -> AccountResult<Vec<User>> {
        self.store.storage().users().users().map_err(stored)
    }

    async fn passkeys(&self, user: &User) -> AccountResult<Vec<Passkey>> {
        let mut passkeys = self.store.storage().users().passkeys_of(&user.user_id).map_err(stored)?;
        passkeys.retain(|passkey| passkey.is_alive(user));
        Ok(passkeys)
    }

    async fn open_session(&self, user: &User, proof: Proof) -> AccountResult<Session> {
        let device = match proof {
            Proof::Password => None,
            Proof::Passkey(assertion) => Some(assertion),
        };
        let lifetime = self.identity.session_lifetime;
        self.store.open_session(user, device, lifetime).await.map_err(no_longer)
    }

    async fn use_passkey(&self, user: &User, assertion: Assertion) -> AccountResult<()> {
        self.store.use_passkey(user, assertion).await.map_err(no_longer)
    }

    async fn close_session(&self, session: &SessionId) -> AccountResult<()> {
        self.store.close_session(session.clone()).await.map_err(failed)
    }

    async fn rehash(&self, user: &User, hash: String) -> AccountResult<()> {
        self.store.rehash(user, hash).await.map_err(failed)
    }

    async fn refresh(&self, presented: Presented) -> AccountResult<Refreshed> {
        self.store.refresh(presented).await.map_err(failed)
    }

    async fn audit(&self, entries: Vec<AuditEntry>) -> AccountResult<()> {
        self.store.audit(entries).await.map_err(failed)
    }

    async fn replayed(&self, ask: &RequestContext) -> AccountResult<Option<Answer>> {
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
