//! Steps of purchase orders, and further data of an order.

use crate::columns;
use crate::db::document::decode;
use crate::http::prelude::*;
use crate::http::route;
use crate::office::goods::receipt::State as ReceivingState;
use crate::office::orders::order_paper::{Language, Paper};
use crate::office::orders::order_routes::{ORDER, ordered};
use crate::office::orders::order_step::{self, Approve, Reason, Revise, Step};
use crate::office::suppliers::supplier::{self, Known};
use crate::table::hub;
use crate::table::{purchase_order, supplier_price};
use domain::model::base::figures::Money;
use domain::model::base::ids::Sku;
use domain::model::base::time::UtcMs;
use domain::model::books::payables::Invoice;
use domain::model::inventory::purchase::PurchaseOrder;
use domain::rules::inventory::purchase::{OrderStep, in_force};
use edge::Doc;
use jiff::civil::Date;
use sqlx::Row;
use std::collections::BTreeSet;

/// A step of an order, or of one of its lines. Its reason may be omitted if the step needs none.
const fn step(path: &'static str, summary: &'static str) -> route::Row {
    post(path, PURCHASING, "Purchasing")
        .summary(summary)
        .refuses(&[Code::InvalidState, Code::ApprovalRequired])
}

/// Example of the body of a step.
const REASON: &str = r#"{"reason": "supplier is out"}"#;

pub const ROUTES: &[Route<Hub>] = &[
    step("/api/purchase-orders/:id/submit", "Submit a purchase order for approval")
        .command_or_default::<Submit>(REASON, ORDER),
    step("/api/purchase-orders/:id/approve", "Approve a purchase order")
        .command_or_default::<Approve>(r#"{"total": 108000}"#, ORDER),
    step("/api/purchase-orders/:id/reject", "Reject a purchase order; it becomes a draft again")
        .command_or_default::<Reject>(REASON, ORDER),
    step("/api/purchase-orders/:id/send", "Send a purchase order; its store can receive it from now on")
        .command_or_default::<Send>(REASON, ORDER),
    post("/api/purchase-orders/:id/revise", PURCHASING, "Purchasing").summary("Revise a purchase order that was sent; the previous version is kept")
    .refuses(&[Code::InvalidState, Code::ApprovalRequired, Code::UnknownSku])
    .command::<Revise>(
        r#"{"revision": 0, "lines": [{"line_no": 1, "sku": "8991234567890", "qty": 12, "unit_cost": 9000}],
            "reason": "half is enough"}"#,
        ORDER,
    ),
    step(
        "/api/purchase-orders/:id/cancel",
        "Cancel a purchase order before any receipt; if the store records a receipt first, the receipt counts",
    )
    .command_or_default::<Cancel>(REASON, ORDER),
    step("/api/purchase-orders/:id/close", "Close a purchase order: no further receipts are expected")
        .command_or_default::<Close>(REASON, ORDER),
    step(
        "/api/purchase-orders/:id/lines/:line_no/close",
        "Close an order line: no further receipts are expected",
    )
    .command_or_default::<CloseLine>(REASON, ORDER),
    step("/api/purchase-orders/:id/lines/:line_no/open", "Reopen a closed order line")
        .command_or_default::<OpenLine>(REASON, ORDER),
    get("/api/purchase-orders/:id/revisions", GOODS, "Purchasing").summary("List earlier versions of a purchase order, latest first")
    .answers::<Revisions>(r#"{"items": []}"#, answers!(revisions)),
    get("/api/purchase-orders/:id/receipts", GOODS, "Purchasing").summary("List receipts of goods of a purchase order")
        .answers::<Receipts>(r#"{"items": []}"#, answers!(receipts)),
    get("/api/purchase-orders/:id/invoices", GOODS, "Purchasing").summary("List invoices of a purchase order")
        .answers::<Invoices>(r#"{"items": []}"#, answers!(invoices)),
    Route::get("/api/purchase-orders/:id/document", GOODS, DOCUMENT, answers!(document)),
];

const DOCUMENT: Doc = Doc::of(
    "Purchasing",
    "Retrieve the order as a document for the supplier: a page to print, or text with `Accept: text/plain`",
)
.query::<PaperQuery>()
.answers_text("text/html")
.also(&["text/plain"]);

macro_rules! steps {
    ($($command:ident),+ $(,)?) => {
        with_body!($($command(Reason)),+);
        $(impl Command for $command {
            const ACTION: &'static str = OrderStep::$command.audit_action();
            type Answer = PurchaseOrder;
            async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<PurchaseOrder>, Failure> {
                taken(tx, OrderStep::$command, &self.0).await
            }
        })+
    };
}
steps!(Submit, Reject, Send, Cancel, Close, CloseLine, OpenLine);

async fn taken(tx: &mut Tx<'_>, step: OrderStep, reason: &Reason) -> Result<Changed<PurchaseOrder>, Failure> {
    let step = match step {
        OrderStep::CloseLine | OrderStep::OpenLine => {
            let line_no = tx.path.get("line_no").parse().map_err(|_| ApiError::not_found("the line"))?;
            Step::Line(step, line_no)
        }
        step => Step::Whole(step),
    };
    let buyer = tx.buyer().await?;
    let order = order_step::take(tx.connection, tx.path.get("id"), step, reason, &buyer).await?;
    Ok(Changed::answer(&order, with_reason(ordered(&order), reason.reason.as_deref())))
}

impl Command for Approve {
    const ACTION: &'static str = OrderStep::Approve.audit_action();
    type Answer = PurchaseOrder;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<PurchaseOrder>, Failure> {
        let (reason, buyer) = (self.reason.clone(), tx.buyer().await?);
        let order = order_step::approve(tx.connection, tx.path.get("id"), self, &buyer).await?;
        Ok(Changed::answer(&order, with_reason(ordered(&order), reason.as_deref())))
    }
}

impl Command for Revise {
    const ACTION: &'static str = OrderStep::Revise.audit_action();
    type Answer = PurchaseOrder;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<PurchaseOrder>, Failure> {
        let reason = self.reason.clone();
        let buyer = tx.buyer().await?;
        let order = order_step::revise(tx.connection, tx.path.get("id"), self, &buyer).await?;
        Ok(Changed::answer(&order, with_reason(ordered(&order), Some(&reason))))
    }
}

fn with_reason(mut details: Value, reason: Option<&str>) -> Value {
    if let Some(details) = details.as_object_mut() {
        details.insert("reason".to_owned(), reason.into());
    }
    details
}

/// A version of an order before a revision.
#[derive(Serialize, JsonSchema)]
pub struct KeptRevision {
    /// When this version was replaced.
    replaced_at: UtcMs,
    /// User who replaced this version.
    replaced_by: String,
    /// Reason given for the revision.
    reason: String,
    /// The order before the revision.
    order: PurchaseOrder,
}

/// Earlier versions of an order.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PurchaseOrderRevisions")]
pub struct Revisions {
    /// Earlier versions, latest first.
    items: Vec<KeptRevision>,
}

async fn revisions(request: Request) -> Answered {
    found(&request).await?;
    let kept = purchase_order::revisions(request.state.db.pool(), request.param("id")).await?;
    let kept = kept.into_iter().map(|(replaced_at, replaced_by, reason, order)| KeptRevision {
        replaced_at,
        replaced_by,
        reason,
        order,
    });
    Ok(Reply::ok(&Revisions { items: kept.collect() }))
}

/// A receipt against an order.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PurchaseOrderReceipt")]
pub struct Receipt {
    /// ID of the receipt, `rcv_…`.
    receiving_id: String,
    /// Store that received the goods.
    store_id: String,
    /// ID of the store's event.
    event_id: String,
    /// State of the receipt.
    #[schemars(with = "ReceivingState")]
    state: String,
    /// Business day of the receipt.
    business_date: Date,
    /// Number of the supplier's delivery note. Null for none.
    delivery_note_no: Option<String>,
    /// Total cost of the received goods, in minor currency units.
    total_cost: Money,
    /// When the receipt was recorded.
    created_at: UtcMs,
}

/// Receipts of an order.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PurchaseOrderReceipts")]
pub struct Receipts {
    /// Receipts of the order.
    items: Vec<Receipt>,
}

async fn receipts(request: Request) -> Answered {
    let order = found(&request).await?;
    let sql = "SELECT document_id, store_id, event_id, state, business_date, delivery_note_no, value, created_at \
               FROM goods_documents WHERE kind = 'receiving' AND store_id = $1 AND po_id = $2 \
               ORDER BY created_at, document_id";
    let query = sqlx::query(sql).bind(order.store_id.as_str().to_owned()).bind(order.po_id);
    let mut items = Vec::new();
    for row in query.fetch_all(request.state.db.pool()).await? {
        items.push(receipt(&row)?);
    }
    Ok(Reply::ok(&Receipts { items }))
}

fn receipt(row: &sqlx::any::AnyRow) -> Result<Receipt, sqlx::Error> {
    Ok(columns!(row => Receipt {
        receiving_id: "document_id", store_id, event_id, state, business_date, delivery_note_no, total_cost: "value",
        created_at,
    }))
}

/// Invoices of an order.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PurchaseOrderInvoices")]
pub struct Invoices {
    /// Invoices of the order.
    items: Vec<Invoice>,
}

async fn invoices(request: Request) -> Answered {
    let order = found(&request).await?;
    let sql = "SELECT document FROM invoices WHERE invoice_id IN (SELECT invoice_id FROM invoice_lines \
               WHERE po_id = $1) ORDER BY invoice_date, invoice_id";
    let mut items = Vec::new();
    for row in sqlx::query(sql).bind(order.po_id).fetch_all(request.state.db.pool()).await? {
        items.push(decode(row.try_get("document")?)?);
    }
    Ok(Reply::ok(&Invoices { items }))
}

async fn found(request: &Request) -> Result<PurchaseOrder, Failure> {
    let pool = request.state.db.pool();
    let found: Option<PurchaseOrder> = purchase_order::TABLE.read(pool, request.param("id")).await?;
    Ok(found.ok_or_else(|| ApiError::not_found("the order"))?)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PaperQuery {
    /// Language of the document. Defaults to `en`.
    #[serde(default)]
    language: Language,
}

async fn document(request: Request) -> Answered {
    let PaperQuery { language } = request.query()?;
    let order = found(&request).await?;
    let pool = request.state.db.pool();
    let known: Option<Known> = supplier::TABLE.read(pool, &order.supplier_id).await?;
    let known = known.ok_or_else(|| ApiError::not_found("the supplier"))?;
    let sql = "SELECT name FROM stores WHERE store_id = $1";
    let query = sqlx::query_scalar(sql).bind(order.store_id.as_str().to_owned());
    let store_name: Option<String> = query.fetch_optional(pool).await?;
    let mut connection = pool.acquire().await?;
    let skus: BTreeSet<&Sku> = order.lines.iter().map(|line| &line.sku).collect();
    let rows = supplier_price::of_skus(&mut connection, Some(&order.supplier_id), &skus).await?;
    let today = request.state.today(clock::now());
    let mut names = Vec::new();
    for line in &order.lines {
        let sql = "SELECT name FROM products WHERE sku = $1";
        let query = sqlx::query(sql).bind(line.sku.as_str().to_owned());
        let row = query.fetch_optional(&mut *connection).await?;
        let name: String = row.map(|row| row.try_get("name")).transpose()?.unwrap_or_default();
        let price = in_force(rows.iter().filter(|row| row.sku == line.sku), line.qty, today);
        names.push((name, price.and_then(|price| price.supplier_sku.clone())));
    }
    let store_name = store_name.unwrap_or_default();
    let (order, supplier, currency) = (&order, &known.supplier, hub::currency(&mut connection).await?);
    let paper = Paper { order, supplier, store_name: &store_name, names: &names, language, currency };
    Ok(match wants_text(&request) {
        true => Reply::Text { content_type: "text/plain; charset=utf-8", body: paper.text() },
        false => Reply::paper(paper.html()),
    })
}

/// Whether `Accept` names plain text, and before a page.
fn wants_text(request: &Request) -> bool {
    let accept = request.headers.get(http::header::ACCEPT).and_then(|value| value.to_str().ok());
    let place = |kind: &str| accept.and_then(|accept| accept.find(kind));
    match (place("text/plain"), place("text/html")) {
        (Some(text), Some(page)) => text < page,
        (text, _) => text.is_some(),
    }
}
