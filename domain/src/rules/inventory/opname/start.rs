//! Starts a count: each product is in one open count at most.

use crate::model::base::event::{Event, fact};
use crate::model::base::ids::{OpnameId, Sku};
use crate::model::base::refusal::Refusal;
use crate::model::inventory::opname::{Opname, OpnameState, Scope};
use crate::model::inventory::product::Product;
use crate::rules::inventory::opname::NewOpname;
use crate::rules::inventory::product::tracked;
use crate::rules::inventory::stock::StockContext;
use std::collections::BTreeMap;

/// Most counts at once: they live in the ledger's memory.
pub const OPNAMES_MAX: usize = 100;

/// Starts a count. `products` holds the catalogue's rows of the named skus; `lines_total` is how
/// many products are in scope.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `unknown_sku`, `duplicate` (in another open count).
pub fn start(
    cmd: &NewOpname,
    id: OpnameId,
    lines_total: u64,
    products: &BTreeMap<Sku, Product>,
    context: &StockContext<'_>,
) -> Result<Event<fact::OpnameChanged>, Refusal> {
    cmd.check()?;
    context.authorization.in_stock_room()?;
    let skus = cmd.skus.as_deref().unwrap_or_default();
    let found = tracked(skus.iter(), products)?;
    let opname = Opname {
        opname_id: id,
        state: OpnameState::Counting,
        store_id: context.rules.store_id.clone(),
        scope: cmd.scope,
        category: cmd.category.clone(),
        categories: found.iter().filter_map(|product| product.category.clone()).collect(),
        skus: skus.iter().cloned().collect(),
        reopened: None,
        blind: cmd.blind.unwrap_or(false),
        lines_total: match cmd.scope {
            Scope::Skus => u64::try_from(found.len()).unwrap_or(lines_total),
            _ => lines_total,
        },
        lines_counted: 0,
        variance_value: None,
        note: cmd.note.clone(),
        business_date: context.today(),
        created_by: context.authorization.caller.user_id.clone(),
        created_at: context.now,
        ended_by: None,
        ended_at: None,
    };
    let mut open = context.book.opnames.values().filter(|other| !other.state.is_over());
    if let Some(other) = open.clone().find(|other| other.overlaps(&opname)) {
        let id = other.opname_id.0.clone();
        return Err(Refusal::Duplicate { what: "an open count of these products", id });
    }
    if open.nth(OPNAMES_MAX.saturating_sub(1)).is_some() {
        return Err(Refusal::field(
            "scope",
            format!(
                "can't be counted now: at most {OPNAMES_MAX} counts can be open at the same time. Post or cancel one of them first"
            ),
        ));
    }
    Ok(changed(opname))
}

/// The count changed, its lines did not.
pub(super) fn changed(opname: Opname) -> Event<fact::OpnameChanged> {
    Event::of(fact::OpnameChanged { opname, lines: Vec::new() })
}
