//! Receipts of another store: the hub is asked, for a short time; a hub that is away leaves it to a manager.

use super::StoreHandle;
use crate::failure::Failure;
use crate::hub_client::{Cause, HubClient};
use crate::sync_state::LinkState;
use domain::ids::ReturnId;
use domain::refusal::Refusal;
use domain::returns::{NewReturn, Verification};
use domain::sync::{ReleaseReceipt, ReservePieces, ReserveReceipt};
use domain::transaction::Transaction;

/// The code of more pieces than are left.
const EXCEEDED: &str = "return_exceeds_sold";

impl StoreHandle {
    /// The sale of another store's receipt with the pieces reserved for this return; without the hub none, and
    /// the check is still to be done.
    pub(super) async fn elsewhere(
        &self,
        id: &ReturnId,
        command: &mut NewReturn,
    ) -> Result<(Option<Transaction>, Option<Verification>), Failure> {
        let pending = Ok((None, Some(Verification::Pending)));
        let (Some(client), Some(receipt_no)) = (self.client_online()?, command.receipt_no.clone()) else {
            return pending;
        };
        let pieces =
            |item: &domain::returns::NewReturnItem| ReservePieces { sku: item.sku.clone(), qty: item.qty };
        let items = command.items.iter().map(pieces).collect();
        let ask = ReserveReceipt { return_id: id.clone(), receipt_no, items };
        match client.reserve(&ask).await {
            Ok(reserved) => {
                command.transaction_id = Some(reserved.transaction.transaction_id.clone());
                // What was paid is known now.
                command.items.iter_mut().for_each(|item| item.price = None);
                Ok((Some(reserved.transaction), Some(Verification::Verified)))
            }
            Err(error) => match error.cause {
                Cause::Refused(code) if code == EXCEEDED => Err(Refusal::ReturnExceedsSold.into()),
                Cause::Refused(_) => Err(Refusal::NotFound("receipt").into()),
                _ => {
                    tracing::warn!(%error, "another store's receipt could not be checked");
                    pending
                }
            },
        }
    }

    /// Gives free what was reserved for a return that did not come to be. If the hub does not hear it, the
    /// reservation ends by itself.
    pub(super) fn release(&self, return_id: ReturnId) {
        let Ok(Some(client)) = self.client_online() else { return };
        tokio::spawn(async move {
            if let Err(error) = client.release(&ReleaseReceipt { return_id }).await {
                tracing::warn!(%error, "a reservation could not be given free");
            }
        });
    }

    fn client_online(&self) -> Result<Option<HubClient>, Failure> {
        let online = self.door.link && self.door.sync.get().state == LinkState::Online;
        let Some(hub) = self.door.storage.hub()?.filter(|_| online) else { return Ok(None) };
        let client = HubClient::new(hub, self.door.config.sync.clone());
        client.map(Some).map_err(|error| Failure::Internal(error.to_string()))
    }
}
