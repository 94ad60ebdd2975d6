//! Postings of an approved invoice in each book: M35 and M36 of docs/arithmetic.md#postings.

use crate::model::base::figures::Money;
use crate::model::base::refusal::Refusal;
use crate::model::books::payables::{BookOpen, Invoice, InvoiceLine};
use crate::rules::books::payables::BookSums;
use crate::rules::books::posting::plan::{
    Account, INPUT_TAX, NOT_INVOICED, OPENING, PAYABLES, PRICE_VARIANCE,
};
use std::collections::BTreeMap;

/// The book that gets the supplier's rounding: the first line's.
fn first_book(invoice: &Invoice) -> &str {
    invoice.lines.first().map_or("", |line| line.store_id.as_str())
}

/// Amount owed of an invoice in each book; together its total.
pub fn invoice_books(invoice: &Invoice) -> Vec<BookOpen> {
    let mut books: BTreeMap<&str, Money> = BTreeMap::new();
    let mut add = |book, amount: Money| {
        let sum: &mut Money = books.entry(book).or_default();
        *sum = sum.saturating_add(amount);
    };
    for line in &invoice.lines {
        add(line.store_id.as_str(), line.net.saturating_add(line.tax));
    }
    add(first_book(invoice), invoice.rounding);
    books.into_iter().map(|(book, open)| BookOpen { store_id: book.to_owned(), open }).collect()
}

/// The entries of an approved invoice; its lines have the amount that each takes out of 2020.
///
/// # Errors
/// `validation_failed` for an expense without an account, or a figure above the largest.
pub fn invoice_posting(invoice: &Invoice) -> Result<BookSums, Refusal> {
    let mut sums = BookSums::default();
    for line in &invoice.lines {
        let book = line.store_id.as_str();
        sums.credit(book, PAYABLES, line.net).credit(book, PAYABLES, line.tax);
        if invoice.opening {
            sums.debit(book, OPENING, line.net).debit(book, OPENING, line.tax);
            continue;
        }
        sums.debit(book, INPUT_TAX, line.tax);
        match debited(line)? {
            Some(account) => sums.debit(book, account, line.net),
            None => sums.debit(book, NOT_INVOICED, line.receipt_value.unwrap_or_default()),
        };
    }
    sums.credit(first_book(invoice), PAYABLES, invoice.rounding);
    sums.balance(if invoice.opening { OPENING } else { PRICE_VARIANCE });
    Ok(sums)
}

/// The account of an expense; `None` for goods.
fn debited(line: &InvoiceLine) -> Result<Option<Account>, Refusal> {
    let Some(number) = &line.account else { return Ok(None) };
    let account = Account::parse(number);
    account.map(Some).ok_or_else(|| Refusal::field("lines", format!("{number} is not an account number")))
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::model::base::figures::Quantity;
    use crate::model::base::time::UtcMs;
    use crate::model::books::payables::InvoiceState;
    use crate::rules::books::entry_by_hand::EntryLine;
    use jiff::civil::date;

    /// An invoice of these lines, whose figures add up.
    pub(crate) fn invoice(lines: Vec<InvoiceLine>) -> Invoice {
        let sum = |of: fn(&InvoiceLine) -> Money| lines.iter().map(of).sum::<Money>();
        let (net, tax) = (sum(|line| line.net), sum(|line| line.tax));
        Invoice {
            invoice_id: "inv_1".to_owned(),
            doc_no: "IN-2026-000001".to_owned(),
            supplier_id: "sup_1".to_owned(),
            invoice_no: "TEA-778".to_owned(),
            invoice_date: date(2026, 11, 19),
            due_date: date(2026, 12, 19),
            state: InvoiceState::Draft,
            opening: false,
            net,
            tax,
            rounding: 0.into(),
            total: net.saturating_add(tax),
            tax_invoice_no: None,
            tax_invoice_date: None,
            discount_terms: None,
            lines,
            exceptions: Vec::new(),
            paid: 0.into(),
            discount: 0.into(),
            credited: 0.into(),
            open: 0.into(),
            books: Vec::new(),
            matched_at: None,
            approved_by: None,
            approved_at: None,
            note: None,
            created_by: "usr_1".to_owned(),
            created_at: UtcMs(0),
            writers: Vec::new(),
        }
    }

    pub(crate) fn billed(store_id: &str, net: i64, tax: i64, receipt_value: i64) -> InvoiceLine {
        InvoiceLine {
            store_id: store_id.to_owned(),
            sku: Some("A".into()),
            qty: Quantity::new(1),
            net: net.into(),
            tax: tax.into(),
            receipt_value: Some(receipt_value.into()),
            ..InvoiceLine::default()
        }
    }

    fn lines(rows: &[(&str, i64)]) -> Vec<EntryLine> {
        rows.iter().map(|(account, amount)| EntryLine::of((*account).to_owned(), (*amount).into())).collect()
    }

    #[test]
    fn a_receipt_is_taken_out_whole_and_the_rest_is_a_variance() {
        for (note, net, tax, value, rows) in [
            (
                "M35",
                94_500,
                10_395,
                90_000,
                &[("1310", 10_395), ("2010", -104_895), ("2020", 90_000), ("5030", 4_500)][..],
            ),
            (
                "M36",
                88_000,
                9_680,
                90_000,
                &[("1310", 9_680), ("2010", -97_680), ("2020", 90_000), ("5030", -2_000)][..],
            ),
            (
                "TEA-778",
                892_800,
                98_208,
                864_000,
                &[("1310", 98_208), ("2010", -991_008), ("2020", 864_000), ("5030", 28_800)][..],
            ),
        ] {
            let sums = invoice_posting(&invoice(vec![billed("S001", net, tax, value)])).unwrap();
            assert_eq!(sums.entries().unwrap().get("S001").unwrap(), &lines(rows), "{note}");
        }
    }

    #[test]
    fn each_book_gets_its_own_lines_and_the_first_the_rounding() {
        let expense =
            InvoiceLine { account: Some("6110".to_owned()), sku: None, ..billed("S002", 500, 55, 0) };
        let mut of_two = invoice(vec![billed("S001", 100, 11, 100), expense]);
        of_two.rounding = Money::new(-1);
        let entries = invoice_posting(&of_two).unwrap().entries().unwrap();
        let first = lines(&[("1310", 11), ("2010", -110), ("2020", 100), ("5030", -1)]);
        assert_eq!(entries.get("S001").unwrap(), &first);
        assert_eq!(entries.get("S002").unwrap(), &lines(&[("1310", 55), ("2010", -555), ("6110", 500)]));
        let owed: Vec<(String, i64)> =
            invoice_books(&of_two).into_iter().map(|book| (book.store_id, book.open.get())).collect();
        assert_eq!(owed, [("S001".to_owned(), 110), ("S002".to_owned(), 555)]);
        of_two.opening = true;
        let entries = invoice_posting(&of_two).unwrap().entries().unwrap();
        assert_eq!(entries.get("S001").unwrap(), &lines(&[("2010", -110), ("3010", 110)]));
    }
}
