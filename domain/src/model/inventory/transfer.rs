//! Transfers: goods on their way to another store.

use crate::model::base::figures::Money;
use crate::model::base::ids::{StoreId, TransferId, UserId};
use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::inventory::receiving::ReceivingWarning;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod line;
pub use line::{Resolution, Resolved, TransferLine};

/// State of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TransferState {
    /// Recorded; the goods have not left the sender.
    Draft,
    /// The goods have left the sender.
    InTransit,
    /// Received by the other store.
    Received,
    /// Cancelled; the goods are back in the sender's stock.
    Cancelled,
}

/// A transfer document. Sender and receiver have one each, which differ by their store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Transfer {
    /// ID of the transfer, `trf_…`.
    pub transfer_id: TransferId,
    /// State of the transfer.
    pub state: TransferState,
    /// Store that sends the goods.
    pub from_store_id: StoreId,
    /// Store that receives the goods.
    pub to_store_id: StoreId,
    /// Lines of the transfer, one per SKU.
    pub lines: Vec<TransferLine>,
    /// Note in free text. Null for none.
    pub note: Option<String>,
    /// Business date of the document, by its own time.
    pub business_date: jiff::civil::Date,
    /// User who recorded it.
    pub created_by: UserId,
    /// When the transfer was recorded.
    pub created_at: UtcMs,
    /// When the goods left the sender. Null if they have not left.
    pub sent_at: Option<UtcMs>,
    /// User who received the goods. Null until they are received.
    pub received_by: Option<UserId>,
    /// When the goods were received. Null if they were not.
    pub received_at: Option<UtcMs>,
    /// When the transfer was cancelled. Null if it was not.
    pub cancelled_at: Option<UtcMs>,
    /// Whether the cancellation came too late, because the other store had already received the goods.
    pub cancel_lost: bool,
    /// Points to check about the receipt. They did not prevent the receipt.
    #[serde(default)]
    pub warnings: Vec<ReceivingWarning>,
}

impl TransferState {
    /// The state's name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::InTransit => "in_transit",
            Self::Received => "received",
            Self::Cancelled => "cancelled",
        }
    }

    /// `invalid_state`, with the possible steps.
    pub fn refusal(self) -> Refusal {
        let steps: &[&str] = match self {
            Self::Draft => &["send", "cancel"],
            Self::InTransit => &["receive", "cancel"],
            Self::Received => &["resolve"],
            Self::Cancelled => &[],
        };
        let allowed = steps.iter().map(|step| (*step).to_owned()).collect();
        Refusal::InvalidState { state: self.name().to_owned(), allowed }
    }
}

impl Transfer {
    /// Nothing is on its way any more and every shortfall is explained.
    pub fn settled(&self) -> bool {
        match self.state {
            TransferState::Draft | TransferState::InTransit => false,
            TransferState::Received => self.lines.iter().all(|line| line.pending() == 0),
            TransferState::Cancelled => true,
        }
    }

    /// Value that is in transit or not settled yet.
    pub fn in_transit_value(&self) -> Money {
        match self.state {
            TransferState::Draft | TransferState::Cancelled => Money::ZERO,
            _ => self.lines.iter().map(TransferLine::in_transit_value).sum(),
        }
    }
}
