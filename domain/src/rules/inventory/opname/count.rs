//! Counts, closes the counting, opens it again for some products, or gives up.

use crate::model::base::event::{Event, fact};
use crate::model::base::figures::Quantity;
use crate::model::base::ids::{OpnameId, Sku};
use crate::model::base::money::sum;
use crate::model::base::refusal::{CountConflict, CountedBy, Refusal};
use crate::model::books::ledger::LedgerBook;
use crate::model::inventory::opname::{Opname, OpnameLine, OpnameState, ZoneCount};
use crate::model::inventory::product::Product;
use crate::rules::inventory::opname::start::changed;
use crate::rules::inventory::opname::{Count, CountMode, CountOpname, RecountOpname, ZONES_MAX};
use crate::rules::inventory::product::tracked;
use crate::rules::inventory::stock::StockContext;
use std::collections::{BTreeMap, BTreeSet};

/// Records counts, and for each the stock on hand at this moment, with which it is compared. A withdrawn count leaves
/// its zone uncounted.
///
/// `products` holds the catalogue's rows of the counted SKUs.
///
/// # Errors
/// `validation_failed` (also a product out of scope), `insufficient_role`, `not_found`, `invalid_state`, `unknown_sku`,
/// `already_counted` (by another user, at the same place).
pub fn count(
    cmd: &CountOpname,
    id: &OpnameId,
    products: &BTreeMap<Sku, Product>,
    context: &StockContext<'_>,
) -> Result<Event<fact::OpnameChanged>, Refusal> {
    cmd.check()?;
    context.authorization.in_stock_room()?;
    let opname = open(id, OpnameState::Counting, context.book)?;
    let found = tracked(cmd.counts.iter().map(|count| &count.sku), products)?;
    not_anothers(cmd, id, context)?;
    let mut lines: BTreeMap<Sku, OpnameLine> = BTreeMap::new();
    // Cartons and pieces of one place are counted together.
    let mut counts_by_zone: BTreeMap<(&Sku, String), Quantity> = BTreeMap::new();
    for (place, (count, product)) in cmd.counts.iter().zip(found).enumerate() {
        let reopened = opname.reopened.as_ref().is_none_or(|skus| skus.contains(&count.sku));
        if !reopened || !opname.covers(&product.sku, product.category.as_deref()) {
            return Err(Refusal::field(format!("counts[{place}].sku"), "is not part of this count"));
        }
        let known = || context.book.counted.get(&(id.clone(), count.sku.clone())).cloned();
        let fresh = || OpnameLine {
            opname_id: id.clone(),
            sku: product.sku.clone(),
            name: product.name.clone(),
            ..OpnameLine::default()
        };
        let line = lines.entry(count.sku.clone()).or_insert_with(|| known().unwrap_or_else(fresh));
        let zone = line.zone_name(count.zone.as_deref().unwrap_or_default());
        if count.withdrawn() {
            counts_by_zone.remove(&(&count.sku, zone.clone()));
            if !line.withdraw(&zone) {
                return Err(Refusal::field(format!("counts[{place}].zone"), "was not counted"));
            }
            continue;
        }
        if !line.zones.contains_key(&zone) && line.zones.len() >= ZONES_MAX {
            let path = format!("counts[{place}].zone");
            return Err(Refusal::field(
                path,
                format!("can't be added: a product can have at most {ZONES_MAX} zones. Count in one of them"),
            ));
        }
        let adds = cmd.mode == Some(CountMode::Add) && line.zones.contains_key(&zone);
        let before = adds.then(|| there(id, count, context.book)).flatten().map(|(_, before)| before);
        let here = counts_by_zone
            .entry((&count.sku, zone.clone()))
            .or_insert(before.map_or(Quantity::ZERO, |before| before.qty));
        *here = sum("counts", [*here, count.qty])?;
        let (row, by) = (context.book.row(&count.sku), &context.authorization.caller.user_id);
        line.count(&zone, (*here, before), &row, by, context.now)?;
    }
    let fresh =
        lines.values().filter(|line| !line.zones.is_empty() && !is_counted(id, &line.sku, context.book));
    let gone = lines.values().filter(|line| line.zones.is_empty() && is_counted(id, &line.sku, context.book));
    let lines_counted = opname.lines_counted.saturating_add(fresh.count() as u64);
    let lines_counted = lines_counted.saturating_sub(gone.count() as u64);
    let opname = Opname { lines_counted, ..opname.clone() };
    Ok(Event::of(fact::OpnameChanged { opname, lines: lines.into_values().collect() }))
}

/// Earlier count of the place of a count, with the zone's name.
fn there<'a>(id: &OpnameId, count: &Count, book: &'a LedgerBook) -> Option<(&'a String, &'a ZoneCount)> {
    let line = book.counted.get(&(id.clone(), count.sku.clone()))?;
    line.zones.get_key_value(&line.zone_name(count.zone.as_deref().unwrap_or_default()))
}

/// Passes counts that overwrite no count of another user, or that state how to combine the two.
fn not_anothers(cmd: &CountOpname, id: &OpnameId, context: &StockContext<'_>) -> Result<(), Refusal> {
    if cmd.mode.is_some() {
        return Ok(());
    }
    let me = &context.authorization.caller.user_id;
    let conflict = |(place, count): (usize, &Count)| {
        let (zone, there) = there(id, count, context.book)?;
        let counted_by = there.counters().into_iter().filter(|by| by != me).map(CountedBy::new).collect();
        let (path, zone) = (format!("counts[{place}]"), zone.clone());
        let conflict = CountConflict { path, sku: count.sku.clone(), zone, qty: there.qty, counted_by };
        (!conflict.counted_by.is_empty()).then_some(conflict)
    };
    let conflicts: Vec<CountConflict> = cmd.counts.iter().enumerate().filter_map(conflict).collect();
    if conflicts.is_empty() { Ok(()) } else { Err(Refusal::AlreadyCounted(conflicts)) }
}

/// Closes the counting: the differences are looked at.
///
/// # Errors
/// `insufficient_role`, `not_found`, `invalid_state`.
pub fn submit(id: &OpnameId, context: &StockContext<'_>) -> Result<Event<fact::OpnameChanged>, Refusal> {
    context.authorization.in_stock_room()?;
    let opname = open(id, OpnameState::Counting, context.book)?;
    Ok(changed(Opname { state: OpnameState::Review, reopened: None, ..opname.clone() }))
}

/// Opens some products again; their counts so far are dropped.
///
/// # Errors
/// `validation_failed` (also a product that was not counted), `insufficient_role`, `not_found`,
/// `invalid_state`.
pub fn recount(
    cmd: &RecountOpname,
    id: &OpnameId,
    context: &StockContext<'_>,
) -> Result<Event<fact::OpnameChanged>, Refusal> {
    cmd.check()?;
    context.authorization.in_stock_room()?;
    let opname = open(id, OpnameState::Review, context.book)?;
    let skus: BTreeSet<Sku> = cmd.skus.iter().cloned().collect();
    let mut lines = Vec::new();
    for sku in &skus {
        let Some(line) = context.book.counted.get(&(id.clone(), sku.clone())) else {
            return Err(Refusal::field("skus", format!("{sku} was not counted")));
        };
        lines.push(OpnameLine { zones: BTreeMap::new(), ..line.clone() });
    }
    let dropped = skus.iter().filter(|sku| is_counted(id, sku, context.book)).count() as u64;
    let opname = Opname {
        state: OpnameState::Counting,
        lines_counted: opname.lines_counted.saturating_sub(dropped),
        reopened: Some(skus),
        ..opname.clone()
    };
    Ok(Event::of(fact::OpnameChanged { opname, lines }))
}

/// Gives up: nothing moves.
///
/// # Errors
/// `insufficient_role`, `not_found`, `invalid_state`.
pub fn cancel(id: &OpnameId, context: &StockContext<'_>) -> Result<Event<fact::OpnameChanged>, Refusal> {
    context.managers_only()?;
    let opname = context.book.opnames.get(id).ok_or(Refusal::NotFound("opname"))?;
    if opname.state.is_over() {
        return Err(opname.state.refusal());
    }
    Ok(changed(Opname {
        state: OpnameState::Cancelled,
        business_date: context.today(),
        ended_by: Some(context.authorization.caller.user_id.clone()),
        ended_at: Some(context.now),
        ..opname.clone()
    }))
}

/// Whether a product has a valid count.
fn is_counted(id: &OpnameId, sku: &Sku, book: &LedgerBook) -> bool {
    book.counted.get(&(id.clone(), sku.clone())).is_some_and(|line| !line.zones.is_empty())
}

fn open<'a>(id: &OpnameId, state: OpnameState, book: &'a LedgerBook) -> Result<&'a Opname, Refusal> {
    let opname = book.opnames.get(id).ok_or(Refusal::NotFound("opname"))?;
    if opname.state == state { Ok(opname) } else { Err(opname.state.refusal()) }
}
