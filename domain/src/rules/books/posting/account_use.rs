//! The permitted uses of accounts. Some accounts have a list of head office behind them, and a proof compares the two:
//! an amount that the list does not have must not be posted there.

use crate::rules::books::posting::MappingOf;
use crate::rules::books::posting::plan::{
    Account, AccountType, BANK, BANK_TRANSFER, BETWEEN_STORES, CARD, NOT_INVOICED, ON_THE_WAY, OUTPUT_TAX,
    PAYABLES, QRIS, SAFE, SUSPENSE, TILLS, VOUCHER,
};

/// The accounts of the plan that hold the money of payment methods.
const CLEARING: [Account; 4] = [CARD, QRIS, BANK_TRANSFER, VOUCHER];

/// An account as the chart has it now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountState {
    pub account: Account,
    /// Whether a payment method is mapped to it.
    pub mapped_method: bool,
    /// Whether it is closed.
    pub closed: bool,
}

impl AccountState {
    /// Whether a list is next to it.
    pub fn control(self) -> bool {
        self.account.control() || self.mapped_method
    }

    fn is_own(self) -> bool {
        !self.account.in_plan()
    }
}

/// Use of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountUse {
    /// A mapping leads to it.
    Mapping(MappingOf),
    /// A person names it: in an entry, on a line of an invoice, for a difference.
    ByHand,
    /// The money of a statement's source arrives there.
    StatementSource,
    /// Suppliers are paid from it.
    Paying,
}

impl AccountUse {
    /// Reason why an account can't be used so. `None` if it can.
    pub fn problem(self, state: AccountState) -> Option<&'static str> {
        if state.closed {
            return Some("is closed");
        }
        let account = state.account;
        match self {
            Self::Mapping(of) => mapping_problem(of, state),
            Self::ByHand if state.control() => Some("is a control account: only its sub-ledger posts to it"),
            Self::ByHand => None,
            Self::StatementSource => {
                let own = state.is_own() && account.kind() == AccountType::Asset && !state.control();
                (account != BANK && !own).then_some(
                    "must be account 1040, or an asset account of your own that no method is mapped to",
                )
            }
            Self::Paying => {
                let own = state.is_own() && account.kind() == AccountType::Asset && !state.control();
                (![BANK, SAFE].contains(&account) && !own).then_some(
                    "must be account 1040, account 1020 (a store's safe), or an asset account of your own that no method is mapped to",
                )
            }
        }
    }
}

fn mapping_problem(of: MappingOf, state: AccountState) -> Option<&'static str> {
    let account = state.account;
    match of {
        _ if account == SUSPENSE => {
            Some("is the suspense account: name the account that explains the amount")
        }
        MappingOf::Method if state.is_own() => {
            let holds = matches!(account.kind(), AccountType::Asset | AccountType::Liability);
            (!holds).then_some(
                "must be an asset or a liability: the money of a method is owed until it is settled",
            )
        }
        MappingOf::Method => (!CLEARING.contains(&account)).then_some(
            "must be 1110, 1120, 1130, 1140, or an account of your own that nothing else is posted to",
        ),
        MappingOf::CashReason if account == NOT_INVOICED => None,
        _ if state.control() => Some("is a control account of another sub-ledger"),
        MappingOf::CashReason | MappingOf::AdjustmentReason if account == OUTPUT_TAX => {
            Some("is only for the tax of sales")
        }
        _ => None,
    }
}

/// Author of an entry that no store reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Poster {
    Person,
    /// A person who begins a book, with payments that are not settled yet.
    Opening,
    /// A settlement, or the resolution of a difference.
    Settlement,
    Bank,
    /// A document of a supplier.
    Payables,
}

impl Poster {
    /// Reason why an entry of this poster can't have a line on an account. `None` if it can. It is asked at the
    /// moment of posting: the account may have got a list, or may have been closed, since the document named it.
    pub fn problem(self, state: AccountState) -> Option<&'static str> {
        if state.closed {
            return Some("is closed");
        }
        (state.control() && !self.keeps_list_of(state))
            .then_some("is a control account of another sub-ledger: name another account")
    }

    fn keeps_list_of(self, state: AccountState) -> bool {
        let account = state.account;
        let clearing = CLEARING.contains(&account) || state.mapped_method;
        match self {
            // The sum of an entry over several books in each of them.
            Self::Person => account == BETWEEN_STORES,
            Self::Opening => clearing,
            // A shift that was interrupted is counted at head office.
            Self::Settlement => clearing || [ON_THE_WAY, TILLS].contains(&account),
            Self::Bank => account == ON_THE_WAY,
            Self::Payables => [PAYABLES, NOT_INVOICED, BETWEEN_STORES].contains(&account),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::rules::books::posting::plan::PLAN;

    /// Accounts whose proof counts all that is posted there.
    const PROVEN: [&str; 15] = [
        "1010", "1030", "1110", "1120", "1130", "1140", "1150", "1210", "1220", "1230", "1290", "2010",
        "2020", "2030", "2040",
    ];

    fn account_state(account: &str, mapped_method: bool) -> AccountState {
        AccountState { account: Account::parse(account).unwrap(), mapped_method, closed: false }
    }

    fn allowed(of: AccountUse) -> Vec<String> {
        let plan = PLAN.iter().map(|(account, _)| String::from(*account));
        plan.filter(|account| of.problem(account_state(account, false)).is_none()).collect()
    }

    #[test]
    fn nothing_but_its_own_list_is_posted_to_an_account_that_is_proven() {
        assert_eq!(allowed(AccountUse::Mapping(MappingOf::Method)), ["1110", "1120", "1130", "1140"]);
        assert_eq!(allowed(AccountUse::StatementSource), ["1040"]);
        assert_eq!(allowed(AccountUse::Paying), ["1020", "1040"]);
        for (of, exceptions) in [
            (AccountUse::Mapping(MappingOf::CashReason), &["2020"][..]),
            (AccountUse::Mapping(MappingOf::AdjustmentReason), &[]),
            // The proof of the output tax counts postings of people and banks on this account.
            (AccountUse::Mapping(MappingOf::BankText), &["2030"]),
            (AccountUse::ByHand, &["2030"]),
        ] {
            let proven = allowed(of).into_iter().filter(|account| PROVEN.contains(&account.as_str()));
            assert_eq!(proven.collect::<Vec<_>>(), exceptions, "{of:?}");
        }
    }

    #[test]
    fn an_own_account_is_of_methods_or_of_everything_else() {
        let uses = [
            AccountUse::Mapping(MappingOf::Method),
            AccountUse::Mapping(MappingOf::CashReason),
            AccountUse::Mapping(MappingOf::AdjustmentReason),
            AccountUse::Mapping(MappingOf::BankText),
            AccountUse::ByHand,
            AccountUse::StatementSource,
            AccountUse::Paying,
        ];
        for of in uses {
            assert_eq!(of.problem(account_state("1136", false)), None, "{of:?}");
            let taken = of.problem(account_state("1136", true)).is_none();
            assert_eq!(taken, of == AccountUse::Mapping(MappingOf::Method), "{of:?}");
            let closed = AccountState { closed: true, ..account_state("1136", false) };
            assert_eq!(of.problem(closed), Some("is closed"), "{of:?}");
        }
        // The end of a year empties income and expense.
        for account in ["3050", "4050", "6110"] {
            assert!(
                AccountUse::Mapping(MappingOf::Method).problem(account_state(account, false)).is_some(),
                "{account}"
            );
        }
    }

    #[test]
    fn each_poster_knows_its_own_lists() {
        for (poster, known) in [
            (Poster::Person, &["1290"][..]),
            (Poster::Opening, &["1110", "1120", "1130", "1140"]),
            (Poster::Settlement, &["1010", "1030", "1110", "1120", "1130", "1140"]),
            (Poster::Bank, &["1030"]),
            (Poster::Payables, &["1290", "2010", "2020"]),
        ] {
            let control = PLAN.iter().map(|(account, _)| *account).filter(|account| account.control());
            let open = control
                .filter(|account| poster.problem(account_state(&String::from(*account), false)).is_none());
            assert_eq!(open.map(String::from).collect::<Vec<_>>(), known, "{poster:?}");
        }
    }
}
