//! The event stream of one page, from `ready` to `end`.

use crate::account::user::ROLES;
use crate::office::exceptions::explanation::{OF_GOODS, OF_MONEY};
use crate::state::hub::Hub;
use crate::table::notice::{Kind, Notice};
use domain::model::people::user::Role;
use edge::event_stream::{self, End, HEARTBEAT, Reader};
use edge::identity::ticket;
use edge::tokens::Claims;
use schemars::JsonSchema;
use serde::Serialize;
use std::convert::Infallible;
use std::sync::Arc;

/// Data of `ready`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReadyEvent")]
pub struct Ready<'a> {
    /// ID of head office.
    hub_id: &'a str,
    /// Role of the caller.
    role: Role,
    /// Whether no event since `Last-Event-ID` is missing.
    resumed: bool,
    /// A comment is sent after this many seconds without an event.
    heartbeat_s: u64,
}

/// Data of an event about something that changed.
#[derive(Serialize, JsonSchema)]
pub struct ChangeEvent<'a> {
    /// ID of the store, exception, order or settlement to read again. Null if several changed.
    id: Option<&'a str>,
    /// Store of the change. Null if several stores are concerned, or none.
    store_id: Option<&'a str>,
}

/// A stream with its user.
pub struct Stream {
    pub hub: Arc<Hub>,
    /// Claims of the token that opened it.
    pub claims: Arc<Claims>,
    /// Role of the user, by which notices are selected.
    pub role: Role,
    /// Whether the stream has all events since `Last-Event-ID`.
    pub resumed: bool,
    /// Position of its reader.
    pub reader: Reader,
}

impl Stream {
    /// Sends until the reader is gone, its token is no longer valid, or the hub stops.
    pub async fn run(mut self, expires_at: i64) {
        let writer = self.reader.writer.clone();
        let mut stopping = self.hub.stopping.subscribe();
        let stops = async move {
            // The sender lives as long as the hub.
            let _ = stopping.wait_for(|stops| *stops).await;
        };
        event_stream::until_end(&writer, expires_at, stops, self.send_all()).await;
    }

    /// Sends the notices and heartbeats.
    async fn send_all(&mut self) -> Result<Infallible, End> {
        let hub = Arc::clone(&self.hub);
        let mut moved = hub.screens.buffer.watch();
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        heartbeat.reset();
        self.ready().await?;
        loop {
            moved.borrow_and_update();
            if let Some(chunk) = self.reader.next(&hub.screens.buffer).await? {
                for (number, notice) in &chunk {
                    self.send_notice(*number, notice).await?;
                }
                continue;
            }
            tokio::select! {
                () = self.reader.writer.gone() => return Err(End::Disconnected),
                // The buffer lives as long as the hub.
                _ = moved.changed() => {}
                _ = heartbeat.tick() => {
                    self.check_rights().await?;
                    let beat = event_stream::heartbeat(self.reader.place().as_deref());
                    self.reader.writer.send(beat).await?;
                }
            }
        }
    }

    async fn ready(&self) -> Result<(), End> {
        let ready = Ready {
            hub_id: &self.hub.identity.hub_id,
            role: self.role,
            resumed: self.resumed,
            heartbeat_s: HEARTBEAT.as_secs(),
        };
        let place = self.reader.place().filter(|_| self.resumed);
        let data = serde_json::to_value(&ready).unwrap_or_default();
        Ok(self.reader.writer.send(event_stream::event("ready", &data, place.as_deref())).await?)
    }

    async fn send_notice(&mut self, number: u64, notice: &Notice) -> Result<(), End> {
        if notice.kind == Kind::Access {
            self.check_rights().await?;
        }
        self.reader.position = Some(number);
        if !is_for(self.role, notice) {
            return Ok(());
        }
        let data = ChangeEvent {
            id: Some(notice.id.as_str()).filter(|id| !id.is_empty()),
            store_id: Some(notice.store_id.as_str()).filter(|id| !id.is_empty()),
        };
        let data = serde_json::to_value(&data).unwrap_or_default();
        let event = event_stream::event(notice.kind.name(), &data, Some(&number.to_string()));
        Ok(self.reader.writer.send(event).await?)
    }

    /// Checks that the token is still valid, and reads the user's present role.
    async fn check_rights(&mut self) -> Result<(), End> {
        self.role = ticket::still(&*self.hub, &self.claims, &ROLES).await?.role;
        Ok(())
    }
}

/// Whether a role receives a notice: only about objects that its lists show.
fn is_for(role: Role, notice: &Notice) -> bool {
    match (role, notice.kind) {
        (_, Kind::Access) => false,
        (Role::Admin, _) => true,
        (Role::HoFinance | Role::HoPurchasing, Kind::Store | Kind::Order)
        | (Role::HoFinance, Kind::Settlement) => true,
        (Role::HoFinance, Kind::Exception) => OF_MONEY.contains(&notice.code.as_str()),
        (Role::HoPurchasing, Kind::Exception) => OF_GOODS.contains(&notice.code.as_str()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::exception::{ORDER_OVER, RECEIPT_TWICE, SHIFT_CLOSED};

    #[test]
    fn a_role_receives_events_of_the_lists_that_it_may_read() {
        use Role::{Admin, Cashier, HoFinance, HoPurchasing};
        let rows: [(Kind, &str, &[Role]); 8] = [
            (Kind::Store, "", &[Admin, HoFinance, HoPurchasing]),
            (Kind::Order, "", &[Admin, HoFinance, HoPurchasing]),
            (Kind::Settlement, "", &[Admin, HoFinance]),
            (Kind::Exception, RECEIPT_TWICE, &[Admin]),
            (Kind::Exception, SHIFT_CLOSED, &[Admin, HoFinance]),
            (Kind::Exception, ORDER_OVER, &[Admin, HoPurchasing]),
            (Kind::Exception, "", &[Admin]),
            (Kind::Access, "", &[]),
        ];
        for (kind, code, roles) in rows {
            let notice =
                Notice { number: 1, kind, id: String::new(), store_id: String::new(), code: code.to_owned() };
            for role in [Admin, HoFinance, HoPurchasing, Cashier] {
                assert_eq!(is_for(role, &notice), roles.contains(&role), "{role:?} {notice:?}");
            }
        }
    }
}
