//! Settlements and postings of payments.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
use super::*;
use crate::model::base::figures::Money;
use crate::model::base::time::UtcMs;
use crate::model::books::payables::{CreditNoteKind, DiscountTerms, InvoiceState};
use crate::rules::books::entry_by_hand::EntryLine;
use crate::rules::books::payables::posting::tests::{billed, invoice};
use crate::rules::books::posting::plan::{BANK, SAFE};
use jiff::civil::date;

fn approved(invoice_id: &str, books: &[(&str, i64)]) -> Invoice {
    let lines = books.iter().map(|(book, net)| billed(book, *net, 0, *net)).collect();
    let mut owed = Invoice {
        invoice_id: invoice_id.to_owned(),
        state: InvoiceState::Approved,
        discount_terms: Some(DiscountTerms { days: 10, bp: 200 }),
        ..invoice(lines)
    };
    owed.books = crate::rules::books::payables::invoice_books(&owed);
    owed.settle();
    owed
}

fn note(books: &[(&str, i64)]) -> CreditNote {
    let open = |(book, open): &(&str, i64)| BookOpen { store_id: (*book).to_owned(), open: (*open).into() };
    let books: Vec<BookOpen> = books.iter().map(open).collect();
    let total = BookOpen::sum(&books);
    CreditNote {
        credit_note_id: "crn_1".to_owned(),
        doc_no: "CN-2026-000001".to_owned(),
        supplier_id: "sup_1".to_owned(),
        credit_note_no: Some("C-1".to_owned()),
        date: date(2026, 11, 19),
        kind: CreditNoteKind::Return,
        supplier_return_id: None,
        invoice_id: None,
        lines: Vec::new(),
        net: total,
        tax: 0.into(),
        total,
        applied: 0.into(),
        open: total,
        books,
        state: CreditNoteState::Approved,
        note: None,
        created_by: None,
        proposed: None,
        created_at: UtcMs(0),
    }
}

fn documents(invoices: Vec<Invoice>, notes: Vec<CreditNote>) -> Documents {
    Documents {
        invoices: invoices.into_iter().map(|one| (one.invoice_id.clone(), one)).collect(),
        credit_notes: notes.into_iter().map(|one| (one.credit_note_id.clone(), one)).collect(),
    }
}

fn allocation(amount: i64, discount: i64) -> Allocation {
    Allocation { invoice_id: "inv_1".to_owned(), amount: amount.into(), discount: discount.into() }
}

fn payment<'a>(amount: i64, allocations: &'a [Allocation]) -> NewPayment<'a> {
    NewPayment {
        supplier_id: "sup_1",
        date: date(2026, 11, 20),
        account: BANK,
        safe_of: None,
        amount: amount.into(),
        allocations,
        credits: &[],
        role: Role::HoFinance,
    }
}

fn lines(rows: &[(&str, i64)]) -> Vec<EntryLine> {
    rows.iter().map(|(account, amount)| EntryLine::of((*account).to_owned(), (*amount).into())).collect()
}

#[test]
fn an_invoice_is_paid_in_its_book() {
    for (note, total, amount, discount, rows) in [
        ("M37", 104_895, 104_895, 0, &[("1040", -104_895), ("2010", 104_895)][..]),
        ("M38", 104_895, 102_797, 2_098, &[("1040", -102_797), ("2010", 104_895), ("5040", -2_098)][..]),
        (
            "TEA-778",
            991_008,
            971_188,
            19_820,
            &[("1040", -971_188), ("2010", 991_008), ("5040", -19_820)][..],
        ),
    ] {
        let mut documents = documents(vec![approved("inv_1", &[("S001", total)])], vec![]);
        let allocations = [allocation(total, discount)];
        let plan = plan(&payment(amount, &allocations), &mut documents).unwrap();
        let entries = plan.posting.entries().unwrap();
        assert_eq!(entries.len(), 1, "{note}");
        assert_eq!(entries.get("S001").unwrap(), &lines(rows), "{note}");
        let paid = documents.invoices.get("inv_1").unwrap().clone();
        assert_eq!(
            (paid.state, paid.open, paid.discount),
            (InvoiceState::Paid, Money::ZERO, discount.into()),
            "{note}"
        );
        take_back(&plan.parts, &allocations, &[], &mut documents);
        let again = documents.invoices.get("inv_1").unwrap();
        assert_eq!(
            (again.state, again.open, again.discount),
            (InvoiceState::Approved, total.into(), Money::ZERO),
            "{note}"
        );
    }
}

#[test]
fn a_payment_that_does_not_fit_is_refused() {
    let base = documents(vec![approved("inv_1", &[("S001", 1_000)])], vec![]);
    for (note, amount, part, discount, code) in [
        ("less than its allocations", 899, 900, 0, "payment_mismatch"),
        ("more than is open", 1_001, 1_001, 0, "payment_mismatch"),
        ("a discount beyond the terms", 979, 1_000, 21, "approval_required"),
        ("a discount above the amount", 1, 10, 11, "validation_failed"),
        ("nothing", 0, 10, 10, "validation_failed"),
    ] {
        let allocations = [allocation(part, discount)];
        let planned = plan(&payment(amount, &allocations), &mut base.clone());
        assert_eq!(planned.map_err(|refusal| refusal.code()), Err(code), "{note}");
    }
    let allocations = [allocation(1_000, 21)];
    let by_admin = NewPayment { role: Role::Admin, ..payment(979, &allocations) };
    assert!(plan(&by_admin, &mut base.clone()).is_ok());
    let allocations = [allocation(1_000, 20)];
    let late = NewPayment { date: date(2026, 11, 30), ..payment(980, &allocations) };
    assert_eq!(
        plan(&late, &mut base.clone()),
        Err(Refusal::AboveLimit { limit: Money::ZERO, amount: Money::new(20) })
    );
    let foreign = NewPayment { supplier_id: "sup_2", ..payment(980, &allocations) };
    assert_eq!(plan(&foreign, &mut base.clone()).map_err(|it| it.code()), Err("validation_failed"));
    let mut cancelled = base.clone();
    cancelled.invoices.get_mut("inv_1").unwrap().state = InvoiceState::Cancelled;
    let planned = plan(&payment(1_000, &[allocation(1_000, 0)]), &mut cancelled);
    assert_eq!(planned.map_err(|it| it.code()), Err("invalid_state"));
}

#[test]
fn a_refusal_names_the_amount_that_is_wrong() {
    let base = documents(vec![approved("inv_1", &[("S001", 1_000)])], vec![]);
    let credit = |invoice_id: &str, amount: i64| CreditUse {
        credit_note_id: "cn_1".to_owned(),
        invoice_id: invoice_id.to_owned(),
        amount: amount.into(),
    };
    let other = Allocation { invoice_id: "inv_2".to_owned(), amount: 1.into(), discount: 0.into() };
    for (amount, allocations, credits, path) in [
        (0, vec![], vec![], "amount"),
        (10, vec![allocation(10, 0), allocation(0, 0)], vec![], "allocations[1].amount"),
        (10, vec![allocation(10, 11)], vec![], "allocations[0].discount"),
        (10, vec![allocation(9, 0), other], vec![], "allocations[1].invoice_id"),
        (10, vec![allocation(10, 0)], vec![credit("inv_1", 0)], "credits[0].amount"),
        (10, vec![allocation(10, 0)], vec![credit("inv_1", 11)], "credits[0].amount"),
        (10, vec![allocation(10, 0)], vec![credit("inv_1", 1)], "credits[0].credit_note_id"),
    ] {
        let asked = NewPayment { credits: &credits, ..payment(amount, &allocations) };
        let Err(Refusal::ValidationFailed(problems)) = plan(&asked, &mut base.clone()) else {
            panic!("{path}")
        };
        assert_eq!(problems.first().map(|one| one.path.as_str()), Some(path));
    }
}

#[test]
fn an_advance_stands_at_head_office_until_it_settles_something() {
    let owed = approved("inv_1", &[("S001", 600), ("S002", 300)]);
    let mut known = documents(vec![owed], vec![]);
    let paid = plan(&payment(500, &[]), &mut known).unwrap();
    assert_eq!(paid.unallocated, 500);
    assert_eq!(paid.posting.entries().unwrap().get("").unwrap(), &lines(&[("1040", -500), ("2010", 500)]));
    let next = allocate("sup_1", 500.into(), &[allocation(450, 0)], &mut known).unwrap();
    assert_eq!(next.unallocated, 50);
    let entries = next.posting.entries().unwrap();
    assert_eq!(entries.get("").unwrap(), &lines(&[("1290", 450), ("2010", -450)]));
    assert_eq!(entries.get("S001").unwrap(), &lines(&[("1290", -300), ("2010", 300)]));
    assert_eq!(entries.get("S002").unwrap(), &lines(&[("1290", -150), ("2010", 150)]));
    assert_eq!(known.invoices.get("inv_1").unwrap().state, InvoiceState::PartiallyPaid);
    assert!(allocate("sup_1", 50.into(), &[allocation(51, 0)], &mut known).is_err());
}

#[test]
fn a_credit_note_of_another_book_is_settled_between_stores() {
    let credits = [CreditUse {
        credit_note_id: "crn_1".to_owned(),
        invoice_id: "inv_1".to_owned(),
        amount: 100.into(),
    }];
    let allocations = [allocation(1_000, 0)];
    for (book, between) in [("S001", None), ("S002", Some(&[("1290", 100), ("2010", -100)]))] {
        let mut known = documents(vec![approved("inv_1", &[("S001", 1_000)])], vec![note(&[(book, 100)])]);
        let asked = NewPayment { credits: &credits, ..payment(900, &allocations) };
        let plan = plan(&asked, &mut known).unwrap();
        let entries = plan.posting.entries().unwrap();
        assert_eq!(entries.get("S002"), between.map(|rows| lines(rows)).as_ref(), "{book}");
        let settled = known.invoices.get("inv_1").unwrap();
        assert_eq!(
            (settled.paid, settled.credited, settled.state),
            (900.into(), 100.into(), InvoiceState::Paid),
            "{book}"
        );
        assert_eq!(known.credit_notes.get("crn_1").unwrap().state, CreditNoteState::Applied);
        take_back(&plan.parts, &allocations, &credits, &mut known);
        let again = known.invoices.get("inv_1").unwrap();
        assert_eq!(
            (again.paid, again.credited, again.open),
            (Money::ZERO, Money::ZERO, 1_000.into()),
            "{book}"
        );
        assert_eq!(known.credit_notes.get("crn_1").unwrap().open, 100);
    }
}

#[test]
fn a_safe_pays_for_another_book_between_stores() {
    let mut known = documents(vec![approved("inv_1", &[("S001", 100)])], vec![]);
    let allocations = [allocation(100, 0)];
    let asked = NewPayment { account: SAFE, safe_of: Some("S002"), ..payment(100, &allocations) };
    let entries = plan(&asked, &mut known).unwrap().posting.entries().unwrap();
    assert_eq!(entries.get("S001").unwrap(), &lines(&[("1290", -100), ("2010", 100)]));
    assert_eq!(entries.get("S002").unwrap(), &lines(&[("1020", -100), ("1290", 100)]));
}
