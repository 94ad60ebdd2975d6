//! `GET /api/events`: what screens are told while the shop sells, as server-sent events.
//!
//! A screen connects, waits for `ready`, and loads its lists. Each event then carries a value as it is now, and
//! the last one of a commit its number as `id`. A screen that comes back with `Last-Event-ID` hears what it
//! missed; where that is too long ago, or a reader is too slow, it gets `reload`: load the lists again, go on
//! here. `end` says why a stream ends; what ends without it broke.

use crate::http::Answered;
use crate::http::AppState;
use crate::http::Request;
use domain::model::people::user::Role;
use edge::{ApiError, Authority, Doc, Reply, event_stream};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

mod buffer;
mod stream;
mod streams;

pub use buffer::{EventBuffer, tell};
pub use streams::Streams;

/// Most streams at once.
pub const STREAMS_MAX: usize = 64;
/// Most streams of one person at once.
pub const STREAMS_PER_USER_MAX: usize = 8;
/// Parts that wait for a slow reader; then it falls behind, and further behind than the buffer it reloads.
const PARTS_MAX: usize = 16;
/// A stream on which nothing happens shows that it is alive this often; rights are looked at again too.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Seconds after which a stream that found no place may be asked for again.
const RETRY_AFTER_S: u64 = 5;

/// `GET /api/events`
pub const EVENTS: Doc = Doc::of(
    "Events",
    "What happens, as server-sent events: ready, stock, hold, shift, register, catalogue, sync, reload, end; the role decides what is \
     seen. With Last-Event-ID what was missed comes first, or reload",
)
.answers_text(event_stream::EVENTS);

/// The data of `ready`.
#[derive(Serialize)]
struct Ready<'a> {
    store_id: &'a str,
    role: Role,
    /// Nothing is missing since `Last-Event-ID`.
    resumed: bool,
    heartbeat_s: u64,
}

/// `GET /api/events`
pub async fn events(request: Request) -> Answered {
    let caller = request.caller()?.clone();
    let bearer = request.bearer()?.to_owned();
    let shop: Arc<AppState> = Arc::clone(&request.state);
    let expires_at = shop.identity.claims(&bearer)?.exp;
    let place = shop.streams.enter(&caller.user_id)?;
    let last = request.headers.get("last-event-id").map(|id| id.to_str().ok().and_then(|id| id.parse().ok()));
    let (position, resumed) = match last {
        None => (shop.buffer.head(), false),
        // One that was never given out is as far behind as can be.
        Some(id) => {
            let known = id.filter(|id| shop.buffer.knows(*id));
            (known.unwrap_or_default(), known.is_some())
        }
    };
    let (feed, reply) = Reply::stream(event_stream::EVENTS, PARTS_MAX);
    let stream = stream::Stream { shop, bearer, caller, position, resumed, expires_at, feed };
    tokio::spawn(async move {
        stream.run().await;
        drop(place);
    });
    Ok(reply)
}

impl AppState {
    /// Whether a token still opens what its caller was let in to.
    async fn still(&self, bearer: &str, roles: &'static [Role]) -> Result<(), ApiError> {
        let caller = self.authenticate(bearer, &edge::Access::Roles(roles)).await?;
        if roles.contains(&caller.role) { Ok(()) } else { Err(ApiError::insufficient_role()) }
    }

    /// The last commit that is durable.
    fn journal_head(&self) -> u64 {
        self.store.storage().head().lsn
    }
}
