//! Retry keys of people's requests: the answer is stored in the transaction of its effect.

use crate::columns;
use crate::db::failure::Failure;
use crate::db::{Db, Write};
use crate::secret::Fingerprints;
use crate::state::figures;
use domain::model::base::answer::Answer;
use domain::model::base::command_print::CommandPrint;
use domain::model::base::time::UtcMs;
use edge::{ApiError, Reply, Request};
use sqlx::AnyPool;
use sqlx::any::AnyRow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

/// Longest wait of a second request for the first one with its key.
const WAIT: Duration = Duration::from_secs(2);
/// `Retry-After` of a request that waited in vain, in seconds.
const RETRY_S: u64 = 1;
/// For how long an answer is kept.
pub const RETENTION_MS: i64 = 7 * 24 * 3600 * 1000;

/// Requests that run now, by key.
#[derive(Default)]
pub struct Running(Mutex<HashMap<String, Weak<Turn<()>>>>);

impl Running {
    async fn take(&self, key: &str) -> Result<OwnedMutexGuard<()>, ApiError> {
        let turn = {
            let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            running.retain(|_, turn| turn.strong_count() > 0);
            let known = running.get(key).and_then(Weak::upgrade);
            let turn = known.unwrap_or_else(|| Arc::new(Turn::new(())));
            running.insert(key.to_owned(), Arc::downgrade(&turn));
            turn
        };
        tokio::time::timeout(WAIT, turn.lock_owned())
            .await
            .map_err(|_| ApiError::request_in_progress().with_retry_after(RETRY_S))
    }
}

/// Beginning of a request with or without a key.
pub enum Begun {
    /// It ran before, with this answer.
    Before(Reply),
    Now(Box<Keyed>),
}

/// A transaction that will store the answer under the request's key, if it has one.
pub struct Keyed {
    /// The transaction for the effect.
    pub write: Write,
    key: Option<String>,
    _turn: Option<OwnedMutexGuard<()>>,
}

/// A request's key and its command, as both are stored.
#[derive(Clone)]
pub struct RequestKey {
    key: String,
    command: CommandPrint,
}

impl RequestKey {
    /// The key of a request, if it has one; `body` is the part of its body that counts.
    ///
    /// # Errors
    /// 401 `missing_token` if the caller is unknown.
    pub fn of<S>(
        fingerprints: &Fingerprints,
        request: &Request<S>,
        body: &[u8],
    ) -> Result<Option<Self>, ApiError> {
        let Some(key) = &request.idempotency_key else { return Ok(None) };
        let user = request.caller()?.user_id.as_str().as_bytes();
        let method = request.method.as_str().as_bytes();
        let key = fingerprints.of(&[user, method, request.path.as_bytes(), key.as_bytes()]);
        let command = CommandPrint::of(body, &request.query, |parts| fingerprints.bytes(parts));
        Ok(Some(Self { key, command }))
    }
}

/// The answer that is stored under a key.
///
/// # Errors
/// 422 `idempotency_key_reused`.
pub async fn stored(pool: &AnyPool, key: &RequestKey) -> Result<Option<Answer>, Failure> {
    let sql = "SELECT command, status, location, body FROM idempotency WHERE key_hash = $1";
    let row = sqlx::query(sql).bind(&key.key).fetch_optional(pool).await?;
    row.map(|row| read(&row, &key.command)).transpose()
}

fn read(row: &AnyRow, command: &CommandPrint) -> Result<Answer, Failure> {
    let (kept, status, location, text): (String, i64, _, String) =
        columns!(row => (command, status, location, body));
    let differs = command.differs(&CommandPrint::kept(kept));
    if !differs.is_empty() {
        return Err(ApiError::idempotency_key_reused(&differs).into());
    }
    Ok(Answer { status: u16::try_from(status).unwrap_or(200), location, body: text.into_bytes() })
}

/// Begins a request that changes data.
///
/// # Errors
/// 409 `request_in_progress`, 422 `idempotency_key_reused`.
pub async fn begin<S>(
    db: &Db,
    running: &Running,
    fingerprints: &Fingerprints,
    request: &Request<S>,
    now: UtcMs,
) -> Result<Begun, Failure> {
    begin_as(db, running, RequestKey::of(fingerprints, request, &request.body)?, now).await
}

/// As [`begin`], for a key that was read already.
///
/// # Errors
/// The errors of [`begin`].
pub async fn begin_as(
    db: &Db,
    running: &Running,
    key: Option<RequestKey>,
    now: UtcMs,
) -> Result<Begun, Failure> {
    let Some(RequestKey { key, command }) = key else {
        return Ok(Begun::Now(Box::new(Keyed { write: db.write().await?, key: None, _turn: None })));
    };
    let turn = running.take(&key).await?;
    let mut write = db.write().await?;
    // Another process with this key waits here until this transaction ends.
    let sql = "INSERT INTO idempotency (key_hash, command, status, location, body, created_at) \
               VALUES ($1, $2, 0, NULL, '', $3) ON CONFLICT (key_hash) DO NOTHING";
    let fresh = sqlx::query(sql).bind(&key).bind(command.as_str()).bind(now.0).execute(&mut **write).await?;
    if fresh.rows_affected() == 1 {
        return Ok(Begun::Now(Box::new(Keyed { write, key: Some(key), _turn: Some(turn) })));
    }
    let sql = "SELECT command, status, location, body FROM idempotency WHERE key_hash = $1";
    let row = sqlx::query(sql).bind(&key).fetch_one(&mut **write).await?;
    let answer = read(&row, &command)?;
    Ok(Begun::Before(Reply::Answer { answer, replayed: true }))
}

impl Keyed {
    /// Stores the answer, commits, and only then gives it out.
    ///
    /// # Errors
    /// 422 for a figure above the largest; the database's: nothing was changed.
    pub async fn finish(mut self, answer: Answer) -> Result<Reply, Failure> {
        figures::check(&answer)?;
        if let Some(key) = &self.key {
            let body = String::from_utf8_lossy(&answer.body).into_owned();
            let sql = "UPDATE idempotency SET status = $2, location = $3, body = $4 WHERE key_hash = $1";
            let query =
                sqlx::query(sql).bind(key).bind(i64::from(answer.status)).bind(answer.location.clone());
            query.bind(body).execute(&mut **self.write).await?;
        }
        self.write.commit_change().await?;
        Ok(answer.into())
    }
}

/// Forgets answers whose time is over.
pub async fn sweep(db: &Db, now: UtcMs) -> Result<u64, sqlx::Error> {
    let mut write = db.write().await?;
    let sql = "DELETE FROM idempotency WHERE created_at < $1";
    let done = sqlx::query(sql).bind(now.0.saturating_sub(RETENTION_MS)).execute(&mut **write).await?;
    write.commit().await?;
    Ok(done.rows_affected())
}
