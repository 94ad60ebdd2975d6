//! Events: facts, and the values of rows **after** them. Applying an event never reads, so that replaying it twice, or
//! over a newer row that is replayed next, gives the right result.

use crate::model::books::deposit::Safe;
use crate::model::books::register::{Counters, Register};
use crate::model::books::shift::Shift;
use crate::model::inventory::product::Product;
use crate::model::inventory::purchase::OrderProgress;
use crate::model::inventory::stock::{Movement, Stock};
use crate::model::inventory::write_off::WrittenOff;
use crate::model::people::points::{PointsAccount, PointsEntry};
use crate::model::selling::returns::SaleAfter;
use serde::{Deserialize, Serialize};

/// Makes a type for each fact, and [`Fact`] for any of them, with the document that it is a step of, and the sales and
/// baskets that it finished.
macro_rules! facts {
    ($(
        $(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }
        $(=> document($noun:ident, $document:ident.$id:ident))?
        $(=> finished($it:ident, $finished:expr))?
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
            pub struct $name {
                $($(#[$field_doc])* pub $field: $type,)*
            }

            impl From<Event<$name>> for Event {
                fn from(event: Event<$name>) -> Self {
                    Self { fact: Fact::$name(Box::new(event.fact)), rows: event.rows }
                }
            }

            impl From<$name> for Event {
                fn from(fact: $name) -> Self {
                    Event::of(fact).into()
                }
            }
        )*

        /// Any fact.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Fact {
            $($(#[$doc])* $name(Box<$name>),)*
        }

        impl Fact {
            /// The document that this is a step of.
            pub fn document(&self) -> Option<(Noun, &str)> {
                Some(match self {
                    $($(Self::$name(it) => (Noun::$noun, it.$document.$id.as_str()),)?)*
                    _ => return None,
                })
            }

            /// The sales and baskets that this finished, or changed afterwards.
            pub fn finished(&self) -> &[Transaction] {
                match self {
                    $($(Self::$name($it) => $finished,)?)*
                    _ => &[],
                }
            }
        }
    };
}

pub mod fact;
pub use fact::{Fact, Noun};

/// A fact with its rows. A rule has a fact of one kind; storage has any, as JSON inside a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event<F = Fact> {
    /// The fact, with its document.
    pub fact: F,
    /// Other rows that the event changed.
    #[serde(default, skip_serializing_if = "Rows::is_empty")]
    pub rows: Rows,
}

/// Movements, and the values of rows after an event. Rows are applied without reading the fact.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub movements: Vec<Movement>,
    /// Stock, one row per SKU, with damaged and reserved pieces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stock: Vec<Stock>,
    /// Shifts whose sums changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shifts: Vec<Shift>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<Counters>,
    /// A till, perhaps new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub register: Option<Box<Register>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<PointsEntry>,
    /// Points of the member whose entries are in `points`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<Box<PointsAccount>>,
    /// State of a sale afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Box<SaleAfter>>,
    /// Receiving progress of a purchase order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Box<OrderProgress>>,
    /// The sums of the safe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safe: Option<Box<Safe>>,
    /// Sum of a user's write-offs of the day without an approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_off: Option<Box<WrittenOff>>,
}

impl<F> Event<F> {
    /// A fact and its further changes.
    pub fn new(fact: F, rows: Rows) -> Self {
        Self { fact, rows }
    }

    /// A fact that changed only its own document.
    pub fn of(fact: F) -> Self {
        Self { fact, rows: Rows::default() }
    }
}

impl Event {
    /// A product after a change. The index of search words compares it with the earlier row to remove words that no
    /// longer match.
    pub fn product_changed(product: Product) -> Self {
        fact::ProductChanged { product, lost_words: Vec::new() }.into()
    }

    /// The shift that this is about.
    pub fn shift(&self) -> Option<&Shift> {
        self.shifts().next()
    }

    /// Shifts as they are afterwards.
    pub fn shifts(&self) -> impl Iterator<Item = &Shift> {
        self.fact.shift().into_iter().chain(&self.rows.shifts)
    }
}

impl Rows {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Rows of goods alone.
    pub fn of_stock(movements: Vec<Movement>, stock: Vec<Stock>) -> Self {
        Self { movements, stock, ..Self::default() }
    }

    /// The row of a shift alone.
    pub fn of_shift(shift: Shift) -> Self {
        Self { shifts: vec![shift], ..Self::default() }
    }
}
