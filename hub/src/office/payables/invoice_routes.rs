//! Invoices of suppliers, from the paper to the debt.

use crate::http::change;
use crate::http::filtered_list::FilteredList;
use crate::http::prelude::*;
use crate::office::payables::invoice::{self, New};
use crate::office::payables::invoice_approval::{self, Approve, Reason};
use crate::office::payables::invoice_change::Change;
use crate::office::payables::invoice_list::{self, InvoicesQuery, Listed};
use crate::office::payables::invoice_match::{self, Match};
use crate::office::reports::completeness::{self, CompleteList};
use domain::model::books::payables::Invoice;

/// An invoice for descriptions of routes, with whatever else an answer has.
macro_rules! example {
    ($($more:literal)?) => {
        concat!(r#"{"invoice_id": "inv_1", "doc_no": "IN-2026-000001", "supplier_id": "sup_1",
    "invoice_no": "TEA-778", "invoice_date": "2026-11-19", "due_date": "2026-12-19", "state": "draft",
    "opening": false, "net": 892800, "tax": 98208, "rounding": 0, "total": 991008, "tax_invoice_no": null,
    "tax_invoice_date": null, "discount_terms": {"days": 10, "bp": 200}, "lines": [], "exceptions": [], "paid": 0,
    "discount": 0, "credited": 0, "open": 0, "books": [], "matched_at": null, "approved_by": null,
    "approved_at": null, "note": null, "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z", "writers": []"#, $($more,)? "}")
    };
}
const INVOICE: &str = example!();
const NEW: &str = r#"{"supplier_id": "sup_1", "invoice_no": "TEA-778", "invoice_date": "2026-11-19",
    "lines": [{"receiving_id": "rcv_1", "receiving_line_no": 1, "qty": 96, "unit_cost": 9300,
    "tax_rate_bp": 1100}]}"#;
const REASON: &str = r#"{"reason": "not what was agreed"}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/finance/invoices", FINANCE, "Payables")
        .summary("List suppliers' invoices, newest first, or by change")
        .query::<InvoicesQuery>()
        .lists_as::<CompleteList<Listed>>(
            example!(r#", "updated_at": "2026-11-20T02:06:34.739Z""#),
            completeness::EXAMPLE,
            answers!(list),
        ),
    post("/api/finance/invoices", FINANCE, "Payables")
        .summary("Create a supplier's invoice")
        .refuses(&[Code::Duplicate])
        .creates::<New>(NEW, INVOICE),
    get("/api/finance/invoices/:id", FINANCE, "Payables")
        .summary("Retrieve a supplier's invoice")
        .answers::<InvoiceView>(
            example!(r#", "updated_at": "2026-11-20T02:06:34.739Z", "rematch": false"#),
            answers!(read),
        ),
    patch("/api/finance/invoices/:id", FINANCE, "Payables")
        .summary("Update an invoice that is not matched yet or is disputed")
        .refuses(&[Code::Duplicate, Code::InvalidState])
        .command::<Change>(r#"{"note": "by e-mail"}"#, INVOICE),
    post("/api/finance/invoices/:id/match", FINANCE, "Payables")
        .summary("Match an invoice against receipts and orders")
        .refuses(&[Code::InvalidState, Code::ApprovalRequired])
        .command_or_default::<Match>(
            r#"{"accept": [{"line_no": 1, "type": "price_over", "reason": "price list of 15 Nov"}]}"#,
            INVOICE,
        ),
    post("/api/finance/invoices/:id/dispute", FINANCE, "Payables")
        .summary("Dispute an invoice")
        .refuses(&[Code::InvalidState])
        .command::<Dispute>(REASON, INVOICE),
    post("/api/finance/invoices/:id/approve", FINANCE, "Payables")
        .summary("Approve and post an invoice")
        .refuses(&[Code::InvalidState, Code::ApprovalRequired])
        .command_or_default::<Approve>(r#"{"total": 31968}"#, INVOICE),
    post("/api/finance/invoices/:id/cancel", FINANCE, "Payables")
        .summary("Cancel an invoice; its number can be used again")
        .refuses(&[Code::InvalidState])
        .command::<Cancel>(REASON, INVOICE),
];

/// An invoice.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InvoiceView")]
pub struct InvoiceView {
    #[serde(flatten)]
    invoice: Listed,
    /// Whether receipts have arrived that a new match would find for the invoice.
    rematch: bool,
}

async fn list(request: Request) -> Answered {
    let ask: InvoicesQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    let before = list.after(ask.cursor.as_ref())?;
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let items = invoice_list::list(&mut read, &ask, before, change::one_more(ask.limit)).await?;
    let (page, days) =
        (list.cut(items, ask.limit, invoice_list::place), (ask.store_id.as_deref(), ask.from, ask.to));
    Ok(Reply::ok(&CompleteList::of_days(page, &mut read, days, (request.state.today(now), now)).await?))
}

async fn read(request: Request) -> Answered {
    let pool = request.state.db.pool();
    let found = invoice_list::read(pool, request.param("id")).await?;
    let invoice = found.ok_or_else(|| ApiError::not_found("the invoice"))?;
    let rematch = invoice_match::may_rematch(pool, &invoice.invoice).await?;
    Ok(Reply::ok(&InvoiceView { invoice, rematch }))
}

impl Command for New {
    const ACTION: &'static str = "finance.invoice_created";
    type Answer = Invoice;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Invoice>, Failure> {
        let (writer, set) = (tx.writer().await?, tx.settings().await?.purchasing);
        let made = invoice::create(tx.connection, self, &writer, &set).await?;
        let location = format!("/api/finance/invoices/{}", made.invoice_id);
        Ok(Changed::created(location, &made, details(&made, None)))
    }
}

impl Command for Change {
    const ACTION: &'static str = "finance.invoice_changed";
    type Answer = Invoice;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Invoice>, Failure> {
        let (writer, set) = (tx.writer().await?, tx.settings().await?.purchasing);
        let changed = invoice::change(tx.connection, tx.path.get("id"), self, &writer, &set).await?;
        Ok(Changed::answer(&changed, details(&changed, None)))
    }
}

impl Command for Match {
    const ACTION: &'static str = "finance.invoice_matched";
    type Answer = Invoice;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Invoice>, Failure> {
        let (writer, set) = (tx.writer().await?, tx.settings().await?.purchasing);
        let matched = invoice_match::run(tx.connection, tx.path.get("id"), &self, &writer, &set).await?;
        Ok(Changed::answer(&matched, details(&matched, None)))
    }
}

with_body!(Dispute(Reason), Cancel(Reason));

impl Command for Dispute {
    const ACTION: &'static str = "finance.invoice_disputed";
    type Answer = Invoice;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Invoice>, Failure> {
        let (_, set) = (tx.writer().await?, tx.settings().await?.purchasing);
        let disputed = invoice_approval::dispute(tx.connection, tx.path.get("id"), &self.0, &set).await?;
        Ok(Changed::answer(&disputed, details(&disputed, Some(&self.0.reason))))
    }
}

impl Command for Approve {
    const ACTION: &'static str = "finance.invoice_approved";
    type Answer = Invoice;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Invoice>, Failure> {
        let (writer, set) = (tx.writer().await?, tx.settings().await?);
        let (id, set) = (tx.path.get("id"), (&set.finance, &set.purchasing));
        let approved = invoice_approval::approve(tx.connection, id, &self, &writer, set).await?;
        Ok(Changed::answer(&approved, details(&approved, None)))
    }
}

impl Command for Cancel {
    const ACTION: &'static str = "finance.invoice_cancelled";
    type Answer = Invoice;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Invoice>, Failure> {
        let (_, set) = (tx.writer().await?, tx.settings().await?.purchasing);
        let cancelled = invoice_approval::cancel(tx.connection, tx.path.get("id"), &self.0, &set).await?;
        Ok(Changed::answer(&cancelled, details(&cancelled, Some(&self.0.reason))))
    }
}

/// Details of an invoice for the audit log.
fn details(invoice: &Invoice, reason: Option<&str>) -> Value {
    let Invoice { invoice_id, supplier_id, invoice_no, state, total, .. } = invoice;
    json!({"invoice_id": invoice_id, "supplier_id": supplier_id, "invoice_no": invoice_no,
        "state": state, "total": total, "reason": reason})
}
