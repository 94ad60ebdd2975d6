//! Rules of members' points.

mod adjust;
mod expiry;
mod liability;
mod opening;
mod points_view;
pub use adjust::{AdjustPoints, Moved, adjust, expire};
pub use expiry::{Expiry, ExpiryEntry, LotFold};
pub use liability::{Deferred, Pool, defer};
pub use opening::{NamedMember, POINTS_ROWS_MAX, PointsRow, open_points};
pub use points_view::{AdjustedPoints, EntryView, PointsView};
