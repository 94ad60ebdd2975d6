//! `GET /api/events`: changes at head office, as server-sent events.
//!
//! A page connects, waits for `ready`, and loads its list. Each event then names what has changed, in any process, and
//! has a number as `id`; the page loads its list again. A page that reconnects with `Last-Event-ID`, to any process,
//! receives the events that it missed; if they are too old, or it reads too slowly, it gets `reload`. `end` states why
//! a stream ends; a stream that ends without it broke.

use crate::account::user::ROLES;
use crate::http::route::{EVERYONE, answers};
use crate::http::{Answered, Request};
use crate::office::events::event_stream::{ChangeEvent, Ready, Stream};
use crate::state::hub::Hub;
use edge::event_stream::{EVENTS as MEDIA_TYPE, EndEvent, PARTS_MAX, Reader, ReloadEvent};
use edge::identity::ticket::{self, Listener, StreamQuery};
use edge::{Doc, Message, Reply, Route};
use std::sync::Arc;

pub const ROUTES: &[Route<Hub>] = &[
    Route::post("/api/events/ticket", EVERYONE, ticket::CREATE, |request| Box::pin(ticket::create(request))),
    Route::get("/api/events", EVERYONE, EVENTS, answers!(events)),
];

pub const EVENTS: Doc = Doc::of(
    "Events",
    "Subscribe to changes as server-sent events: `ready`, `store`, `exception`, `order`, `settlement`, `reload`, `end`. The caller's role decides which events are sent. An event has the id and `store_id` of the changed document; they are null if several documents changed. With `Last-Event-ID`, missed events are sent first, or `reload`",
)
.query::<StreamQuery>()
.answers_text(MEDIA_TYPE)
.streams(STREAMED)
.by_ticket();

const STREAMED: &[Message] = &[
    Message::of::<Ready<'_>>("ready"),
    Message::of::<ChangeEvent<'_>>("store"),
    Message::of::<ChangeEvent<'_>>("exception"),
    Message::of::<ChangeEvent<'_>>("order"),
    Message::of::<ChangeEvent<'_>>("settlement"),
    Message::of::<ReloadEvent>("reload"),
    Message::of::<EndEvent<'_>>("end"),
];

/// `GET /api/events`
pub async fn events(request: Request) -> Answered {
    let Listener { claims, caller } = ticket::listener(&request, &ROLES).await?;
    let hub = Arc::clone(&request.state);
    let expires_at = claims.exp;
    let place = hub.screens.streams.enter(&caller.user_id)?;
    let (position, resumed) = hub.screens.buffer.place(&request.headers);
    let (writer, reply) = Reply::stream(MEDIA_TYPE, PARTS_MAX);
    let stream = Stream { hub, claims, role: caller.role, resumed, reader: Reader { writer, position } };
    tokio::spawn(async move {
        stream.run(expires_at).await;
        drop(place);
    });
    Ok(reply)
}
