//! Whose file it is: the account and the currency that a file names, and whether they are the source's.

use crate::account_no::{is_same_account, is_whole};
use crate::camt::AccountName;
use crate::columns::Columns;
use crate::found_columns;
use crate::line::SourceFile;
use crate::preamble::Preamble;
use domain::model::base::refusal::FieldProblem;
use domain::rules::books::settlement::SourceKind;
use edge::sheet::{Row, currency_code, is_nothing, may_be_currency};

/// Checks that the account and currency in the rows before the lines are the source's.
///
/// # Errors
/// The file is of another account, or in another currency.
pub fn check(preamble: &Preamble, columns: &Columns, file: &SourceFile<'_>) -> Result<(), Vec<FieldProblem>> {
    if let (Some(named), Some(own)) = (preamble.accounts.first(), file.account_no)
        && !preamble.accounts.iter().any(|named| is_same_account(named, own))
    {
        return Err(refused(format!("is of account {named}, but the source has account {own}")));
    }
    let Some(own) = file.currency else { return Ok(()) };
    let named = preamble.currency.into_iter().chain(found_columns::header_currencies(columns));
    match named.into_iter().find(|named| !may_be_currency(named, own)) {
        Some(named) => Err(refused(format!("is in {named}, but the source is in {own}"))),
        None => Ok(()),
    }
}

/// Account and currency that a file and its lines name, for a source that does not know its own yet.
#[derive(Debug, Default)]
pub struct Named {
    /// Before the lines.
    above: Option<String>,
    /// The number in the column of the account.
    number: Option<String>,
    currency: Option<&'static str>,
    learns_account: bool,
    learns_currency: bool,
}

impl Named {
    /// Begins with the account named before the lines. The files of a provider name accounts of its own.
    pub fn of(preamble: &Preamble, columns: &Columns, file: &SourceFile<'_>) -> Self {
        let learns_account = file.kind == SourceKind::Bank && file.account_no.is_none();
        let learns_currency = file.currency.is_none();
        let currency =
            || preamble.currency.or_else(|| found_columns::header_currencies(columns).first().copied());
        Self {
            above: preamble.accounts.iter().find(|named| learns_account && is_whole(named)).cloned(),
            number: None,
            currency: if learns_currency { currency() } else { None },
            learns_account,
            learns_currency,
        }
    }

    /// Adds a row that became a line; `marks` are the currencies beside its figures.
    ///
    /// # Errors
    /// Rows before it are of another account.
    pub fn see(
        &mut self,
        row: &Row<'_>,
        columns: &Columns,
        marks: impl FnOnce() -> Vec<String>,
    ) -> Result<(), Vec<FieldProblem>> {
        if self.learns_currency && self.currency.is_none() {
            let cells = columns.places("currency").iter().map(|place| row.cell(*place).to_owned());
            let mut named = cells.filter(|cell| !is_nothing(cell)).chain(marks());
            self.currency = named.find_map(|named| currency_code(&named).filter(|code| code.len() == 3));
        }
        let named = columns.text(row, "account");
        if !self.learns_account || !is_whole(named) {
            return Ok(());
        }
        match &self.number {
            None => self.number = Some(named.to_owned()),
            Some(first) if !is_same_account(first, named) => {
                let both =
                    format!("has rows of accounts {first} and {named}: set the account_no of the source");
                return Err(refused(both));
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// The account that the source has from now on.
    pub fn account(self) -> Option<AccountName> {
        let number = match (self.above, self.number) {
            // Different numbers are not learnt.
            (Some(above), Some(number)) => is_same_account(&above, &number).then_some(above),
            (above, number) => above.or(number),
        };
        let account = AccountName {
            number: number.unwrap_or_default(),
            currency: self.currency.unwrap_or_default().to_owned(),
        };
        (account != AccountName::default()).then_some(account)
    }
}

fn refused(problem: String) -> Vec<FieldProblem> {
    vec![FieldProblem { path: "file".to_owned(), problem }]
}
