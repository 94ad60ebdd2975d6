//! Order suggestions, and draft orders made from them.

use crate::http::prelude::*;
use crate::office::orders::order;
use crate::office::orders::suggestion::{self, Suggestion, SuggestionsQuery};
use crate::office::reports::completeness::{self, Completeness};
use crate::table::store;
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::model::inventory::purchase::PurchaseOrder;
use std::collections::BTreeMap;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/purchase-orders/suggestions", PURCHASING, "Purchasing").summary("List suggested orders for a store, by supplier and product")
    .query::<SuggestionsQuery>()
    .refuses(&[Code::ValidationFailed])
    .answers::<Suggestions>(
        r#"{"as_of": "2026-11-20T02:06:34.739Z", "completeness": {"stores_expected": 1, "stores_complete": 1,
            "missing": [], "as_of": "2026-11-20T02:06:34.739Z"}, "items": []}"#,
        answers!(list),
    ),
    post("/api/purchase-orders/suggestions", PURCHASING, "Purchasing").summary("Create draft orders from suggestions, one for each supplier")
    .refuses(&[Code::UnknownSku])
    .command::<SuggestionsQuery>(r#"{"store_id": "S001"}"#, r#"{"items": []}"#),
];

/// Suggested orders of a store.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OrderSuggestions")]
pub struct Suggestions {
    /// When the suggestions were calculated.
    as_of: UtcMs,
    /// Completeness: whether the store has reported all records of the days from which the rate of sale is calculated.
    completeness: Completeness,
    /// Suggested products, by supplier.
    items: Vec<Suggestion>,
}

/// Created draft orders.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SuggestedPurchaseOrders")]
pub struct Drafts {
    /// Created draft orders, one for each supplier.
    items: Vec<PurchaseOrder>,
}

async fn list(request: Request) -> Answered {
    let ask: SuggestionsQuery = request.query()?;
    ask.checked()?;
    let now = clock::now();
    // Figures and completeness are read from one state.
    let mut read = request.state.db.read().await?;
    store::check_known(&mut read, "store_id", &ask.store_id).await?;
    let (set, today) = (request.state.settings(&mut read).await?.purchasing, request.state.today(now));
    let items = suggestion::suggestions(&mut read, &ask, &set, today).await?;
    let days = suggestion::rate_days(&set, today);
    let completeness = completeness::of(&mut *read, Some(&ask.store_id), days, now).await?;
    Ok(Reply::ok(&Suggestions { as_of: now, completeness, items }))
}

impl Command for SuggestionsQuery {
    const ACTION: &'static str = "purchasing.suggestions_ordered";
    type Answer = Drafts;
    fn check(&self) -> Result<(), ApiError> {
        self.checked()
    }
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Drafts>, Failure> {
        let buyer = tx.buyer().await?;
        // Of two requests at once the second sees the drafts of the first.
        if !store::lock(tx.connection, &self.store_id).await? {
            return Err(ApiError::field("store_id", "is not a store").into());
        }
        let set = tx.settings().await?.purchasing;
        let found = suggestion::suggestions(tx.connection, &self, &set, tx.today).await?;
        let mut by_supplier: BTreeMap<String, Vec<order::NewLine>> = BTreeMap::new();
        for one in found {
            let Some(supplier_id) = one.supplier_id else { continue };
            let line = order::NewLine {
                sku: one.sku,
                qty: one.qty,
                unit_cost: one.unit_cost,
                line_total: None,
                expected_at: None,
            };
            by_supplier.entry(supplier_id).or_default().push(line);
        }
        let mut items = Vec::new();
        for (supplier_id, mut lines) in by_supplier {
            // Lines that do not fit into one order are suggested again.
            lines.truncate(domain::model::base::limits::ITEMS_MAX);
            let store_id = self.store_id.clone();
            let new = order::New { supplier_id, store_id, expected_at: None, lines, note: None };
            items.push(order::create(tx.connection, new, &buyer).await?);
        }
        let total: Money = items.iter().map(|order| order.total).sum();
        let details = json!({"store_id": self.store_id, "orders": items.len(), "total": total});
        Ok(Changed::answer(&Drafts { items }, details))
    }
}
