//! Sums of the movements that a count would make.

use crate::model::base::figures::{Money, Quantity};
use crate::model::inventory::opname::OpnameLine;
use schemars::JsonSchema;
use serde::Serialize;

/// Sums over all lines of a stock count that differ.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DifferenceSums {
    /// Number of products that differ.
    lines_count: u64,
    /// Number of products whose stock moved between their first and their last count.
    moved_count: u64,
    /// Number of missing pieces, as a negative number.
    missing: Quantity,
    /// Number of surplus pieces.
    found: Quantity,
    /// Value of the missing pieces, in minor currency units. An estimate before posting.
    missing_value: Money,
    /// Value of the surplus pieces, in minor currency units. An estimate before posting.
    found_value: Money,
}

impl DifferenceSums {
    /// Adds a counted line whose difference has this value; returns whether the line is listed as a difference.
    pub fn add(&mut self, line: &OpnameLine, value: Money) -> bool {
        let (variance, moved) = (line.variance(), line.moved_between_counts());
        self.lines_count = self.lines_count.saturating_add(u64::from(variance != 0));
        self.moved_count = self.moved_count.saturating_add(u64::from(moved));
        let (pieces, worth) = match variance.get() {
            ..0 => (&mut self.missing, &mut self.missing_value),
            _ => (&mut self.found, &mut self.found_value),
        };
        *pieces = pieces.saturating_add(variance);
        *worth = worth.saturating_add(value);
        variance != 0 || moved
    }
}
