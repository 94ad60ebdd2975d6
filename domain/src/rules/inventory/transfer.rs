//! Rules of transfers between stores.

mod merge_remote;
mod precedence;
mod receive;
mod resolve;
mod send;
mod transfer_commands;
mod transfer_view;
pub use merge_remote::merge_remote;
pub use precedence::{Precedence, precedence};
pub use receive::{found_here, meet, receive};
pub use resolve::resolve;
pub use send::{Receiver, cancel, check_destination, create, send};
pub use transfer_commands::{
    NewTransfer, NewTransferLine, ReceiveTransfer, ResolveLine, ResolveTransfer, add_up_skus,
};
pub use transfer_view::{Discrepancy, Outcome, TransferLineView, TransferView, view};
