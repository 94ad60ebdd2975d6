//! One stream: from `ready` to `end`.

use super::{AppState, Ready};
use crate::http::routes::STAFF;
use domain::model::people::user::Principal;
use domain::wire::screen::Notice;
use edge::event_stream::{self, End, HEARTBEAT, Reader};
use edge::identity::ticket;
use edge::tokens::Claims;
use std::convert::Infallible;
use std::sync::Arc;
use storage::Noticed;

/// A stream and whose it is.
pub struct Stream {
    pub shop: Arc<AppState>,
    pub claims: Arc<Claims>,
    pub caller: Arc<Principal>,
    pub resumed: bool,
    pub reader: Reader,
}

impl Stream {
    /// Sends until the reader is gone, its token is no longer valid, or the daemon stops.
    pub async fn run(mut self, expires_at: i64) {
        let (shop, writer) = (Arc::clone(&self.shop), self.reader.writer.clone());
        event_stream::until_end(&writer, expires_at, shop.stopping(), self.tell()).await;
    }

    async fn tell(&mut self) -> Result<Infallible, End> {
        let shop = Arc::clone(&self.shop);
        let mut moved = shop.buffer.watch();
        let mut link = shop.store.watch_link();
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        heartbeat.reset();
        self.ready().await?;
        loop {
            moved.borrow_and_update();
            if let Some(chunk) = self.reader.next(&shop.buffer).await? {
                for (_, noticed) in &chunk {
                    self.tell_one(noticed).await?;
                }
                continue;
            }
            tokio::select! {
                () = self.reader.writer.gone() => return Err(End::Disconnected),
                // The buffer lives as long as the shop.
                _ = moved.changed() => {}
                status = link.next() => {
                    let seen = if self.caller.role.manages() { status } else { status.of_till() };
                    let seen = serde_json::to_value(&seen).unwrap_or_default();
                    self.reader.writer.send(event_stream::event("sync", &seen, None)).await?;
                }
                _ = heartbeat.tick() => {
                    ticket::still(&*shop, &self.claims, STAFF).await?;
                    let beat = event_stream::heartbeat(self.reader.place().as_deref());
                    self.reader.writer.send(beat).await?;
                }
            }
        }
    }

    async fn ready(&mut self) -> Result<(), End> {
        let ready = Ready {
            store_id: self.shop.store.storage().store_id().as_str(),
            role: self.caller.role,
            resumed: self.resumed,
            heartbeat_s: HEARTBEAT.as_secs(),
        };
        let place = self.reader.place().filter(|_| self.resumed);
        let data = serde_json::to_value(&ready).unwrap_or_default();
        Ok(self.reader.writer.send(event_stream::event("ready", &data, place.as_deref())).await?)
    }

    async fn tell_one(&mut self, noticed: &Noticed) -> Result<(), End> {
        if noticed.notices.contains(&Notice::Access) {
            ticket::still(&*self.shop, &self.claims, STAFF).await?;
        }
        let seen: Vec<_> = noticed.notices.iter().filter_map(|notice| notice.seen_by(&self.caller)).collect();
        let place = noticed.lsn.to_string();
        let mut part = String::new();
        for (index, (name, data)) in seen.iter().enumerate() {
            // A client that comes back continues after a whole commit.
            let last = index.saturating_add(1) == seen.len();
            part.push_str(&event_stream::event(name, data, last.then_some(place.as_str())));
        }
        self.reader.position = Some(noticed.lsn);
        if !part.is_empty() {
            self.reader.writer.send(part).await?;
        }
        Ok(())
    }
}
