//! Differences, and a person's possible answers to them.

use crate::rules::books::posting::plan::{Account, OVER_AND_SHORT, PAYMENT_FEES, SETTLEMENT_DIFFERENCES};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! named {
    ($(#[$doc:meta])* $type:ident as $title:tt { $($(#[$variant_doc:meta])+ $variant:ident = $name:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[schemars(rename = $title)]
        pub enum $type {
            $($(#[$variant_doc])+ $variant),+
        }

        impl $type {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// As in tables and JSON.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }

            /// The code with that name.
            pub fn parse(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.name() == name)
            }
        }
    };
}

named! {
    /// Kind of difference found by a settlement.
    ExceptionKind as "SettlementExceptionType" {
        /// The provider or bank has reported later days, but not this item.
        MissingAtProvider = "missing_at_provider",
        /// A line of a provider that is no payment.
        NotAPayment = "not_a_payment",
        /// A line has no matching item.
        MissingInStore = "missing_in_store",
        /// Two amounts have the same reference.
        AmountDiffers = "amount_differs",
        /// A payment was reported or paid twice.
        Duplicate = "duplicate",
        /// The fee differs by more than the tolerance.
        FeeDiffers = "fee_differs",
        /// Chargeback: a customer's bank took a payment back.
        Chargeback = "chargeback",
        /// An item was reported after its day was approved, or a line came after the days on which it was expected.
        Late = "late",
        /// Several matches fit equally well.
        Ambiguous = "ambiguous",
        /// The terminal or shop is not known.
        UnknownStore = "unknown_store",
        /// The bank reports another amount than the provider paid out.
        PayoutDiffers = "payout_differs",
        /// The bank counted another amount than was in the bag.
        DepositDiffers = "deposit_differs",
        /// A bag never reached the bank.
        DepositMissing = "deposit_missing",
        /// A statement does not begin with the closing balance of the last one.
        BalanceDiffers = "balance_differs",
        /// The shifts of a store have other figures than its payments.
        ShiftDiffers = "shift_differs",
    }
}

named! {
    /// Resolution of a settlement difference.
    Resolution as "SettlementResolution" {
        /// Keep it open; it needs a decision again after `settlement.carry_days`.
        Carry = "carry",
        /// Write it off: the money is no longer expected.
        WriteOff = "write_off",
        /// The lines and items belong together.
        Match = "match",
        /// Post the amount to an account.
        Post = "post",
        /// Accept the reported amount.
        Accept = "accept",
        /// Ignore it: it does not concern the books.
        Ignore = "ignore",
        /// Claim the excess fee back.
        Dispute = "dispute",
        /// Claim the chargeback back from the customer's bank.
        Contest = "contest",
        /// Assign the line to a store.
        StoreId = "store_id",
    }
}

impl ExceptionKind {
    /// Resolutions that a person may choose. Empty if the exception is only reported.
    pub fn resolutions(self) -> &'static [Resolution] {
        use Resolution::{Accept, Carry, Contest, Dispute, Ignore, Match, Post, StoreId, WriteOff};
        match self {
            Self::MissingAtProvider => &[Carry, WriteOff, Match],
            Self::NotAPayment => &[Carry, Post, Ignore],
            Self::MissingInStore => &[Carry, Post, Match],
            Self::AmountDiffers => &[Accept, Carry],
            Self::Duplicate => &[Ignore, Post],
            Self::FeeDiffers => &[Accept, Dispute],
            Self::Chargeback => &[Accept, Contest],
            Self::Late => &[],
            // The line may be of no payment at all.
            Self::Ambiguous | Self::UnknownStore => &[Match, StoreId, Post, Carry, Ignore],
            Self::PayoutDiffers | Self::DepositDiffers | Self::BalanceDiffers | Self::ShiftDiffers => {
                &[Accept]
            }
            Self::DepositMissing => &[Carry, WriteOff],
        }
    }

    /// Account for an amount that is given up, unless a person names another one. `None` if a person has to name one.
    pub fn default_account(self, resolution: Resolution) -> Option<Account> {
        match (self, resolution) {
            (Self::DepositMissing, Resolution::WriteOff) | (Self::DepositDiffers, Resolution::Accept) => {
                Some(OVER_AND_SHORT)
            }
            // The match posts the fee there as it was reported: nothing is left for another account.
            (Self::FeeDiffers, Resolution::Accept) => Some(PAYMENT_FEES),
            // These only state that a person has looked.
            (Self::BalanceDiffers | Self::ShiftDiffers, _) => None,
            (_, Resolution::WriteOff | Resolution::Accept) => Some(SETTLEMENT_DIFFERENCES),
            _ => None,
        }
    }

    /// Whether it is settled where it is found, as information only.
    pub fn is_informational(self) -> bool {
        self.resolutions().is_empty()
    }

    /// Description for people: the problem, and what to do about it.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::MissingAtProvider => (
                "A payment was accepted, but its provider reported later days without it.",
                "Ask the provider; carry it until it is paid, match it, or write it off.",
            ),
            Self::NotAPayment => (
                "The provider held back, released, moved or corrected money; no payment of a customer belongs to it.",
                "Post it to an account: money that is held back to an account of its own, and its release from \
                 there.",
            ),
            Self::MissingInStore => (
                "A line of a statement has no payment in any store.",
                "Match it manually, post it to an account, or carry it until the store has reported.",
            ),
            Self::AmountDiffers => (
                "A payment and its line have the same reference but different amounts.",
                "Accept the difference, or carry the rest as an open item.",
            ),
            Self::Duplicate => (
                "A payment was reported or paid twice.",
                "Ignore the line if it was reported twice; post it to an account if it was paid twice.",
            ),
            Self::FeeDiffers => (
                "The fee differs from the agreed one.",
                "Accept the fee, or dispute it: the excess then stays open.",
            ),
            Self::Chargeback => (
                "A customer's bank charged a payment back.",
                "Accept the chargeback as a loss, or contest it.",
            ),
            Self::Late => (
                "The money was reported after its day was approved, or long after the expected days.",
                "Nothing to do: it is settled with the day that the exception names.",
            ),
            Self::Ambiguous => (
                "Several payments or groups of them fit equally well.",
                "Match the right one manually, or name the store. If the line is not a payment, post, carry or ignore it.",
            ),
            Self::UnknownStore => (
                "The line names a terminal or shop that belongs to no known store.",
                "Name its store; the choice is remembered. Match, post, carry or ignore a line that belongs to \
                 no store.",
            ),
            Self::PayoutDiffers => (
                "The bank received a different amount than the provider paid out.",
                "Ask the provider; accept the difference when it is explained.",
            ),
            Self::DepositDiffers => (
                "The bank counted a different amount than the store put into the bag.",
                "Count again with the bank; accept the difference when it is explained.",
            ),
            Self::DepositMissing => (
                "A bag left the store and did not reach the bank.",
                "Ask the courier and the bank; carry it, or write it off.",
            ),
            Self::BalanceDiffers => (
                "The statement does not begin with the balance that the last one ended with.",
                "Import the missing statements between them, or accept the difference.",
            ),
            Self::ShiftDiffers => (
                "The shifts of the day and its payments have different totals by method.",
                "Check the store's late records and exceptions, then accept the difference.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_json() {
        for kind in ExceptionKind::ALL {
            assert_eq!(serde_json::json!(kind), kind.name());
            assert_eq!(ExceptionKind::parse(kind.name()), Some(*kind));
        }
        for resolution in Resolution::ALL {
            assert_eq!(serde_json::json!(resolution), resolution.name());
        }
    }

    #[test]
    fn every_exception_but_a_notice_can_be_resolved() {
        for kind in ExceptionKind::ALL {
            assert_eq!(kind.resolutions().is_empty(), *kind == ExceptionKind::Late, "{kind:?}");
        }
        let bag = ExceptionKind::DepositMissing.default_account(Resolution::WriteOff);
        assert_eq!(bag, Some(OVER_AND_SHORT));
        assert_eq!(ExceptionKind::FeeDiffers.default_account(Resolution::Accept), Some(PAYMENT_FEES));
        assert_eq!(ExceptionKind::MissingInStore.default_account(Resolution::Post), None);
        assert_eq!(ExceptionKind::ShiftDiffers.default_account(Resolution::Accept), None);
    }
}
