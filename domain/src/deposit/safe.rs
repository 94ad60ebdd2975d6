//! The safe (docs/arithmetic.md#postings): floats leave it, drops and counted drawers enter it, deposits leave it.

use crate::money::sum;
use crate::refusal::Refusal;
use crate::shift::Shift;
use schemars::JsonSchema;
use serde::Serialize;

/// Where figures are blamed that leave the range.
const PATH: &str = "safe";

/// Cash in the safe by the store's own books, which begin with what somebody said lay there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Safe {
    /// opening + drops + counted − floats − deposited.
    pub balance: i64,
    /// What lay there when the books began; 0 until somebody says.
    pub opening: i64,
    /// Σ opening floats.
    pub floats: i64,
    /// Σ cash dropped.
    pub drops: i64,
    /// Σ cash counted at closes; of a recounted shift the latest count.
    pub counted: i64,
    /// Σ deposits, less those that were taken back.
    pub deposited: i64,
}

impl Safe {
    /// Takes in a shift.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn shift(&mut self, shift: &Shift) -> Result<(), Refusal> {
        let latest = shift.recounts.last().map(|recount| recount.counted_cash).or(shift.counted_cash);
        self.floats = sum(PATH, [self.floats, shift.opening_float])?;
        self.drops = sum(PATH, [self.drops, shift.totals.drops])?;
        self.counted = sum(PATH, [self.counted, latest.unwrap_or_default()])?;
        self.balanced()
    }

    /// Takes in what lay there first.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn opening(&mut self, amount: i64) -> Result<(), Refusal> {
        self.opening = amount;
        self.balanced()
    }

    /// Takes in Σ the deposits.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn deposits(&mut self, total: i64) -> Result<(), Refusal> {
        self.deposited = total;
        self.balanced()
    }

    fn balanced(&mut self) -> Result<(), Refusal> {
        let out = [self.floats.saturating_neg(), self.deposited.saturating_neg()];
        self.balance = sum(PATH, [self.opening, self.drops, self.counted].into_iter().chain(out))?;
        Ok(())
    }
}
