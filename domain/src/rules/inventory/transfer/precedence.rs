//! How head office merges a transfer's document that a store reports. Pure, so that the simulation runs it.

use crate::model::base::ids::StoreId;
use crate::model::inventory::transfer::{Transfer, TransferState};

/// Outcome for the document, and those who are informed of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Precedence {
    /// The reported document counts from now on; otherwise the known one is further along.
    pub stands: bool,
    /// One store cancelled what the other received: a person has to check it.
    pub met: bool,
    /// The stores that are sent the document that counts.
    pub hear: Vec<StoreId>,
}

/// Compares the `known` document with the report of its sender or receiver. Goods that moved are moved either way.
pub fn precedence(known: &Transfer, reported: &Transfer, by_sender: bool) -> Precedence {
    let stands = rank(reported.state) >= rank(known.state);
    let met = matches!(
        (known.state, reported.state),
        (TransferState::Cancelled, TransferState::Received)
            | (TransferState::Received, TransferState::Cancelled)
    );
    let (from, to) = (reported.from_store_id.clone(), reported.to_store_id.clone());
    let hear = match (met, by_sender) {
        (true, _) => vec![from, to],
        (false, true) => vec![to],
        (false, false) => vec![from],
    };
    Precedence { stands, met, hear }
}

/// Rank of a state: the one that is further along counts; received beats cancelled.
fn rank(state: TransferState) -> u8 {
    match state {
        TransferState::Draft => 0,
        TransferState::InTransit => 1,
        TransferState::Cancelled => 2,
        TransferState::Received => 3,
    }
}
