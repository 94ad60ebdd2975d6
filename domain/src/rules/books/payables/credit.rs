//! Postings and settlements of a credit note.

use crate::model::base::figures::Money;
use crate::model::base::refusal::Refusal;
use crate::model::books::payables::{BookOpen, CreditNote, CreditNoteKind, Invoice, PaymentPart};
use crate::rules::books::payables::BookSums;
use crate::rules::books::payables::payment::settle;
use crate::rules::books::posting::plan::{Account, INPUT_TAX, NOT_INVOICED, PAYABLES, PRICE_VARIANCE};
use std::collections::BTreeMap;

/// Amount that a credit note takes off the payables in each book; together its total.
pub fn credit_books(note: &CreditNote) -> Vec<BookOpen> {
    let mut books: BTreeMap<&str, Money> = BTreeMap::new();
    for line in &note.lines {
        let sum = books.entry(line.store_id.as_str()).or_default();
        *sum = sum.saturating_add(line.net).saturating_add(line.tax);
    }
    books.into_iter().map(|(book, open)| BookOpen { store_id: book.to_owned(), open }).collect()
}

/// The entries of a credit note: 2010 against the account of the invoice line with the too high price, or against the
/// price variance if that line billed goods, or against the uninvoiced goods: a receipt that was taken back, or a
/// return of billed goods, is already there with its own entry.
pub fn credit_posting(note: &CreditNote) -> BookSums {
    let against = match note.kind {
        CreditNoteKind::Price => PRICE_VARIANCE,
        CreditNoteKind::ReceiptReversed | CreditNoteKind::Return => NOT_INVOICED,
    };
    let mut sums = BookSums::default();
    for line in &note.lines {
        let book = line.store_id.as_str();
        sums.debit(book, PAYABLES, line.net).debit(book, PAYABLES, line.tax);
        let account = line.account.as_deref().and_then(Account::parse).unwrap_or(against);
        sums.credit(book, account, line.net).credit(book, INPUT_TAX, line.tax);
    }
    sums
}

/// The supplier's credit note differs from the expected one: the difference goes to the variance account and to input
/// tax, in the book of the first line. The note then has the supplier's amounts.
pub fn confirm_difference(note: &mut CreditNote, net: Money, tax: Money) -> BookSums {
    let (more_net, more_tax) = (net.saturating_sub(note.net), tax.saturating_sub(note.tax));
    let mut sums = BookSums::default();
    if let Some(line) = note.lines.first_mut() {
        let book = line.store_id.as_str();
        sums.debit(book, PAYABLES, more_net).debit(book, PAYABLES, more_tax);
        sums.credit(book, PRICE_VARIANCE, more_net).credit(book, INPUT_TAX, more_tax);
        line.net = line.net.saturating_add(more_net);
        line.tax = line.tax.saturating_add(more_tax);
    }
    note.net = net;
    note.tax = tax;
    note.total = net.saturating_add(tax);
    note.books = credit_books(note);
    sums
}

/// A credit note settles a part of an invoice of the same supplier.
///
/// # Errors
/// `payment_mismatch`.
pub fn apply_credit(
    posting: &mut BookSums,
    note: &mut CreditNote,
    invoice: &mut Invoice,
    amount: Money,
) -> Result<Vec<PaymentPart>, Refusal> {
    settle(posting, note, invoice, amount)
}
