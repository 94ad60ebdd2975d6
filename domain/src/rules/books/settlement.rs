//! Settlement: matches payments other than cash with the reports of providers and banks.
//!
//! An *item* is expected, a *line* is reported by a statement. Matching never guesses between several candidates. It
//! is pure: the same items and lines give the same matches in every order.

mod bank;
mod by_amount;
mod by_hand;
mod by_net;
mod by_reference;
pub mod entry;
pub mod exception;
mod expected;
pub mod import;
mod item;
mod line;
mod matched;
mod matching;
mod slice;
pub mod state;
mod terms;
mod text;

pub use bank::{BankText, Payout};
pub use by_hand::match_by_hand;
pub use by_reference::{Again, may_tell_again};
pub use expected::{NewItem, differing, is_settled_elsewhere, items_of};
pub use item::{ItemKind, ItemRef, OpenItem};
pub use line::{LineKind, OpenLine};
pub use matched::{Match, Raised, Rule};
pub use matching::{Before, Found, Known, match_lines, match_nets, match_references};
pub use slice::Slice;
pub use terms::{FeeOnRefunds, SourceKind, Terms};
pub use text::{has_word, is_no_reference, reference_key};
