//! Rules of counts of stock (opname).

mod count;
mod differences;
mod line;
mod opname_commands;
mod opname_view;
mod post;
mod start;
pub use count::{cancel, count, recount, submit};
pub use differences::DifferenceSums;
pub use opname_commands::{Count, CountMode, CountOpname, NewOpname, PostOpname, RecountOpname, ZONES_MAX};
pub use opname_view::{OpnameLineView, OpnameView, ZoneView, line_view};
pub use post::post;
pub use start::start;
