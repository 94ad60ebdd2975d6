//! Laws of small rules: parts add up to the whole, the order does not matter, entries balance.

use domain::model::base::figures::{BasisPoints, Money, Points, Quantity};
use domain::model::base::ids::{Sku, StoreId};
use domain::model::base::limits::FIGURE_MAX;
use domain::model::people::points;
use domain::model::selling::payment::Paid;
use domain::model::selling::promotion::{NotGiven, Occasion, Promotion, PromotionKind};
use domain::rules::books::posting::plan::PLAN;
use domain::rules::books::posting::{Entry, Fact, TrialBalance, post};
use domain::rules::people::points::{Pool, defer};
use domain::rules::selling::promotion::{PromoLine, evaluate, explain};
use domain::rules::selling::refund::{SoldLine, cost_back, tenders};
use jiff::civil::date;
use proptest::prelude::*;
use serde_json::json;

fn quiet(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn sold_line() -> impl Strategy<Value = SoldLine> {
    (1..30_i64, 0..5_000_i64, 0..=100_i64, 0..3_000_i64, any::<bool>()).prop_map(
        |(qty, price, share, rate, contained)| {
            let discount = qty * price * share / 100;
            let net = qty * price - discount;
            let tax = domain::rules::selling::tax::tax(net.into(), BasisPoints::new(rate), contained);
            let (price, discount, tax) = (price.into(), discount.into(), Money::try_from(tax).unwrap());
            SoldLine { qty: qty.into(), price, discount, tax, contained }
        },
    )
}

fn promotion() -> impl Strategy<Value = Promotion> {
    let kind = prop::sample::select(vec![
        PromotionKind::LinePercent,
        PromotionKind::LineAmount,
        PromotionKind::BuyXGetY,
        PromotionKind::BasketPercent,
        PromotionKind::BasketAmount,
    ]);
    let about = prop::option::of(prop::sample::select(vec!["a", "b", "c"]));
    let least = (prop::option::of(0..9_i64), prop::option::of(0..9_000_i64));
    (kind, 0..12_000_i64, about, least, 0..4_i64, 1..3_i64, 1..4_i64, any::<bool>(), 18..23_i8).prop_map(
        |(kind, value, about, (min_qty, min_total), buy, get, priority, stackable, to)| Promotion {
            promotion_id: String::new(),
            name: String::new(),
            kind,
            value,
            skus: about.map(|sku| vec![Sku::from(sku)]),
            category: None,
            min_qty: min_qty.map(Quantity::new),
            min_total: min_total.map(Money::new),
            buy: Some(buy.into()),
            get: Some(get.into()),
            tier: None,
            store_ids: None,
            from: date(2026, 11, 1),
            to: date(2026, 11, to),
            days: None,
            priority,
            stackable,
        },
    )
}

/// Returns a fact for each row of the posting table, with any figures.
fn facts(n: [i64; 6]) -> Vec<Fact> {
    let [a, b, c, d, e, f] = n;
    let lines = json!([{"gross": a, "discount": b, "tax": c, "rate_bp": 1100, "cost": d, "correction": e}]);
    let back = |disposition: &str| json!({"refund": a, "tax": b, "cost": c, "correction": d, "disposition": disposition});
    let backs = json!([back("restock"), back("damaged"), back("vendor"), back("none")]);
    let points = |policy: &str| json!({"policy": policy, "earned_value": a, "released": b, "reversed_value": c, "back_value": d});
    let whole = a - b + c;
    let money = json!([{"method": "cash", "amount": whole - d - e, "rounding": f},
        {"method": "card", "amount": d}, {"method": "points", "amount": e}]);
    let refunds =
        json!([{"method": "cash", "amount": 4 * a - e, "rounding": f}, {"method": "points", "amount": e}]);
    let mut rows = Vec::new();
    for policy in ["deferral", "expense"] {
        for event in ["sale", "void"] {
            rows.push(json!({"event": event, "tax": "on_top", "sale_lines": lines, "payments": money,
                "points": points(policy)}));
        }
        for event in ["return", "return_voided"] {
            rows.push(json!({"event": event, "tax": "on_top", "return_lines": backs, "refunds": refunds,
                "points": points(policy)}));
        }
        rows.push(json!({"event": "points_expired", "policy": policy, "released": a}));
    }
    rows.extend([
        json!({"event": "exchange_given_back", "method": "cash", "amount": a, "rounding": b}),
        json!({"event": "tender_corrected", "amount": a, "from": "cash", "to": "x", "from_rounding": b}),
        json!({"event": "shift_opened", "opening_float": a}),
        json!({"event": "shift_closed", "expected": a, "counted": b}),
        json!({"event": "shift_recounted", "before": a, "counted": b}),
        json!({"event": "cash_deposited", "amount": a}),
        json!({"event": "deposit_matched", "deposited": a, "banked": b}),
        json!({"event": "opening_stock", "cost": a, "correction": b}),
        json!({"event": "receiving", "cost": a, "correction": b}),
        json!({"event": "receiving_reversed", "claim": a, "stock_cost": b}),
        json!({"event": "supplier_returned", "claim": a, "stock_cost": b, "tax": c}),
        json!({"event": "supplier_returned", "claim": a, "stock_cost": b, "tax": c, "invoiced": true}),
        json!({"event": "invoice_approved", "receipt_value": a, "net": b, "tax": c}),
        json!({"event": "invoice_paid", "amount": a, "discount": b}),
        json!({"event": "transfer_sent", "cost": a}),
        json!({"event": "transfer_received", "cost": a, "correction": b}),
        json!({"event": "transfer_cancelled", "cost": a, "correction": b}),
        json!({"event": "opname", "variance_value": a - b}),
        json!({"event": "moved_to_damaged", "value": a}),
        json!({"event": "damaged_written_off", "value": a}),
        json!({"event": "settlement_line", "method": "qris", "gross": a, "fee": b, "net": c}),
        json!({"event": "chargeback", "amount": a}),
        json!({"event": "points_adjusted", "value": a - b}),
        json!({"event": "points_opened", "value": a}),
        json!({"event": "manual", "rows": [["1010", a, 0], ["7010", 0, a]]}),
    ]);
    for how in ["lost", "damaged", "found_at_source", "found_at_destination"] {
        rows.push(json!({"event": "transfer_resolved", "resolution": how, "cost": a, "correction": b}));
    }
    for reason in ["damaged", "expired", "theft", "loss", "found", "sample", "correction"] {
        rows.push(json!({"event": "adjustment", "reason": reason, "value": a - b, "correction": c}));
    }
    for kind in ["pay_in", "pay_out", "drop", "no_sale"] {
        rows.push(json!({"event": "cash_moved", "type": kind, "amount": a}));
    }
    rows.into_iter()
        .map(|row| serde_json::from_value(row.clone()).unwrap_or_else(|e| panic!("{row}: {e}")))
        .collect()
}

fn balanced(entry: &Entry) -> bool {
    let sum = |of: fn(&domain::rules::books::posting::Row) -> Money| entry.rows.iter().map(of).sum::<Money>();
    let above = |row: &domain::rules::books::posting::Row| row.debit.saturating_add(row.credit) > 0;
    let sides = entry.rows.iter().all(|row| (row.debit > 0) != (row.credit > 0) && above(row));
    let once = entry.rows.is_sorted_by(|a, b| a.account < b.account);
    sides && once && sum(|row| row.debit) == sum(|row| row.credit)
}

#[test]
fn every_account_has_one_number_and_one_name() {
    assert!(PLAN.is_sorted_by(|a, b| a.0 < b.0));
    for (account, name) in PLAN {
        assert_eq!(account.name(), *name);
        assert_eq!(
            domain::rules::books::posting::plan::Account::parse(&String::from(*account)),
            Some(*account)
        );
    }
    assert_eq!(domain::rules::books::posting::plan::Account::parse("0999"), None);
}

#[test]
fn every_fact_but_an_opened_drawer_posts_something() {
    for fact in facts([7_000, 700, 77, 40, 20, 3]) {
        let posted = post(&fact).unwrap();
        let opened =
            matches!(fact, Fact::CashMoved { kind: domain::model::books::shift::CashKind::NoSale, .. });
        assert_eq!(posted.here.rows.is_empty(), opened, "{fact:?}");
    }
}

#[test]
fn an_entry_that_does_not_balance_or_fit_is_refused() {
    let manual = |rows| serde_json::from_value::<Fact>(json!({"event": "manual", "rows": rows})).unwrap();
    let off = manual(json!([["1010", 5, 0], ["7010", 0, 4]]));
    assert_eq!(post(&off).unwrap_err().code(), "validation_failed");
    let huge =
        manual(json!([["1010", FIGURE_MAX, 0], ["1010", 1, 0], ["7010", 0, FIGURE_MAX], ["7010", 0, 1]]));
    assert_eq!(post(&huge).unwrap_err().code(), "validation_failed");
    let unknown = json!({"event": "manual", "rows": [["101", 1, 0]]});
    assert!(serde_json::from_value::<Fact>(unknown).is_err());
}

#[test]
fn a_promotion_counts_on_its_days_for_its_people_in_its_stores() {
    let with = |field: &str, value: serde_json::Value| {
        let mut text = json!({"promotion_id": "P", "type": "line_percent", "value": 1000, "priority": 1,
            "stackable": true, "from": "2026-11-20", "to": "2026-11-22"});
        text[field] = value;
        serde_json::from_value::<Promotion>(text).unwrap()
    };
    let store = StoreId::from("S001");
    let on = |day, tier| Occasion { date: date(2026, 11, day), store_id: &store, tier };
    let plain = with("name", json!("x"));
    let counts: Vec<bool> = (19..24).map(|day| plain.in_force(&on(day, None))).collect();
    assert_eq!(counts, [false, true, true, true, false], "first and last day included");
    let friday = with("days", json!(["fri", "sunday"]));
    let counts: Vec<bool> = (20..23).map(|day| friday.in_force(&on(day, None))).collect();
    assert_eq!(counts, [true, false, true]);
    let gold = with("tier", json!("gold"));
    assert!(gold.in_force(&on(20, Some("gold"))));
    assert!(!gold.in_force(&on(20, Some("silver"))) && !gold.in_force(&on(20, None)));
    assert!(!with("store_ids", json!(["S002"])).in_force(&on(20, None)));
    assert!(with("store_ids", json!(["S001"])).in_force(&on(20, None)));
}

#[test]
fn a_promotion_that_gives_nothing_says_why() {
    let (tea, bag) = (Sku::from("tea"), Sku::from("bag"));
    let lines = [
        PromoLine { sku: &tea, category: Some("drinks"), qty: 2.into(), price: Money::new(10_000) },
        PromoLine { sku: &bag, category: None, qty: 1.into(), price: Money::new(500) },
    ];
    let store = StoreId::from("S001");
    let on = Occasion { date: date(2026, 11, 20), store_id: &store, tier: None };
    let cases = [
        (json!({"from": "2026-11-21", "to": "2026-11-22"}), NotGiven::NotBegun),
        (json!({"to": "2026-11-19"}), NotGiven::Ended),
        (json!({"days": ["sat"]}), NotGiven::OtherDay),
        (json!({"tier": "gold"}), NotGiven::OtherTier),
        (json!({"store_ids": ["S002"]}), NotGiven::OtherStore),
        (json!({"skus": ["cup"]}), NotGiven::NoItem),
        (json!({"skus": ["tea"]}), NotGiven::NotStackable),
        (json!({"skus": ["bag"], "min_qty": 2}), NotGiven::MinQty),
        (json!({"skus": ["bag"], "min_total": 501}), NotGiven::MinTotal),
        (json!({"type": "buy_x_get_y", "buy": 1, "get": 1, "skus": ["bag"]}), NotGiven::Nothing),
    ];
    let promotion = |id: &str, fields: &serde_json::Value| {
        let mut text = json!({"promotion_id": id, "type": "line_percent", "value": 1000, "priority": 2,
            "stackable": false, "from": "2026-11-01", "to": "2026-11-30"});
        text.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        serde_json::from_value::<Promotion>(text).unwrap()
    };
    for (fields, why) in cases {
        let first = promotion("A", &json!({"priority": 1, "skus": ["tea"]}));
        let explained = explain(&lines, &[promotion("B", &fields), first], &on);
        assert_eq!(explained.not_given, [("B".to_owned(), why)], "{fields}");
        let amounts: Vec<i64> = explained.given[0].iter().map(|part| part.amount.get()).collect();
        assert_eq!((amounts, explained.given[1].len()), (vec![2_000], 0));
    }
}

proptest! {
    #![proptest_config(quiet(2_000))]

    #[test]
    fn parts_of_a_line_add_up_in_any_order_and_size(
        line in sold_line(),
        cost in 0..100_000_i64,
        sizes in prop::collection::vec(1..9_i64, 0..40),
    ) {
        let whole = line.part(Quantity::ZERO, line.qty).unwrap();
        let (mut returned, mut sum, mut cost_sum) = (Quantity::ZERO, domain::rules::selling::refund::RefundPart::default(), Money::ZERO);
        for n in sizes.into_iter().map(Quantity::new).chain([line.qty]) {
            let n = n.min(line.qty.saturating_sub(returned));
            let part = line.part(returned, n).unwrap();
            prop_assert!(part.gross >= 0 && part.discount >= 0 && part.tax >= 0 && part.refund >= 0);
            let tax = if line.contained { Money::ZERO } else { part.tax };
            prop_assert_eq!(part.refund, part.gross.saturating_sub(part.discount).saturating_add(tax));
            let back = cost_back(Money::new(cost), line.qty, returned, n);
            prop_assert!(back >= 0);
            sum = sum.plus(&part);
            (returned, cost_sum) = (returned.saturating_add(n), cost_sum.saturating_add(back));
        }
        prop_assert_eq!(sum, whole);
        prop_assert_eq!((whole.gross, whole.discount, whole.tax), (line.price.times(line.qty), line.discount, line.tax));
        prop_assert_eq!(cost_sum, cost);
        prop_assert!(line.part(line.qty, 1.into()).is_err());
    }

    #[test]
    fn tenders_and_points_come_back_exactly(
        amounts in prop::collection::vec(0..5_000_i64, 4),
        order in Just(["cash", "points", "voucher", "card"]).prop_shuffle(),
        worth in 1..50_i64,
        sizes in prop::collection::vec(1..4_000_i64, 0..12),
        earn_per in 1..500_i64,
        multiplier in 0..30_000_i64,
    ) {
        let mut paid: Vec<Paid> = order
            .iter()
            .zip(&amounts)
            .map(|(method, amount)| {
                let amount = if *method == "points" { amount / worth * worth } else { *amount };
                Paid { amount: Money::new(amount), ..Paid::nothing((*method).to_owned()) }
            })
            .filter(|method| method.amount > 0)
            .collect();
        let total: i64 = paid.iter().map(|method| method.amount).sum();
        let by_points = paid.iter().find(|m| m.method == "points").map_or(0, |m| m.amount.get());
        let (redeemed, multiplier) = (by_points / worth, BasisPoints::new(multiplier));
        let earned = points::earned(Money::new(total - by_points), Money::new(earn_per), multiplier);
        let (mut refunded, mut back, mut kept) = (0, 0, earned);
        for amount in sizes.into_iter().chain([total]) {
            let amount = amount.min(total - refunded);
            let parts = tenders(Money::new(total), Money::new(amount), &paid);
            prop_assert_eq!(parts.iter().map(|part| part.amount).sum::<i64>(), amount);
            for part in parts {
                let method = paid.iter_mut().find(|method| method.method == part.method).unwrap();
                method.refunded = method.refunded.saturating_add(part.amount);
                prop_assert!(part.amount > 0 && method.refunded <= method.amount, "never more");
            }
            refunded += amount;
            let by = paid.iter().find(|m| m.method == "points").map_or(0, |m| m.refunded.get());
            let so_far = points::back(redeemed.into(), Money::new(by_points), Money::new(by));
            prop_assert!(so_far >= back, "never negative");
            back = so_far.into();
            let rest = points::kept(Money::new(total), Money::new(by_points), Money::new(refunded), Money::new(earn_per), multiplier);
            prop_assert!((Points::ZERO..=kept).contains(&rest), "no loop of buying and returning earns");
            kept = rest;
        }
        prop_assert_eq!((back, kept.get()), (redeemed, 0));
    }

    #[test]
    fn promotions_do_not_depend_on_the_order_given(
        lines in prop::collection::vec((0..3_usize, (1..9_i64).prop_map(Quantity::new), 0..5_000_i64), 1..6),
        promotions in prop::collection::vec(promotion(), 0..6),
        seed in any::<u64>(),
    ) {
        let skus = [Sku::from("a"), Sku::from("b"), Sku::from("c")];
        let lines: Vec<PromoLine> = lines
            .iter()
            .map(|(sku, qty, price)| PromoLine { sku: &skus[*sku], category: None, qty: *qty, price: Money::new(*price) })
            .collect();
        let store = StoreId::from("S001");
        let on = Occasion { date: date(2026, 11, 20), store_id: &store, tier: None };
        let mut promotions = promotions;
        for (place, promotion) in promotions.iter_mut().enumerate() {
            promotion.promotion_id = format!("P{place}");
        }
        let given = evaluate(&lines, &promotions, &on);
        let explained = explain(&lines, &promotions, &on);
        prop_assert_eq!(&given, &explained.given);
        for promotion in &promotions {
            let gives = given.iter().flatten().any(|part| part.promotion_id == promotion.promotion_id);
            let reasons = explained.not_given.iter().filter(|(id, _)| *id == promotion.promotion_id).count();
            prop_assert_eq!(reasons, usize::from(!gives), "each gives something or says why not");
        }
        let mut other = promotions.clone();
        other.rotate_left(usize::try_from(seed % 7).unwrap() % promotions.len().max(1));
        if seed % 2 == 0 {
            other.reverse();
        }
        prop_assert_eq!(&given, &evaluate(&lines, &other, &on));
        for (line, parts) in lines.iter().zip(&given) {
            let sum: Money = parts.iter().map(|part| part.amount).sum();
            prop_assert!((Money::ZERO..=line.price.times(line.qty)).contains(&sum));
            prop_assert!(parts.iter().all(|part| part.amount > 0));
            let of = |part: &domain::rules::selling::promotion::Shared| {
                promotions.iter().find(|promotion| promotion.promotion_id == part.promotion_id).unwrap()
            };
            prop_assert!(parts.iter().all(|part| of(part).in_force(&on)), "ended ones never count");
            let alone = parts.iter().any(|part| !of(part).stackable);
            prop_assert!(!alone || parts.len() == 1, "one that does not stack is alone on its line");
        }
    }

    #[test]
    fn every_entry_is_balanced(figures in prop::array::uniform6(-50_000_i64..100_000)) {
        let mut balance = TrialBalance::default();
        for fact in facts(figures) {
            let posted = post(&fact).unwrap();
            prop_assert!(balanced(&posted.here), "{fact:?}: {posted:?}");
            balance.add(&posted.here);
            if let Some(there) = &posted.there {
                prop_assert!(balanced(there), "{fact:?}: {posted:?}");
                balance.add(there);
            }
            // A void mirrors its sale.
            if let Fact::Sale(sold) = &fact {
                let mirror = post(&Fact::Void(sold.clone())).unwrap().here;
                let turned: Vec<_> =
                    mirror.rows.iter().map(|row| (row.account, row.credit, row.debit)).collect();
                let rows: Vec<_> =
                    posted.here.rows.iter().map(|row| (row.account, row.debit, row.credit)).collect();
                prop_assert_eq!(turned, rows);
            }
        }
        let rows = balance.rows().unwrap();
        prop_assert_eq!(rows.iter().map(|r| r.debit).sum::<i64>(), rows.iter().map(|r| r.credit).sum::<i64>());
    }

    #[test]
    fn the_pool_of_points_is_empty_at_the_end(
        steps in prop::collection::vec((any::<bool>(), 1..500_i64, 0..500_i64), 0..30),
    ) {
        let (mut pool, mut value) = (Pool::default(), Money::ZERO);
        for (earn, points, worth) in steps {
            if earn {
                pool.add(points.into(), worth.into());
                value = value.saturating_add(worth.into());
            } else {
                value = value.saturating_sub(pool.release(points.min(pool.points.into()).into()));
            }
            prop_assert_eq!(pool.value, value);
            prop_assert!(pool.value >= 0 && (pool.points > 0 || pool.value == 0));
        }
        value = value.saturating_sub(pool.release(pool.points));
        prop_assert_eq!((pool.points.get(), pool.value, value), (0, Money::ZERO, Money::ZERO));
    }

    #[test]
    fn deferred_is_at_most_the_price_and_worth(net in 0..1_000_000_i64, earned in 0..5_000_i64, bp in 0..=10_000_i64) {
        let out = defer(net.into(), earned.into(), 3.into(), BasisPoints::new(bp));
        prop_assert!(out.deferred <= out.standalone && out.deferred <= net.max(0));
        prop_assert!(out.standalone <= 3 * earned);
    }
}
