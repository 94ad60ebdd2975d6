//! Whether accounts may be used as requested: the rules are in the domain, the state of each account in the chart.

use crate::office::finance::account::{Chart, State, View};
use crate::table::journal::NewEntry;
use domain::model::base::refusal::{FieldProblem, NotReady, NotReadyCode, Refusal};
use domain::rules::books::posting::plan::Account;
use domain::rules::books::posting::{AccountState, AccountUse};
use edge::ApiError;
use std::collections::BTreeSet;

impl View {
    /// Present state of the account.
    fn account_state(&self) -> Option<AccountState> {
        let account = Account::parse(&self.account)?;
        // The accounts of the plan have their lists whatever is mapped to them.
        let mapped_method = self.control && !self.system;
        Some(AccountState { account, mapped_method, closed: self.state == State::Closed })
    }
}

impl Chart {
    /// Present state of an account.
    ///
    /// # Errors
    /// 422 for one that is not in the chart.
    pub fn account_state(&self, path: &str, account: &str) -> Result<AccountState, ApiError> {
        let state = self.get(account).and_then(View::account_state);
        state.ok_or_else(|| ApiError::field(path, "is not an account"))
    }

    /// An account that may be used so.
    ///
    /// # Errors
    /// 422 with the reason if it may not be used.
    pub fn check_use(&self, path: &str, account: &str, asked: AccountUse) -> Result<AccountState, ApiError> {
        let state = self.account_state(path, account)?;
        match asked.problem(state) {
            None => Ok(state),
            Some(problem) => Err(ApiError::field(path, problem)),
        }
    }

    /// 422 with every account of lines that takes no line by hand.
    pub fn check_by_hand<'a>(&self, accounts: impl Iterator<Item = &'a String>) -> Result<(), ApiError> {
        let problem = |(place, account): (usize, &String)| {
            let problem = match self.get(account).and_then(View::account_state) {
                None => "is not an account",
                Some(state) => AccountUse::ByHand.problem(state)?,
            };
            let path = format!("lines[{place}].account");
            Some(FieldProblem { path, problem: problem.to_owned() })
        };
        let wrong: Vec<FieldProblem> = accounts.enumerate().filter_map(problem).collect();
        if wrong.is_empty() { Ok(()) } else { Err(ApiError::validation(&wrong)) }
    }

    /// 422 for an account that a document has named and that may no longer be used: it got a list since, or was closed.
    pub fn check_still_free(&self, accounts: impl IntoIterator<Item = Account>) -> Result<(), ApiError> {
        accounts.into_iter().try_for_each(|account| {
            let number = String::from(account);
            let state = self.account_state("account", &number)?;
            match AccountUse::ByHand.problem(state) {
                None => Ok(()),
                Some(problem) => Err(ApiError::field("account", format!("{number} {problem}"))),
            }
        })
    }

    /// 422 for a line on an account that its entry must not be posted to.
    pub fn check_entries(&self, entries: &[NewEntry]) -> Result<(), ApiError> {
        for entry in entries {
            let Some(poster) = entry.kind.poster() else { continue };
            for account in entry.lines.iter().map(|line| &line.account) {
                let state = self.account_state("account", account)?;
                if let Some(problem) = poster.problem(state) {
                    return Err(ApiError::field("account", format!("{account} {problem}")));
                }
            }
        }
        Ok(())
    }

    /// 409 with every closed account among these: an amount posted back to it would remain there permanently.
    pub fn check_not_closed<'a>(&self, accounts: impl Iterator<Item = &'a String>) -> Result<(), ApiError> {
        let closed = |account: &&String| self.get(account).is_some_and(|view| view.state == State::Closed);
        let accounts: BTreeSet<&String> = accounts.filter(closed).collect();
        if accounts.is_empty() {
            return Ok(());
        }
        let problem = |account: &String| NotReady {
            code: NotReadyCode::AccountClosed,
            store_id: String::new(),
            date: None,
            id: Some(account.clone()),
            message: format!("{account} is closed: open it first"),
        };
        Err(ApiError::from(Refusal::NotReady(accounts.into_iter().map(problem).collect())))
    }
}
