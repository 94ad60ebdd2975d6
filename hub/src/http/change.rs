//! Steps of every change at head office: replay or begin, write, answer, wake stores that wait for the feed.

use crate::db::failure::Failure;
use crate::http::{Answered, Request};
use crate::state::idempotency::{self, Begun, Keyed};
use crate::table::audit;
use domain::model::base::answer::Answer;
use domain::model::base::time::UtcMs;
use edge::page::Limit;
use edge::{ApiError, Reply, clock};
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::BTreeMap;

/// One more than the page holds: it proves that there is more.
pub fn one_more(limit: Limit) -> i64 {
    i64::try_from(limit.one_more()).unwrap_or(i64::MAX)
}

/// The longest text that is searched for, in characters.
const Q_CHARS_MAX: usize = 128;

/// Whether a text may be searched for.
///
/// # Errors
/// 400 `invalid_query`.
pub fn check_q(q: Option<&str>) -> Result<(), ApiError> {
    if q.is_some_and(|q| q.chars().count() > Q_CHARS_MAX) {
        return Err(ApiError::invalid_query("q must have at most 128 characters"));
    }
    Ok(())
}

/// Begins a change; an answer: it ran before.
pub async fn begin(request: &Request, now: UtcMs) -> Result<Result<Box<Keyed>, Reply>, Failure> {
    let hub = &request.state;
    let begun = idempotency::begin(&hub.db, &hub.running, &hub.fingerprints, request, now).await;
    Ok(match begun? {
        Begun::Before(reply) => Err(reply),
        Begun::Now(keyed) => Ok(keyed),
    })
}

/// Ends a change: who did it is in the audit log, in the commit of the change itself.
pub async fn finish_audited(
    request: &Request,
    mut keyed: Box<Keyed>,
    (action, details): (&str, Value),
    answer: Answer,
) -> Answered {
    let (by, now) = (&request.caller()?.user_id, clock::now());
    audit::append(&mut keyed.write, by, action, &details, now).await?;
    finish(request, keyed, answer).await
}

/// Ends a change of a document; the audit log records the old and the new document.
pub async fn finish_changed<T: Serialize>(
    request: &Request,
    keyed: Box<Keyed>,
    (action, details): (&str, Value),
    [before, after]: [&T; 2],
) -> Answered {
    let done = (action, audit::with_change(details, [before, after]));
    finish_audited(request, keyed, done, Answer::ok(after)).await
}

/// The names of the fields that a request writes: what the audit log tells of values that may be somebody's own.
pub fn fields(request: &Request) -> Value {
    let body: BTreeMap<String, IgnoredAny> = request.json().unwrap_or_default();
    body.into_keys().collect::<Vec<_>>().into()
}

/// Ends a change that has written its entry of the audit log itself.
pub async fn finish(request: &Request, keyed: Box<Keyed>, answer: Answer) -> Answered {
    let reply = keyed.finish(answer).await?;
    request.state.raise_now().await;
    Ok(reply)
}

/// Begins a change, or gives the answer of before back.
macro_rules! begun {
    ($request:expr, $now:expr) => {
        match $crate::http::change::begin(&$request, $now).await? {
            Ok(keyed) => keyed,
            Err(reply) => return Ok(reply),
        }
    };
}
pub(crate) use begun;
