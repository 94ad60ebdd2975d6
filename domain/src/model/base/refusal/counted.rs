//! Counts that would overwrite another user's count.

use crate::model::base::figures::Quantity;
use crate::model::base::ids::{Sku, UserId};
use serde::Serialize;

/// Most conflicts that a message names.
const WORDS_MAX: usize = 3;

/// Pieces that another user counted at the place of a count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CountConflict {
    /// The count that is refused, for example `counts[0]`.
    pub path: String,
    /// SKU of the product.
    pub sku: Sku,
    /// Zone that was counted. Empty if none was named.
    pub zone: String,
    /// Pieces that were counted there.
    pub qty: Quantity,
    /// Users who counted there.
    pub counted_by: Vec<CountedBy>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CountedBy {
    pub user_id: UserId,
    /// Their name, where it is known.
    pub name: Option<String>,
}

impl CountedBy {
    /// A user whose name has not been looked up yet.
    pub fn new(user_id: UserId) -> Self {
        Self { user_id, name: None }
    }
}

/// The conflicts for a person.
pub(super) fn words(conflicts: &[CountConflict]) -> String {
    let who = |by: &CountedBy| by.name.clone().unwrap_or_else(|| by.user_id.0.clone());
    let one = |conflict: &CountConflict| {
        let names: Vec<String> = conflict.counted_by.iter().map(who).collect();
        let place = if conflict.zone.is_empty() {
            "without a zone".to_owned()
        } else {
            format!("in {}", conflict.zone)
        };
        format!("{} counted {} of {} {place}", names.join(" and "), conflict.qty, conflict.sku)
    };
    let mut shown: Vec<String> = conflicts.iter().take(WORDS_MAX).map(one).collect();
    match conflicts.len().saturating_sub(WORDS_MAX) {
        0 => {}
        more => shown.push(format!("other users counted {more} more")),
    }
    format!("{}: send the count with mode add or replace", shown.join("; "))
}
