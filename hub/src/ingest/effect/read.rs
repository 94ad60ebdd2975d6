//! Which type of record is read how.

use super::{Document, Effect, Move, Problem, goods, invalid, of_store, parse, sales};
use domain::day::{Day, ReopenedDay};
use domain::deposit::SafeOpening;
use domain::record::{
    AuditRecorded, CashDeposited, CashMoved, MemberChanged, PointsAdjusted, ProductSettingsChanged,
    ReceiptsSkipped, ShiftRecord, StockMoved, UserChanged,
};
use serde_json::Value;

/// Every type of protocol 1.
pub(super) fn by_kind(kind: &str, payload: &Value, store_id: &str) -> Result<Effect, Problem> {
    match kind {
        "transaction.paid" => sales::paid(parse(payload)?, store_id),
        "transaction.voided" => sales::voided(parse(payload)?, store_id),
        "return.posted" => sales::returned(parse(payload)?, store_id),
        "return.voided" => sales::return_voided(parse(payload)?, store_id),
        "tender.corrected" => sales::corrected(parse(payload)?, store_id),
        "shift.opened" | "shift.closed" | "shift.recounted" => {
            let ShiftRecord { shift, .. } = parse(payload)?;
            of_store(shift.store_id.as_str(), store_id)?;
            Ok(Effect::of(Document::Shift(Box::new(shift))))
        }
        "cash.moved" => {
            let CashMoved { movement, .. } = parse(payload)?;
            Ok(Effect::of(Document::Cash(Box::new(movement))))
        }
        "receiving.posted" => goods::received(parse(payload)?, store_id),
        "receiving.reversed" => goods::receiving_reversed(parse(payload)?, store_id),
        "supplier_return.posted" => goods::supplier_return(&parse(payload)?, store_id),
        "transfer.sent" | "transfer.received" | "transfer.cancelled" | "transfer.resolved" => {
            goods::transfer(kind, parse(payload)?, store_id)
        }
        "adjustment.posted" => goods::adjusted(&parse(payload)?, store_id),
        "opname.posted" => goods::counted(&parse(payload)?, store_id),
        "stock.moved" => moved(&parse(payload)?, store_id),
        "member.changed" => member(parse(payload)?),
        "points.adjusted" => {
            let PointsAdjusted { entry, .. } = parse(payload)?;
            Ok(Effect { points: vec![entry], ..Effect::default() })
        }
        "product_settings.changed" => {
            let changed: ProductSettingsChanged = parse(payload)?;
            Ok(Effect::of(Document::Settings(Box::new(changed))))
        }
        "user.changed" => {
            let changed: UserChanged = parse(payload)?;
            of_store(changed.store_id.as_str(), store_id)?;
            Ok(Effect::of(Document::User(Box::new(changed))))
        }
        "cash.deposited" => parse::<CashDeposited>(payload).map(|_| Effect::default()),
        "day.sealed" => {
            let Day { business_date, .. } = parse(payload)?;
            Ok(Effect::of(Document::Day { business_date, sealed: true }))
        }
        "day.reopened" => {
            let ReopenedDay { business_date, .. } = parse(payload)?;
            Ok(Effect::of(Document::Day { business_date, sealed: false }))
        }
        "safe.opened" => parse::<SafeOpening>(payload).map(|_| Effect::default()),
        "receipts.skipped" => parse::<ReceiptsSkipped>(payload).map(|_| Effect::default()),
        "audit.recorded" => {
            let recorded: AuditRecorded = parse(payload)?;
            Ok(Effect::of(Document::Audit(Box::new(recorded))))
        }
        other => Err(Problem { code: "unknown_type", message: format!("this hub does not know {other}") }),
    }
}

fn moved(moved: &StockMoved, store_id: &str) -> Result<Effect, Problem> {
    of_store(moved.store_id.as_str(), store_id)?;
    let one = |movement: &domain::stock::Movement| Move {
        sku: movement.sku.clone(),
        qty: movement.qty,
        value: movement.cost.saturating_sub(movement.correction),
    };
    Ok(Effect { moves: moved.movements.iter().map(one).collect(), ..Effect::default() })
}

fn member(changed: MemberChanged) -> Result<Effect, Problem> {
    if changed.fields.is_empty() {
        return Err(invalid("no field was written"));
    }
    Ok(Effect::of(Document::Member(Box::new(changed))))
}
