//! What holds whatever happened.

use super::*;

/// As a journal would give them back: JSON and nothing else.
pub(crate) fn stored(event: &Event) -> Event {
    serde_json::from_str(&serde_json::to_string(event).unwrap()).unwrap()
}

pub(crate) fn goods_are_conserved(shop: &Shop) {
    for sku in SKUS {
        let moves: Vec<_> = books::movements(shop).filter(|moved| moved.sku.as_str() == sku).collect();
        let row = shop.ledger.stock.get(sku).cloned().unwrap_or_default();
        assert_eq!(row.qty, moves.iter().map(|moved| moved.qty).sum::<i64>());
        assert_eq!(row.value, moves.iter().map(|moved| moved.cost - moved.correction).sum::<i64>());
        assert!(row.qty != 0 || row.value == 0, "{row:?}");
        assert!(row.value == 0 || row.value.signum() == row.qty.signum(), "{row:?}");
        assert!(row.damaged >= 0 && row.damaged_value >= 0, "{row:?}");
        assert_eq!(row.moves, moves.len() as u64);
    }
}

pub(crate) fn points_are_conserved(shop: &Shop) {
    let entries: Vec<_> = books::points(shop).collect();
    let mut ids: Vec<&str> = entries.iter().map(|entry| entry.entry_id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), entries.len(), "one entry per cause");
    for account in shop.ledger.points.values() {
        let own = entries.iter().filter(|entry| entry.member_id == account.member_id);
        assert_eq!(account.balance(), own.clone().map(|entry| entry.points).sum::<i64>());
        assert_eq!(account.balance(), own.clone().next_back().unwrap().balance_after);
        assert!(account.lots.debt == 0 || account.lots.lots.is_empty());
        assert!(account.lots.lots.iter().all(|lot| lot.points > 0));
        assert_eq!(account.balance(), 3_000 + account.lifetime_earned - account.lifetime_redeemed);
    }
}

pub(crate) fn refunds_never_exceed_their_sale(shop: &Shop) {
    for id in paid_ids(shop) {
        let sale: Transaction = sale_of(shop, &id);
        let Some(after) = shop.ledger.sales.get(&id) else { continue };
        let back: i64 = documents(shop)
            .iter()
            .filter(|document| document.transaction_id.as_ref() == Some(&id))
            .filter(|document| document.voided_at.is_none())
            .map(|document| document.refund_total)
            .sum();
        assert_eq!(after.refunded, back);
        assert_eq!(after.refunded, after.paid.iter().map(|paid| paid.refunded).sum::<i64>());
        assert!((0..=sale.total).contains(&after.refunded));
        for line in &sale.items {
            assert!((0..=line.qty).contains(&after.returned(line.line_no)));
        }
        let whole = sale.items.iter().all(|line| after.returned(line.line_no) == line.qty);
        if whole {
            assert_eq!(after.refunded, sale.total, "all parts returned refund exactly the total");
            assert_eq!(after.points_reversed, sale.points_earned);
        }
        assert!((0..=sale.points_earned).contains(&after.points_reversed));
    }
}
