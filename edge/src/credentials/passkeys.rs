//! Passkeys (WebAuthn): ceremonies of one relying party, whose name is the one of the settings' origin.
//!
//! `webauthn-rs` handles signatures, formats and counters. This module handles the ceremonies: each is stored at the
//! server, removed before it is verified, so that it is used once, and expires after five minutes. It is valid only for
//! its purpose. Unknown names get the same answers as known ones.

use crate::ids;
use domain::model::base::ids::{SessionId, UserId};
use domain::model::base::time::UtcMs;
use domain::model::people::user::{Passkey, User};
use domain::rules::people::user::passkey::Assertion;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use webauthn_rs::prelude::{
    PasskeyAuthentication, PasskeyRegistration, PublicKeyCredential, RegisterPublicKeyCredential, Uuid,
    Webauthn, WebauthnBuilder, WebauthnError,
};

mod ceremonies;
mod decoy;
pub mod origin;

use ceremonies::Ceremonies;
pub use ceremonies::{CEREMONIES_MAX, CEREMONIES_PER_ADDRESS_MAX, CEREMONY_MS};
pub use origin::OriginError;

/// Name that a person sees in the device's dialogue.
const PARTY_NAME: &str = "Retail";

/// Reason why a ceremony fails.
#[derive(Debug, thiserror::Error)]
pub enum PasskeyError {
    /// Unknown, used, expired, or another user's.
    #[error("the ceremony is unknown, was used before, or is older than five minutes: start again")]
    Ceremony,
    /// The browser's text is not a credential.
    #[error("is not a credential: {0}")]
    Shape(String),
    /// It is not valid: challenge, origin, key, signature, or the user was not verified.
    #[error("is not valid: {0}")]
    Refused(String),
    /// Its counter has not risen: there may be a copy of the device's key.
    #[error("its counter did not increase")]
    Copied,
    /// A stored device can't be read.
    #[error("a stored device can't be read: {0}")]
    Stored(String),
}

/// A begun ceremony: its ID, and the data for the browser.
#[derive(Debug)]
pub struct Begun {
    /// `cer_…`
    pub ceremony_id: String,
    /// Options in WebAuthn's JSON form.
    pub public_key: Value,
}

/// The relying party and its running ceremonies.
pub struct Passkeys {
    party: Webauthn,
    registrations: Ceremonies<Registration>,
    log_ins: Ceremonies<Waiting>,
    /// Approvals and registrations. They need a session, so that requests without one can't crowd them out.
    confirmations: Ceremonies<Waiting>,
}

/// A registration that was begun.
struct Registration {
    user_id: UserId,
    token_version: u64,
    session_id: SessionId,
    state: PasskeyRegistration,
}

/// Purpose of a device's assertion. It is not valid for another purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// To open a session.
    LogIn,
    /// To approve a request of this session.
    Approval(SessionId),
    /// To let this session register another device.
    Registration(SessionId),
}

/// An assertion that was requested.
struct Waiting {
    purpose: Purpose,
    /// `None` if there is no such name, or no device.
    user_id: Option<UserId>,
    state: PasskeyAuthentication,
}

impl Passkeys {
    /// The relying party of an origin, for example `https://shop.example`. An empty origin stands for the browser of
    /// this machine, `http://localhost:PORT`.
    ///
    /// # Errors
    /// [`OriginError`], for a person.
    pub fn new(origin: &str, port: u16) -> Result<Self, OriginError> {
        let origins = origin::allowed(origin, port)?;
        let (first, host) =
            origins.first().and_then(|first| Some((first, first.domain()?))).ok_or(OriginError::Form)?;
        let builder = WebauthnBuilder::new(host, first).map_err(|_| OriginError::Form)?.rp_name(PARTY_NAME);
        let builder = origins.iter().skip(1).fold(builder, WebauthnBuilder::append_allowed_origin);
        let party = builder.build().map_err(|_| OriginError::Form)?;
        Ok(Self {
            party,
            registrations: Ceremonies::default(),
            log_ins: Ceremonies::default(),
            confirmations: Ceremonies::default(),
        })
    }

    fn assertions(&self, purpose: &Purpose) -> &Ceremonies<Waiting> {
        match purpose {
            Purpose::LogIn => &self.log_ins,
            Purpose::Approval(_) | Purpose::Registration(_) => &self.confirmations,
        }
    }

    /// Begins to register a device for a user who is signed in.
    ///
    /// # Errors
    /// [`PasskeyError::Stored`].
    pub fn begin_registration(
        &self,
        user: &User,
        session_id: &SessionId,
        known: &[Passkey],
        address: IpAddr,
        now: UtcMs,
    ) -> Result<Begun, PasskeyError> {
        let known: Vec<_> = stored(known)?.iter().map(|passkey| passkey.cred_id().clone()).collect();
        let (options, state) = self
            .party
            .start_passkey_registration(handle(&user.user_id), &user.username, &user.name, Some(known))
            .map_err(refused)?;
        let waiting = Registration {
            user_id: user.user_id.clone(),
            token_version: user.token_version,
            session_id: session_id.clone(),
            state,
        };
        let ceremony_id = ids::new("cer_");
        self.registrations.put(ceremony_id.clone(), waiting, address, now);
        Ok(Begun { ceremony_id, public_key: json(&options.public_key)? })
    }

    /// Ends a registration: the device, to be stored.
    ///
    /// # Errors
    /// [`PasskeyError`]; the ceremony is spent all the same.
    pub fn end_registration(
        &self,
        ceremony_id: &str,
        session_id: &SessionId,
        name: &str,
        credential: Value,
        now: UtcMs,
    ) -> Result<Passkey, PasskeyError> {
        let credential: RegisterPublicKeyCredential = shaped(credential)?;
        let waiting = self.registrations.take(ceremony_id, now).ok_or(PasskeyError::Ceremony)?;
        if waiting.session_id != *session_id {
            return Err(PasskeyError::Ceremony);
        }
        let passkey = self.party.finish_passkey_registration(&credential, &waiting.state).map_err(refused)?;
        let document = json(&passkey)?;
        Ok(Passkey {
            credential_id: text_of(passkey.cred_id()),
            user_id: waiting.user_id,
            token_version: waiting.token_version,
            name: name.trim().to_owned(),
            counter: counter(&document),
            created_at: now,
            last_used_at: None,
            document: document.to_string(),
        })
    }

    /// Asks for an assertion of a login name's devices. Every challenge names the same number of devices: `seed`, a
    /// secret function of the name, makes up the missing ones, or all of them for an unknown name.
    ///
    /// # Errors
    /// [`PasskeyError::Stored`].
    pub fn begin_assertion(
        &self,
        purpose: Purpose,
        known: Option<(&User, &[Passkey])>,
        seed: &[u8; 32],
        address: IpAddr,
        now: UtcMs,
    ) -> Result<Begun, PasskeyError> {
        let (user_id, passkeys) = match known {
            Some((user, passkeys)) if !passkeys.is_empty() => (Some(user.user_id.clone()), stored(passkeys)?),
            _ => (None, vec![decoy::passkey(seed, 0)?]),
        };
        let (options, state) = self.party.start_passkey_authentication(&passkeys).map_err(refused)?;
        let mut public_key = json(&options.public_key)?;
        decoy::fill(&mut public_key, seed);
        let ceremony_id = ids::new("cer_");
        let assertions = self.assertions(&purpose);
        assertions.put(ceremony_id.clone(), Waiting { purpose, user_id, state }, address, now);
        Ok(Begun { ceremony_id, public_key })
    }

    /// Takes a ceremony out: it can't be used again, whatever the result. One that was begun for another purpose, or by
    /// another session, is used up too.
    ///
    /// # Errors
    /// [`PasskeyError::Shape`] for a text that is not a credential, [`PasskeyError::Ceremony`].
    pub fn take_assertion(
        &self,
        ceremony_id: &str,
        purpose: &Purpose,
        credential: Value,
        now: UtcMs,
    ) -> Result<Taken, PasskeyError> {
        let credential = shaped(credential)?;
        // A ceremony is spent whatever it is used for.
        let waiting = self.log_ins.take(ceremony_id, now);
        let waiting = waiting.or_else(|| self.confirmations.take(ceremony_id, now));
        let waiting = waiting.filter(|waiting| waiting.purpose == *purpose);
        Ok(Taken { waiting: waiting.ok_or(PasskeyError::Ceremony)?, credential })
    }

    /// Verifies a taken ceremony against its user's present devices. The caller must store the device's new state in
    /// the commit of the allowed action, if the stored counter is still lower.
    ///
    /// # Errors
    /// [`PasskeyError::Refused`], [`PasskeyError::Copied`].
    pub fn prove(&self, taken: &Taken, known: &[Passkey]) -> Result<Assertion, PasskeyError> {
        let Taken { waiting, credential } = taken;
        // A decoy is verified too, so that an unknown name takes the same time.
        let result = self.party.finish_passkey_authentication(credential, &waiting.state).map_err(refused)?;
        let nobody = || PasskeyError::Refused("no user with that name has a device".to_owned());
        let user_id = waiting.user_id.as_ref().ok_or_else(nobody)?;
        let owner = credential.get_user_unique_id();
        if !result.user_verified() || owner.is_some_and(|owner| owner != handle(user_id).as_bytes()) {
            return Err(PasskeyError::Refused(
                "the device did not verify the user, or belongs to another user".to_owned(),
            ));
        }
        let credential_id = text_of(result.cred_id());
        let before = known.iter().find(|passkey| passkey.credential_id == credential_id);
        let before = before.ok_or_else(|| PasskeyError::Refused("the device was removed".to_owned()))?;
        let mut passkey = read(before)?;
        passkey.update_credential(&result);
        let document = json(&passkey)?.to_string();
        Ok(Assertion { credential_id, counter: result.counter(), document })
    }
}

/// A taken ceremony, and the answer to it.
pub struct Taken {
    waiting: Waiting,
    credential: PublicKeyCredential,
}

impl Taken {
    /// User of the ceremony. `None` if it has none.
    pub fn user_id(&self) -> Option<&UserId> {
        self.waiting.user_id.as_ref()
    }
}

/// The handle under which a device knows its user: 16 bytes of a hash, which reveal nothing of the user.
fn handle(user_id: &UserId) -> Uuid {
    let digest = Sha256::digest(user_id.as_str().as_bytes());
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(digest).for_each(|(byte, from)| *byte = from);
    Uuid::from_bytes(bytes)
}

fn text_of(id: &[u8]) -> String {
    use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
    URL_SAFE_NO_PAD.encode(id)
}

fn counter(document: &Value) -> u32 {
    document
        .pointer("/cred/counter")
        .and_then(Value::as_u64)
        .and_then(|counter| u32::try_from(counter).ok())
        .unwrap_or_default()
}

fn stored(passkeys: &[Passkey]) -> Result<Vec<webauthn_rs::prelude::Passkey>, PasskeyError> {
    passkeys.iter().map(read).collect()
}

fn read(passkey: &Passkey) -> Result<webauthn_rs::prelude::Passkey, PasskeyError> {
    serde_json::from_str(&passkey.document).map_err(|error| PasskeyError::Stored(error.to_string()))
}

fn shaped<T: serde::de::DeserializeOwned>(credential: Value) -> Result<T, PasskeyError> {
    serde_json::from_value(credential).map_err(|error| PasskeyError::Shape(error.to_string()))
}

fn json<T: serde::Serialize>(value: &T) -> Result<Value, PasskeyError> {
    serde_json::to_value(value).map_err(|error| PasskeyError::Stored(error.to_string()))
}

fn refused(error: WebauthnError) -> PasskeyError {
    match error {
        WebauthnError::CredentialPossibleCompromise => PasskeyError::Copied,
        error => PasskeyError::Refused(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
