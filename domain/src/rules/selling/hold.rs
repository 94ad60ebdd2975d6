//! Rules of parked baskets.

mod expire;
mod hold_view;
mod recall;
mod take;
pub use expire::{HOLD_EXPIRED, expire, void};
pub use hold_view::RecalledView;
pub use recall::{Change, RecallDraft, RecallHold, Recalled, draft_recall, recall};
pub use take::{HOLDS_MAX, HeldBasket, HoldSale, take};
