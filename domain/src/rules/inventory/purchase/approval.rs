//! Who may answer for an amount.

use crate::model::base::figures::Money;
use crate::model::base::refusal::Refusal;
use crate::model::people::user::Role;

/// Head office's settings for approvals of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Approval {
    /// The most that others than administrators approve; 0: any amount.
    pub limit: Money,
    /// Four eyes: nobody approves a document that they made, or whose lines, amounts or supplier they changed.
    pub four_eyes: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct Approver<'a> {
    pub by: &'a str,
    pub role: Role,
}

impl Approval {
    /// Passes an amount of a document that these persons wrote.
    ///
    /// # Errors
    /// `approval_required`.
    pub fn check<'w>(
        &self,
        approver: Approver<'_>,
        writers: impl IntoIterator<Item = &'w str>,
        amount: Money,
    ) -> Result<(), Refusal> {
        if self.four_eyes && writers.into_iter().any(|writer| writer == approver.by) {
            return Err(Refusal::OwnApproval);
        }
        self.check_amount(approver, amount)
    }

    /// Accepts an amount, regardless of who asks for it.
    ///
    /// # Errors
    /// `approval_required`.
    pub fn check_amount(&self, approver: Approver<'_>, amount: Money) -> Result<(), Refusal> {
        if self.limit > 0 && amount > self.limit && approver.role != Role::Admin {
            return Err(Refusal::AboveLimit { limit: self.limit, amount });
        }
        Ok(())
    }
}

/// Notes that a person wrote a document, once.
pub fn note_writer(writers: &mut Vec<String>, by: &str) {
    if !writers.iter().any(|known| known == by) {
        writers.push(by.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_above_the_limit_takes_an_administrator_and_four_eyes_another_person() {
        for (limit, four_eyes, role, by, amount, code) in [
            (0, false, Role::HoPurchasing, "usr_1", 1_000_000, None),
            (500, false, Role::HoPurchasing, "usr_1", 500, None),
            (500, false, Role::HoPurchasing, "usr_1", 501, Some("approval_required")),
            (500, false, Role::Admin, "usr_1", 501, None),
            (0, true, Role::Admin, "usr_1", 1, Some("approval_required")),
            (0, true, Role::HoPurchasing, "usr_2", 1, None),
        ] {
            let checked = Approval { limit: Money::new(limit), four_eyes }.check(
                Approver { by, role },
                ["usr_0", "usr_1"],
                Money::new(amount),
            );
            assert_eq!(
                checked.err().map(|refusal| refusal.code()),
                code,
                "{limit} {four_eyes} {by} {amount}"
            );
        }
    }
}
