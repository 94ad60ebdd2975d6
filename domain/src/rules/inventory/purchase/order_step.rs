//! The steps of an order's life: when each is possible, and its effect.

use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::inventory::purchase::{OrderState, PurchaseOrder};
use crate::rules::inventory::purchase::{Approval, Approver, order_total};

/// A step in an order's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderStep {
    /// A person is asked to approve it.
    Submit,
    /// Approves the order, with the user's responsibility for it.
    Approve,
    /// Rejects the order, or its proposed revision.
    Reject,
    /// Sends the order to the supplier and the store.
    Send,
    /// Change an order that was sent.
    Revise,
    /// Nothing more is expected of a line.
    CloseLine,
    /// A line that was closed is waited for again.
    OpenLine,
    /// Cancels the order before anything was received.
    Cancel,
    /// Nothing more is expected of it.
    Close,
}

impl OrderStep {
    const ALL: [Self; 9] = [
        Self::Submit,
        Self::Approve,
        Self::Reject,
        Self::Send,
        Self::Revise,
        Self::CloseLine,
        Self::OpenLine,
        Self::Cancel,
        Self::Close,
    ];

    /// The name as in the path.
    pub fn name(self) -> &'static str {
        match self {
            Self::Submit => "submit",
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Send => "send",
            Self::Revise => "revise",
            Self::CloseLine => "close_line",
            Self::OpenLine => "open_line",
            Self::Cancel => "cancel",
            Self::Close => "close",
        }
    }

    /// Name of the action in the audit log.
    pub const fn audit_action(self) -> &'static str {
        match self {
            Self::Submit => "purchasing.order_submitted",
            Self::Approve => "purchasing.order_approved",
            Self::Reject => "purchasing.order_rejected",
            Self::Send => "purchasing.order_sent",
            Self::Revise => "purchasing.order_revised",
            Self::CloseLine => "purchasing.order_line_closed",
            Self::OpenLine => "purchasing.order_line_opened",
            Self::Cancel => "purchasing.order_cancelled",
            Self::Close => "purchasing.order_closed",
        }
    }

    fn fits(self, order: &PurchaseOrder) -> bool {
        use OrderState::{Approved, Draft, PartiallyReceived, Received, Sent};
        match self {
            Self::Submit => order.state == Draft && order.submitted_at.is_none(),
            Self::Approve => order.state == Draft || order.is_revision_proposed(),
            Self::Reject => {
                order.state == Approved
                    || (order.state == Draft && order.submitted_at.is_some())
                    || order.is_revision_proposed()
            }
            Self::Send => order.state == Approved,
            Self::Revise | Self::CloseLine => matches!(order.state, Sent | PartiallyReceived),
            // The last line that was closed made it `received`.
            Self::OpenLine => matches!(order.state, Sent | PartiallyReceived | Received),
            Self::Cancel => matches!(order.state, Draft | Approved | Sent),
            Self::Close => matches!(order.state, Sent | PartiallyReceived | Received),
        }
    }

    /// Passes an order that the step is possible for.
    ///
    /// # Errors
    /// `invalid_state` with the possible steps.
    pub fn check(self, order: &PurchaseOrder) -> Result<(), Refusal> {
        if self.fits(order) {
            return Ok(());
        }
        let allowed = Self::ALL.into_iter().filter(|step| step.fits(order));
        let allowed = allowed.map(|step| step.name().to_owned()).collect();
        Err(Refusal::InvalidState { state: order.state.name().to_owned(), allowed })
    }
}

impl PurchaseOrder {
    /// Whether the order's store has received it and must be sent every change.
    pub fn reaches_store(&self) -> bool {
        self.sent_at.is_some() || self.state.is_open() || self.state == OrderState::Received
    }

    /// Asks for its approval.
    ///
    /// # Errors
    /// `invalid_state`.
    pub fn submit(&mut self, by: &str, now: UtcMs) -> Result<(), Refusal> {
        OrderStep::Submit.check(self)?;
        self.submitted_by = Some(by.to_owned());
        self.submitted_at = Some(now);
        self.rejected_reason = None;
        Ok(())
    }

    /// Everybody who wrote it.
    pub fn writers(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.created_by.as_str()).chain(self.writers.iter().map(String::as_str))
    }

    /// Whether a revision of it waits for another person.
    pub fn is_revision_proposed(&self) -> bool {
        self.proposed.is_some() && OrderStep::Revise.fits(self)
    }

    /// Answers for it.
    ///
    /// # Errors
    /// `invalid_state`; `approval_required`.
    pub fn approve(&mut self, approval: Approval, approver: Approver<'_>) -> Result<(), Refusal> {
        OrderStep::Approve.check(self)?;
        approval.check(approver, self.writers(), self.total)?;
        self.state = OrderState::Approved;
        self.approved_by = Some(approver.by.to_owned());
        self.approved_total = Some(self.total);
        self.rejected_reason = None;
        Ok(())
    }

    /// Returns the order to its author as a draft; its approvals are removed.
    ///
    /// # Errors
    /// `invalid_state`; `approval_required`.
    pub fn reject(
        &mut self,
        approval: Approval,
        approver: Approver<'_>,
        reason: String,
    ) -> Result<(), Refusal> {
        OrderStep::Reject.check(self)?;
        if self.is_revision_proposed() {
            // The order stays as it was approved; who proposed may take it back.
            self.proposed = None;
            self.rejected_reason = Some(reason);
            return Ok(());
        }
        approval.check(approver, self.writers(), self.total)?;
        self.state = OrderState::Draft;
        self.submitted_by = None;
        self.submitted_at = None;
        self.approved_by = None;
        self.approved_total = None;
        self.rejected_reason = Some(reason);
        Ok(())
    }

    /// Tells store and supplier.
    ///
    /// # Errors
    /// `invalid_state`.
    pub fn send(&mut self, now: UtcMs) -> Result<(), Refusal> {
        OrderStep::Send.check(self)?;
        self.state = OrderState::Sent;
        self.sent_at = Some(now);
        Ok(())
    }

    /// Cancels the order; if its store knows the order, a reason is required, and goods that arrive all the same
    /// override it.
    ///
    /// # Errors
    /// `invalid_state`; `validation_failed` without the reason.
    pub fn cancel(&mut self, reason: Option<String>, now: UtcMs) -> Result<(), Refusal> {
        OrderStep::Cancel.check(self)?;
        let reported = self.reaches_store();
        if reported && reason.is_none() {
            return Err(Refusal::field("reason", "is needed for an order that was sent"));
        }
        self.state = OrderState::Cancelled;
        self.cancel_requested_at = Some(now);
        // A store that never got the order receives nothing against it.
        self.cancel_final = !reported;
        self.closed_reason = reason;
        Ok(())
    }

    /// Expects nothing more.
    ///
    /// # Errors
    /// `invalid_state`.
    pub fn close(&mut self, reason: Option<String>) -> Result<(), Refusal> {
        OrderStep::Close.check(self)?;
        self.state = OrderState::Closed;
        self.closed_reason = reason;
        Ok(())
    }

    /// Whether its total is above the one that was approved before.
    pub fn exceeds(&self, before: &Self) -> bool {
        self.total > before.approved_total.unwrap_or(before.total)
    }

    /// A total above the approved one needs a user who may approve it. `before` is the order before the change.
    ///
    /// # Errors
    /// `approval_required`.
    pub fn answer_for_more(
        &mut self,
        before: &Self,
        approval: Approval,
        approver: Approver<'_>,
    ) -> Result<(), Refusal> {
        if self.exceeds(before) {
            approval.check(approver, self.writers(), self.total)?;
            self.approved_by = Some(approver.by.to_owned());
            self.approved_total = Some(self.total);
        }
        Ok(())
    }

    /// Closes a line, or reopens it. The caller checks whether the new total needs an approval.
    ///
    /// # Errors
    /// `invalid_state`; `not_found`.
    pub fn close_line(&mut self, line_no: u32, closed: bool) -> Result<(), Refusal> {
        let step = if closed { OrderStep::CloseLine } else { OrderStep::OpenLine };
        step.check(self)?;
        let line = self.lines.iter_mut().find(|line| line.line_no == line_no);
        line.ok_or(Refusal::NotFound("the line"))?.closed = closed;
        self.total = order_total(&self.lines)?;
        self.settle();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::model::base::figures::Money;
    use crate::model::inventory::purchase::tests::order;
    use crate::model::people::user::Role;

    const ANI: Approver<'static> = Approver { by: "usr_2", role: Role::HoPurchasing };

    fn draft() -> PurchaseOrder {
        PurchaseOrder { state: OrderState::Draft, total: Money::new(50), ..order(&[("A", 5)]) }
    }

    #[test]
    fn each_step_is_possible_only_in_its_states() {
        use OrderState::{Approved, Cancelled, Closed, Draft, PartiallyReceived, Received, Sent};
        let table: [(OrderState, &[&str]); 7] = [
            (Draft, &["submit", "approve", "cancel"]),
            (Approved, &["reject", "send", "cancel"]),
            (Sent, &["revise", "close_line", "open_line", "cancel", "close"]),
            (PartiallyReceived, &["revise", "close_line", "open_line", "close"]),
            (Received, &["open_line", "close"]),
            (Closed, &[]),
            (Cancelled, &[]),
        ];
        for (state, allowed) in table {
            let order = PurchaseOrder { state, ..draft() };
            for step in OrderStep::ALL {
                let fits = step.check(&order).is_ok();
                assert_eq!(fits, allowed.contains(&step.name()), "{state:?} {step:?}");
            }
        }
    }

    #[test]
    fn a_submitted_order_is_approved_or_returned() {
        let mut order = draft();
        order.submit("usr_1", UtcMs(1)).unwrap();
        assert!(order.submit("usr_1", UtcMs(1)).is_err());
        let strict = Approval { limit: Money::new(49), four_eyes: false };
        assert_eq!(
            order.approve(strict, ANI),
            Err(Refusal::AboveLimit { limit: Money::new(49), amount: Money::new(50) })
        );
        order.reject(Approval::default(), ANI, "too much".to_owned()).unwrap();
        assert_eq!((order.state, order.submitted_at), (OrderState::Draft, None));
        order.approve(Approval::default(), ANI).unwrap();
        assert_eq!((order.approved_total, order.rejected_reason.as_deref()), (Some(50.into()), None));
        order.reject(Approval::default(), ANI, "changed my mind".to_owned()).unwrap();
        assert_eq!((order.state, order.approved_total), (OrderState::Draft, None));
    }

    #[test]
    fn a_cancellation_is_final_at_once_where_no_store_knows_of_the_order() {
        let mut order = draft();
        order.cancel(None, UtcMs(9)).unwrap();
        assert!(order.cancel_final);
        let mut sent = PurchaseOrder { state: OrderState::Approved, ..draft() };
        sent.send(UtcMs(1)).unwrap();
        assert!(sent.clone().cancel(None, UtcMs(9)).is_err());
        sent.cancel(Some("supplier is out".to_owned()), UtcMs(9)).unwrap();
        assert_eq!((sent.state, sent.cancel_final), (OrderState::Cancelled, false));
    }

    #[test]
    fn the_last_line_that_is_closed_ends_the_waiting() {
        let mut order = order(&[("A", 5)]);
        order.receive(&"A".into(), 3.into());
        order.settle();
        assert_eq!(order.close_line(2, true), Err(Refusal::NotFound("the line")));
        order.close_line(1, true).unwrap();
        assert_eq!((order.state, order.total), (OrderState::Received, 30.into()));
        order.close_line(1, false).unwrap();
        assert_eq!((order.state, order.total), (OrderState::PartiallyReceived, 50.into()));
    }
}
