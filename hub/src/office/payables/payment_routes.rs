//! Money that went to suppliers.

use crate::http::bound_page;
use crate::http::change;
use crate::http::{Answered, Request};
use crate::office::finance::writer::begun_alone;
use crate::office::payables::invoice_approval::Reason;
use crate::office::payables::payment::{self, Allocate, New};
use crate::office::payables::payment_list::{self, SupplierPaymentsQuery};
use crate::office::payables::{payment_proposal, payment_reversal};
use crate::office::reports::completeness::{self, CompleteList};
use crate::table::payables::supplier_payment::TABLE;
use domain::model::base::answer::Answer;
use domain::model::books::payables::SupplierPayment;
use edge::{ApiError, Code, Doc, Reply, clock};
use serde_json::{Value, json};

const PAYMENT: &str = r#"{"payment_id": "spm_1", "doc_no": "PM-2026-000001", "supplier_id": "sup_1",
    "date": "2026-11-20", "account": "1040", "store_id": "", "amount": 971188, "reference": "TEA-778",
    "allocations": [{"invoice_id": "inv_1", "amount": 991008, "discount": 19820}], "credits": [],
    "unallocated": 0, "parts": [{"document_id": "inv_1", "store_id": "S001", "amount": 991008}], "state": "posted",
    "reversed_reason": null, "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z"}"#;

pub const LIST: Doc = Doc::of("Payables", "List payments to suppliers, newest first")
    .query::<SupplierPaymentsQuery>()
    .lists_as::<CompleteList<SupplierPayment>>(PAYMENT, completeness::EXAMPLE);
pub const PROPOSAL: Doc =
    Doc::of("Payables", "List invoices to pay on a date: due ones, and those whose discount still applies")
        .query::<payment_proposal::ProposalQuery>()
        .answers::<payment_proposal::Proposal>(
            r#"{"date": "2026-11-20", "account": "1040", "items": [], "total": 0}"#,
        )
        .refuses(&[Code::ValidationFailed]);
pub const REVERSE: Doc = Doc::of("Payables", "Reverse a payment; the invoices it paid are open again")
    .body::<Reason>(r#"{"reason": "the bank sent it back"}"#)
    .answers::<SupplierPayment>(PAYMENT)
    .refuses(&[Code::InvalidState]);
pub const READ: Doc =
    Doc::of("Payables", "Retrieve a payment to a supplier").answers::<SupplierPayment>(PAYMENT);
pub const ADD: Doc = Doc::of("Payables", "Create a payment to a supplier")
    .body::<New>(
        r#"{"supplier_id": "sup_1", "date": "2026-11-20", "account": "1040", "amount": 971188,
            "allocations": [{"invoice_id": "inv_1", "amount": 991008, "discount": 19820}]}"#,
    )
    .creates::<SupplierPayment>(PAYMENT)
    .refuses(&[
        Code::NotFound,
        Code::PaymentMismatch,
        Code::InvalidState,
        Code::DayLocked,
        Code::ApprovalRequired,
    ]);
pub const ALLOCATE: Doc = Doc::of("Payables", "Allocate an advance payment to invoices")
    .body::<Allocate>(r#"{"allocations": [{"invoice_id": "inv_1", "amount": 5000}]}"#)
    .answers::<SupplierPayment>(PAYMENT)
    .refuses(&[Code::PaymentMismatch, Code::InvalidState]);

/// `GET /api/finance/payments/:id`
pub async fn read(request: Request) -> Answered {
    let found: Option<SupplierPayment> = TABLE.read(request.state.db.pool(), request.param("id")).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the payment"))?))
}

/// `POST /api/finance/payments`
pub async fn add(request: Request) -> Answered {
    let new: New = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let set = request.state.settings(&mut keyed.write).await?.purchasing;
    let made = payment::create(&mut keyed.write, new, &writer, &set).await?;
    let location = format!("/api/finance/payments/{}", made.payment_id);
    let done = ("finance.payment_posted", paid(&made));
    change::finish_audited(&request, keyed, done, Answer::created(location, &made)).await
}

/// `POST /api/finance/payments/:id/allocate`
pub async fn allocate(request: Request) -> Answered {
    let asked: Allocate = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let (id, set) = (request.param("id"), &request.state.settings(&mut keyed.write).await?.purchasing);
    let changed = payment::settle(&mut keyed.write, id, asked, &writer, set).await?;
    let done = ("finance.payment_allocated", paid(&changed));
    change::finish_audited(&request, keyed, done, Answer::ok(&changed)).await
}

/// `GET /api/finance/payment-proposal`
pub async fn proposal(request: Request) -> Answered {
    let ask = request.query()?;
    let (mut read, today) = (request.state.db.read().await?, request.state.today(clock::now()));
    Ok(Reply::ok(&payment_proposal::proposal(&mut read, ask, today).await?))
}

/// `GET /api/finance/payments`
pub async fn list(request: Request) -> Answered {
    let ask: SupplierPaymentsQuery = request.query()?;
    let before = bound_page::after(&ask)?;
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let items = payment_list::list(&mut read, &ask, before, change::one_more(ask.limit)).await?;
    let place = |item: &SupplierPayment| (item.date, item.payment_id.clone());
    let (page, days) = (bound_page::cut(&ask, items, place), (None, ask.from, ask.to));
    Ok(Reply::ok(&CompleteList::of_days(page, &mut read, days, (request.state.today(now), now)).await?))
}

/// `POST /api/finance/payments/:id/reverse`
pub async fn reverse(request: Request) -> Answered {
    let asked: Reason = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let (id, set) = (request.param("id"), &request.state.settings(&mut keyed.write).await?.purchasing);
    let changed = payment_reversal::reverse(&mut keyed.write, id, &asked, &writer, set).await?;
    let done = ("finance.payment_reversed", paid(&changed));
    change::finish_audited(&request, keyed, done, Answer::ok(&changed)).await
}

/// Details of a payment for the audit log.
fn paid(payment: &SupplierPayment) -> Value {
    let SupplierPayment { payment_id, supplier_id, date, amount, unallocated, .. } = payment;
    json!({"payment_id": payment_id, "supplier_id": supplier_id, "date": date, "amount": amount,
        "unallocated": unallocated})
}
