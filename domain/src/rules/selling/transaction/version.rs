//! The version of an open basket. A page compares it to see whether another page has changed the basket.

use crate::model::hub::chain::hex;
use crate::model::selling::transaction::{Transaction, TransactionState};
use crate::wire::sale_text::SaleText;
use sha2::{Digest, Sha256};

/// These bytes of the digest suffice to distinguish the states of one basket.
const BYTES: usize = 8;

/// Digest of all stored fields of an open basket. `None` for others, which do not change.
pub fn version(transaction: &Transaction) -> Option<String> {
    of_text(transaction, || SaleText::of(transaction))
}

/// As [`version`], with the JSON of the transaction.
pub(super) fn of_text<T: std::borrow::Borrow<SaleText>>(
    transaction: &Transaction,
    text: impl FnOnce() -> T,
) -> Option<String> {
    (transaction.state == TransactionState::Open).then(|| {
        let digest = Sha256::digest(text().borrow().as_str());
        hex(digest.get(..BYTES).unwrap_or_default())
    })
}
