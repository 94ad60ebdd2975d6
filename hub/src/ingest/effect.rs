//! What a record does at the hub, kind by kind, as plain facts: stock by sku, cash by shift, points by
//! member, and the documents themselves.

use super::envelope::Problem;
use domain::ids::{ShiftId, Sku};
use domain::points::PointsEntry;
use domain::receiving::Receiving;
use domain::record::{
    AuditRecorded, LineEffect, MemberChanged, ProductSettingsChanged, TransactionPaid, UserChanged,
};
use domain::returns::Return;
use domain::shift::{CashMovement, Shift};
use domain::transaction::Transaction;
use domain::transfer::Transfer;
use jiff::civil::Date;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;

mod goods;
mod read;
mod sales;

/// The largest figure that is applied: beyond it JSON numbers are no longer exact everywhere.
pub const FIGURE_MAX: i64 = (1 << 53) - 1;
/// The longest name, id and text that is applied, in bytes.
pub const TEXT_BYTES_MAX: usize = 1024;
/// How deep a payload may be nested.
const DEPTH_MAX: usize = 32;

/// A record's facts.
#[derive(Default)]
pub struct Effect {
    /// The document, where it has rows of its own.
    pub document: Document,
    /// Pieces and value by sku.
    pub moves: Vec<Move>,
    /// What a method took in (or gave back, below 0) in a shift.
    pub methods: Vec<(ShiftId, String, i64)>,
    /// Points entries.
    pub points: Vec<PointsEntry>,
    /// What it can't do without.
    pub needs: Option<Known>,
    /// What others may have waited for.
    pub gives: Option<Known>,
}

/// One sku that moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The product.
    pub sku: Sku,
    /// Signed pieces.
    pub qty: i64,
    /// Signed: cost less correction (docs/arithmetic.md#cost-of-stock).
    pub value: i64,
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
    /// A transfer that its sender has told of, whichever store that is.
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

/// A document with rows of its own.
#[derive(Default)]
pub enum Document {
    /// Known, kept, and without rows.
    #[default]
    None,
    /// A completed sale.
    Sale(Box<TransactionPaid>),
    /// A completed sale that counts no longer.
    Void(Box<Transaction>),
    /// A completed sale with other payments than it was told with.
    Tender {
        /// The sale as it is now.
        sale: Box<Transaction>,
        /// By how much its cash rounding is another.
        rounding: i64,
    },
    /// Goods came back.
    Return(Box<Return>),
    /// They did not.
    ReturnVoid(Box<Return>),
    /// A shift as it is now.
    Shift(Box<Shift>),
    /// Cash moved without a sale.
    Cash(Box<CashMovement>),
    /// Goods came in.
    Receiving(Box<Receiving>),
    /// They went back.
    Reversed(Box<Receiving>),
    /// A transfer, as the store that tells has it.
    Transfer(Box<Transfer>),
    /// A day was sealed, or is open again.
    Day {
        /// The day.
        business_date: Date,
        /// Whether it is sealed now.
        sealed: bool,
    },
    /// Fields of a member.
    Member(Box<MemberChanged>),
    /// Fields of a product that are the store's.
    Settings(Box<ProductSettingsChanged>),
    /// A person of the store.
    User(Box<UserChanged>),
    /// A sensitive action at the store.
    Audit(Box<AuditRecorded>),
}

impl Effect {
    fn of(document: Document) -> Self {
        Self { document, ..Self::default() }
    }

    fn needing(self, known: Known) -> Self {
        Self { needs: Some(known), ..self }
    }

    fn giving(self, known: Known) -> Self {
        Self { gives: Some(known), ..self }
    }
}

/// The facts of a record of a known type.
///
/// # Errors
/// `unknown_type`, `invalid_payload`: it is parked.
pub fn read(kind: &str, payload: &Value, store_id: &str) -> Result<Effect, Problem> {
    let effect = read::by_kind(kind, payload, store_id)?;
    if kind != "audit.recorded" {
        sound(payload, 0)?;
    }
    Ok(effect)
}

fn parse<T: DeserializeOwned>(payload: &Value) -> Result<T, Problem> {
    T::deserialize(payload).map_err(|error| invalid(error.to_string()))
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem { code: "invalid_payload", message: message.into() }
}

fn of_store(found: &str, store_id: &str) -> Result<(), Problem> {
    if found == store_id { Ok(()) } else { Err(invalid(format!("it is a record of store {found}"))) }
}

/// What no rule of business excuses: text that can't be kept, figures out of range.
fn sound(value: &Value, depth: usize) -> Result<(), Problem> {
    if depth > DEPTH_MAX {
        return Err(invalid("it is nested too deep"));
    }
    match value {
        Value::String(text) if text.len() > TEXT_BYTES_MAX || text.contains('\0') => {
            Err(invalid("a text is too long or holds a NUL"))
        }
        Value::Number(number)
            if !number.as_i64().is_some_and(|figure| (-FIGURE_MAX..=FIGURE_MAX).contains(&figure)) =>
        {
            Err(invalid("a figure is out of range"))
        }
        Value::Array(items) => items.iter().try_for_each(|item| sound(item, depth.saturating_add(1))),
        Value::Object(fields) => fields.values().try_for_each(|item| sound(item, depth.saturating_add(1))),
        _ => Ok(()),
    }
}

/// The movements behind a document's effects. `of` finds the sku of a line.
fn moves<'a>(effects: &[LineEffect], of: impl Fn(u32) -> Option<&'a Sku>) -> Result<Vec<Move>, Problem> {
    let one = |effect: &LineEffect| {
        let missing =
            || invalid(format!("line {} has an effect on stock but is not in the document", effect.line_no));
        let sku = of(effect.line_no).ok_or_else(missing)?;
        let value = effect.cost.saturating_sub(effect.correction);
        Ok(Move { sku: sku.clone(), qty: effect.qty, value })
    };
    effects.iter().map(one).collect()
}
