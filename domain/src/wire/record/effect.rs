//! What a record says of itself in its envelope, and what it does at head office.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{MemberId, ShiftId, Sku};
use crate::model::inventory::stock::Movement;
use crate::model::people::points::PointsEntry;
use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::fmt;

/// Description of a record beside its payload, so that a reader that does not understand the payload knows it all the
/// same.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// Aggregate that the record belongs to: later records of the same aggregate wait behind a parked one. Omitted if
    /// it belongs to none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregate: Option<String>,
    /// Members whose points it may move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberId>,
    /// The day that it counts for; `None` if no digest counts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub business_date: Option<Date>,
    /// Amount that a digest adds up.
    pub amount: i64,
}

/// Reads the description of a record. One that can't be read is ignored, and does not invalidate the record.
pub(super) fn readable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<About>, D::Error> {
    Value::deserialize(deserializer).map(|about| serde_json::from_value(about).ok())
}

impl About {
    pub(super) fn day(business_date: Date, amount: impl Into<i64>) -> Self {
        Self { business_date: Some(business_date), amount: amount.into(), ..Self::default() }
    }

    pub(super) fn belongs(self, family: &str, id: &str) -> Self {
        Self { aggregate: Some(format!("{family}:{id}")), ..self }
    }

    pub(super) fn points(self, member: Option<&MemberId>, entries: &[PointsEntry]) -> Self {
        let entries = entries.iter().map(|entry| &entry.member_id);
        let mut members: Vec<MemberId> = member.into_iter().chain(entries).cloned().collect();
        members.dedup();
        Self { members, ..self }
    }
}

/// Effect of a record at head office.
#[derive(Debug, Default)]
pub struct Effect {
    /// The shift that it was done in, where that has to be open.
    pub shift_id: Option<ShiftId>,
    /// Pieces and value by SKU.
    pub moves: Vec<Move>,
    /// Amount that a method took in (or gave back, below 0) in a shift.
    pub methods: Vec<(ShiftId, String, Money)>,
    pub points: Vec<PointsEntry>,
    /// Document that the record requires.
    pub needs: Option<Known>,
    /// Document that others may have waited for.
    pub gives: Option<Known>,
}

/// One sku that moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// SKU of the product.
    pub sku: Sku,
    /// Number of pieces, signed.
    pub qty: Quantity,
    /// Signed: cost less correction (docs/arithmetic.md#cost-of-stock).
    pub value: Money,
    /// Cost of the received goods beyond the estimate at which goods before them were taken; not part of the value.
    pub correction: Money,
    /// On hand afterwards, as the store counted it.
    pub balance_after: Quantity,
}

/// A document that the hub knows of.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Known {
    /// A completed sale of the store.
    Sale(String),
    /// A return of the store.
    Return(String),
    /// A receipt of goods of the store.
    Receiving(String),
    /// A transfer that its sender has reported, whichever store that is.
    Transfer(String),
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sale(id) => write!(f, "sale {id}"),
            Self::Return(id) => write!(f, "return {id}"),
            Self::Receiving(id) => write!(f, "receipt {id}"),
            Self::Transfer(id) => write!(f, "transfer {id} of its sender"),
        }
    }
}

/// A line's effect on stock, beside the sale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineEffect {
    pub line_no: u32,
    /// Pieces on hand after the movement.
    pub balance_after: Quantity,
    /// Signed cost of the movement.
    pub cost: Money,
    /// Correction of the estimated cost of pieces that were sold below zero stock, in minor currency units.
    pub correction: Money,
    /// Signed pieces that moved.
    pub qty: Quantity,
}

impl LineEffect {
    /// The effects of a document's movements.
    pub fn of(movements: &[Movement]) -> Vec<Self> {
        let effect = |movement: &Movement| Self {
            line_no: movement.line_no,
            balance_after: movement.balance_after,
            cost: movement.cost,
            correction: movement.correction,
            qty: movement.qty,
        };
        movements.iter().map(effect).collect()
    }
}

pub(super) fn of_store(found: &str, store_id: &str) -> Result<(), String> {
    if found == store_id { Ok(()) } else { Err(format!("it is a record of store {found}")) }
}

/// The movements behind a document's effects. `of` finds the sku of a line.
pub(super) fn moves<'a>(
    effects: &[LineEffect],
    of: impl Fn(u32) -> Option<&'a Sku>,
) -> Result<Vec<Move>, String> {
    let one = |effect: &LineEffect| {
        let missing = || format!("line {} has an effect on stock but is not in the document", effect.line_no);
        let sku = of(effect.line_no).ok_or_else(missing)?;
        let value = effect.cost.saturating_sub(effect.correction);
        let LineEffect { qty, correction, balance_after, .. } = *effect;
        Ok(Move { sku: sku.clone(), qty, value, correction, balance_after })
    };
    effects.iter().map(one).collect()
}
