//! The limit of goods that leave without an approval and without anything for them.

use crate::model::base::figures::Money;
use crate::model::base::ids::UserId;
use crate::model::base::refusal::{NeedsApproval, Refusal};
use crate::model::inventory::write_off::WrittenOff;
use crate::rules::inventory::stock::StockContext;

/// A write-off that is allowed.
#[derive(Debug, Default)]
pub(crate) struct Allowed {
    /// Manager whose approval it needed.
    pub approved_by: Option<UserId>,
    /// Sum of the caller's write-offs of the day, if this one needed no approval.
    pub written_off: Option<Box<WrittenOff>>,
}

impl StockContext<'_> {
    /// Requires a manager if the caller writes off more than the limit on this day, all documents together: one
    /// document below the limit after another is no way around it. What a manager made or approved does not count,
    /// and a reversal does not lower the sum.
    ///
    /// # Errors
    /// `approval_required`.
    pub(crate) fn write_off(&self, value: Money, action: &'static str) -> Result<Allowed, Refusal> {
        let limit = self.rules.policy.adjustment_value;
        if limit <= 0 || value <= 0 || self.authorization.caller.role.manages() {
            return Ok(Allowed::default());
        }
        let caller = &self.authorization.caller.user_id;
        let (today, row) = (self.today(), self.book.written_off.get(caller));
        let before = row.filter(|row| row.business_date == today).map_or(Money::ZERO, |row| row.value);
        let value = before.saturating_add(value);
        if value <= limit {
            let row = WrittenOff { user_id: caller.clone(), business_date: today, value };
            return Ok(Allowed { written_off: Some(Box::new(row)), approved_by: None });
        }
        self.authorization
            .manager_for(|| NeedsApproval::of(action).beyond(value, limit, "approval.adjustment_value"))?;
        Ok(Allowed { approved_by: self.authorization.approved_by(), written_off: None })
    }
}
