//! Postings (docs/arithmetic.md#postings): business events become balanced journal entries, store by store.
//!
//! Pure and at the hub. Change is never posted, a part-paid sale neither; holds and orders neither.

use crate::model::base::refusal::Refusal;

mod account_use;
mod cash;
mod context;
mod entry;
mod fact;
mod of;
pub mod plan;
pub mod points_pool;
mod record;
mod sale;
mod stock;
pub use account_use::{AccountState, AccountUse, Poster};
pub use context::{Context, Counted, Mapped, MappingOf, TransferContext, mapping_keys, undone};
pub use entry::{Entry, Posted, Row, TrialBalance};
pub use fact::{Fact, PointsEffect, PointsPolicy, ReturnLine, Returned, SaleLine, Sold, TaxMode, Tendered};
pub use of::*;
pub use record::{Cause, Made, RecordEntries, RecordToPost, of_record, posts};

/// Posts a fact: each entry is balanced.
///
/// # Errors
/// `validation_failed` for a person's entry that is not balanced, or a figure above the largest.
pub fn post(fact: &Fact) -> Result<Posted, Refusal> {
    let (here, there) = fact.drafts(&Mapped::default());
    Ok(Posted { here: here.entry()?, there: there.map(|draft| draft.entry()).transpose()? })
}
