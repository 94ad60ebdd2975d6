//! Rules of receipts of goods.

mod doubts;
mod limit;
mod order;
mod receive;
mod receiving_command;
mod resubmit;
mod reverse;
pub use doubts::{COMPARED_MAX, COMPARED_MS, counted_before, may_have_found, repeats};
pub use limit::{OrderLine, OrderLineState};
pub use order::{check_supplier, order_limit, receive_order, taken_back};
pub use receive::receive;
pub(crate) use receiving_command::check_total;
pub use receiving_command::{NewReceiving, NewReceivingLine};
pub use resubmit::{Corrected, Side, resubmit};
pub use reverse::reverse;
