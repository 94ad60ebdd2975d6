//! Contradictions between the reports of stores: read, and settled by a person.

use crate::http::prelude::*;
use crate::office::exceptions::exception::{self, Filter, Settle, State, View};
use crate::office::exceptions::explanation::{CODES, OF_GOODS, OF_MONEY};
use domain::model::people::user::Role;
use jiff::civil::Date;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/exceptions", GOODS, "Synchronisation")
        .summary("List exceptions: records that contradict other records and need a decision")
        .lists::<Ask>(
            r#"{"exception_id": "exc_00a1b2c3d4e5f607", "store_id": "S001", "code": "return_exceeds_sold",
            "message": "more came back of receipt S001-till-1-00000042 than it had",
            "action": "look at the documents of all stores, and settle it with the customer",
            "amount": 15500, "event_id": "evt_019ab2c4d5e6", "event_type": "return.posted",
            "business_date": "2026-11-20",
            "details": {"transaction_id": "trx_019ab2c4d5e6", "receipt_no": "S001-till-1-00000042",
                "items": [{"sku": "8991234567890", "sold": 1, "returned": 2}]},
            "found_at": "2026-11-20T02:06:34.739Z", "settled_at": null, "settled_by": null, "note": null}"#,
        ),
    post("/api/exceptions/:id/settle", GOODS, "Synchronisation")
        .summary("Settle an exception with a note; it is no longer counted as open")
        .refuses(&[Code::InvalidState])
        .command::<Settle>(
            r#"{"note": "both sales were real, the number is the till's own", "counted_cash": null}"#,
            r#"{"exception_id": "exc_00a1b2c3d4e5f607", "store_id": "S001", "code": "receipt_number_twice",
            "message": "receipt number S001-main-00000001 was given twice; both documents count",
            "action": "look at both documents, and at whether two copies of the store sold at once",
            "amount": 32190, "event_id": "evt_2", "event_type": "transaction.paid",
            "business_date": "2026-11-20",
            "details": {"receipt_no": "S001-main-00000001", "first_event_id": "evt_1"},
            "found_at": "2026-11-20T02:06:34.739Z", "settled_at": "2026-11-20T03:06:34.739Z",
            "settled_by": "usr_1", "note": "both sales were real, the number is the till's own"}"#,
        ),
];

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ExceptionsQuery")]
pub struct Ask {
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

page_query!(Ask);

/// Codes that the user sees and settles. `None` for all.
fn own_codes(role: Role) -> Option<&'static [&'static str]> {
    match role {
        Role::HoFinance => Some(OF_MONEY),
        Role::HoPurchasing => Some(OF_GOODS),
        _ => None,
    }
}

impl PagedList for Ask {
    type Query = Self;
    type Item = View;
    type Position = (i64, String);
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<View>, Failure> {
        let Ask { store_id, code, state, from, to, .. } = page.query.clone();
        if code.as_deref().is_some_and(|code| !CODES.contains(&code)) {
            return Err(
                ApiError::invalid_query("code", format!("must be one of {}", CODES.join(", "))).into()
            );
        }
        let (store_id, code) = (store_id.unwrap_or_default(), code.unwrap_or_default());
        let codes = own_codes(page.request.caller()?.role);
        let filter = Filter { store_id, code, codes, state, from, to };
        let before = page.after.unwrap_or((i64::MAX, String::new()));
        Ok(exception::list(page.pool, &filter, &before, page.limit).await?)
    }
    fn position(exception: &View) -> (i64, String) {
        (exception.found_at.0, exception.exception_id.clone())
    }
}

impl Command for Settle {
    /// [`exception::settle`] appends the entry.
    const ACTION: &'static str = "";
    type Answer = View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        let (id, by) = (tx.path.get("id"), (&tx.caller.user_id, own_codes(tx.caller.role)));
        if let Some(counted) = self.counted_cash {
            let writer = tx.writer().await?;
            writer.count_interrupted(tx.connection, (id, by.1), counted).await?;
        }
        let settled = exception::settle(tx.connection, by, id, &self, tx.now).await?;
        Ok(Changed::without_entry(&settled))
    }
}
