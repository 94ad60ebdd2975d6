//! The store's storage of users, sessions, devices and PINs: rows that the sessions actor owns.

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
use domain::model::people::user::{Passkey, Pin, Principal, Role, Session, User};
use domain::rules::people::user::account_change::Change;
use domain::rules::people::user::passkey::Assertion;
use domain::rules::people::user::pin::PinTry;
use domain::rules::people::user::rotation::{Presented, Refreshed};
use edge::ApiError;
use edge::identity::pin::Pins;
use edge::identity::ticket::Listeners;
use edge::identity::views::Till;
use edge::identity::{AccountResult, Accounts, Identity, Proof};
use edge::tokens::Claims;
use std::sync::Arc;

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
        let lifetime = self.identity.session_lifetime;
        self.store.open_session(user, proof, lifetime).await.map_err(no_longer)
    }

    async fn till(&self, user: &User, session: &Session) -> AccountResult<Option<Till>> {
        let token = self.identity.keys.issue_till(user, &session.session_id, self.identity.now())?.token;
        Ok(Some(Till { token, has_pin: self.pin(user)?.is_some() }))
    }

    async fn use_passkey(&self, user: &User, assertion: Assertion) -> AccountResult<()> {
        self.store.use_proof(user, Proof::Passkey(assertion)).await.map_err(no_longer)
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

impl Listeners for AppState {
    async fn holder(&self, claims: &Claims) -> AccountResult<Arc<Principal>> {
        self.holder_of(claims)
    }

    async fn spend(&self, ticket: &Claims) -> AccountResult<bool> {
        Ok(self.tickets.spend(ticket, self.identity.now()))
    }
}

impl Pins for AppState {
    fn pin(&self, user: &User) -> AccountResult<Option<Pin>> {
        let pin = self.store.storage().users().pin(&user.user_id).map_err(stored)?;
        Ok(pin.filter(|pin| pin.is_alive(user)))
    }

    async fn try_pin(&self, user: &User) -> AccountResult<PinTry> {
        self.store.try_pin(user).await.map_err(no_longer)
    }

    async fn use_pin(&self, user: &User, pin: Pin) -> AccountResult<()> {
        self.store.use_proof(user, Proof::Pin(pin)).await.map_err(no_longer)
    }

    async fn set_pin(&self, pin: Pin) -> AccountResult<()> {
        self.store.set_pin(pin).await.map_err(failed)
    }

    async fn remove_pin(&self, user: &UserId) -> AccountResult<()> {
        self.store.remove_pin(user).await.map_err(failed)
    }
}

/// Password, PIN or device were changed while they were being checked.
fn no_longer(failure: Failure) -> ApiError {
    match failure {
        Failure::Refused(Refusal::NotFound(_)) => ApiError::invalid_credentials(),
        failure => failed(failure),
    }
}
