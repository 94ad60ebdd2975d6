//! Identifiers: opaque strings of at most 64 characters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{borrow::Borrow, fmt};

/// The longest identifier that is accepted, in bytes.
pub const ID_BYTES_MAX: usize = 64;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
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
    /// A shop, for example `S001`.
    StoreId,
    /// A till, for example `till-1`; without one, `main`.
    RegisterId,
    /// A product code.
    Sku,
    /// `trx_…`
    TransactionId,
    /// `pay_…`
    PaymentId,
    /// `shf_…`
    ShiftId,
    /// `mov_…`
    MovementId,
    /// `rcv_…`
    ReceivingId,
    /// `hld_…`
    HoldId,
    /// `ret_…`
    ReturnId,
    /// `trf_…`
    TransferId,
    /// `adj_…`
    AdjustmentId,
    /// `srt_…`: goods back to a supplier.
    SupplierReturnId,
    /// `opn_…`
    OpnameId,
    /// `csh_…`: cash put into a drawer, taken out of it, or brought to the bank.
    CashId,
    /// `mbr_…`
    MemberId,
    /// `usr_…`
    UserId,
    /// The session that a login opened: `ses_…`
    SessionId,
    /// `evt_…`
    EventId,
}
