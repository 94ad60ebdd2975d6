//! One stream: from `ready` to `end`.

use super::buffer::Missed;
use super::{AppState, HEARTBEAT, Ready};
use crate::http::routes::STAFF;
use domain::model::people::user::Principal;
use domain::wire::screen::Notice;
use edge::event_stream::{self, Disconnected, StreamWriter};
use edge::{ApiError, clock};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use storage::Noticed;

/// A stream and whose it is.
pub struct Stream {
    pub shop: Arc<AppState>,
    pub bearer: String,
    pub caller: Principal,
    /// The last commit that was told.
    pub position: u64,
    pub resumed: bool,
    /// When its token expires, in seconds since 1970.
    pub expires_at: i64,
    pub feed: StreamWriter,
}

/// Why a stream ends.
enum End {
    /// Nobody reads it.
    Disconnected,
    /// And the reader is told why.
    Told(ApiError),
}

impl From<Disconnected> for End {
    fn from(_: Disconnected) -> Self {
        Self::Disconnected
    }
}

impl From<ApiError> for End {
    fn from(error: ApiError) -> Self {
        Self::Told(error)
    }
}

impl Stream {
    /// Tells until the reader is gone, its token opens nothing any more, or the daemon stops.
    pub async fn run(mut self) {
        let shop = Arc::clone(&self.shop);
        let left_ms = self.expires_at.saturating_mul(1_000).saturating_sub(clock::now().0);
        let expired = tokio::time::sleep(Duration::from_millis(u64::try_from(left_ms).unwrap_or_default()));
        let end = tokio::select! {
            biased;
            () = shop.stopping() => End::Told(ApiError::unavailable("the daemon is draining", 1)),
            () = expired => End::Told(ApiError::token_expired()),
            end = self.talk() => end,
        };
        if let End::Told(error) = end {
            let data = json!({"code": error.code.name(), "message": error.message});
            // A reader too slow for this sees that the stream ended.
            let _ = self.feed.try_send(event_stream::event("end", &data, None));
        }
    }

    async fn talk(&mut self) -> End {
        match self.tell().await {
            Ok(never) => match never {},
            Err(end) => end,
        }
    }

    async fn tell(&mut self) -> Result<std::convert::Infallible, End> {
        let shop = Arc::clone(&self.shop);
        let mut moved = shop.buffer.watch();
        let mut link = shop.store.watch_link();
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        heartbeat.reset();
        self.ready().await?;
        loop {
            moved.borrow_and_update();
            if self.catch_up().await? {
                continue;
            }
            tokio::select! {
                () = self.feed.gone() => return Err(End::Disconnected),
                // The buffer lives as long as the shop.
                _ = moved.changed() => {}
                status = link.next() => {
                    // Whether head office is there concerns every till; why it is not is for whoever runs the shop.
                    let seen = if self.caller.role.manages() { status } else { json!({"state": status.get("state")}) };
                    self.feed.send(event_stream::event("sync", &seen, None)).await?;
                }
                _ = heartbeat.tick() => {
                    shop.still(&self.bearer, STAFF).await?;
                    let place = self.position.to_string();
                    self.feed.send(event_stream::heartbeat(Some(&place))).await?;
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
        let place = self.resumed.then(|| self.position.to_string());
        let data = serde_json::to_value(&ready).unwrap_or_default();
        Ok(self.feed.send(event_stream::event("ready", &data, place.as_deref())).await?)
    }

    /// Tells the next few commits; whether there were any.
    async fn catch_up(&mut self) -> Result<bool, End> {
        match self.shop.buffer.after(self.position) {
            Err(Missed(head)) => {
                self.position = head;
                let place = head.to_string();
                self.feed.send(event_stream::event("reload", &json!({}), Some(&place))).await?;
                Ok(true)
            }
            Ok(chunk) => {
                for noticed in &chunk {
                    self.tell_one(noticed).await?;
                }
                Ok(!chunk.is_empty())
            }
        }
    }

    async fn tell_one(&mut self, noticed: &Noticed) -> Result<(), End> {
        if noticed.notices.contains(&Notice::Access) {
            self.shop.still(&self.bearer, STAFF).await?;
        }
        let seen: Vec<_> = noticed.notices.iter().filter_map(|notice| notice.seen_by(&self.caller)).collect();
        let place = noticed.lsn.to_string();
        let mut part = String::new();
        for (index, (name, data)) in seen.iter().enumerate() {
            // Whoever comes back goes on after a whole commit.
            let last = index.saturating_add(1) == seen.len();
            part.push_str(&event_stream::event(name, data, last.then_some(place.as_str())));
        }
        self.position = noticed.lsn;
        if !part.is_empty() {
            self.feed.send(part).await?;
        }
        Ok(())
    }
}
