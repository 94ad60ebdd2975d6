//! Revisions of a sent order to a higher total: each waits for another person.

use crate::model::base::figures::Money;
use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::inventory::purchase::{ProposedLine, ProposedRevision, PurchaseOrder};
use crate::rules::inventory::purchase::{Approval, Approver, OrderStep, RevisedLine, Revision, note_writer};

impl PurchaseOrder {
    /// The order with a revision of it that waits for another person: `revised` is the resulting order.
    pub fn proposing(&self, asked: &Revision, revised: &Self, (by, reason, at): (&str, &str, UtcMs)) -> Self {
        // New lines stand at the end, in the order in which they were asked for.
        let new = asked.lines.iter().filter(|line| line.line_no.is_none()).count();
        let mut new = revised.lines.iter().skip(revised.lines.len().saturating_sub(new));
        let line = |line: &RevisedLine| {
            let found = match line.line_no {
                Some(line_no) => revised.lines.iter().find(|known| known.line_no == line_no),
                None => new.next(),
            };
            ProposedLine {
                line_no: line.line_no,
                sku: line.sku.clone(),
                qty: line.qty,
                unit_cost: found.map_or(Money::ZERO, |known| known.unit_cost),
                line_total: found.and_then(|known| known.line_total),
                expected_at: line.expected_at,
            }
        };
        let proposed = ProposedRevision {
            by: by.to_owned(),
            at,
            reason: reason.to_owned(),
            total: revised.total,
            lines: asked.lines.iter().map(line).collect(),
            expected_at: asked.expected_at,
            note: asked.note.clone(),
        };
        Self { proposed: Some(proposed), rejected_reason: None, ..self.clone() }
    }

    /// The order as it is after the proposed revision.
    ///
    /// # Errors
    /// `invalid_state` if none is proposed; `approval_required` for the user who wrote the order or proposed the
    /// revision; `validation_failed` if goods that arrived since don't fit it.
    pub fn with_proposed(&self, approval: Approval, approver: Approver<'_>) -> Result<Self, Refusal> {
        let Some(proposed) = self.proposed.as_ref().filter(|_| self.is_revision_proposed()) else {
            OrderStep::Approve.check(self)?;
            return Err(Refusal::NotFound("the proposed revision"));
        };
        let line = |line: &ProposedLine| RevisedLine {
            line_no: line.line_no,
            sku: line.sku.clone(),
            qty: line.qty,
            unit_cost: Some(line.unit_cost).filter(|_| line.line_total.is_none()),
            line_total: line.line_total,
            expected_at: line.expected_at,
        };
        let asked = Revision {
            revision: self.revision,
            lines: proposed.lines.iter().map(line).collect(),
            expected_at: proposed.expected_at,
            note: proposed.note.clone(),
        };
        let mut order = self.revised(&asked, |_| None)?;
        note_writer(&mut order.writers, &proposed.by);
        order.answer_for_more(self, approval, approver)?;
        Ok(order)
    }
}
