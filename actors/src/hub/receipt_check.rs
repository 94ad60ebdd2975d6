//! Receipts of returns: the hub is asked, with a short deadline, for the pieces that stores took back of the sale. If
//! the hub is away, another store's receipt needs a manager, and an own one is checked with this store's facts.

use crate::hub::hub_client::{Cause, HubClient};
use crate::hub::sync_state::LinkState;
use crate::runtime::context::Context;
use crate::runtime::failure::Failure;
use domain::model::base::ids::ReturnId;
use domain::model::base::refusal::{Refusal, ReturnLeft};
use domain::model::selling::returns::{TakenBack, Verification};
use domain::model::selling::transaction::{Transaction, TransactionState};
use domain::rules::selling::returns::NewReturn;
use domain::wire::feed::Kind;
use domain::wire::sync::{ReleaseReceipt, ReservePieces, ReserveReceipt, ReservedReceipt};
use std::sync::atomic::{AtomicBool, Ordering};

/// Data that a return is decided by.
pub(crate) struct Found {
    /// The sale, as it was completed; `None` without a receipt, or for another store's
    /// receipt that could not be checked.
    pub(crate) sale: Option<Transaction>,
    /// Verification of another store's receipt.
    pub(crate) verification: Option<Verification>,
    /// The sale's returns as the hub reported them. `None` if it was not asked, or had no answer.
    pub(crate) taken: Option<Vec<TakenBack>>,
}

/// Answer of the hub to a return.
enum Reservation {
    /// The pieces are reserved.
    Reserved(Box<ReservedReceipt>),
    /// Other stores have too many of them.
    Exceeded(Vec<ReturnLeft>),
    /// The hub knows no such sale.
    Unknown,
    /// Nothing: it is away, or too slow.
    Nothing,
}

impl Context {
    /// The sale of another store's receipt with the pieces reserved for this return; without the hub `None`, and the
    /// check is still to be done. `reserved` tells whether the hub may have reserved them.
    pub(crate) async fn elsewhere(
        &self,
        id: &ReturnId,
        command: &mut NewReturn,
        reserved: &AtomicBool,
    ) -> Result<Found, Failure> {
        let receipt_no = command.receipt_no.clone().unwrap_or_default();
        match self.reserve(id, command, receipt_no, reserved).await? {
            Reservation::Reserved(reserved) => {
                command.transaction_id = Some(reserved.transaction.transaction_id.clone());
                // The paid price is known now.
                command.items.iter_mut().for_each(|item| item.price = None);
                let ReservedReceipt { transaction, taken, .. } = *reserved;
                Ok(Found {
                    sale: Some(transaction),
                    verification: Some(Verification::Verified),
                    taken: Some(taken),
                })
            }
            Reservation::Exceeded(items) => Err(Refusal::ReturnExceedsSold(items).into()),
            // Its store may not have reported the sale yet: with a price for each item it is a return to be checked.
            Reservation::Unknown if !self.is_unreported(command)? => Err(Refusal::NotFound("receipt").into()),
            Reservation::Unknown | Reservation::Nothing => {
                Ok(Found { sale: None, verification: Some(Verification::Pending), taken: None })
            }
        }
    }

    /// Whether the receipt may be of another store whose sale head office does not have yet, and each item has a price.
    fn is_unreported(&self, command: &NewReturn) -> Result<bool, Failure> {
        let number = command.receipt_no.as_deref().unwrap_or_default();
        let priced = command.items.iter().all(|item| item.price.is_some());
        for (end, _) in number.match_indices('-').filter(|_| priced) {
            let store = number.get(..end).unwrap_or_default();
            if self.storage.sync().inbound(Kind::Store.name(), store)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Pieces of a sale of this store that other stores took back, with the pieces reserved for this return. If the
    /// hub is away, or does not have the sale yet, only this store's own knowledge counts.
    pub(crate) async fn sold_here(
        &self,
        id: &ReturnId,
        command: &NewReturn,
        sale: Transaction,
        reserved: &AtomicBool,
    ) -> Result<Found, Failure> {
        let paid = sale.state == TransactionState::Paid;
        let taken = match sale.receipt_no.clone().filter(|_| paid) {
            None => None,
            Some(receipt_no) => match self.reserve(id, command, receipt_no, reserved).await? {
                Reservation::Reserved(reserved)
                    if reserved.transaction.transaction_id == sale.transaction_id =>
                {
                    Some(reserved.taken)
                }
                Reservation::Exceeded(items) => return Err(Refusal::ReturnExceedsSold(items).into()),
                Reservation::Reserved(_) | Reservation::Unknown | Reservation::Nothing => None,
            },
        };
        Ok(Found { sale: Some(sale), verification: None, taken })
    }

    async fn reserve(
        &self,
        id: &ReturnId,
        command: &NewReturn,
        receipt_no: String,
        reserved: &AtomicBool,
    ) -> Result<Reservation, Failure> {
        let Some(client) = self.client_online()? else { return Ok(Reservation::Nothing) };
        let pieces = |item: &domain::rules::selling::returns::NewReturnItem| ReservePieces {
            sku: item.sku.clone(),
            qty: item.qty,
        };
        let items = command.items.iter().map(pieces).collect();
        let reservation = ReserveReceipt { return_id: id.clone(), receipt_no, items };
        let said = client.reserve(&reservation).await;
        let refused =
            matches!(&said, Err(error) if matches!(error.cause, Cause::Refused(_) | Cause::Exceeded(_)));
        // An answer that was lost may have been a yes.
        reserved.fetch_or(!refused, Ordering::Relaxed);
        Ok(match said {
            Ok(reserved) => Reservation::Reserved(Box::new(reserved)),
            Err(error) => match error.cause {
                Cause::Exceeded(items) => Reservation::Exceeded(items),
                Cause::Refused(_) => Reservation::Unknown,
                _ => {
                    tracing::warn!(%error, "a receipt could not be checked with head office");
                    Reservation::Nothing
                }
            },
        })
    }

    /// Releases the reservation of a return that was not posted. If the hub is not reached, the reservation expires.
    pub(crate) fn release(&self, return_id: ReturnId) {
        let Ok(Some(client)) = self.client_online() else { return };
        tokio::spawn(async move {
            if let Err(error) = client.release(&ReleaseReceipt { return_id }).await {
                tracing::warn!(%error, "a reservation could not be released");
            }
        });
    }

    /// The hub's client, while the link is up.
    pub(crate) fn client_online(&self) -> Result<Option<HubClient>, Failure> {
        let online = self.link && self.sync.get().state == LinkState::Online;
        let hub = self.storage.sync().hub()?.filter(|_| online);
        hub.map(|hub| self.online.client(hub, &self.config.sync)).transpose()
    }
}
