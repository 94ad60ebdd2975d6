//! The commands that open and close a shift, as they come in.

use crate::model::base::fields::Fields;
use crate::model::base::figures::Money;
use crate::model::base::ids;
use crate::model::base::ids::RegisterId;
use crate::model::base::limits::{
    CASH_MAX, FIGURE_MAX, METHOD_BYTES_MAX, SHORT_ID_BYTES_MAX, TEXT_CHARS_MAX,
};
use crate::model::base::money::product;
use crate::model::base::refusal::Refusal;
use crate::model::books::shift::{Denomination, MethodCount};
use crate::model::selling::payment::CASH;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Most kinds of notes and coins in a count.
pub const DENOMINATIONS_MAX: usize = 100;

pub const COUNTS_MAX: usize = 50;

/// Request body of `POST /api/shifts/open`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenShift {
    /// Register of the shift. Defaults to the one in `X-Register-Id`, or else `main`.
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
    pub register_id: Option<RegisterId>,
    /// Cash in the drawer, in minor currency units. Defaults to 0.
    #[schemars(range(min = 0, max = CASH_MAX))]
    pub opening_float: Option<Money>,
    /// Note in free text. Null for none.
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub note: Option<String>,
}

/// Request body of `POST /api/shifts/:id/close`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseShift {
    /// Cash counted in the drawer, in minor currency units.
    #[schemars(range(min = 0, max = CASH_MAX))]
    pub counted_cash: Money,
    /// Counted notes and coins, which must add up to `counted_cash`. Null if they were not listed.
    #[schemars(length(max = DENOMINATIONS_MAX))]
    pub denominations: Option<Vec<Denomination>>,
    /// Counted amounts of payment methods other than cash, for example of card slips. Omit it if none was counted.
    #[schemars(length(max = COUNTS_MAX))]
    pub counts: Option<Vec<MethodCount>>,
    /// Whether to void open transactions without payments. Defaults to false.
    pub void_open: Option<bool>,
    /// Note in free text. Null for none.
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub note: Option<String>,
}

impl OpenShift {
    /// Checks that need no data of the store.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        if let Some(id) = &self.register_id
            && !ids::is_short_id(id.as_str())
        {
            fields.wrong("register_id", ids::SHORT_ID_PROBLEM);
        }
        fields.cash("opening_float", self.opening_float.unwrap_or_default(), 0);
        fields.text("note", self.note.as_deref(), TEXT_CHARS_MAX);
        fields.done()
    }
}

impl CloseShift {
    /// Checks that need no data of the shift.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        fields.cash("counted_cash", self.counted_cash, 0);
        fields.text("note", self.note.as_deref(), TEXT_CHARS_MAX);
        self.check_denominations(&mut fields);
        self.check_counts(&mut fields);
        fields.done()
    }

    fn check_denominations(&self, fields: &mut Fields) {
        let Some(denominations) = &self.denominations else { return };
        fields.count("denominations", denominations.len(), 0..=DENOMINATIONS_MAX);
        let mut counted = 0_i128;
        for (place, part) in denominations.iter().take(DENOMINATIONS_MAX).enumerate() {
            fields.cash(format!("denominations[{place}].value"), part.value, 1);
            fields.range(format!("denominations[{place}].count"), part.count, 0..=FIGURE_MAX);
            counted = counted.saturating_add(product(part.value, part.count));
        }
        if counted != i128::from(self.counted_cash) {
            fields.wrong("denominations", format!("add up to {counted}, not to counted_cash"));
        }
    }

    fn check_counts(&self, fields: &mut Fields) {
        let Some(counts) = &self.counts else { return };
        fields.count("counts", counts.len(), 0..=COUNTS_MAX);
        let mut seen = BTreeSet::new();
        for (place, count) in counts.iter().take(COUNTS_MAX).enumerate() {
            let path = format!("counts[{place}].method");
            fields.code(path.clone(), &count.method, METHOD_BYTES_MAX);
            fields.cash(format!("counts[{place}].amount"), count.amount, 0);
            if count.method == CASH {
                fields.wrong(path, "must not be cash: send cash as counted_cash");
            } else if !seen.insert(&count.method) {
                fields.wrong(path, "is counted twice");
            }
        }
    }
}
