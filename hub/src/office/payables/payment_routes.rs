//! Money that went to suppliers.

use crate::http::change;
use crate::http::filtered_list::FilteredList;
use crate::http::prelude::*;
use crate::office::payables::invoice_approval::Reason;
use crate::office::payables::payment::{self, Allocate, New};
use crate::office::payables::payment_list::{self, SupplierPaymentsQuery};
use crate::office::payables::{payment_proposal, payment_reversal};
use crate::office::reports::completeness::{self, CompleteList};
use crate::table::payables::supplier_payment::TABLE;
use domain::model::books::payables::SupplierPayment;

const PAYMENT: &str = r#"{"payment_id": "spm_1", "doc_no": "PM-2026-000001", "supplier_id": "sup_1",
    "date": "2026-11-20", "account": "1040", "store_id": "", "amount": 971188, "reference": "TEA-778",
    "allocations": [{"invoice_id": "inv_1", "amount": 991008, "discount": 19820}], "credits": [],
    "unallocated": 0, "parts": [{"document_id": "inv_1", "store_id": "S001", "amount": 991008}], "state": "posted",
    "reversed_reason": null, "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z"}"#;

pub const ROUTES: &[Route<Hub>] = &[
    post("/api/finance/payments", FINANCE, "Payables")
        .summary("Create a payment to a supplier")
        .refuses(&[
            Code::NotFound,
            Code::PaymentMismatch,
            Code::InvalidState,
            Code::DayLocked,
            Code::ApprovalRequired,
        ])
        .creates::<New>(
            r#"{"supplier_id": "sup_1", "date": "2026-11-20", "account": "1040", "amount": 971188,
            "allocations": [{"invoice_id": "inv_1", "amount": 991008, "discount": 19820}]}"#,
            PAYMENT,
        ),
    get("/api/finance/payments/:id", FINANCE, "Payables")
        .summary("Retrieve a payment to a supplier")
        .answers::<SupplierPayment>(PAYMENT, answers!(read)),
    post("/api/finance/payments/:id/allocate", FINANCE, "Payables")
        .summary("Allocate an advance payment to invoices")
        .refuses(&[Code::PaymentMismatch, Code::InvalidState])
        .command::<Allocate>(r#"{"allocations": [{"invoice_id": "inv_1", "amount": 5000}]}"#, PAYMENT),
    get("/api/finance/payments", FINANCE, "Payables")
        .summary("List payments to suppliers, newest first")
        .query::<SupplierPaymentsQuery>()
        .lists_as::<CompleteList<SupplierPayment>>(PAYMENT, completeness::EXAMPLE, answers!(list)),
    post("/api/finance/payments/:id/reverse", FINANCE, "Payables")
        .summary("Reverse a payment; the invoices it paid are open again")
        .refuses(&[Code::InvalidState])
        .command::<Reverse>(r#"{"reason": "the bank sent it back"}"#, PAYMENT),
    get("/api/finance/payment-proposal", FINANCE, "Payables")
        .summary("List invoices to pay on a date: due ones, and those whose discount still applies")
        .query::<payment_proposal::ProposalQuery>()
        .refuses(&[Code::ValidationFailed])
        .answers::<payment_proposal::Proposal>(
            r#"{"date": "2026-11-20", "account": "1040", "items": [], "total": 0}"#,
            answers!(proposal),
        ),
];

async fn read(request: Request) -> Answered {
    let found: Option<SupplierPayment> = TABLE.read(request.state.db.pool(), request.param("id")).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the payment"))?))
}

impl Command for New {
    const ACTION: &'static str = "finance.payment_posted";
    type Answer = SupplierPayment;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<SupplierPayment>, Failure> {
        let (writer, set) = (tx.writer().await?, tx.settings().await?.purchasing);
        let made = payment::create(tx.connection, self, &writer, &set).await?;
        Ok(Changed::created(format!("/api/finance/payments/{}", made.payment_id), &made, paid(&made)))
    }
}

impl Command for Allocate {
    const ACTION: &'static str = "finance.payment_allocated";
    type Answer = SupplierPayment;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<SupplierPayment>, Failure> {
        let (writer, set) = (tx.writer().await?, tx.settings().await?.purchasing);
        let changed = payment::settle(tx.connection, tx.path.get("id"), self, &writer, &set).await?;
        Ok(Changed::answer(&changed, paid(&changed)))
    }
}

with_body!(Reverse(Reason));

impl Command for Reverse {
    const ACTION: &'static str = "finance.payment_reversed";
    type Answer = SupplierPayment;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<SupplierPayment>, Failure> {
        let (writer, set) = (tx.writer().await?, tx.settings().await?.purchasing);
        let (id, asked) = (tx.path.get("id"), &self.0);
        let changed = payment_reversal::reverse(tx.connection, id, asked, &writer, &set).await?;
        Ok(Changed::answer(&changed, paid(&changed)))
    }
}

async fn proposal(request: Request) -> Answered {
    let ask = request.query()?;
    let (mut read, today) = (request.state.db.read().await?, request.state.today(clock::now()));
    Ok(Reply::ok(&payment_proposal::proposal(&mut read, ask, today).await?))
}

async fn list(request: Request) -> Answered {
    let ask: SupplierPaymentsQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    let before = list.after(ask.cursor.as_ref())?;
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let items = payment_list::list(&mut read, &ask, before, change::one_more(ask.limit)).await?;
    let place = |item: &SupplierPayment| (item.date, item.payment_id.clone());
    let (page, days) = (list.cut(items, ask.limit, place), (None, ask.from, ask.to));
    Ok(Reply::ok(&CompleteList::of_days(page, &mut read, days, (request.state.today(now), now)).await?))
}

/// Details of a payment for the audit log.
fn paid(payment: &SupplierPayment) -> Value {
    let SupplierPayment { payment_id, supplier_id, date, amount, unallocated, .. } = payment;
    json!({"payment_id": payment_id, "supplier_id": supplier_id, "date": date, "amount": amount,
        "unallocated": unallocated})
}
