//! Payments to suppliers: their settlements and their postings in each book (M37 and M38 of
//! docs/arithmetic.md#postings).

use crate::model::base::figures::{BasisPoints, Money};
use crate::model::base::limits::PRICE_MAX;
use crate::model::base::money::{spread, sum};
use crate::model::base::refusal::Refusal;
use crate::model::books::payables::{
    Allocation, BookOpen, CreditNote, CreditNoteState, CreditUse, Invoice, PaymentPart,
};
use crate::model::people::user::Role;
use crate::rules::books::payables::{BookSums, InvoiceStep};
use crate::rules::books::posting::plan::{Account, BETWEEN_STORES, PAYABLES, PURCHASE_DISCOUNTS};
use jiff::Span;
use jiff::civil::Date;
use std::collections::BTreeMap;

/// The documents that a payment names, locked: they are changed by it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Documents {
    /// By their IDs.
    pub invoices: BTreeMap<String, Invoice>,
    /// By their IDs.
    pub credit_notes: BTreeMap<String, CreditNote>,
}

/// Money that is to go to a supplier.
#[derive(Debug, Clone, Copy)]
pub struct NewPayment<'a> {
    pub supplier_id: &'a str,
    /// Date of the payment.
    pub date: Date,
    pub account: Account,
    /// The store that the safe belongs to; `None` for a bank account, which every book has.
    pub safe_of: Option<&'a str>,
    pub amount: Money,
    pub allocations: &'a [Allocation],
    /// Amount settled by credit notes with this payment, in minor currency units.
    pub credits: &'a [CreditUse],
    /// Role of the payer: administrators may take discounts beyond the terms.
    pub role: Role,
}

/// Effect of a payment; the documents are as they are afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PaymentPlan {
    pub posting: BookSums,
    /// Amounts moved of each document.
    pub parts: Vec<PaymentPart>,
    /// Amount that is not allocated to invoices yet, in minor currency units.
    pub unallocated: Money,
}

/// The most that may be taken off an invoice that is paid on a day.
pub fn discount_allowed(invoice: &Invoice, date: Date) -> Money {
    let Some(terms) = invoice.discount_terms.filter(|_| invoice.discount == 0) else { return Money::ZERO };
    let days = Span::new().try_days(i64::from(terms.days));
    let last = days.and_then(|days| invoice.invoice_date.checked_add(days));
    if last.is_ok_and(|last| date > last) {
        return Money::ZERO;
    }
    let part = BasisPoints::from(terms.bp).of(invoice.total);
    Money::try_from(part).unwrap_or(invoice.total)
}

/// Plans a payment over the documents that it names.
///
/// # Errors
/// `validation_failed`; `payment_mismatch`; `invalid_state` for a document that can't be settled; `approval_required`
/// for a discount beyond the terms.
pub fn plan(new: &NewPayment<'_>, documents: &mut Documents) -> Result<PaymentPlan, Refusal> {
    check_amounts(new)?;
    let unallocated = unallocated(new)?;
    let mut plan = PaymentPlan { unallocated, ..PaymentPlan::default() };
    // Credit notes settle first: allocations settle the rest.
    for (place, credit) in new.credits.iter().enumerate() {
        let at = |field: &str| format!("credits[{place}].{field}");
        let Documents { invoices, credit_notes } = &mut *documents;
        let invoice = owed(invoices, new.supplier_id, &credit.invoice_id, || at("invoice_id"))?;
        let note = usable(credit_notes, new.supplier_id, &credit.credit_note_id, || at("credit_note_id"))?;
        plan.parts.extend(settle(&mut plan.posting, note, invoice, credit.amount)?);
    }
    for (place, allocation) in new.allocations.iter().enumerate() {
        let at = || format!("allocations[{place}].invoice_id");
        let invoice = owed(&mut documents.invoices, new.supplier_id, &allocation.invoice_id, at)?;
        pay(new, &mut plan, invoice, (place, allocation))?;
    }
    plan.posting.debit("", PAYABLES, unallocated);
    pay_out(new, &mut plan.posting, "", unallocated);
    Ok(plan)
}

/// Every amount is within its bounds, and each credit is a part of the allocation to its invoice.
fn check_amounts(new: &NewPayment<'_>) -> Result<(), Refusal> {
    let check = |path: String, amount: Money, least: i64| {
        let problem = || Refusal::field(path, format!("must be {least} to {PRICE_MAX}"));
        (least..=PRICE_MAX).contains(&amount).then_some(()).ok_or_else(problem)
    };
    // No money is paid if credit notes settle the whole amount.
    check("amount".to_owned(), new.amount, i64::from(new.credits.is_empty()))?;
    for (place, allocation) in new.allocations.iter().enumerate() {
        check(format!("allocations[{place}].amount"), allocation.amount, 1)?;
    }
    for (place, credit) in new.credits.iter().enumerate() {
        let path = format!("credits[{place}].amount");
        check(path.clone(), credit.amount, 1)?;
        let to_invoice = new.allocations.iter().filter(|one| one.invoice_id == credit.invoice_id);
        if !to_invoice.clone().any(|one| one.amount >= credit.amount) {
            let most = to_invoice.map(|one| one.amount).max().unwrap_or_default();
            return Err(Refusal::field(
                path,
                format!("must be at most {most}, the allocation to its invoice"),
            ));
        }
    }
    Ok(())
}

/// amount = Σ (allocation − discount) − Σ credits + unallocated. An allocation is the invoice's total reduction, so a
/// credit is a part of the allocation to its invoice.
fn unallocated(new: &NewPayment<'_>) -> Result<Money, Refusal> {
    let paid = new.allocations.iter().map(|one| one.amount.saturating_sub(one.discount));
    let credited = new.credits.iter().map(|one| one.amount.saturating_neg());
    let due = sum("allocations", paid.chain(credited))?;
    let left = new.amount.saturating_sub(due);
    if left < 0 {
        let problem = format!("the allocations add up to {due}, but {} is paid", new.amount);
        return Err(Refusal::PaymentMismatch { problem, amount_due: due });
    }
    Ok(left)
}

fn owed<'a>(
    invoices: &'a mut BTreeMap<String, Invoice>,
    supplier_id: &str,
    invoice_id: &str,
    path: impl FnOnce() -> String,
) -> Result<&'a mut Invoice, Refusal> {
    let invoice = invoices.get_mut(invoice_id).filter(|invoice| invoice.supplier_id == supplier_id);
    let invoice = invoice.ok_or_else(|| Refusal::field(path(), "is not an invoice of this supplier"))?;
    // A paid invoice has no open amount: that is a mismatch of amounts.
    if !invoice.state.is_posted() {
        InvoiceStep::Pay.check(invoice)?;
    }
    Ok(invoice)
}

fn usable<'a>(
    notes: &'a mut BTreeMap<String, CreditNote>,
    supplier_id: &str,
    credit_note_id: &str,
    path: impl FnOnce() -> String,
) -> Result<&'a mut CreditNote, Refusal> {
    let note = notes.get_mut(credit_note_id).filter(|note| note.supplier_id == supplier_id);
    let note = note.ok_or_else(|| Refusal::field(path(), "is not a credit note of this supplier"))?;
    if note.state != CreditNoteState::Approved {
        return Err(Refusal::InvalidState { state: note.state.name().to_owned(), allowed: Vec::new() });
    }
    Ok(note)
}

fn pay(
    new: &NewPayment<'_>,
    plan: &mut PaymentPlan,
    invoice: &mut Invoice,
    (place, allocation): (usize, &Allocation),
) -> Result<(), Refusal> {
    let Allocation { invoice_id, amount, discount } = allocation;
    let (amount, discount) = (*amount, *discount);
    // Amounts settled by credit notes of this payment are part of the allocation.
    let credited = new.credits.iter().filter(|one| one.invoice_id == *invoice_id);
    let credited: Money = sum("credits", credited.map(|one| one.amount))?;
    let rest = amount.saturating_sub(credited);
    if !(Money::ZERO..=invoice.open).contains(&rest) {
        let problem = format!("{} has an open amount of {}", invoice.doc_no, invoice.open);
        return Err(Refusal::PaymentMismatch { problem, amount_due: invoice.open });
    }
    if !(Money::ZERO..=rest).contains(&discount) {
        let problem = format!("must be 0 to {rest}, the allocated amount less the credit notes");
        return Err(Refusal::field(format!("allocations[{place}].discount"), problem));
    }
    let limit = discount_allowed(invoice, new.date);
    if discount > limit && new.role != Role::Admin {
        return Err(Refusal::AboveLimit { limit, amount: discount });
    }
    let taken = BookOpen::take(&mut invoice.books, rest);
    let weights: Vec<Money> = taken.iter().map(|book| book.open).collect();
    let discounts = spread(discount, &weights);
    for (BookOpen { store_id, open }, discount) in taken.into_iter().zip(discounts) {
        plan.posting.debit(&store_id, PAYABLES, open).credit(&store_id, PURCHASE_DISCOUNTS, discount);
        pay_out(new, &mut plan.posting, &store_id, open.saturating_sub(discount));
        plan.parts.push(PaymentPart { document_id: invoice_id.clone(), store_id, amount: open });
    }
    invoice.paid = invoice.paid.saturating_add(rest);
    invoice.discount = invoice.discount.saturating_add(discount);
    invoice.settle();
    Ok(())
}

/// Pays an amount for the items of a book. A bank account is in every book; a safe is in its store's.
fn pay_out(new: &NewPayment<'_>, posting: &mut BookSums, book: &str, amount: Money) {
    match new.safe_of {
        Some(safe) if safe != book => {
            posting.credit(book, BETWEEN_STORES, amount).debit(safe, BETWEEN_STORES, amount);
            posting.credit(safe, new.account, amount);
        }
        _ => {
            posting.credit(book, new.account, amount);
        }
    }
}

/// A credit note settles a part of an invoice.
///
/// # Errors
/// `payment_mismatch` for more than is open of either.
pub(super) fn settle(
    posting: &mut BookSums,
    note: &mut CreditNote,
    invoice: &mut Invoice,
    amount: Money,
) -> Result<Vec<PaymentPart>, Refusal> {
    let open = note.open.min(invoice.open);
    if !(Money::new(1)..=open).contains(&amount) {
        let problem =
            format!("{} and {} can settle at most {open} with each other", note.doc_no, invoice.doc_no);
        return Err(Refusal::PaymentMismatch { problem, amount_due: open });
    }
    let gave = BookOpen::take(&mut note.books, amount);
    let took = BookOpen::take(&mut invoice.books, amount);
    between_books(posting, &gave, &took);
    note.applied = note.applied.saturating_add(amount);
    note.settle();
    invoice.credited = invoice.credited.saturating_add(amount);
    invoice.settle();
    let parts = parts(&note.credit_note_id, gave).chain(parts(&invoice.invoice_id, took));
    Ok(parts.collect())
}

fn parts(document_id: &str, books: Vec<BookOpen>) -> impl Iterator<Item = PaymentPart> {
    let document_id = document_id.to_owned();
    books.into_iter().map(move |BookOpen { store_id, open }| PaymentPart {
        document_id: document_id.clone(),
        store_id,
        amount: open,
    })
}

/// Moves amounts that are in other books than the items they settle, 2010 against 1290. Within one book nothing is
/// posted.
fn between_books(posting: &mut BookSums, gave: &[BookOpen], took: &[BookOpen]) {
    for BookOpen { store_id, open } in took {
        posting.debit(store_id, PAYABLES, *open).credit(store_id, BETWEEN_STORES, *open);
    }
    for BookOpen { store_id, open } in gave {
        posting.credit(store_id, PAYABLES, *open).debit(store_id, BETWEEN_STORES, *open);
    }
}

/// Settles invoices with an advance, in head office's book.
///
/// # Errors
/// The errors of [`plan`].
pub fn allocate(
    supplier_id: &str,
    advance: Money,
    allocations: &[Allocation],
    documents: &mut Documents,
) -> Result<PaymentPlan, Refusal> {
    let whole = sum("allocations", allocations.iter().map(|one| one.amount))?;
    if whole > advance {
        let problem =
            format!("only {advance} of the payment is not allocated yet, but {whole} was requested");
        return Err(Refusal::PaymentMismatch { problem, amount_due: advance });
    }
    let mut plan = PaymentPlan { unallocated: advance.saturating_sub(whole), ..PaymentPlan::default() };
    for (place, Allocation { invoice_id, amount, discount }) in allocations.iter().enumerate() {
        let at = |field: &str| format!("allocations[{place}].{field}");
        let invoice = owed(&mut documents.invoices, supplier_id, invoice_id, || at("invoice_id"))?;
        if *discount != 0 {
            return Err(Refusal::field(
                at("discount"),
                "must be 0: an advance is allocated without a discount",
            ));
        }
        if !(Money::new(1)..=invoice.open).contains(amount) {
            let problem = format!("{} has an open amount of {}", invoice.doc_no, invoice.open);
            return Err(Refusal::PaymentMismatch { problem, amount_due: invoice.open });
        }
        let took = BookOpen::take(&mut invoice.books, *amount);
        let gave = [BookOpen { store_id: String::new(), open: *amount }];
        between_books(&mut plan.posting, &gave, &took);
        invoice.paid = invoice.paid.saturating_add(*amount);
        invoice.settle();
        plan.parts.extend(parts(invoice_id, took));
    }
    Ok(plan)
}

/// Reopens the items that a payment settled. The writer of its entries mirrors them.
pub fn take_back(
    parts: &[PaymentPart],
    allocations: &[Allocation],
    credits: &[CreditUse],
    documents: &mut Documents,
) {
    for PaymentPart { document_id, store_id, amount } in parts {
        if let Some(invoice) = documents.invoices.get_mut(document_id) {
            BookOpen::put_back(&mut invoice.books, store_id, *amount);
            invoice.paid = invoice.paid.saturating_sub(*amount);
        }
        if let Some(note) = documents.credit_notes.get_mut(document_id) {
            BookOpen::put_back(&mut note.books, store_id, *amount);
            note.applied = note.applied.saturating_sub(*amount);
        }
    }
    // A credit note's part was no payment.
    for CreditUse { invoice_id, amount, .. } in credits {
        if let Some(invoice) = documents.invoices.get_mut(invoice_id) {
            invoice.paid = invoice.paid.saturating_add(*amount);
            invoice.credited = invoice.credited.saturating_sub(*amount);
        }
    }
    for Allocation { invoice_id, discount, .. } in allocations {
        if let Some(invoice) = documents.invoices.get_mut(invoice_id) {
            invoice.discount = invoice.discount.saturating_sub(*discount);
        }
    }
    documents.invoices.values_mut().for_each(Invoice::settle);
    documents.credit_notes.values_mut().for_each(CreditNote::settle);
}

#[cfg(test)]
mod tests;
