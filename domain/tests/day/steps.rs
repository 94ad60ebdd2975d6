//! Random steps of a day, applied to a shop.

use super::*;
use domain::model::base::figures::Money;

pub(crate) const SKUS: [&str; 3] = ["a", "b", "wrap"];
pub(crate) const METHODS: [&str; 4] = ["cash", "card", "qris", "points"];

#[derive(Debug, Clone)]
pub(crate) enum Step {
    Create { items: Vec<(usize, i64, i64)>, member: bool, discount: i64 },
    Change { which: usize, items: Vec<(usize, i64, i64)> },
    Hold(usize),
    Recall(usize, i64),
    Expire,
    Pay { which: usize, method: usize, share: i64 },
    Reverse(usize),
    VoidOpen(usize),
    VoidPaid(usize),
    Correct(usize),
    Return { which: usize, line: usize, qty: i64, disposition: usize, explicit: usize },
    Exchange { which: usize, into: usize },
    Unreceipted { sku: usize, qty: i64, price: i64 },
    VoidReturn(usize),
    Cash(usize, i64),
    Adjust { sku: usize, qty: i64, undo: bool },
    Send { qty: i64, cancel: bool },
    Count { sku: usize, qty: i64 },
}

pub(crate) fn items() -> impl Strategy<Value = Vec<(usize, i64, i64)>> {
    prop::collection::vec((0..SKUS.len(), 1..9_i64, 0..5_000_i64), 1..4)
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let create = (items(), any::<bool>(), 0..300_i64).prop_map(|(items, member, discount)| Step::Create {
        items,
        member,
        discount,
    });
    let pay = (0..4_usize, 0..4_usize, 1..4_i64).prop_map(|(which, method, share)| Step::Pay {
        which,
        method,
        share,
    });
    let change = (0..4_usize, items()).prop_map(|(which, items)| Step::Change { which, items });
    let back = (0..9_usize, 0..4_usize, 1..6_i64, 0..4_usize, 0..4_usize).prop_map(
        |(which, line, qty, disposition, explicit)| Step::Return { which, line, qty, disposition, explicit },
    );
    let exchange = (0..9_usize, 0..4_usize).prop_map(|(which, into)| Step::Exchange { which, into });
    let bare = (0..3_usize, 1..4_i64, 0..3_000_i64).prop_map(|(sku, qty, price)| Step::Unreceipted {
        sku,
        qty,
        price,
    });
    let adjust =
        (0..2_usize, -9..9_i64, any::<bool>()).prop_map(|(sku, qty, undo)| Step::Adjust { sku, qty, undo });
    let step = prop_oneof![
        8 => create,
        12 => pay,
        2 => change,
        2 => (0..4_usize).prop_map(Step::Hold),
        2 => (0..4_usize, 500..4_000_i64).prop_map(|(which, price)| Step::Recall(which, price)),
        1 => Just(Step::Expire),
        2 => (0..4_usize).prop_map(Step::Reverse),
        1 => (0..4_usize).prop_map(Step::VoidOpen),
        2 => (0..9_usize).prop_map(Step::VoidPaid),
        2 => (0..9_usize).prop_map(Step::Correct),
        7 => back,
        3 => exchange,
        1 => bare,
        2 => (0..9_usize).prop_map(Step::VoidReturn),
        1 => (0..4_usize, 1..2_000_i64).prop_map(|(kind, amount)| Step::Cash(kind, amount)),
        2 => adjust,
        2 => (1..9_i64, any::<bool>()).prop_map(|(qty, cancel)| Step::Send { qty, cancel }),
        1 => (0..2_usize, 0..30_i64).prop_map(|(sku, qty)| Step::Count { sku, qty }),
    ];
    prop::collection::vec(step, 1..70)
}

pub(crate) fn any_rules() -> impl Strategy<Value = Rules> {
    let steps = prop::sample::select(vec![0, 100, 500]);
    let worth = prop::sample::select(vec![1, 7, 100]);
    (any::<bool>(), steps, worth, 0..2_u32, prop::bool::weighted(0.15)).prop_map(
        |(contained, step, worth, expire, strict)| Rules {
            prices_include_tax: contained,
            cash_rounding: Money::new(step),
            earn_per: Money::new(300),
            redeem_value: Money::new(worth),
            negative_stock: if strict { NegativeStock::Reject } else { NegativeStock::Allow },
            policy: Policy {
                points_expire_days: expire * 30,
                hold_expire_after_ms: 60_000,
                ..rules().policy
            },
            ..rules()
        },
    )
}

pub(crate) fn a_shop(rules: Rules) -> Shop {
    let mut shop = Shop::open(rules, [product("a", 1000), product("b", 333), service()]);
    let promotion = |text: &str| serde_json::from_str::<Promotion>(text).unwrap();
    shop.promotions = vec![
        promotion(
            r#"{"promotion_id":"P1","type":"line_percent","value":1000,"priority":1,"stackable":true,
                "skus":["b"],"from":"2026-01-01","to":"2027-12-31"}"#,
        ),
        promotion(
            r#"{"promotion_id":"P2","type":"buy_x_get_y","buy":2,"get":1,"value":10000,"priority":2,
                "stackable":false,"skus":["a"],"from":"2026-01-01","to":"2027-12-31"}"#,
        ),
    ];
    let member = shop.join("Budi", "0812 3456 7890").unwrap();
    let mut account = PointsAccount::new(member);
    let cause = Cause {
        reference_id: "gift",
        business_date: shop.shift.shift.business_date,
        user_id: &boss().user_id,
        at: NOW,
        worth: Money::new(1),
    };
    let gift = AdjustPoints { points: 3_000.into(), reason: "welcome".to_owned() };
    let entry = gift.apply(&mut account, &shop.rules, &cause);
    shop.commit(Event::new(
        fact::PointsMoved {},
        Rows { points: vec![entry], account: Some(Box::new(account)), ..Rows::default() },
    ));
    shop
}

pub(crate) fn new_items(items: &[(usize, i64, i64)]) -> Vec<NewItem> {
    items.iter().map(|(sku, qty, price)| item(SKUS[*sku], *qty, *price)).collect()
}

pub(crate) fn nth<T: Clone>(all: &[T], which: usize) -> Option<T> {
    all.get(which % all.len().max(1)).cloned()
}

pub(crate) fn open_ids(shop: &Shop) -> Vec<TransactionId> {
    shop.shift.open.keys().cloned().collect()
}

pub(crate) fn paid_ids(shop: &Shop) -> Vec<TransactionId> {
    let paid = shop.events.iter().filter_map(|event| match &event.fact {
        Fact::TransactionPaid(it) => Some(it.transaction.transaction_id.clone()),
        _ => None,
    });
    paid.collect()
}

/// Returns each return in its current state.
pub(crate) fn documents(shop: &Shop) -> Vec<Return> {
    let mut documents: Vec<Return> = Vec::new();
    for event in &shop.events {
        match &event.fact {
            Fact::ReturnPosted(it) => documents.push(it.document.clone()),
            Fact::ReturnVoided(it) => {
                let known = documents.iter_mut().find(|known| known.return_id == it.document.return_id);
                *known.unwrap() = it.document.clone();
            }
            _ => {}
        }
    }
    documents
}

/// Runs a step. A refusal is allowed and must change nothing.
pub(crate) fn run(shop: &mut Shop, step: &Step) {
    shop.later(1_000);
    match step {
        Step::Create { items, member, discount } => {
            let member_id = member.then(|| shop.members.members.keys().next().unwrap().clone());
            let items = new_items(items);
            let _ = shop.create(&CreateSale {
                member_id,
                discount: Some(Money::new(*discount)),
                ..basket(items)
            });
        }
        Step::Change { which, items } => {
            let Some(id) = nth(&open_ids(shop), *which) else { return };
            let items = Some(new_items(items));
            let _ = shop.change(&id, &ChangeSale { items, ..ChangeSale::default() });
        }
        Step::Hold(which) => {
            let Some(id) = nth(&open_ids(shop), *which) else { return };
            let _ = shop.hold(&id);
        }
        Step::Recall(which, price) => {
            let waiting: Vec<_> = shop.ledger.holds.keys().cloned().collect();
            let Some(id) = nth(&waiting, *which) else { return };
            shop.products.get_mut("a").unwrap().price = Money::new(*price);
            let _ = shop.recall(&id);
        }
        Step::Expire => {
            shop.later(40_000);
            for event in hold::expire(shop.now, &shop.ledger, usize::MAX, usize::MAX) {
                shop.commit(event);
            }
        }
        Step::Pay { which, method, share } => pay(shop, *which, METHODS[*method], *share),
        Step::Reverse(which) => {
            let Some(id) = nth(&open_ids(shop), *which) else { return };
            let payments = shop.shift.open[&id].payments.clone();
            let Some(payment) = payments.iter().find(|payment| payment.counts()) else { return };
            let _ = shop.reverse(&id, &payment.payment_id.clone());
        }
        Step::VoidOpen(which) => {
            let Some(id) = nth(&open_ids(shop), *which) else { return };
            let _ = shop.void_open_as(&boss(), &id);
        }
        Step::VoidPaid(which) => {
            let Some(id) = nth(&paid_ids(shop), *which) else { return };
            let _ = shop.void_paid(&boss(), &id);
        }
        Step::Correct(which) => {
            let Some(id) = nth(&paid_ids(shop), *which) else { return };
            let sale = sale_of(shop, &id);
            let Some(wrong) = sale.payments.iter().find(|payment| payment.counts()) else { return };
            let to = if wrong.method == "card" { "cash" } else { "card" };
            let _ = shop.correct(&id, &wrong.payment_id, payment(to, wrong.amount.get()));
        }
        Step::Cash(kind, amount) => {
            let kind = [CashKind::PayIn, CashKind::PayOut, CashKind::Drop, CashKind::NoSale][*kind];
            let amount = if kind == CashKind::NoSale { 0 } else { *amount };
            // No more can be paid out than the drawer has.
            if let Err(refused) = shop.cash(kind, amount) {
                let taken = matches!(kind, CashKind::PayOut | CashKind::Drop);
                assert!(taken && refused.code() == "validation_failed", "{refused:?}");
            }
        }
        other => goods(shop, other),
    }
}

pub(crate) fn pay(shop: &mut Shop, which: usize, method: &str, share: i64) {
    let Some(id) = nth(&open_ids(shop), which) else { return };
    let (due, worth) = (shop.shift.open[&id].amount_due.get(), shop.rules.redeem_value.get());
    let amount = match method {
        "points" => due / share / worth * worth,
        _ => due / share,
    };
    let payments: Vec<NewPayment> = if due == 0 { vec![] } else { vec![payment(method, amount)] };
    let _ = shop.pay(&id, &PaySale { payments });
}

pub(crate) fn goods(shop: &mut Shop, step: &Step) {
    let dispositions = [Disposition::Restock, Disposition::Damaged, Disposition::Vendor, Disposition::None];
    match step {
        Step::Return { which, line, qty, disposition, explicit } => {
            let Some(id) = nth(&paid_ids(shop), *which) else { return };
            let sale = sale_of(shop, &id);
            let Some(line) = nth(&sale.items, *line) else { return };
            let item = domain::rules::selling::returns::NewReturnItem {
                disposition: Some(dispositions[*disposition]),
                line_no: Some(line.line_no),
                ..back(line.sku.as_str(), *qty)
            };
            let mut cmd = NewReturn { transaction_id: Some(id), items: vec![item], ..NewReturn::default() };
            let mut trial = shop.clone();
            let Ok(document) = trial.give_back(&boss(), &cmd) else { return };
            if *explicit == 0 && document.refund_total > 0 {
                cmd.refunds = Some(vec![by("cash", document.refund_total.get())]);
            }
            shop.give_back(&boss(), &cmd).unwrap();
        }
        Step::Exchange { which, into } => {
            let (Some(id), Some(target)) = (nth(&paid_ids(shop), *which), nth(&open_ids(shop), *into)) else {
                return;
            };
            let line = sale_of(shop, &id).items[0].clone();
            let items = vec![back(line.sku.as_str(), line.qty.get())];
            let mut cmd = NewReturn { transaction_id: Some(id), items, ..NewReturn::default() };
            let mut trial = shop.clone();
            let Ok(document) = trial.give_back(&boss(), &cmd) else { return };
            let points = document.refunds.iter().find(|refund| refund.method == "points");
            let points = points.map_or(0, |refund| refund.amount.get());
            let most = document.refund_total.get() - points;
            let amount = most.min(shop.shift.open[&target].amount_due.get());
            let rest = most - amount;
            let mut refunds = vec![domain::rules::selling::returns::NewRefund {
                transaction_id: Some(target),
                ..by("exchange", amount)
            }];
            refunds.extend([("points", points), ("cash", rest)].map(|(method, amount)| by(method, amount)));
            refunds.retain(|refund| refund.amount > 0);
            cmd.refunds = Some(refunds);
            let _ = shop.give_back(&boss(), &cmd);
        }
        Step::Unreceipted { sku, qty, price } => {
            let item = domain::rules::selling::returns::NewReturnItem {
                price: Some(Money::new(*price)),
                ..back(SKUS[*sku], *qty)
            };
            let cmd = NewReturn { items: vec![item], ..NewReturn::default() };
            shop.give_back(&boss(), &cmd).unwrap();
        }
        Step::VoidReturn(which) => {
            let Some(document) = nth(&documents(shop), *which) else { return };
            let _ = shop.void_return(&boss(), &document);
        }
        Step::Adjust { sku, qty, undo } if *qty != 0 => {
            let cmd = adjusting(AdjustmentReason::Correction, SKUS[*sku], *qty);
            // A shop without negative stock writes off only what it has.
            let Ok(id) = shop.adjust(&boss(), &cmd) else { return };
            let Some(Event { fact: Fact::AdjustmentChanged(it), .. }) = shop.events.last() else {
                panic!("{id} is not the last one")
            };
            let adjustment = &it.adjustment;
            if *undo {
                let (document, ids) = (adjustment.clone(), shop.ids("mov_", 1));
                let event = adjustment::reverse(&document, ids, &shop.stock_context(&boss()));
                shop.commit(event.unwrap());
            }
        }
        Step::Send { qty, cancel } => {
            let Ok(sent) = shop.send(&[("a", *qty), ("b", 1)]) else { return };
            if *cancel {
                let ids = shop.ids("mov_", 2);
                let event = transfer::cancel(&sent, ids, &shop.stock_context(&boss()));
                shop.commit(event.unwrap());
            }
        }
        Step::Count { sku, qty } => {
            let id = shop.start_count(Scope::All, None).unwrap();
            shop.count(&id, SKUS[*sku], *qty, None).unwrap();
            shop.post_count(&id, false).unwrap();
        }
        _ => {}
    }
}
