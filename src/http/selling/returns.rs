//! Returns.

use crate::http::Answered;
use crate::http::Request;
use crate::http::access::approval::{Approved, approved};
use crate::http::ask::{answered, ask};
use crate::http::documents::{Dates, fits};
use crate::http::failure::{failed, stored};
use crate::http::selling::shifts::seen;
use crate::http::selling::transactions::family;
use ::actors::commands;
use actors::RequestContext;
use domain::model::base::ids::{MemberId, RegisterId, ReturnId, ShiftId, Sku, TransactionId, UserId};
use domain::model::base::refusal::Refusal;
use domain::model::selling::returns::{Return, ReturnState};
use domain::rules::selling::returns::{NewReturn, ReturnQuote, ReturnView};
use domain::rules::selling::sale::VoidSale;
use edge::page::{Cursor, Limit, List, cursor};
use edge::{ApiError, Code, Doc, Reply};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use storage::Storage;

/// Returns read from the journal at once.
const CHUNK: usize = 200;
/// Returns looked at for one page: a filter that few pass gives a short page and a cursor.
const SCANNED_MAX: usize = 2_000;

const RETURN: &str = include_str!("examples/return.json");

pub const CREATE: Doc = Doc::of("Returns", "Create a return: against a sale, against another store's receipt, or without a receipt")
    .body::<Approved<NewReturn>>(
        r#"{"transaction_id": "trx_019aa0c2d0f37c0f8a8a5d3c54a1b2c3", "items": [{"sku": "8991234567890", "qty": 1, "reason": "torn", "disposition": "damaged"}]}"#,
    )
    .creates::<ReturnView>(RETURN)
    .refuses(&[Code::NotFound, Code::InvalidState, Code::NoOpenShift, Code::UnknownSku, Code::ReturnExceedsSold, Code::PaymentMismatch, Code::InsufficientStock, Code::InsufficientPoints]);
pub const QUOTE: Doc =
    Doc::of("Returns", "Preview a return: its refund, the refund methods, and whether it needs an approval")
        .body::<NewReturn>(
            r#"{"transaction_id": "trx_019aa0c2d0f37c0f8a8a5d3c54a1b2c3", "items": [{"sku": "8991234567890", "qty": 1}]}"#,
        )
        .answers::<ReturnQuote>(include_str!("examples/return_quote.json"))
        .unkeyed("nothing changes: a repeated request is answered again")
        .refuses(&[Code::NotFound, Code::InvalidState, Code::NoOpenShift, Code::UnknownSku, Code::ReturnExceedsSold, Code::PaymentMismatch, Code::InsufficientStock, Code::InsufficientPoints]);
pub const LIST: Doc =
    Doc::of("Returns", "List returns, last changed first; cashiers see those of their own shift")
        .query::<Query>()
        .lists::<ReturnView>(RETURN)
        .refuses(&[Code::NotFound]);
pub const READ: Doc = Doc::of("Returns", "Retrieve a return").answers::<ReturnView>(RETURN);
pub const VOID: Doc = Doc::of("Returns", "Void a return in its own open shift")
    .body::<Approved<VoidSale>>(r#"{"reason": "wrong receipt"}"#)
    .answers::<ReturnView>(RETURN)
    .refuses(&[Code::InvalidState, Code::InsufficientPoints, Code::InsufficientStock]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Only returns of this shift. For a cashier it defaults to the cashier's own open shift and must be one of the
    /// cashier's own shifts.
    shift_id: Option<ShiftId>,
    /// Only returns of this sale.
    transaction_id: Option<TransactionId>,
    /// Only the return with this receipt number, or the returns of the sale with this receipt number.
    receipt_no: Option<String>,
    /// Only returns of this member.
    member_id: Option<MemberId>,
    /// Only those in this state.
    state: Option<ReturnState>,
    /// Only documents of this register.
    register_id: Option<RegisterId>,
    /// Only documents of this cashier.
    cashier_id: Option<UserId>,
    /// Only documents with this product.
    sku: Option<Sku>,
    /// First business date.
    from: Option<Date>,
    /// Last business date.
    to: Option<Date>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `POST /api/pos/returns`
pub async fn create(request: Request) -> Answered {
    let (command, ask) = approved::<NewReturn>(&request).await?;
    let done = answered(request.state.store.post_return(ask, command).await);
    request.state.printers.after(done)
}

/// `POST /api/pos/returns/quote`
pub async fn quote(request: Request) -> Answered {
    let command: NewReturn = request.json()?;
    // Whatever key came along: nothing is done, so nothing is remembered.
    let ask = RequestContext { key: None, ..ask(&request)? };
    answered(request.state.store.quote_return(ask, command).await)
}

/// `GET /api/pos/returns/:id`
pub async fn read(request: Request) -> Answered {
    let id = ReturnId::from(request.param("id"));
    let found = request.state.store.storage().sales().posted_return(&id).map_err(stored)?;
    let found = found.ok_or(Refusal::NotFound("return"))?;
    Ok(Reply::ok(&ReturnView::new(&found, request.caller()?.role)))
}

/// `POST /api/pos/returns/:id/void`
pub async fn void(request: Request) -> Answered {
    let (command, ask) = approved::<VoidSale>(&request).await?;
    let id = ReturnId::from(request.param("id"));
    let done = answered(request.state.store.run(ask, commands::VoidReturn(id, command)).await);
    request.state.printers.after(done)
}

/// `GET /api/pos/returns`
pub async fn list(request: Request) -> Answered {
    let query: Query = request.query()?;
    let before = query.cursor.as_ref().map(Cursor::read::<u64>).transpose()?;
    let (caller, store) = (request.caller()?, &request.state.store);
    let shift = match &query.shift_id {
        Some(id) => Some(seen(&request, id)?),
        None if caller.role.manages() => None,
        None => Some(store.current_shift(&caller.user_id, request.register_id.as_ref()).map_err(failed)?),
    };
    let sale = query.receipt_no.as_ref().map(|no| store.storage().sales().transaction_by_receipt(no));
    let sale = sale.transpose().map_err(stored)?.flatten();
    let wanted = Wanted {
        shift_id: shift.map(|shift| shift.shift_id),
        receipt: query.receipt_no.map(|no| (no, sale.map(|sale| sale.transaction_id))),
        members: query.member_id.map_or(Ok(Vec::new()), |id| family(&request, &id))?,
        sale: query.transaction_id,
        state: query.state,
        register_id: query.register_id,
        cashier_id: query.cashier_id,
        sku: query.sku,
        dates: Dates { from: query.from, to: query.to },
    };
    let (found, next) = page(store.storage(), &wanted, before, query.limit.0)?;
    let items: Vec<ReturnView<'_>> = found.iter().map(|back| ReturnView::new(back, caller.role)).collect();
    Ok(Reply::ok(&List { items, next_cursor: next.as_ref().map(cursor) }))
}

/// Filter of a list of returns.
struct Wanted {
    shift_id: Option<ShiftId>,
    /// A number, and the sale that has it.
    receipt: Option<(String, Option<TransactionId>)>,
    /// IDs of a member. Empty for all members.
    members: Vec<MemberId>,
    sale: Option<TransactionId>,
    state: Option<ReturnState>,
    register_id: Option<RegisterId>,
    cashier_id: Option<UserId>,
    sku: Option<Sku>,
    dates: Dates,
}

impl Wanted {
    fn fits(&self, back: &Return) -> bool {
        self.shift_id.as_ref().is_none_or(|shift| back.shift_id == *shift)
            && self.sale.as_ref().is_none_or(|sale| back.transaction_id.as_ref() == Some(sale))
            && self.receipt.as_ref().is_none_or(|(no, sale)| {
                back.receipt_no == *no
                    || back.origin_receipt_no.as_ref() == Some(no)
                    || (sale.is_some() && back.transaction_id == *sale)
            })
            && (self.members.is_empty()
                || back.member_id.as_ref().is_some_and(|id| self.members.contains(id)))
            && fits(self.state.as_ref(), &back.state)
            && fits(self.register_id.as_ref(), &back.register_id)
            && fits(self.cashier_id.as_ref(), &back.cashier_id)
            && self.dates.hold(back.business_date)
            && self.sku.as_ref().is_none_or(|sku| back.items.iter().any(|line| line.sku == *sku))
    }
}

/// A page and the place of the next one.
fn page(
    storage: &Storage,
    wanted: &Wanted,
    mut before: Option<u64>,
    limit: usize,
) -> Result<(Vec<Return>, Option<u64>), ApiError> {
    let (mut found, mut scanned) = (Vec::new(), 0_usize);
    while scanned < SCANNED_MAX {
        let chunk = storage.sales().returns(before, CHUNK).map_err(stored)?;
        let complete = chunk.len() < CHUNK;
        for (lsn, back) in chunk {
            // An extra item shows that there are more; the next page begins after the last shown one.
            if found.len() == limit {
                return Ok((found, before));
            }
            before = Some(lsn);
            scanned = scanned.saturating_add(1);
            if wanted.fits(&back) {
                found.push(back);
            }
        }
        if complete {
            return Ok((found, None));
        }
    }
    Ok((found, before))
}
