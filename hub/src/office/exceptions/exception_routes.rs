//! Contradictions among what stores did: read, and settled by a person.

use crate::http::change::{self, begun};
use crate::http::{Answered, Request, bound_page};
use crate::office::exceptions::exception::{self, Filter, Settle, State, View};
use crate::office::exceptions::explanation::{CODES, OF_GOODS, OF_MONEY};
use crate::office::finance::writer::Writer;
use domain::model::base::answer::Answer;
use domain::model::people::user::Role;
use edge::page::{Cursor, Limit};
use edge::{ApiError, Code, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

pub const LIST: Doc =
    Doc::of("Synchronisation", "List exceptions: records that contradict other records and need a decision")
        .query::<Ask>()
        .lists::<View>(
            r#"{"exception_id": "exc_00a1b2c3d4e5f607", "store_id": "S001", "code": "return_exceeds_sold",
            "message": "more came back of receipt S001-till-1-00000042 than it had",
            "action": "look at the documents of all stores, and settle it with the customer",
            "amount": 15500, "event_id": "evt_019ab2c4d5e6", "event_type": "return.posted",
            "business_date": "2026-11-20",
            "details": {"transaction_id": "trx_019ab2c4d5e6", "receipt_no": "S001-till-1-00000042",
                "items": [{"sku": "8991234567890", "sold": 1, "returned": 2}]},
            "found_at": "2026-11-20T02:06:34.739Z", "settled_at": null, "settled_by": null, "note": null}"#,
        );
pub const SETTLE: Doc =
    Doc::of("Synchronisation", "Settle an exception with a note; it is no longer counted as open")
        .body::<Settle>(
            r#"{"note": "both sales were real, the number is the till's own", "counted_cash": null}"#,
        )
        .answers::<View>(
            r#"{"exception_id": "exc_00a1b2c3d4e5f607", "store_id": "S001", "code": "receipt_number_twice",
            "message": "receipt number S001-main-00000001 was given twice; both documents count",
            "action": "look at both documents, and at whether two copies of the store sold at once",
            "amount": 32190, "event_id": "evt_2", "event_type": "transaction.paid",
            "business_date": "2026-11-20",
            "details": {"receipt_no": "S001-main-00000001", "first_event_id": "evt_1"},
            "found_at": "2026-11-20T02:06:34.739Z", "settled_at": "2026-11-20T03:06:34.739Z",
            "settled_by": "usr_1", "note": "both sales were real, the number is the till's own"}"#,
        )
        .refuses(&[Code::InvalidState]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ExceptionsQuery")]
struct Ask {
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
    /// Only exceptions of this store.
    store_id: Option<String>,
    /// Only those with this code.
    code: Option<String>,
    /// Only open or only settled exceptions.
    state: Option<State>,
    /// Only exceptions found on this day (UTC) or later.
    from: Option<Date>,
    /// Only those of this day or earlier.
    to: Option<Date>,
}

/// Codes that the user sees and settles. `None` for all.
fn own_codes(request: &Request) -> Result<Option<&'static [&'static str]>, ApiError> {
    Ok(match request.caller()?.role {
        Role::HoFinance => Some(OF_MONEY),
        Role::HoPurchasing => Some(OF_GOODS),
        _ => None,
    })
}

/// `GET /api/exceptions`
pub async fn list(request: Request) -> Answered {
    let ask: Ask = request.query()?;
    let before: (i64, String) =
        bound_page::after_in(&request, ask.cursor.as_ref())?.unwrap_or((i64::MAX, String::new()));
    if ask.code.as_deref().is_some_and(|code| !CODES.contains(&code)) {
        return Err(ApiError::invalid_query(format!("code must be one of {}", CODES.join(", "))).into());
    }
    let (store_id, code) = (ask.store_id.unwrap_or_default(), ask.code.unwrap_or_default());
    let codes = own_codes(&request)?;
    let filter = Filter { store_id, code, codes, state: ask.state, from: ask.from, to: ask.to };
    let limit = change::one_more(ask.limit);
    let items = exception::list(request.state.db.pool(), &filter, &before, limit).await?;
    Ok(Reply::ok(&bound_page::cut_in(&request, items, ask.limit, |item| {
        (item.found_at.0, item.exception_id.clone())
    })?))
}

/// `POST /api/exceptions/:id/settle`
pub async fn settle(request: Request) -> Answered {
    let ask: Settle = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let by = (&request.caller()?.user_id, own_codes(&request)?);
    if let Some(counted) = ask.counted_cash {
        let writer = Writer::alone(&mut keyed.write, &request, now).await?;
        writer.count_interrupted(&mut keyed.write, (request.param("id"), by.1), counted).await?;
    }
    let settled = exception::settle(&mut keyed.write, by, request.param("id"), &ask, now).await?;
    change::finish(&request, keyed, Answer::ok(&settled)).await
}
