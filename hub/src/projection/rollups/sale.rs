//! Sales, whole and by product, category, method, tax rate and promotion; and members' points from them.

use crate::projection::rollups::RollupRecord;
use crate::projection::rollups::cash;
use crate::table::rollup::{
    MEMBER_DAYS, Part, RollupSums, SALES_CATEGORIES, SALES_METHODS, SALES_PROMOTIONS, SALES_SKU_MONTHS,
    SALES_SKUS, SALES_TAXES,
};
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::time::UtcMs;
use domain::model::people::points::PointsReason;
use domain::model::selling::payment::EXCHANGE;
use domain::model::selling::transaction::{Line, Payment, Transaction};
use domain::wire::record::{LineEffect, TenderCorrected, TransactionPaid, TransactionVoided};
use std::collections::BTreeSet;

pub(super) fn paid(sums: &mut RollupSums, reported: &RollupRecord<'_>, it: &TransactionPaid) {
    whole(sums, reported, &it.transaction, 1);
    lines(sums, reported, &it.transaction, &it.lines, 1);
    let accepted = it.transaction.payments.iter().filter(|payment| payment.counts());
    payments(sums, reported, &it.transaction, accepted, 1);
}

/// Subtracts a voided document, if it was a sale: its goods, and the payments that counted. An exchange's payment goes
/// back by its original method, so the return counts as one by that method, not by exchange.
pub(super) fn voided(sums: &mut RollupSums, reported: &RollupRecord<'_>, it: &TransactionVoided) {
    for back in it.refunds.iter().filter(|back| back.exchange) {
        let mut add = |method: &str, amount: Money, rounding: Money| {
            let figures = [("refunds", amount.get()), ("refunds_rounding", rounding.get())];
            sums.add(&SALES_METHODS, method_key(reported, &it.transaction, method), figures);
        };
        add(EXCHANGE, back.amount.saturating_neg(), Money::ZERO);
        add(&back.method, back.amount, back.rounding);
        cash::refunded(sums, reported, till(&it.transaction), (&back.method, back.amount, back.rounding));
    }
    if it.transaction.receipt_no.is_none() {
        return;
    }
    whole(sums, reported, &it.transaction, -1);
    lines(sums, reported, &it.transaction, &it.lines, -1);
    let given = |payment: &&Payment| it.refunds.iter().any(|back| back.payment_id == payment.payment_id);
    payments(sums, reported, &it.transaction, it.transaction.payments.iter().filter(given), -1);
}

/// Moves the amount of a wrong payment to the correct ones.
pub(super) fn corrected(sums: &mut RollupSums, reported: &RollupRecord<'_>, it: &TenderCorrected) {
    let sale = &it.transaction;
    reported.add_whole(sums, place(sale), [("rounding", it.rounding().get())]);
    let is_right = |payment: &&Payment| it.right.contains(&payment.payment_id);
    let is_wrong = |payment: &&Payment| payment.payment_id == it.wrong;
    for payment in sale.payments.iter().filter(is_wrong) {
        self::payment(sums, reported, sale, payment, -1);
    }
    for payment in sale.payments.iter().filter(is_right) {
        self::payment(sums, reported, sale, payment, 1);
    }
    // A sale counts once for each of its methods.
    let now = sale.payments.iter().filter(|payment| payment.counts());
    let before = now.clone().filter(|payment| !is_right(payment));
    let before = before.chain(sale.payments.iter().filter(is_wrong));
    let (before, now): (BTreeSet<&str>, BTreeSet<&str>) =
        (before.map(method).collect(), now.map(method).collect());
    for gone in before.difference(&now) {
        sums.add(&SALES_METHODS, method_key(reported, sale, gone), [("sales_count", -1)]);
    }
    for new in now.difference(&before) {
        sums.add(&SALES_METHODS, method_key(reported, sale, new), [("sales_count", 1)]);
    }
}

/// Adds the points that members earned and paid with.
pub(super) fn points(sums: &mut RollupSums, reported: &RollupRecord<'_>) {
    for entry in &reported.event.effect.points {
        let (points, taken) = (entry.points, entry.points.saturating_neg());
        let (name, points) = match entry.reason {
            PointsReason::Earn => ("points_earned", points),
            PointsReason::Redeem => ("points_redeemed", taken),
            PointsReason::Reverse => ("points_reversed", taken),
            PointsReason::GiveBack => ("points_returned", points),
            PointsReason::Expire => ("points_expired", taken),
            PointsReason::Adjust | PointsReason::Opening => ("points_adjusted", points),
        };
        sums.add(&MEMBER_DAYS, reported.key([reported.tier.into()]), [(name, points.get())]);
    }
}

/// The shift of a sale, its till and its cashier.
pub(super) fn till(sale: &Transaction) -> [&str; 3] {
    [sale.shift_id.as_str(), sale.register_id.as_str(), sale.cashier_id.as_str()]
}

/// Time, till and user of a sale's payment.
fn place(sale: &Transaction) -> (UtcMs, &str, &str) {
    let at = sale.paid_at.unwrap_or(sale.occurred_at);
    (at, sale.register_id.as_str(), sale.cashier_id.as_str())
}

fn whole(sums: &mut RollupSums, reported: &RollupRecord<'_>, sale: &Transaction, sign: i64) {
    let part = |figure: i64| figure.saturating_mul(sign);
    let pieces: Quantity = sale.items.iter().map(|line| line.qty).sum();
    let figures = [
        ("sales_count", sign),
        ("items_count", part(pieces.get())),
        ("gross", part(sale.subtotal.get())),
        ("discount", part(sale.discount.get())),
        ("tax", part(sale.tax.get())),
        ("total", part(sale.total.get())),
        ("rounding", part(sale.rounding.get())),
    ];
    reported.add_whole(sums, place(sale), figures);
    let member = if sale.member_id.is_some() { sign } else { 0 };
    let figures = [
        ("sales_count", sign),
        ("total", part(sale.total.get())),
        ("member_sales_count", member),
        ("member_total", sale.total.saturating_mul(member).get()),
    ];
    sums.add(&MEMBER_DAYS, reported.key([reported.tier.into()]), figures);
}

fn lines(
    sums: &mut RollupSums,
    reported: &RollupRecord<'_>,
    sale: &Transaction,
    effects: &[LineEffect],
    sign: i64,
) {
    let mut seen = Seen::new(sign);
    for line in &sale.items {
        let effect = effects.iter().find(|effect| effect.line_no == line.line_no);
        // The cost of goods that leave is the stock's loss; reversed when they are put back.
        let cost = effect.map_or(Money::ZERO, |effect| effect.cost.saturating_neg());
        let part = |figure: i64| figure.saturating_mul(sign);
        let figures = |count: i64| {
            [
                ("sales_count", count),
                ("items_count", part(line.qty.get())),
                ("gross", part(line.price.saturating_mul(line.qty.get()).get())),
                ("discount", part(line.discount.get())),
                ("tax", part(line.tax.get())),
                ("total", part(line.total.get())),
                ("cost", cost.get()),
            ]
        };
        let (sku, category) = (line.sku.as_str(), reported.category(&line.sku));
        let key = reported.key([sku.into(), category.into()]);
        let count = seen.once(SALES_SKUS.table, sku);
        sums.add(&SALES_SKUS, key, figures(count));
        let key = reported.key_of_months([sku.into(), category.into()]);
        sums.add(&SALES_SKU_MONTHS, key, figures(count));
        let key = reported.key([category.into()]);
        sums.add(&SALES_CATEGORIES, key, figures(seen.once(SALES_CATEGORIES.table, category)));
        taxed(sums, reported, line, &mut seen);
        promoted(sums, reported, line, &mut seen);
    }
}

fn net(line: &Line) -> Money {
    line.total.saturating_sub(line.tax)
}

fn taxed(sums: &mut RollupSums, reported: &RollupRecord<'_>, line: &Line, seen: &mut Seen) {
    let (code, rate) = (line.tax_code.as_deref().unwrap_or_default(), i64::from(line.tax_rate_bp));
    let figures = [
        ("sales_count", seen.once(SALES_TAXES.table, &format!("{code} {rate}"))),
        ("base", net(line).saturating_mul(seen.sign).get()),
        ("tax", line.tax.saturating_mul(seen.sign).get()),
    ];
    sums.add(&SALES_TAXES, reported.key([code.into(), rate.into()]), figures);
}

fn promoted(sums: &mut RollupSums, reported: &RollupRecord<'_>, line: &Line, seen: &mut Seen) {
    let mut of_line = BTreeSet::new();
    for discount in &line.discounts {
        let Some(promotion_id) = discount.promotion_id.as_deref() else { continue };
        let net =
            if of_line.insert(promotion_id) { net(line).saturating_mul(seen.sign) } else { Money::ZERO };
        let figures = [
            ("uses", seen.once(SALES_PROMOTIONS.table, promotion_id)),
            ("discount", discount.amount.saturating_mul(seen.sign).get()),
            ("net_sales", net.get()),
        ];
        sums.add(&SALES_PROMOTIONS, reported.key([promotion_id.into()]), figures);
    }
}

fn payments<'a>(
    sums: &mut RollupSums,
    reported: &RollupRecord<'_>,
    sale: &Transaction,
    payments: impl Iterator<Item = &'a Payment>,
    sign: i64,
) {
    let mut seen = Seen::new(sign);
    for payment in payments {
        self::payment(sums, reported, sale, payment, sign);
        let count = seen.once(SALES_METHODS.table, method(payment));
        sums.add(&SALES_METHODS, method_key(reported, sale, method(payment)), [("sales_count", count)]);
    }
}

fn payment(
    sums: &mut RollupSums,
    reported: &RollupRecord<'_>,
    sale: &Transaction,
    payment: &Payment,
    sign: i64,
) {
    let figures = [
        ("payments_count", sign),
        ("total", payment.amount.saturating_mul(sign).get()),
        ("rounding", payment.rounding.saturating_mul(sign).get()),
    ];
    sums.add(&SALES_METHODS, method_key(reported, sale, method(payment)), figures);
    cash::paid(sums, reported, sale, payment, sign);
}

fn method(payment: &Payment) -> &str {
    payment.method.as_str()
}

fn method_key(reported: &RollupRecord<'_>, sale: &Transaction, method: &str) -> Vec<Part> {
    reported.key([method.into(), sale.cashier_id.as_str().into()])
}

/// The groups of each table in which a document was counted.
pub(super) struct Seen {
    pub sign: i64,
    groups: BTreeSet<(&'static str, String)>,
}

impl Seen {
    /// Sums of a document with that sign.
    pub fn new(sign: i64) -> Self {
        Self { sign, groups: BTreeSet::new() }
    }

    /// The document's sign, the first time that it is counted there.
    pub fn once(&mut self, table: &'static str, group: &str) -> i64 {
        if self.groups.insert((table, group.to_owned())) { self.sign } else { 0 }
    }
}
