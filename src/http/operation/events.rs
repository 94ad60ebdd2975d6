//! `GET /api/events`: notices to screens while the shop sells, as server-sent events.
//!
//! A screen connects, waits for `ready`, and loads its lists. Each event then has a value as it is now, and the last
//! event of a commit has the commit's number as `id`. A screen that reconnects with `Last-Event-ID` receives the events
//! that it missed; if they are too old, or a reader is too slow, it gets `reload`: load the lists again, continue here.
//! `end` states why a stream ends; a stream that ends without it broke.

use crate::http::Answered;
use crate::http::AppState;
use crate::http::Request;
use crate::http::routes::STAFF;
use ::actors::LinkEvent;
use domain::model::people::user::Role;
use domain::model::selling::hold::Hold;
use domain::wire::screen::{CatalogueNotice, DocumentEvent, RegisterEvent, ShiftNotice, StockNotice};
use edge::event_stream::{self, EndEvent, EventBuffer, PARTS_MAX, Reader, ReloadEvent, Streams};
use edge::identity::ticket::{self, Listener, StreamQuery};
use edge::{Doc, Message, Reply};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use storage::Noticed;
use tokio::sync::broadcast::error::RecvError;

mod stream;

/// Most streams at once.
pub const STREAMS_MAX: usize = 64;
/// Most streams of one person at once.
pub const STREAMS_PER_USER_MAX: usize = 8;
/// Notices that are kept.
const NOTICES_MAX: usize = 4_096;
/// A commit with more notices than this (an import, a large document) is sent as one reload.
const COMMIT_NOTICES_MAX: usize = 500;

pub const EVENTS: Doc = Doc::of(
    "Events",
    "Subscribe to changes as server-sent events: `ready`, `stock`, `hold`, `shift`, `register`, `catalogue`, `receiving`, `supplier_return`, `adjustment`, `transfer`, `opname`, `order`, `conflict`, `sync`, `reload`, `end`. The caller's role decides which events are sent. With `Last-Event-ID`, missed events are sent first, or `reload`",
)
.query::<StreamQuery>()
.answers_text(event_stream::EVENTS)
.streams(STREAMED)
.by_ticket();

const STREAMED: &[Message] = &[
    Message::of::<Ready<'_>>("ready"),
    Message::of::<StockNotice>("stock"),
    Message::of::<Hold>("hold"),
    Message::of::<ShiftNotice>("shift"),
    Message::of::<RegisterEvent<'_>>("register"),
    Message::of::<CatalogueNotice>("catalogue"),
    Message::of::<DocumentEvent<'_>>("receiving"),
    Message::of::<DocumentEvent<'_>>("supplier_return"),
    Message::of::<DocumentEvent<'_>>("adjustment"),
    Message::of::<DocumentEvent<'_>>("transfer"),
    Message::of::<DocumentEvent<'_>>("opname"),
    Message::of::<DocumentEvent<'_>>("order"),
    Message::of::<DocumentEvent<'_>>("conflict"),
    Message::of::<LinkEvent>("sync"),
    Message::of::<ReloadEvent>("reload"),
    Message::of::<EndEvent<'_>>("end"),
];

/// The data of `ready`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReadyEvent")]
struct Ready<'a> {
    /// ID of the store.
    store_id: &'a str,
    /// Role of the caller.
    role: Role,
    /// Whether no event since `Last-Event-ID` is missing.
    resumed: bool,
    /// A comment is sent after this many seconds without an event.
    heartbeat_s: u64,
}

/// Buffer of notices for screens, empty up to a commit.
pub fn buffer(lsn: u64) -> EventBuffer<Noticed> {
    EventBuffer::after_commit(lsn, NOTICES_MAX)
}

/// The places of screens.
pub fn streams() -> Streams {
    Streams::at_most(STREAMS_MAX, STREAMS_PER_USER_MAX)
}

/// `GET /api/events`
pub async fn events(request: Request) -> Answered {
    let Listener { claims, caller } = ticket::listener(&request, STAFF).await?;
    let shop: Arc<AppState> = Arc::clone(&request.state);
    let expires_at = claims.exp;
    let place = shop.streams.enter(&caller.user_id)?;
    let (position, resumed) = shop.buffer.place(&request.headers);
    let (writer, reply) = Reply::stream(event_stream::EVENTS, PARTS_MAX);
    let stream = stream::Stream { shop, claims, caller, resumed, reader: Reader { writer, position } };
    tokio::spawn(async move {
        stream.run(expires_at).await;
        drop(place);
    });
    Ok(reply)
}

/// Fills the buffer with durable commits, until the storage closes.
pub async fn tell(shop: Arc<AppState>) {
    let mut noticed = shop.store.storage().notices();
    // Commits before this were received by no reader here.
    shop.buffer.forget(shop.journal_head());
    loop {
        match noticed.recv().await {
            Ok(noticed) if noticed.notices.len() > COMMIT_NOTICES_MAX => shop.buffer.forget(noticed.lsn),
            Ok(noticed) => shop.buffer.push(noticed.lsn, noticed.notices.len(), noticed),
            Err(RecvError::Lagged(commits)) => {
                tracing::warn!(commits, "pages could not keep up with the events and must reload");
                shop.buffer.forget(shop.journal_head());
            }
            Err(RecvError::Closed) => return,
        }
    }
}

impl AppState {
    /// The last commit that is durable.
    fn journal_head(&self) -> u64 {
        self.store.storage().head().lsn
    }
}
