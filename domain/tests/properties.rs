//! Properties of random histories: money and goods are conserved, and a replay of the events gives the same state.

use crate::books;
use domain::model::base::event::Fact;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::{MovementId, TransactionId};
use domain::model::base::money::spread;
use domain::model::base::settings::{NegativeStock, RoundingMode, Rules};
use domain::model::books::shift::Cash;
use domain::model::inventory::stock::Stock;
use domain::model::people::authorization::Authorization;
use domain::model::selling::transaction::{Payment, Transaction, TransactionState};
use domain::rules::books::shift::{CloseShift, close};
use domain::rules::inventory::receiving::{NewReceiving, NewReceivingLine, receive};
use domain::rules::inventory::stock::Incoming;
use domain::rules::selling::basket::{BasketLine, price};
use domain::rules::selling::payment::NewPayment;
use domain::rules::selling::sale::{CreateSale, NewItem, PaySale};
use proptest::prelude::*;
use std::collections::BTreeMap;
use testkit::shop::*;

const SKUS: [&str; 3] = ["a", "b", "wrap"];

/// One action in the shop, which may be refused.
#[derive(Debug, Clone)]
enum Step {
    Create { items: Vec<(usize, i64, i64, i64)>, discount: i64 },
    Pay { which: usize, method: usize, share: i64, extra: i64 },
    Receive { lines: Vec<(usize, i64, Option<i64>)> },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let line = (0..SKUS.len(), 1..20_i64, 0..3_000_i64, 0..4_i64);
    let create = (prop::collection::vec(line, 1..5), 0..500_i64)
        .prop_map(|(items, discount)| Step::Create { items, discount });
    let pay = (0..4_usize, 0..3_usize, 1..5_i64, 0..2_000_i64)
        .prop_map(|(which, method, share, extra)| Step::Pay { which, method, share, extra });
    let line = (0..2_usize, 0..30_i64, prop::option::of(0..2_000_i64));
    let receive = prop::collection::vec(line, 1..4).prop_map(|lines| Step::Receive { lines });
    prop::collection::vec(prop_oneof![3 => create, 4 => pay, 2 => receive], 1..40)
}

fn any_rules() -> impl Strategy<Value = Rules> {
    let modes = [RoundingMode::Nearest, RoundingMode::Customer, RoundingMode::Shop];
    (any::<bool>(), 0..3_usize, prop::sample::select(vec![0, 50, 100, 1000]), prop::bool::weighted(0.2))
        .prop_map(move |(contained, mode, step, strict)| Rules {
            prices_include_tax: contained,
            cash_rounding: Money::new(step),
            cash_rounding_mode: modes[mode],
            negative_stock: if strict { NegativeStock::Reject } else { NegativeStock::Allow },
            ..rules()
        })
}

fn a_shop(rules: Rules) -> Shop {
    Shop::open(rules, [product("a", 1000), product("b", 333), service()])
}

fn run(shop: &mut Shop, step: &Step) {
    match step {
        Step::Create { items, discount } => {
            let items = items
                .iter()
                .map(|(sku, qty, price, discount)| NewItem {
                    discount: Some(Money::new(*discount)),
                    ..item(SKUS[*sku], *qty, *price)
                })
                .collect();
            // A discount above the remaining amount is refused and changes nothing.
            let _ =
                shop.create(&CreateSale { items, discount: Some(Money::new(*discount)), ..basket(vec![]) });
        }
        Step::Pay { which, method, share, extra } => {
            let Some((id, due)) = open_one(shop, *which) else { return };
            let method = ["cash", "card", "qris"][*method];
            let amount = due / share;
            let cash = method == "cash";
            let tendered = cash.then_some(amount + 1000 + extra);
            let payments = match due {
                0 => vec![],
                _ => vec![NewPayment { tendered: tendered.map(Money::new), ..payment(method, amount) }],
            };
            let _ = shop.pay(&id, &PaySale { payments });
        }
        Step::Receive { lines } => {
            let line = |(sku, qty, unit_cost): &(usize, i64, Option<i64>)| NewReceivingLine {
                sku: SKUS[*sku].into(),
                code: None,
                qty: (*qty).into(),
                unit_cost: unit_cost.map(Money::new),
                line_total: None,
                rejected_qty: Some(Quantity::new(1)),
                note: None,
            };
            let cmd = NewReceiving { lines: lines.iter().map(line).collect(), ..Default::default() };
            let ids = lines.iter().map(|_| MovementId(shop.next("mov_"))).collect();
            let id = shop.next("rcv_").into();
            let event = receive(&cmd, id, ids, &shop.products, &shop.stock_context(&boss()));
            shop.commit(event.unwrap());
        }
    }
}

fn open_one(shop: &Shop, which: usize) -> Option<(TransactionId, i64)> {
    let all: Vec<_> = shop.shift.open.iter().collect();
    let (id, basket) = all.get(which % all.len().max(1))?;
    Some(((*id).clone(), basket.amount_due.get()))
}

fn sales(shop: &Shop) -> Vec<&Transaction> {
    shop.events
        .iter()
        .filter_map(|event| match &event.fact {
            Fact::TransactionPaid(it) => Some(&it.transaction),
            _ => None,
        })
        .collect()
}

fn header_is_the_sum_of_the_lines(sale: &Transaction) {
    let sum = |of: fn(&domain::model::selling::transaction::Line) -> Money| {
        sale.items.iter().map(of).sum::<Money>()
    };
    assert_eq!(sale.subtotal, sum(|line| line.price.times(line.qty)));
    assert_eq!(sale.discount, sum(|line| line.discount));
    assert_eq!(sale.tax, sum(|line| line.tax));
    assert_eq!(sale.total, sum(|line| line.total));
    let on_top = if sale.prices_include_tax { Money::ZERO } else { sale.tax };
    assert_eq!(sale.total, sale.subtotal.saturating_sub(sale.discount).saturating_add(on_top));
    for line in &sale.items {
        assert!(line.tax >= 0 && line.discount >= 0 && line.total >= 0, "{line:?}");
        assert_eq!(line.discount, line.discounts.iter().map(|part| part.amount).sum::<i64>());
    }
}

fn sales_take_what_their_lines_cost(shop: &Shop) {
    for sale in sales(shop) {
        let out: Money = books::movements(shop)
            .filter(|movement| movement.reference_id == sale.transaction_id.0)
            .map(|movement| movement.cost.saturating_neg())
            .sum();
        assert_eq!(out, sale.items.iter().map(|line| line.cost.unwrap()).sum::<Money>());
    }
}

fn cash_is_conserved(shop: &Shop) {
    let partly = shop.shift.open.values().filter(|t| t.state == TransactionState::PartiallyPaid);
    let payments: Vec<&Payment> =
        sales(shop).into_iter().chain(partly).flat_map(|sale| &sale.payments).collect();
    let cash: Vec<_> = payments.iter().filter(|payment| payment.method == "cash").collect();
    let drawer = cash.iter().map(|payment| payment.tendered.saturating_sub(payment.change)).sum::<Money>();
    assert_eq!(
        drawer,
        cash.iter().map(|payment| payment.amount.saturating_add(payment.rounding)).sum::<Money>()
    );
    assert_eq!(drawer, Cash::of(&shop.shift.shift).sales);
    assert!(cash.iter().all(|payment| payment.change >= 0));
    let mut by_method: BTreeMap<&str, i64> = BTreeMap::new();
    for payment in &payments {
        *by_method.entry(&payment.method).or_default() += payment.amount.get() + payment.rounding.get();
        assert!(payment.method == "cash" || (payment.rounding, payment.change) == (Money::ZERO, Money::ZERO));
    }
    for (method, sum) in &by_method {
        assert_eq!(shop.shift.shift.totals.by_method[*method].sales, *sum);
    }
}

fn sums_are_what_the_sales_give(shop: &Shop) {
    let sales = sales(shop);
    let totals = &shop.shift.shift.totals;
    let sum = |of: fn(&Transaction) -> i64| sales.iter().map(|sale| of(sale)).sum::<i64>();
    assert_eq!(totals.sales_count, i64::try_from(sales.len()).unwrap());
    assert_eq!(totals.gross_sales, sum(|sale| sale.subtotal.get()));
    assert_eq!(totals.discounts, sum(|sale| sale.discount.get()));
    assert_eq!(totals.tax, sum(|sale| sale.tax.get()));
    assert_eq!(totals.total, sum(|sale| sale.total.get()));
    assert_eq!(totals.items_count, sum(|sale| sale.items.iter().map(|line| line.qty.get()).sum()));
    for (place, sale) in sales.iter().enumerate() {
        let number = format!("S001-main-{:08}", place + 1);
        assert_eq!(sale.receipt_no.as_deref(), Some(number.as_str()), "no gap in the numbers");
        assert_eq!(sale.amount_paid, sale.total);
        assert_eq!(sale.amount_due, 0);
        header_is_the_sum_of_the_lines(sale);
    }
}

/// Includes goods without a cost, which have a value of 0 and a quantity.
fn incoming_cost() -> impl Strategy<Value = i64> {
    prop_oneof![1 => Just(0_i64), 3 => 0..60_000_i64]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_day_in_a_shop_adds_up_and_replays(rules in any_rules(), steps in steps()) {
        let mut shop = a_shop(rules);
        for step in &steps {
            run(&mut shop, step);
        }
        books::goods_are_conserved(&shop, &SKUS);
        sales_take_what_their_lines_cost(&shop);
        cash_is_conserved(&shop);
        sums_are_what_the_sales_give(&shop);

        let cmd = CloseShift { void_open: Some(true), ..CloseShift::default() };
        if let Ok(event) = close(&cmd, NOW, &Authorization::unapproved(&ani()), &shop.rules, &shop.shift) {
            shop.commit(event);
            prop_assert!(shop.shift.open.is_empty());
            prop_assert_eq!(shop.shift.shift.variance, Some(Cash::of(&shop.shift.shift).expected.saturating_neg()));
        }

        prop_assert_eq!(shop.replayed(), (shop.ledger, shop.shift));
    }

    #[test]
    fn spread_parts_are_the_whole(
        weights in prop::collection::vec(0..9_007_199_254_740_991_i64, 1..40),
        share in 0..=1000_i64,
    ) {
        let whole: i128 = weights.iter().map(|weight| i128::from(*weight)).sum();
        let amount = i64::try_from((whole * i128::from(share) / 1000).min(9_007_199_254_740_991)).unwrap();
        let parts = spread(amount, &weights);
        prop_assert_eq!(parts.iter().sum::<i64>(), amount);
        if whole > 0 {
            for (part, weight) in parts.iter().zip(&weights) {
                prop_assert!(*part >= 0 && part <= weight, "{part} of {weight}");
                let floor = i128::from(amount) * i128::from(*weight) / whole;
                prop_assert!((floor..=floor + 1).contains(&i128::from(*part)));
            }
        }
    }

    #[test]
    fn no_basket_wraps_or_panics(
        lines in prop::collection::vec((any::<i64>(), any::<i64>(), any::<i64>(), any::<u32>()), 0..4),
        discount in any::<i64>(),
        contained in any::<bool>(),
    ) {
        let line = |(qty, price, discount, rate_bp): (i64, i64, i64, u32)| BasketLine {
            qty: qty.into(),
            price: Money::new(price),
            discount: Money::new(discount),
            rate_bp,
        };
        let lines: Vec<BasketLine> = lines.into_iter().map(line).collect();
        match price(&lines, Money::new(discount), contained) {
            Err(refusal) => prop_assert_eq!(refusal.code(), "validation_failed"),
            Ok(basket) => prop_assert!(basket.total <= 9_007_199_254_740_991),
        }
    }

    #[test]
    fn stock_keeps_its_value_and_a_void_at_once_restores_it(
        first in prop_oneof![Just(0_i64), 0..3_000_i64],
        moves in prop::collection::vec((0..5_u8, 1..30_i64, incoming_cost()), 0..25),
        n in 1..60_i64,
    ) {
        let mut row = Stock { sku: "a".into(), last_cost: Money::new(first), ..Stock::default() };
        let (mut cost, mut correction) = (Money::ZERO, Money::ZERO);
        for (kind, n, price) in moves {
            let n = n.into();
            let moved = match kind {
                0 | 1 => row.take_out(n),
                2 => row.take_in(n, Incoming::Priced(Money::new(price))),
                3 => row.take_in(n, Incoming::Back(Money::new(price))),
                _ => row.take_in(n, Incoming::Found),
            }.unwrap();
            (cost, correction) = (cost.saturating_add(moved.cost), correction.saturating_add(moved.correction));
            prop_assert_eq!(row.value, cost.saturating_sub(correction));
            prop_assert!(row.qty != 0 || row.value == 0, "{row:?}");
            prop_assert!(row.value == 0 || row.value.signum() == row.qty.signum(), "{row:?}");
            prop_assert!(row.last_cost >= 0);
        }
        let (n, before) = (n.into(), (row.qty, row.value));
        let sold = row.take_out(n).unwrap();
        prop_assert!(sold.cost <= 0);
        let back = row.take_in(n, Incoming::Back(sold.cost.saturating_neg())).unwrap();
        prop_assert_eq!((row.qty, row.value), before);
        prop_assert_eq!(back.correction, 0);
    }
}
