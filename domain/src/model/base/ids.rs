//! Identifiers: opaque strings of one alphabet, `A-Z a-z 0-9 _ -`, at most 64 characters long.
//!
//! The alphabet keeps them whole wherever they go: in a path, a file name, a log line, a command's arguments,
//! a key of the rows, and a receipt number, whose parts are a store's and a register's id.

use crate::model::base::limits::{ID_BYTES_MAX, SHORT_ID_BYTES_MAX};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Borrow;
use std::fmt;

/// Description of a valid short ID, for people.
pub const SHORT_ID_PROBLEM: &str = "must be 1 to 32 of A-Z a-z 0-9 _ -";

/// Description of the characters that an identifier may have, for people.
const ALPHABET_PROBLEM: &str = "must be made of A-Z a-z 0-9 _ - only";

/// The same for documents. The empty text means "none".
const ALPHABET_PATTERN: &str = "^[A-Za-z0-9_-]*$";

/// Whether `text` may be an identifier.
pub fn is_id(text: &str) -> bool {
    (1..=ID_BYTES_MAX).contains(&text.len()) && of_alphabet(text)
}

/// Whether `text` may be the ID of a store, a register or a hub.
pub fn is_short_id(text: &str) -> bool {
    (1..=SHORT_ID_BYTES_MAX).contains(&text.len()) && of_alphabet(text)
}

fn of_alphabet(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Reads an identifier from any source: a request, a record, a page of the feed, a row. An empty text means "none", as
/// head office has no store; a caller that needs one has to check for it.
fn read<'de, D: Deserializer<'de>>(source: D) -> Result<String, D::Error> {
    let text = String::deserialize(source)?;
    if text.len() > ID_BYTES_MAX {
        let problem = format!("must be at most {ID_BYTES_MAX} bytes, it has {}", text.len());
        return Err(D::Error::custom(problem));
    }
    if of_alphabet(&text) { Ok(text) } else { Err(D::Error::custom(ALPHABET_PROBLEM)) }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        texts! {
            $(#[$doc])*
            #[schemars(extend("maxLength" = ID_BYTES_MAX, "pattern" = ALPHABET_PATTERN))]
            $name
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
                read(source).map(Self)
            }
        }
    )+};
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        // First, since attributes of the derives may be among the others.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, JsonSchema)]
        $(#[$doc])*
        #[serde(transparent)]
        #[schemars(inline)]
        pub struct $name(pub String);

        impl $name {
            /// The identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    )+};
}

ids! {
    /// ID of a store, for example `S001`.
    StoreId,
    /// ID of a register, for example `till-1`. Without one, `main`.
    RegisterId,
    /// ID of the transaction, `trx_…`.
    TransactionId,
    /// ID of the payment, `pay_…`.
    PaymentId,
    /// ID of the shift, `shf_…`.
    ShiftId,
    /// ID of the movement, `mov_…`.
    MovementId,
    /// ID of the receipt, `rcv_…`.
    ReceivingId,
    /// ID of the hold, `hld_…`.
    HoldId,
    /// ID of the return, `ret_…`.
    ReturnId,
    /// ID of the transfer, `trf_…`.
    TransferId,
    /// ID of the adjustment, `adj_…`.
    AdjustmentId,
    /// `srt_…`: goods back to a supplier.
    SupplierReturnId,
    /// ID of the count, `opn_…`.
    OpnameId,
    /// `csh_…`: cash put into a drawer, taken out of it, or brought to the bank.
    CashId,
    /// ID of the member, `mbr_…`.
    MemberId,
    /// ID of the user, `usr_…`.
    UserId,
    /// The session that a login opened: `ses_…`
    SessionId,
    /// ID of the event, `evt_…`.
    EventId,
}

texts! {
    // The text that the goods' maker or the shop gave it, not an identifier of this system: any alphabet.
    /// Product code (SKU).
    #[derive(Deserialize)]
    Sku,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_have_one_alphabet_wherever_they_are_read() {
        for good in ["S001", "till-1", "A_b-9", "trx_019ab2c4-d5e6", &"x".repeat(ID_BYTES_MAX)] {
            assert!(is_id(good), "{good}");
            assert_eq!(serde_json::from_value::<StoreId>(good.into()).ok(), Some(StoreId::from(good)));
        }
        for bad in ["a/b", "a b", "käse", "a.b", "a\nb", "a\0", "..", "a%", "a\u{202e}b"] {
            assert!(!is_id(bad) && !is_short_id(bad), "{bad}");
            assert!(serde_json::from_value::<StoreId>(bad.into()).is_err(), "{bad}");
            assert!(serde_json::from_value::<UserId>(bad.into()).is_err(), "{bad}");
            assert!(serde_json::from_value::<Sku>(bad.into()).is_ok(), "{bad}");
        }
        let long = "x".repeat(ID_BYTES_MAX + 1);
        assert!(!is_id("") && !is_id(&long));
        assert!(serde_json::from_value::<StoreId>(long.into()).is_err());
        assert_eq!(serde_json::from_value::<StoreId>("".into()).ok(), Some(StoreId::default()));
        assert!(
            is_short_id(&"x".repeat(SHORT_ID_BYTES_MAX)) && !is_short_id(&"x".repeat(SHORT_ID_BYTES_MAX + 1))
        );
    }
}
