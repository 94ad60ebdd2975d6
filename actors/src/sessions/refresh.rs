//! Spending a refresh token: durable before its successor is given out.

use crate::context::Context;
use crate::failure::Failure;
use domain::audit::AuditEntry;
use domain::event::Event;
use domain::record;
use domain::time::UtcMs;
use domain::user::rotation::{Presented, Refreshed, Rotation, Turn};
use serde_json::json;

pub(super) async fn refresh(context: &Context, presented: &Presented) -> Result<Refreshed, Failure> {
    let Some(mut session) = context.storage.session(&presented.session_id)? else {
        return Ok(Refreshed::Revoked);
    };
    let user = match context.storage.user(&session.user_id)? {
        Some(user) if user.disabled => return Ok(Refreshed::Disabled),
        Some(user) if user.token_version == session.token_version => Box::new(user),
        _ => return Ok(Refreshed::Revoked),
    };
    let before = context.storage.rotation(&session.session_id)?;
    let next = context.stamps.id("tok_");
    let stamp = context.stamps.stamp();
    let now = presented.now;
    let turn = Rotation::turn(before.as_ref(), &presented.jti, presented.key.as_deref(), next, now);
    match turn {
        Turn::Next(rotation) => {
            session.expires_at = UtcMs(now.0.saturating_add(presented.lifetime_ms));
            let event = Event::SessionRefreshed { session: session.clone(), rotation: rotation.clone() };
            context.commit_records(stamp, vec![event], Vec::new()).await?;
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
            context.commit_records(stamp, events, vec![audit]).await?;
            Ok(Refreshed::Revoked)
        }
    }
}
