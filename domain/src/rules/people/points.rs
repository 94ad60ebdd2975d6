//! The rules of points: what may happen, and what comes of it.

mod adjust;
mod expiry;
mod liability;
mod points_view;
pub use adjust::{AdjustPoints, Moved, adjust, expire};
pub use expiry::{Expiry, ExpiryEntry, LotFold};
pub use liability::{Deferred, Pool, defer};
pub use points_view::{AdjustedPoints, EntryView, PointsView};
