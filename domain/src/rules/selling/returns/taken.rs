//! Pieces of one sale that stores took back, as the hub reports it: each store knows its own returns for certain,
//! and those of other stores from the hub.

use crate::model::base::figures::Quantity;
use crate::model::base::ids::StoreId;
use crate::model::selling::payment::Paid;
use crate::model::selling::returns::{MethodBack, Return, SaleAfter, TakenBack};
use crate::model::selling::transaction::Transaction;
use crate::rules::selling::returns;
use crate::wire::sync::ReservePieces;
use std::collections::BTreeMap;

/// Splits the returned pieces of `sale` by store: posted returns first, then reservations. If a document does not name
/// the pieces, the lowest free ones are used.
pub fn taken_back(
    sale: &Transaction,
    returns: &[Return],
    reserved: &[(StoreId, ReservePieces)],
) -> Vec<TakenBack> {
    let mut all = SaleAfter::of(sale);
    let mut stores: BTreeMap<StoreId, SaleAfter> = BTreeMap::new();
    let fresh = || SaleAfter::of(sale);
    for back in returns {
        let store = stores.entry(back.store_id.clone()).or_insert_with(fresh);
        returns::refunded(back, sale, store);
        returns::refunded(back, sale, &mut all);
    }
    let unplaced = returns.iter().flat_map(|back| {
        let lines = back.items.iter().filter(|line| line.sold_line_no.is_none());
        lines.map(|line| (&back.store_id, &line.sku, line.qty))
    });
    let reserved = reserved.iter().map(|(store_id, pieces)| (store_id, &pieces.sku, pieces.qty));
    for (store_id, sku, qty) in unplaced.chain(reserved) {
        let store = stores.entry(store_id.clone()).or_insert_with(fresh);
        let mut left = qty;
        for sold in sale.items.iter().filter(|line| line.sku == *sku) {
            let pieces = all.take(sold.line_no, sold.qty, left);
            left = left.saturating_sub(crate::model::selling::returns::span::pieces(&pieces));
            store.mark(sold.line_no, sold.qty, &pieces);
        }
    }
    stores.into_iter().map(|(store_id, after)| TakenBack::by(store_id, after)).collect()
}

impl MethodBack {
    fn of(paid: Paid) -> Self {
        let Paid { method, refunded, refunded_rounding, .. } = paid;
        Self { method, amount: refunded, rounding: refunded_rounding }
    }
}

impl TakenBack {
    fn by(store_id: StoreId, after: SaleAfter) -> Self {
        let gave = after.paid.into_iter().filter(|paid| paid.refunded != 0);
        Self {
            store_id,
            lines: after.returned,
            refunds: gave.map(MethodBack::of).collect(),
            refunded: after.refunded,
            points_reversed: after.points_reversed,
            points_back: after.points_back,
        }
    }

    /// Pieces of a line.
    pub fn pieces(&self, line_no: u32) -> Quantity {
        let line = self.lines.iter().find(|line| line.line_no == line_no);
        line.map_or(Quantity::ZERO, |line| crate::model::selling::returns::span::pieces(&line.pieces))
    }
}

/// Returned pieces of a sale before another return: by the store `here`, and by all stores.
///
/// `row` is the store's own state. It overrides the hub's report about this store, because it is never older.
/// `reported` is `None` if the hub was not asked, was unreachable or does not know the sale.
pub(crate) fn before(
    row: Option<&SaleAfter>,
    sale: &Transaction,
    here: &StoreId,
    reported: Option<&[TakenBack]>,
) -> (SaleAfter, SaleAfter) {
    let Some(reported) = reported else {
        let own = row.cloned().unwrap_or_else(|| SaleAfter::from_sale(sale));
        return (own.clone(), own);
    };
    let own = row.cloned().unwrap_or_else(|| {
        // A store that lost its row has its own returns from the hub.
        let mut own = SaleAfter::of(sale);
        reported.iter().filter(|taken| taken.store_id == *here).for_each(|taken| own.count(taken, sale));
        own
    });
    let mut all = own.clone();
    reported.iter().filter(|taken| taken.store_id != *here).for_each(|taken| all.count(taken, sale));
    (own, all)
}

impl SaleAfter {
    /// Counts in the returns of another store. A piece that both took back counts twice.
    fn count(&mut self, taken: &TakenBack, sale: &Transaction) {
        for line in &taken.lines {
            let sold = sale.items.iter().find(|sold| sold.line_no == line.line_no);
            if let Some(sold) = sold {
                self.mark(line.line_no, sold.qty, &line.pieces);
            }
        }
        for back in &taken.refunds {
            self.pay_back(&back.method, back.amount, back.rounding);
        }
        self.refunded = self.refunded.saturating_add(taken.refunded);
        self.points_reversed = self.points_reversed.saturating_add(taken.points_reversed);
        self.points_back = self.points_back.saturating_add(taken.points_back);
        self.gave_back(taken.points_back);
    }
}
