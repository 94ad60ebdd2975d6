//! The supervision tree as operators see and prod it.

use super::StoreHandle;
#[cfg(test)]
use crate::message::{
    CatalogueMessage, HubMessage, LedgerMessage, MembersMessage, OutboxMessage, SessionsMessage,
    ShiftMessage, ShiftsMessage,
};
use crate::runtime::failure::Failure;
#[cfg(test)]
use domain::model::base::refusal::Refusal;

impl StoreHandle {
    pub fn tree(&self) -> serde_json::Value {
        self.context.tree.view()
    }

    /// Running and restarting actors.
    pub fn actor_counts(&self) -> (usize, usize) {
        self.context.tree.counts()
    }

    /// Kills an actor as a crash would and waits until its successor runs.
    ///
    /// # Errors
    /// 404 for an unknown name, 409 for the root, 503 when the successor is late.
    pub async fn restart_actor(&self, name: &str) -> Result<(), Failure> {
        self.context.tree.restart(name).await
    }

    /// Makes an actor panic.
    #[cfg(test)]
    pub fn panic_actor(&self, name: &str) -> Result<(), Failure> {
        let cell = self.context.tree.cell(name).ok_or(Failure::Refused(Refusal::NotFound("actor")))?;
        let sent = match name {
            "ledger" => cell.send_message(LedgerMessage::Panic).is_ok(),
            "members" => cell.send_message(MembersMessage::Panic).is_ok(),
            "catalogue" => cell.send_message(CatalogueMessage::Panic).is_ok(),
            "sessions" => cell.send_message(SessionsMessage::Panic).is_ok(),
            "outbox" => cell.send_message(OutboxMessage::Panic).is_ok(),
            "hub_connection" => cell.send_message(HubMessage::Panic).is_ok(),
            "shifts" => cell.send_message(ShiftsMessage::Panic).is_ok(),
            _ => cell.send_message(ShiftMessage::Panic).is_ok(),
        };
        if sent { Ok(()) } else { Err(Failure::Unavailable("the actor is restarting")) }
    }
}
