//! Rules of members.

mod apply_feed;
mod change;
mod generation_recovery;
mod import;
mod key;
mod member_commands;
mod member_view;
mod phone;
mod register;
mod restore;
mod words;
pub use apply_feed::{Heard, apply_feed};
pub use change::{block, change, erase, reachable};
pub(crate) use generation_recovery::lost;
pub use generation_recovery::newer_fields;
pub use import::{MEMBER_ROWS_MAX, MemberRow, import};
pub(crate) use key::changed_to;
pub use member_commands::{ChangeMember, NewMember};
pub use member_view::{MemberView, view};
pub use phone::{NoPhone, e164, is_country_code};
pub use register::register;
pub(crate) use restore::set;
pub use restore::{is_back, key_of, restore};
pub use words::{SEARCH_CHARS_MIN, digits, words};
