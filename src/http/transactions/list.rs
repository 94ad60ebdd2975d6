//! `GET /api/pos/transactions`: one shift's transactions, the unfinished first, then the paid ones,
//! newest first; or the one sale of a receipt number.

use crate::http::failure::{failed, stored};
use crate::http::shifts::readable;
use crate::http::{Answered, Request};
use domain::ids::ShiftId;
use domain::transaction::{Transaction, TransactionState, TransactionView, view};
use domain::user::Role;
use edge::page::{Cursor, Limit, List, cursor};
use edge::{ApiError, Code, Doc, Reply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `GET /api/pos/transactions`
pub const LIST: Doc = Doc::of("Point of sale", "List transactions of a shift")
    .query::<Query>()
    .answers::<List<TransactionView>>(concat!(
        r#"{"items": ["#,
        include_str!("../examples/transaction.json"),
        r#"], "next_cursor": null}"#
    ))
    .refuses(&[Code::NotFound]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Another shift than the caller's open one.
    shift_id: Option<ShiftId>,
    state: Option<TransactionState>,
    receipt_no: Option<String>,
    member_id: Option<String>,
    from: Option<String>,
    to: Option<String>,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// Where a page stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
enum Position {
    /// After so many unfinished ones.
    Unfinished(usize),
    /// Before this place of the journal.
    Before(Option<u64>),
}

/// `GET /api/pos/transactions`
pub async fn list(request: Request) -> Answered {
    let query: Query = request.query()?;
    query.supported()?;
    let role = request.caller()?.role;
    if let Some(receipt_no) = &query.receipt_no {
        let found = request.state.store.storage().transaction_by_receipt(receipt_no).map_err(stored)?;
        let found = found.filter(|found| query.state.is_none_or(|state| found.state == state));
        return Ok(reply(found.into_iter().collect(), None, role));
    }
    let shift_id = shift(&request, &query)?;
    let start = query.cursor.as_ref().map(Cursor::read::<Position>).transpose()?;
    let page = Page { request: &request, shift_id: &shift_id, state: query.state, limit: query.limit.0 };
    let (items, next) = page.from(start.unwrap_or(Position::Unfinished(0)))?;
    Ok(reply(items, next, role))
}

impl Query {
    /// A filter that can't be honoured is refused: ignoring it would answer another question.
    fn supported(&self) -> Result<(), ApiError> {
        for (given, name) in [
            (self.member_id.is_some(), "member_id"),
            (self.from.is_some(), "from"),
            (self.to.is_some(), "to"),
            (self.state == Some(TransactionState::Voided), "state=voided"),
            (self.receipt_no.is_some() && self.shift_id.is_some(), "receipt_no together with shift_id"),
        ] {
            if given {
                return Err(ApiError::invalid_query(format!("filtering by {name} is not offered")));
            }
        }
        Ok(())
    }
}

/// The shift that is asked about, which the caller may read; by default the own open one.
fn shift(request: &Request, query: &Query) -> Result<ShiftId, ApiError> {
    match &query.shift_id {
        Some(id) => Ok(readable(request, id)?.shift_id),
        None => {
            let user = &request.caller()?.user_id;
            Ok(request.state.store.current_shift(user, None).map_err(failed)?.shift_id)
        }
    }
}

fn reply(items: Vec<Transaction>, next: Option<Position>, role: Role) -> Reply {
    let items = items.iter().map(|item| view(item, role)).collect::<Vec<_>>();
    Reply::ok(&List { items, next_cursor: next.as_ref().map(cursor) })
}

/// One page in the making.
struct Page<'a> {
    request: &'a Request,
    shift_id: &'a ShiftId,
    state: Option<TransactionState>,
    limit: usize,
}

impl Page<'_> {
    fn from(&self, start: Position) -> Result<(Vec<Transaction>, Option<Position>), ApiError> {
        match start {
            Position::Before(lsn) => {
                let mut items = Vec::new();
                let next = self.paid(lsn, &mut items)?;
                Ok((items, next))
            }
            Position::Unfinished(skip) => {
                let mut items = self.unfinished()?;
                items.drain(..skip.min(items.len()));
                let more = items.len() > self.limit;
                items.truncate(self.limit);
                if more {
                    return Ok((items, Some(Position::Unfinished(skip.saturating_add(self.limit)))));
                }
                let next = self.paid(None, &mut items)?;
                Ok((items, next))
            }
        }
    }

    /// Open, held and partially paid ones, newest first; as few as a till has baskets.
    fn unfinished(&self) -> Result<Vec<Transaction>, ApiError> {
        let storage = self.request.state.store.storage();
        let mut items = storage.open_transactions(self.shift_id).map_err(stored)?;
        items.retain(|item| self.state.is_none_or(|state| item.state == state));
        items.sort_by(|a, b| (b.created_at, &b.transaction_id).cmp(&(a.created_at, &a.transaction_id)));
        Ok(items)
    }

    /// Fills the page up with paid ones; gives the place of the next page.
    fn paid(&self, before: Option<u64>, items: &mut Vec<Transaction>) -> Result<Option<Position>, ApiError> {
        if self.state.is_some_and(|state| state != TransactionState::Paid) {
            return Ok(None);
        }
        let room = self.limit.saturating_sub(items.len());
        if room == 0 {
            return Ok(Some(Position::Before(before)));
        }
        let storage = self.request.state.store.storage();
        let asked = room.saturating_add(1);
        let mut found = storage.transactions_of_shift(self.shift_id, before, asked).map_err(stored)?;
        let more = found.len() > room;
        found.truncate(room);
        let last = found.last().map(|(lsn, _)| *lsn);
        items.extend(found.into_iter().map(|(_, item)| item));
        Ok(last.filter(|_| more).map(|lsn| Position::Before(Some(lsn))))
    }
}
