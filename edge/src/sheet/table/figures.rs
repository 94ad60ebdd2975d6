//! Figures in the cells of a table, and the messages about invalid ones.

use super::{Cells, shortened};
use crate::sheet::{NoFigure, SignWords, Written, may_be_currency};
use domain::model::base::figures::Money;
use std::ops::RangeInclusive;

impl Cells<'_> {
    /// A whole figure, or an amount in the smallest unit of its currency; `None` if the cell is empty.
    ///
    /// # Errors
    /// The problem, for a person.
    pub fn figure(&self, name: &str, range: RangeInclusive<i64>) -> Result<Option<i64>, String> {
        let Some(place) = self.table.names.iter().position(|known| known == name) else { return Ok(None) };
        let cell = self.row.cell(place);
        let shown = || format!("{name} \"{}\"", shortened(cell));
        let wanted = || self.wanted(name, &range);
        let reading = self.table.readings.get(place).copied().flatten().ok_or_else(wanted)?;
        let written = Written::of(cell, &SignWords::default()).map_err(|why| match why {
            NoFigure::Malformed => format!("{} {}", shown(), wanted()),
            why => format!("{} {why}", shown()),
        })?;
        let Some(written) = written else { return Ok(None) };
        if let (Some(own), Some((line, first))) = (written.currency, self.table.currency)
            && !(may_be_currency(own, first) || may_be_currency(first, own))
        {
            return Err(format!(
                "{} is in {own}, but line {line} is in {first}: use one currency in a file",
                shown()
            ));
        }
        let figure = reading.figure(&written).map_err(|why| match why {
            NoFigure::Doubtful(one, other) => {
                format!("{} may be {one} or {other}: write it without separators", shown())
            }
            _ => format!("{} {}", shown(), wanted()),
        })?;
        match figure.whole() {
            Some(whole) if written.direction.is_none() && range.contains(&whole) => Ok(Some(whole)),
            Some(_) => Err(format!("{} {}", shown(), wanted())),
            None if is_quantity(name) => {
                Err(format!("{} {}: quantities are counted in whole pieces", shown(), wanted()))
            }
            None if self.table.layout.currency.exponent() > 0 => Err(format!("{} {}", shown(), wanted())),
            None => Err(format!("{} {}: amounts are whole units, without a fraction", shown(), wanted())),
        }
    }

    /// Description of a valid cell of the column.
    fn wanted(&self, name: &str, range: &RangeInclusive<i64>) -> String {
        let (layout, currency) = (&self.table.layout, self.table.layout.currency);
        let places = currency.exponent();
        if places == 0 || !layout.amounts.contains(&name) {
            return format!("is not a whole number from {} to {}", range.start(), range.end());
        }
        let [least, most] = [range.start(), range.end()].map(|bound| currency.decimal(Money::new(*bound)));
        format!("is not an amount from {least} to {most} with at most {places} decimals")
    }
}

/// Whether a column counts pieces.
fn is_quantity(name: &str) -> bool {
    name.ends_with("qty") || name == "reorder_level"
}
