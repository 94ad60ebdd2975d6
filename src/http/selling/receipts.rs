//! Receipts: as data, as text, as a page, on paper. A receipt that is printed again says so, and is logged.

use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::ask;
use crate::http::failure::{failed, stored};
use crate::http::selling::prints::{PRINT_JOB, till_with_printer};
use crate::printing::PrintJob;
use crate::receipt::{Layout, Receipt, ReceiptHeader, Subject, Whose, html, text};
use domain::model::base::ids::{ReturnId, UserId};
use domain::model::people::user::Role;
use domain::model::selling::payment::EXCHANGE;
use domain::model::selling::returns::Return;
use domain::rules::selling::returns::ReturnView;
use domain::rules::selling::transaction::TransactionView;
use edge::{ApiError, Code, Doc, Reply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::{Storage, StorageError};

const EXAMPLE: &str = concat!(
    r#"{"receipt_no": "S001-till-1-00000042", "kind": "sale", "store": {"store_id": "S001", "name": "Corner shop", "address": "Jl. Merdeka 1", "tax_id": "01.234.567.8-901.000"}, "currency": "IDR", "cashier_name": "Sari", "footer": "Thank you", "transaction": "#,
    include_str!("examples/transaction.json"),
    r#", "return": null}"#
);

pub const READ: Doc = Doc::of(
    "Point of sale",
    "Retrieve the receipt of a sale or a return as data, text or HTML. Reading a receipt does not count as printing it. Text and HTML say COPY if the receipt was printed before. A gift receipt has no prices and never says COPY",
)
.query::<Query>()
.answers::<ReceiptData>(EXAMPLE)
.also(&["text/plain", "text/html"]);

pub const PRINT: Doc = Doc::of(
    "Point of sale",
    "Print a receipt on the register's own printer. With `Accept: text/plain` or `text/html`, the receipt is returned instead, for the caller's own printer. The first print is the original; each later one says COPY and is audited. The answer does not wait for the printer",
)
.optional_body::<PrintReceipt>(r#"{"gift": false}"#)
.answers::<PrintJob>(PRINT_JOB)
.also(&["text/plain", "text/html"])
.unkeyed("each request prints another piece of paper, which says COPY from the second one on")
.refuses(&[Code::NotFound]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Whether text and HTML are a gift receipt: the goods without their prices.
    #[serde(default)]
    gift: bool,
}

/// Request body of `POST /api/pos/receipts/:receipt_no/prints`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PrintReceipt {
    /// Whether it is a gift receipt: the goods without their prices.
    #[serde(default)]
    gift: bool,
}

/// Issuer of a receipt.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReceiptIssuer")]
struct Issuer<'a> {
    /// ID of the store.
    store_id: &'a str,
    /// Name of the store.
    name: &'a str,
    /// Address of the store.
    address: &'a str,
    /// Tax number of the store.
    tax_id: &'a str,
}

/// Kind of document of a receipt.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ReceiptKind")]
enum Kind {
    Sale,
    Return,
}

/// A receipt as data.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Receipt")]
struct ReceiptData<'a> {
    /// Receipt number.
    receipt_no: &'a str,
    /// Whether it is the receipt of a sale or of a return.
    kind: Kind,
    /// Store that issued the receipt.
    store: Issuer<'a>,
    /// ISO 4217 code of the currency.
    currency: &'a str,
    /// Name of the person at the till.
    cashier_name: &'a str,
    /// Last lines of the receipt.
    footer: &'a str,
    /// The sale. Null for a return.
    transaction: Option<TransactionView<'a>>,
    /// The return. Null for a sale.
    #[serde(rename = "return")]
    back: Option<ReturnView<'a>>,
}

/// `GET /api/pos/receipts/:receipt_no`
pub async fn read(request: Request) -> Answered {
    let number = request.param("receipt_no");
    let query: Query = request.query()?;
    let (subject, cashier) = find_receipt(&request, number)?;
    let Some(form) = form(&request) else {
        let head = request.state.receipt_header();
        let role = request.caller()?.role;
        return Ok(Reply::ok(&data(number, &head, &subject, &cashier, role)));
    };
    let gift = query.gift && matches!(subject, Subject::Sale(_));
    let printed = || request.state.store.storage().sales().receipt_printed(number).map_err(stored);
    let copy = !gift && printed()?;
    Ok(paper(&request, number, &layout(&request, &subject, &cashier, Sort { copy, gift })?, &form))
}

/// `POST /api/pos/receipts/:receipt_no/prints`
pub async fn print(request: Request) -> Answered {
    let asked = request.json::<PrintReceipt>()?;
    let number = request.param("receipt_no");
    let (subject, cashier) = find_receipt(&request, number)?;
    if let Some(form) = form(&request) {
        let layout = counted(&request, number, &subject, &cashier, asked.gift).await?;
        return Ok(paper(&request, number, &layout, &form));
    }
    let till = till_with_printer(&request)?;
    let layout = counted(&request, number, &subject, &cashier, asked.gift).await?;
    Ok(Reply::ok(&request.state.printers.receipt(&till, &layout, number)))
}

/// The receipt in the form that the caller prefers.
fn paper(request: &Request, number: &str, layout: &Layout, form: &Form) -> Reply {
    match form {
        Form::Text => Reply::Text {
            content_type: "text/plain; charset=utf-8",
            body: text(layout, request.state.printers.columns()),
        },
        Form::Page => Reply::paper(html(number, layout)),
    }
}

/// Document of a receipt number, and the name of the person at the till.
fn find_receipt(request: &Request, number: &str) -> Result<(Subject, String), ApiError> {
    let storage = request.state.store.storage();
    let subject = match storage.sales().transaction_by_receipt(number).map_err(stored)? {
        Some(sale) => Subject::Sale(Box::new(sale)),
        None => {
            let back = storage.sales().return_by_receipt(number).map_err(stored)?;
            Subject::Return(Box::new(back.ok_or_else(|| ApiError::not_found("receipt"))?))
        }
    };
    let user = storage.users().user(cashier(&subject)).map_err(stored)?;
    Ok((subject, user.map(|user| user.name).unwrap_or_default()))
}

/// The receipt as it is printed now: counted, and a copy from the second time on. A gift receipt proves no payment and
/// is not counted.
async fn counted(
    request: &Request,
    number: &str,
    subject: &Subject,
    cashier: &str,
    gift: bool,
) -> Result<Layout, ApiError> {
    let gift = gift && matches!(subject, Subject::Sale(_));
    let copy = !gift && request.state.store.print_receipt(&ask(request)?, number).await.map_err(failed)?;
    layout(request, subject, cashier, Sort { copy, gift })
}

/// Whether a receipt is a copy, or one without prices.
#[derive(Clone, Copy)]
struct Sort {
    copy: bool,
    gift: bool,
}

fn layout(
    request: &Request,
    subject: &Subject,
    cashier: &str,
    Sort { copy, gift }: Sort,
) -> Result<Layout, ApiError> {
    let shop = &request.state;
    let (member, exchanged) = beside(shop.store.storage(), subject).map_err(stored)?;
    let rules = shop.store.rules();
    Ok(Layout::of(&Receipt {
        head: &shop.receipt_header(),
        timezone: &rules.timezone,
        subject,
        cashier,
        member: member.as_ref().filter(|_| !gift),
        exchanged: &exchanged,
        copy,
        gift,
    }))
}

/// The member of a document with the present points, and the returns that paid a part of it.
fn beside(storage: &Storage, subject: &Subject) -> Result<(Option<Whose>, Vec<Return>), StorageError> {
    let (member, exchanges) = match subject {
        Subject::Sale(sale) => (&sale.member_id, sale.payments.as_slice()),
        Subject::Return(back) => (&back.member_id, [].as_slice()),
    };
    let member = match member {
        Some(id) => storage.members().member(id)?,
        None => None,
    };
    let whose = member.map(|member| {
        let points = storage.members().points(&member.member_id)?;
        Ok::<_, StorageError>(Whose {
            name: member.name,
            points: points.map(|points| points.balance()).unwrap_or_default(),
        })
    });
    let mut returns = Vec::new();
    for payment in exchanges.iter().filter(|payment| payment.counts() && payment.method == EXCHANGE) {
        let Some(id) = &payment.reference else { continue };
        returns.extend(storage.sales().posted_return(&ReturnId::from(id.as_str()))?);
    }
    Ok((whose.transpose()?, returns))
}

fn cashier(subject: &Subject) -> &UserId {
    match subject {
        Subject::Sale(sale) => &sale.cashier_id,
        Subject::Return(back) => &back.cashier_id,
    }
}

enum Form {
    Text,
    Page,
}

/// The existing form that the caller prefers; otherwise data.
fn form(request: &Request) -> Option<Form> {
    let accept = request.headers.get("accept")?.to_str().ok()?;
    let kinds = accept.split(',').map(|kind| kind.split(';').next().unwrap_or_default().trim());
    kinds
        .filter_map(|kind| match kind {
            "text/plain" => Some(Some(Form::Text)),
            "text/html" => Some(Some(Form::Page)),
            "application/json" | "*/*" => Some(None),
            _ => None,
        })
        .next()?
}

fn data<'a>(
    number: &'a str,
    head: &'a ReceiptHeader,
    subject: &'a Subject,
    cashier_name: &'a str,
    role: Role,
) -> ReceiptData<'a> {
    let (kind, store_id, transaction, back) = match subject {
        Subject::Sale(sale) => {
            (Kind::Sale, sale.store_id.as_str(), Some(TransactionView::new(sale, role)), None)
        }
        Subject::Return(back) => {
            (Kind::Return, back.store_id.as_str(), None, Some(ReturnView::new(back, role)))
        }
    };
    let texts = &head.texts;
    let store = Issuer { store_id, name: &texts.name, address: &texts.address, tax_id: &texts.tax_id };
    let (currency, footer) = (head.currency.code(), texts.footer.as_str());
    ReceiptData { receipt_no: number, kind, store, currency, cashier_name, footer, transaction, back }
}
