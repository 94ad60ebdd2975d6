//! `GET /api/pos/transactions`: those of a shift, of a member or of business dates; the unfinished first,
//! then the finished, newest first. Or the one sale of a receipt number.

use crate::http::Answered;
use crate::http::Request;
use crate::http::documents::fits;
use crate::http::failure::{failed, stored};
use crate::http::selling::shifts::seen;
use actors::Failure;
use domain::model::base::ids::{MemberId, RegisterId, ShiftId, Sku, UserId};
use domain::model::base::settings::Rules;
use domain::model::people::user::Role;
use domain::model::selling::transaction::{Transaction, TransactionState};
use domain::rules::selling::transaction::TransactionView;
use edge::page::{Cursor, Limit, List, cursor};
use edge::{ApiError, Code, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

mod scan;

use scan::{DAYS_MAX, Scan, Scope};

pub const LIST: Doc = Doc::of(
    "Point of sale",
    "List transactions of a shift; managers can also list those of a member or of business dates (the default for a manager without an open shift). Unfinished transactions come first, then sales, then baskets that were voided before payment",
)
.query::<Query>()
.lists::<TransactionView>(include_str!("../examples/transaction.json"))
.refuses(&[Code::NotFound]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Only transactions of this shift. Defaults to the caller's open shift.
    shift_id: Option<ShiftId>,
    state: Option<TransactionState>,
    /// Only the sale with this receipt number.
    receipt_no: Option<String>,
    member_id: Option<MemberId>,
    /// First business date. For the whole store it defaults to 400 days before the last business date.
    from: Option<Date>,
    /// Last business date. Defaults to today.
    to: Option<Date>,
    /// Only documents of this register.
    register_id: Option<RegisterId>,
    /// Only documents of this cashier.
    cashier_id: Option<UserId>,
    /// Only documents with this product.
    sku: Option<Sku>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// Filter of the transactions of a scope.
#[derive(Debug, Clone)]
struct Wanted {
    shift_id: Option<ShiftId>,
    state: Option<TransactionState>,
    /// IDs of a member. Empty for all members.
    members: Vec<MemberId>,
    from: Option<Date>,
    to: Option<Date>,
    register_id: Option<RegisterId>,
    cashier_id: Option<UserId>,
    sku: Option<Sku>,
}

impl Wanted {
    fn fits(&self, item: &Transaction) -> bool {
        self.shift_id.as_ref().is_none_or(|shift| item.shift_id == *shift)
            && self.state.is_none_or(|state| item.state == state)
            && (self.members.is_empty()
                || item.member_id.as_ref().is_some_and(|id| self.members.contains(id)))
            && self.from.is_none_or(|from| item.business_date >= from)
            && self.to.is_none_or(|to| item.business_date <= to)
            && fits(self.register_id.as_ref(), &item.register_id)
            && fits(self.cashier_id.as_ref(), &item.cashier_id)
            && self.sku.as_ref().is_none_or(|sku| item.items.iter().any(|line| line.sku == *sku))
    }
}

/// `GET /api/pos/transactions`
pub async fn list(request: Request) -> Answered {
    let query: Query = request.query()?;
    let role = request.caller()?.role;
    let start = query.cursor.as_ref().map(Cursor::read).transpose()?;
    let members = query.member_id.as_ref().map_or(Ok(Vec::new()), |id| family(&request, id))?;
    let scope = scope(&request, &query, &members);
    let Query { shift_id, state, receipt_no, from, to, limit, register_id, cashier_id, sku, .. } = query;
    let wanted = Wanted { shift_id, state, members, from, to, register_id, cashier_id, sku };
    let state = request.state;
    if let Some(receipt_no) = &receipt_no {
        let found = state.store.storage().sales().transaction_by_receipt(receipt_no).map_err(stored)?;
        return Ok(reply(found.into_iter().filter(|sale| wanted.fits(sale)).collect(), None, role));
    }
    let scope = scope?;
    let scan = move || Scan::new(state.store.storage(), scope, wanted, limit.0).page(start);
    let (items, next) = tokio::task::spawn_blocking(scan).await.map_err(ApiError::internal)??;
    Ok(reply(items, next.as_ref().map(cursor), role))
}

/// Scope of the transactions to look through. Cashiers see shifts, their own; a named shift is the narrowest.
fn scope(request: &Request, query: &Query, members: &[MemberId]) -> Result<Scope, ApiError> {
    if let Some(id) = &query.shift_id {
        return Ok(Scope::Shift(seen(request, id)?.shift_id));
    }
    let (caller, store) = (request.caller()?, &request.state.store);
    let current = store.current_shift(&caller.user_id, request.register_id.as_ref());
    if caller.role.manages() {
        if !members.is_empty() {
            return Ok(Scope::Member(members.to_vec()));
        }
        let own = current.ok().map(|shift| shift.shift_id);
        return Ok(match own.filter(|_| query.from.is_none() && query.to.is_none()) {
            Some(shift) => Scope::Shift(shift),
            None => days(query, &store.rules()),
        });
    }
    Ok(Scope::Shift(current.map_err(failed)?.shift_id))
}

/// The IDs whose sales are a member's: its own, and those of members merged into it.
pub fn family(request: &Request, id: &MemberId) -> Result<Vec<MemberId>, ApiError> {
    match request.state.store.member(id) {
        Ok(member) => Ok(member.family().cloned().collect()),
        // The ID is unknown: nothing is found.
        Err(Failure::Refused(_)) => Ok(vec![id.clone()]),
        Err(failure) => Err(failed(failure)),
    }
}

/// The business dates of the whole store that are asked for.
fn days(query: &Query, rules: &Rules) -> Scope {
    let today = rules.business_date(clock::now());
    let to = query.to.unwrap_or(today);
    let from = query.from.unwrap_or_else(|| to.saturating_sub(jiff::Span::new().days(DAYS_MAX)));
    Scope::Days { from, to }
}

fn reply(items: Vec<Transaction>, next_cursor: Option<String>, role: Role) -> Reply {
    let items: Vec<TransactionView<'_>> = items.iter().map(|item| TransactionView::new(item, role)).collect();
    Reply::ok(&List { items, next_cursor })
}
