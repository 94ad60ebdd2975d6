//! Files of exports. Entries and exports never change, so a file is written anew, with the same bytes, each time it is
//! asked for.

use crate::office::finance::journal::{self, Filter, Line, Listed};
use crate::office::journal_exports::export::{Export, ExportedAccount, Format, Span};
use crate::table::books::journal::OWN_BOOK;
use crate::table::hub;
use domain::model::base::figures::Money;
use edge::csv::{Cell, Separator, Table};
use jiff::civil::Date;
use sqlx::AnyConnection;
use std::collections::HashMap;

/// Entries that are read together.
const CHUNK: i64 = 500;

const CSV: [&str; 17] = [
    "store_id",
    "entry_no",
    "entry_date",
    "line_no",
    "account",
    "export_code",
    "account_name",
    "debit",
    "credit",
    "memo",
    "kind",
    "reference_date",
    "cause_type",
    "cause_id",
    "reverses",
    "entry_id",
    "created_at",
];
/// <https://quickbooks.intuit.com/learn-support/en-au/help-article/import-export-files/import-journal-entries-quickbooks-online/L4tQBwbs7_AU_en_AU>
const QUICKBOOKS: [&str; 6] =
    ["Journal No.", "Journal Date", "Account Name", "Debits", "Credits", "Description"];
/// <https://help.xero.com/nz/ManualJournalsImport>
const XERO: [&str; 6] = ["*Narration", "*Date", "Description", "*AccountCode", "*TaxRate", "*Amount"];

/// The file of an export.
///
/// # Errors
/// A database error.
pub async fn write(connection: &mut AnyConnection, export: &Export) -> Result<String, sqlx::Error> {
    let currency = hub::currency(connection).await?;
    let columns: &[&str] = match export.format {
        Format::Csv => &CSV,
        Format::Quickbooks => &QUICKBOOKS,
        Format::Xero => &XERO,
    };
    let mut file = File {
        table: Table::for_programs(Separator::Comma, currency, columns.iter().copied()),
        accounts: export.accounts.iter().map(|account| (account.account.as_str(), account)).collect(),
        export,
    };
    for book in &export.books {
        file.add_book(connection, book).await?;
    }
    Ok(file.table.finish())
}

struct File<'a> {
    table: Table,
    accounts: HashMap<&'a str, &'a ExportedAccount>,
    export: &'a Export,
}

impl File<'_> {
    async fn add_book(&mut self, connection: &mut AnyConnection, book: &Span) -> Result<(), sqlx::Error> {
        let mut written = book.from_no.saturating_sub(1);
        while written < book.to_no {
            let limit = book.to_no.saturating_sub(written).min(CHUNK);
            let store_id = Some(book.store_id.clone());
            let filter = Filter { store_id, after_no: Some(written), ..Filter::default() };
            let entries = journal::list(connection, &filter, None, limit).await?;
            let Some(last) = entries.last() else { return Ok(()) };
            written = last.entry_no;
            for entry in journal::with_lines(connection, entries).await? {
                self.add_entry(&entry);
            }
        }
        Ok(())
    }

    fn add_entry(&mut self, entry: &Listed) {
        for line in entry.lines.iter().flatten() {
            match self.export.format {
                Format::Csv => self.add_row(entry, line),
                Format::Quickbooks => self.add_for_quickbooks(entry, line),
                Format::Xero => self.add_for_xero(entry, line),
            }
        }
    }

    fn add_row(&mut self, Listed { entry, .. }: &Listed, line: &Line) {
        let (date, created_at) = (entry.entry_date.to_string(), entry.created_at.to_string());
        let reference_date = entry.reference_date.map(|day| day.to_string());
        let account = self.accounts.get(line.account.as_str());
        self.table.line([
            Cell::Text(&entry.store_id),
            Cell::Number(entry.entry_no),
            Cell::Text(&date),
            Cell::Number(line.line_no),
            Cell::Text(&line.account),
            account.and_then(|account| account.export_code.as_deref()).into(),
            account.map(|account| account.name.as_str()).into(),
            Cell::Amount(line.debit),
            Cell::Amount(line.credit),
            entry.memo.as_deref().into(),
            Cell::Text(entry.kind.name()),
            reference_date.as_deref().into(),
            Cell::Text(&entry.cause.kind),
            Cell::Text(&entry.cause.id),
            entry.reverses.as_deref().into(),
            Cell::Text(&entry.entry_id),
            Cell::Text(&created_at),
        ]);
    }

    fn add_for_quickbooks(&mut self, listed: &Listed, line: &Line) {
        let number = number(listed);
        let date = written(listed.entry.entry_date, "%m/%d/%Y");
        let account = self.accounts.get(line.account.as_str());
        let name = account.map(|account| account.export_code.as_ref().unwrap_or(&account.name));
        let amount = |amount: Money| Some(amount).filter(|amount| *amount != 0);
        self.table.line([
            Cell::Text(&number),
            Cell::Text(&date),
            name.map(String::as_str).into(),
            amount(line.debit).into(),
            amount(line.credit).into(),
            listed.entry.memo.as_deref().into(),
        ]);
    }

    fn add_for_xero(&mut self, listed: &Listed, line: &Line) {
        // Lines with the same narration and date are one journal.
        let narration = number(listed);
        let date = written(listed.entry.entry_date, "%d/%m/%Y");
        let account = self.accounts.get(line.account.as_str());
        let code = account.and_then(|account| account.export_code.as_ref()).unwrap_or(&line.account);
        self.table.line([
            Cell::Text(&narration),
            Cell::Text(&date),
            listed.entry.memo.as_deref().into(),
            Cell::Text(code),
            self.export.tax_rate_name.as_deref().into(),
            Cell::Amount(line.debit.saturating_sub(line.credit)),
        ]);
    }
}

/// Number of an entry that is unique over all books.
fn number(Listed { entry, .. }: &Listed) -> String {
    let book = if entry.store_id.is_empty() { OWN_BOOK } else { &entry.store_id };
    format!("{book}-{}", entry.entry_no)
}

fn written(day: Date, format: &str) -> String {
    day.strftime(format).to_string()
}
