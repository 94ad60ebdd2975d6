//! Laws that hold after any events.

use super::*;
use domain::model::base::figures::{Money, Quantity};

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
        assert_eq!(
            account.balance(),
            3_000 + account.lifetime_earned.get() - account.lifetime_redeemed.get()
        );
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
        assert!((Money::ZERO..=sale.total).contains(&after.refunded));
        for cash in after.paid.iter().filter(|paid| paid.method == "cash" && paid.refunded <= paid.amount) {
            let (brought, out) = (
                cash.amount.saturating_add(cash.rounding),
                cash.refunded.saturating_add(cash.refunded_rounding),
            );
            assert!((Money::ZERO..=brought).contains(&out), "{out} of the sale's {brought} in cash");
            assert!(
                cash.refunded < cash.amount || out == brought,
                "everything was refunded: {out} of {brought}"
            );
        }
        for line in &sale.items {
            assert!((Quantity::ZERO..=line.qty).contains(&after.returned(line.line_no)));
        }
        let whole = sale.items.iter().all(|line| after.returned(line.line_no) == line.qty);
        if whole {
            assert_eq!(after.refunded, sale.total, "all parts returned refund exactly the total");
            assert_eq!(after.points_reversed, sale.points_earned);
        }
        assert!((0..=sale.points_earned.get()).contains(&after.points_reversed));
    }
}
