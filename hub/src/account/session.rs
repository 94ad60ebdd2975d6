//! Sessions of head office's people: opened, refreshed, ended.

use crate::account::user;
use crate::columns;
use crate::db::failure::Failure;
use crate::db::signed;
use crate::table::audit;
use domain::model::base::ids::{SessionId, UserId};
use domain::model::base::time::UtcMs;
use domain::model::people::user::{Rotation, Session, User};
use domain::rules::people::user::rotation::{Presented, Refreshed, Turn};
use edge::{ApiError, ids};
use serde_json::json;
use sqlx::{AnyConnection, AnyPool, Row};

/// A session that was not ended.
pub async fn by_id(pool: &AnyPool, id: &str) -> Result<Option<Session>, sqlx::Error> {
    Ok(read(&mut *pool.acquire().await?, id).await?.map(|(session, _)| session))
}

/// As [`by_id`], inside a transaction.
pub async fn in_transaction(
    connection: &mut AnyConnection,
    id: &str,
) -> Result<Option<Session>, sqlx::Error> {
    Ok(read(connection, id).await?.map(|(session, _)| session))
}

/// A session with its rotation.
async fn read(
    connection: &mut AnyConnection,
    id: &str,
) -> Result<Option<(Session, Option<Rotation>)>, sqlx::Error> {
    let sql = "SELECT user_id, token_version, opened_at, expires_at, rotation FROM sessions \
               WHERE session_id = $1";
    let Some(row) = sqlx::query(sql).bind(id).fetch_optional(connection).await? else { return Ok(None) };
    let (user_id, token_version, opened_at, expires_at) =
        columns!(row => (user_id, token_version, opened_at, expires_at));
    let session =
        Session { session_id: SessionId(id.to_owned()), user_id, token_version, opened_at, expires_at };
    let rotation: Option<String> = row.try_get("rotation")?;
    let rotation = rotation.map(|text| serde_json::from_str(&text)).transpose();
    Ok(Some((session, rotation.map_err(|error| sqlx::Error::Decode(error.into()))?)))
}

/// Opens a session for a user as it was checked: one that was changed meanwhile opens nothing.
///
/// # Errors
/// 401 `invalid_credentials`.
pub async fn open(
    connection: &mut AnyConnection,
    verified: &User,
    now: UtcMs,
    expires_at: UtcMs,
) -> Result<Session, Failure> {
    let user = user::locked(connection, &verified.user_id).await?;
    let same = user.is_some_and(|user| !user.disabled && user.token_version == verified.token_version);
    if !same {
        return Err(ApiError::invalid_credentials().into());
    }
    let session = Session {
        session_id: SessionId(ids::new("ses_")),
        user_id: verified.user_id.clone(),
        token_version: verified.token_version,
        opened_at: now,
        expires_at,
    };
    sqlx::query("DELETE FROM sessions WHERE expires_at < $1").bind(now.0).execute(&mut *connection).await?;
    let sql = "INSERT INTO sessions (session_id, user_id, token_version, opened_at, expires_at) \
               VALUES ($1, $2, $3, $4, $5)";
    let query = sqlx::query(sql).bind(session.session_id.as_str()).bind(session.user_id.as_str());
    let query = query.bind(signed(session.token_version)).bind(now.0).bind(expires_at.0);
    query.execute(connection).await?;
    Ok(session)
}

/// Ends a session and returns its user; it may have ended already.
pub async fn close(connection: &mut AnyConnection, id: &SessionId) -> Result<Option<UserId>, sqlx::Error> {
    let sql = "DELETE FROM sessions WHERE session_id = $1 RETURNING user_id";
    let user_id: Option<String> =
        sqlx::query_scalar(sql).bind(id.as_str()).fetch_optional(connection).await?;
    Ok(user_id.map(UserId))
}

/// Lets a session continue under another version of its user's tokens.
pub async fn keep_open(connection: &mut AnyConnection, session: &Session) -> Result<(), sqlx::Error> {
    let sql = "UPDATE sessions SET token_version = $2 WHERE session_id = $1";
    let query = sqlx::query(sql).bind(session.session_id.as_str());
    query.bind(signed(session.token_version)).execute(connection).await.map(drop)
}

/// Spends a refresh token, inside of a transaction that the caller commits.
pub async fn refresh(connection: &mut AnyConnection, presented: &Presented) -> Result<Refreshed, Failure> {
    let id = presented.session_id.as_str();
    // A write comes first: of two that spend the same token, the second waits for the first.
    let lock = "UPDATE sessions SET expires_at = expires_at WHERE session_id = $1";
    sqlx::query(lock).bind(id).execute(&mut *connection).await?;
    let Some((mut session, before)) = read(connection, id).await? else { return Ok(Refreshed::Revoked) };
    let user = match user::by_id(connection, &session.user_id).await? {
        Some(user) if user.disabled => return Ok(Refreshed::Disabled),
        Some(user) if user.token_version == session.token_version => Box::new(user),
        _ => return Ok(Refreshed::Revoked),
    };
    let (next, key) = (ids::new("tok_"), presented.key.as_deref());
    match Rotation::turn(before.as_ref(), &presented.jti, key, next, presented.now) {
        Turn::Next(rotation) => {
            session.expires_at = UtcMs(presented.now.0.saturating_add(presented.lifetime_ms));
            let text = serde_json::to_string(&rotation).map_err(ApiError::internal)?;
            let sql = "UPDATE sessions SET rotation = $2, expires_at = $3 WHERE session_id = $1";
            sqlx::query(sql).bind(id).bind(text).bind(session.expires_at.0).execute(connection).await?;
            Ok(Refreshed::Renewed { user, session, rotation })
        }
        Turn::Again(rotation) => Ok(Refreshed::Renewed { user, session, rotation }),
        Turn::Reused => {
            tracing::error!(user_id = %user.user_id, session_id = id, "a used refresh token was sent again: \
                session revoked");
            let details = json!({"session_id": id});
            audit::append(connection, &user.user_id, "session.refresh_reused", &details, presented.now)
                .await?;
            close(connection, &session.session_id).await?;
            Ok(Refreshed::Revoked)
        }
    }
}
