//! Rules of purchase orders and price lists.

mod approval;
mod order_step;
mod price_list;
mod progress;
mod proposal;
mod revision;
mod suggestion;
pub use approval::{Approval, Approver, note_writer};
pub use order_step::OrderStep;
pub use price_list::{Terms, cheapest_supplier, in_force, warnings};
pub use revision::{COST_NEEDED, LineCost, RevisedLine, Revision, check_lines, order_total};
pub use suggestion::{Need, Suggested, runs_out_before, suggest};
