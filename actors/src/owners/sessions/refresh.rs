//! Spending a refresh token: durable before its successor is given out.

use crate::runtime::context::Context;
use crate::runtime::failure::Failure;
use domain::model::base::event::fact;
use domain::model::base::time::UtcMs;
use domain::model::people::audit::AuditEntry;
use domain::model::people::user::Rotation;
use domain::rules::people::user::rotation::{Presented, Refreshed, Turn};
use domain::wire::record;
use serde_json::json;

pub(super) async fn refresh(context: &Context, presented: &Presented) -> Result<Refreshed, Failure> {
    let Some(mut session) = context.storage.users().session(&presented.session_id)? else {
        return Ok(Refreshed::Revoked);
    };
    let user = match context.storage.users().user(&session.user_id)? {
        Some(user) if user.disabled => return Ok(Refreshed::Disabled),
        Some(user) if user.token_version == session.token_version => Box::new(user),
        _ => return Ok(Refreshed::Revoked),
    };
    let before = context.storage.users().rotation(&session.session_id)?;
    let next = context.stamps.id("tok_");
    let stamp = context.stamps.stamp();
    let now = presented.now;
    let turn = Rotation::turn(before.as_ref(), &presented.jti, presented.key.as_deref(), next, now);
    match turn {
        Turn::Next(rotation) => {
            session.expires_at = UtcMs(now.0.saturating_add(presented.lifetime_ms));
            let event =
                fact::SessionRefreshed { session: session.clone(), rotation: rotation.clone() }.into();
            context.commit_records(stamp, vec![event], Vec::new()).await?;
            Ok(Refreshed::Renewed { user, session, rotation })
        }
        Turn::Again(rotation) => Ok(Refreshed::Renewed { user, session, rotation }),
        Turn::Reused => {
            let session_id = session.session_id;
            tracing::error!(user_id = %user.user_id, %session_id, "a used refresh token was sent again: session \
                revoked");
            let details = json!({"session_id": session_id});
            let entry = AuditEntry::unapproved(&user.user_id, "session.refresh_reused", stamp.now, details);
            let audit = record::audit_recorded(&stamp, None, &entry);
            let events = vec![fact::SessionClosed { session_id }.into(), fact::Audited { entry }.into()];
            context.commit_records(stamp, events, vec![audit]).await?;
            Ok(Refreshed::Revoked)
        }
    }
}
