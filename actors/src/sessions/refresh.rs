//! Spending a refresh token: durable before its successor is given out.

use super::commit;
use super::log_in::after;
use crate::door::Door;
use crate::failure::Failure;
use domain::audit::AuditEntry;
use domain::event::Event;
use domain::ids::SessionId;
use domain::record;
use domain::user::rotation::{Rotation, Turn};
use domain::user::{Session, User};
use serde_json::json;
use std::time::Duration;

/// A refresh token whose signature and lifetime were checked.
#[derive(Debug, Clone)]
pub struct Presented {
    /// Its session.
    pub session_id: SessionId,
    /// Its own id.
    pub jti: String,
    /// Fingerprint of the request's idempotency key.
    pub key: Option<String>,
    /// How long its successor lives.
    pub lifetime: Duration,
}

/// What a refresh token came to.
#[derive(Debug, Clone)]
pub enum Refreshed {
    /// Its successor is `rotation.current`, of that time.
    Renewed {
        /// Whose.
        user: Box<User>,
        /// The session, which goes on.
        session: Session,
        /// The successor.
        rotation: Rotation,
    },
    /// The session is over, or is from now on.
    Revoked,
    /// The user is kept out.
    Disabled,
}

pub(super) async fn refresh(door: &Door, presented: &Presented) -> Result<Refreshed, Failure> {
    let Some(mut session) = door.storage.session(&presented.session_id)? else {
        return Ok(Refreshed::Revoked);
    };
    let user = match door.storage.user(&session.user_id)? {
        Some(user) if user.disabled => return Ok(Refreshed::Disabled),
        Some(user) if user.token_version == session.token_version => Box::new(user),
        _ => return Ok(Refreshed::Revoked),
    };
    let before = door.storage.rotation(&session.session_id)?;
    let next = door.stamps.id("tok_");
    let stamp = door.stamps.stamp();
    let turn = Rotation::turn(before.as_ref(), &presented.jti, presented.key.as_deref(), next, stamp.now);
    match turn {
        Turn::Next(rotation) => {
            session.expires_at = after(stamp.now, presented.lifetime);
            let event = Event::SessionRefreshed { session: session.clone(), rotation: rotation.clone() };
            commit(door, stamp, vec![event], Vec::new()).await?;
            Ok(Refreshed::Renewed { user, session, rotation })
        }
        Turn::Again(rotation) => Ok(Refreshed::Renewed { user, session, rotation }),
        Turn::Reused => {
            let session_id = session.session_id;
            tracing::error!(user_id = %user.user_id, %session_id, "a spent refresh token came again: session revoked");
            let details = json!({"session_id": session_id});
            let entry = AuditEntry::own(&user.user_id, "session.refresh_reused", stamp.now, details);
            let audit = record::audit_recorded(&stamp, None, &entry);
            let events = vec![Event::SessionClosed { session_id }, Event::Audited { entry }];
            commit(door, stamp, events, vec![audit]).await?;
            Ok(Refreshed::Revoked)
        }
    }
}
