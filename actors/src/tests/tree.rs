//! The tree of actors with a real storage: killed, panicked, in races and under load, with nothing lost or doubled.

use crate::Failure;
use crate::commands;
use crate::tests::support::shop::{Shop, ask, basket, cash, data, insist, open, rules, sell, shop, shop_by};
use domain::model::base::command_print::CommandPrint;
use domain::model::base::figures::Money;
use domain::model::base::ids::{Sku, TransactionId};
use domain::model::base::refusal::Refusal;
use domain::model::base::search;
use domain::model::base::settings::NegativeStock;
use domain::model::base::time::UtcMs;
use domain::model::inventory::product::{Product, ProductState};
use domain::model::people::user::Role;
use domain::rules::books::shift::{CloseShift, OpenShift};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use storage::Commit;

fn names(node: &Value, into: &mut Vec<String>) {
    into.push(node["name"].as_str().unwrap().to_owned());
    for child in node["children"].as_array().unwrap() {
        names(child, into);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sells_while_every_actor_is_killed_and_panics() {
    let shop = Arc::new(shop(1_000_000).await);
    let mut shifts = Vec::new();
    for till in 0..3 {
        shifts.push(open(&shop, till).await);
    }
    let mut actors = Vec::new();
    names(&shop.handle.tree()["root"], &mut actors);
    assert_eq!(actors.len(), 1 + 7 + 3, "root, permanent children, shifts: {actors:?}");
    let tills: Vec<_> = (0..3)
        .map(|till| {
            let shop = Arc::clone(&shop);
            tokio::spawn(async move {
                let mut receipts = Vec::new();
                for _ in 0..60 {
                    receipts.push(sell(&shop, till).await);
                }
                receipts
            })
        })
        .collect();
    for round in 0..6 {
        for name in actors.iter().filter(|name| *name != "supervisor") {
            if round % 2 == 0 {
                shop.handle.restart_actor(name).await.unwrap();
            } else {
                // An actor that is just restarting has died already.
                let _ = shop.handle.panic_actor(name);
            }
        }
    }
    for (till, sales) in tills.into_iter().enumerate() {
        let receipts = sales.await.unwrap();
        let expected: Vec<String> = (1..=60).map(|n| format!("S001-till-{till}-{n:08}")).collect();
        assert_eq!(receipts, expected, "receipt numbers without gap or repetition");
    }
    let stock = shop.handle.storage().stock().stock(&Sku::from("A")).unwrap().unwrap();
    assert_eq!(stock.qty, -180);
    for shift in &shifts {
        let row = shop.handle.storage().shifts().shift(shift).unwrap().unwrap();
        assert_eq!((row.totals.sales_count, row.totals.total), (60, 60_000.into()));
    }
}

fn count(counted_cash: i64) -> CloseShift {
    CloseShift {
        counted_cash: Money::new(counted_cash),
        denominations: None,
        counts: None,
        void_open: None,
        note: None,
    }
}

/// Returns the number of the ledger's restarts.
fn ledger_restarts(shop: &Shop) -> u64 {
    let tree = shop.handle.tree();
    let children = tree["root"]["children"].as_array().unwrap();
    children.iter().find(|child| child["name"] == "ledger").unwrap()["restarts"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spent_restart_budget_ends_the_process() {
    let shop = shop(2).await;
    // Restarts by a person are not counted.
    for _ in 0..4 {
        shop.handle.restart_actor("ledger").await.unwrap();
    }
    for expected in 5..=6 {
        shop.handle.panic_actor("ledger").unwrap();
        while ledger_restarts(&shop) < expected {
            tokio::task::yield_now().await;
        }
    }
    shop.handle.panic_actor("ledger").unwrap();
    tokio::time::timeout(Duration::from_secs(10), shop.supervision.failed())
        .await
        .expect("the process ends with 70");
    assert_eq!(ledger_restarts(&shop), 6, "not restarted a third time");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_by_the_store_itself_is_no_failure() {
    let shop = shop(5).await;
    shop.handle.rejoin().await.unwrap();
    let tree = shop.handle.tree();
    for child in tree["root"]["children"].as_array().unwrap() {
        assert_eq!((&child["restarts"], &child["last_failure"]), (&json!(0), &json!(null)), "{child}");
    }
}

#[tokio::test]
async fn restarting_the_root_or_nobody_is_refused() {
    let shop = shop(5).await;
    let root = shop.handle.restart_actor("supervisor").await;
    assert!(matches!(root, Err(Failure::Refused(Refusal::InvalidState { .. }))), "{root:?}");
    let nobody = shop.handle.restart_actor("shift:shf_none").await;
    assert!(matches!(nobody, Err(Failure::Refused(Refusal::NotFound(_)))), "{nobody:?}");
    shop.supervision.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_has_one_effect_in_any_number_of_requests_at_once() {
    let shop = Arc::new(shop(5).await);
    let shift = open(&shop, 1).await;
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let shop = Arc::clone(&shop);
            tokio::spawn(
                async move { shop.handle.run(ask(1, Some(99)), commands::CreateSale(basket())).await },
            )
        })
        .collect();
    let mut answers = Vec::new();
    for call in calls {
        answers.push(call.await.unwrap().unwrap());
    }
    assert_eq!(answers.iter().filter(|done| !done.replayed).count(), 1);
    assert!(answers.iter().all(|done| done.answer == answers[0].answer), "byte for byte");
    assert_eq!(shop.handle.storage().sales().open_transactions(&shift).unwrap().len(), 1);
    let mut other = ask(1, Some(99));
    other.key.as_mut().unwrap().command = CommandPrint::kept("body=08".to_owned());
    let reused = Err(Failure::KeyReused(vec!["body".to_owned()]));
    assert_eq!(shop.handle.run(other.clone(), commands::CreateSale(basket())).await, reused);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_racing_payments_one_wins() {
    let shop = Arc::new(shop(5).await);
    open(&shop, 1).await;
    for round in 0..50 {
        let created = shop.handle.run(ask(1, None), commands::CreateSale(basket())).await.unwrap();
        let id = TransactionId(data(&created.answer)["transaction_id"].as_str().unwrap().to_owned());
        let race = |shop: Arc<Shop>, id: TransactionId| async move {
            shop.handle.run(ask(1, None), commands::PaySale(id.clone(), cash())).await
        };
        let first = tokio::spawn(race(Arc::clone(&shop), id.clone()));
        let second = tokio::spawn(race(Arc::clone(&shop), id));
        let both = [first.await.unwrap(), second.await.unwrap()];
        assert_eq!(both.iter().filter(|done| done.is_ok()).count(), 1, "round {round}: {both:?}");
        let refused = both.iter().find_map(|done| done.as_ref().err()).unwrap();
        assert!(matches!(refused, Failure::Refused(Refusal::InvalidState { .. })), "{refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shift_that_closes_while_its_supervisor_dies_is_gone() {
    let shop = shop(5).await;
    for round in 0..20 {
        let shift = open(&shop, 1).await;
        let (closed, restarted) = tokio::join!(
            insist(|| async {
                shop.handle.run(ask(1, None), commands::CloseShift(shift.clone(), count(0))).await
            }),
            shop.handle.restart_actor("shifts"),
        );
        assert_eq!(data(&closed.answer)["shift"]["state"], "closed", "round {round}");
        restarted.unwrap();
        let listed = || {
            let mut actors = Vec::new();
            names(&shop.handle.tree()["root"], &mut actors);
            actors.iter().any(|name| name.starts_with("shift:"))
        };
        let gone = async {
            while listed() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), gone).await.expect("it is in no list");
    }
    open(&shop, 1).await;
    sell(&shop, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_waits_until_what_it_speaks_of_is_durable() {
    let shop = Arc::new(shop(5).await);
    let (release, held) = std::sync::mpsc::channel::<()>();
    let commit = Commit { events: vec![], records: vec![], keyed: None, at: UtcMs(0), hlc: None };
    // The writer is blocked as by a slow disk.
    shop.handle.storage().submit(commit, move |_| held.recv().unwrap()).unwrap();
    let open = |shop: Arc<Shop>| async move {
        let command = OpenShift { register_id: None, opening_float: None, note: None };
        shop.handle.open_shift(ask(1, None), command).await
    };
    let mut both = tokio::task::JoinSet::new();
    both.spawn(open(Arc::clone(&shop)));
    both.spawn(open(Arc::clone(&shop)));
    let early = tokio::time::timeout(Duration::from_millis(300), both.join_next()).await;
    assert!(early.is_err(), "neither the shift nor that there is one: {early:?}");
    release.send(()).unwrap();
    let both: Vec<_> = both.join_all().await;
    assert_eq!(both.iter().filter(|done| done.is_ok()).count(), 1, "{both:?}");
    let refused = both.iter().find_map(|done| done.as_ref().err()).unwrap();
    assert!(matches!(refused, Failure::Refused(Refusal::ShiftAlreadyOpen { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_refused_sale_leaves_no_rows_in_the_ledger() {
    let mut rules = rules();
    rules.negative_stock = NegativeStock::Reject;
    let shop = shop_by(rules).await;
    open(&shop, 1).await;
    let created = shop.handle.run(ask(1, None), commands::CreateSale(basket())).await.unwrap();
    let id = TransactionId(data(&created.answer)["transaction_id"].as_str().unwrap().to_owned());
    let refused = shop.handle.run(ask(1, None), commands::PaySale(id.clone(), cash())).await;
    assert!(matches!(refused, Err(Failure::Refused(Refusal::InsufficientStock { .. }))), "{refused:?}");
    let mut product = shop.handle.storage().products().product(&Sku::from("A")).unwrap().unwrap();
    product.cost = Some(Money::new(700));
    shop.handle.import_products(vec![product]).await.unwrap();
    let mut manager = ask(9, None);
    Arc::make_mut(&mut manager.caller).role = Role::StoreManager;
    let goods = serde_json::from_value(json!({"lines": [{"sku": "A", "qty": 2}]})).unwrap();
    let received = shop.handle.run(manager.clone(), commands::Receive(goods)).await.unwrap();
    assert_eq!(data(&received.answer)["lines"][0]["unit_cost"], 700, "as after a restart");
    let paid = shop.handle.run(ask(1, None), commands::PaySale(id.clone(), cash())).await.unwrap();
    assert_eq!(data(&paid.answer)["receipt_no"], "S001-till-1-00000001", "no number was lost");
}

#[tokio::test]
async fn a_full_gate_sheds_load_and_recovers() {
    let shop = shop(5).await;
    open(&shop, 1).await;
    let gate = shop.handle.storage().gate();
    let all = u32::try_from(gate.available_permits()).unwrap();
    let held = gate.acquire_many_owned(all).await.unwrap();
    let shed = shop.handle.run(ask(1, None), commands::CreateSale(basket())).await;
    assert!(matches!(shed, Err(Failure::Unavailable(_))), "{shed:?}");
    drop(held);
    shop.handle.run(ask(1, None), commands::CreateSale(basket())).await.unwrap();
}

#[tokio::test]
async fn a_closed_shift_is_over_and_its_till_and_cashier_are_free() {
    let shop = shop(5).await;
    let shift = open(&shop, 1).await;
    sell(&shop, 1).await;
    let close = count(1000);
    let done =
        shop.handle.run(ask(1, None), commands::CloseShift(shift.clone(), close.clone())).await.unwrap();
    assert_eq!(data(&done.answer)["shift"]["variance"], 0);
    let again = shop.handle.run(ask(1, None), commands::CloseShift(shift.clone(), close)).await;
    assert!(matches!(again, Err(Failure::Refused(Refusal::InvalidState { .. }))), "{again:?}");
    let without = shop.handle.run(ask(1, None), commands::CreateSale(basket())).await;
    assert_eq!(without, Err(Failure::Refused(Refusal::NoOpenShift)));
    let next = open(&shop, 1).await;
    assert_ne!(next, shift);
    assert_eq!(sell(&shop, 1).await, "S001-till-1-00000002", "the register's counter continues");
}

/// A product whose name changes every day makes more words than one search reads. This must hide no other product.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn product_names_of_long_ago_hide_nothing() {
    let shop = shop(5).await;
    let product = |sku: &str, name: String| Product::new(Sku::from(sku), name, Money::new(1000), UtcMs(1));
    // A thousand names, some of them in one commit.
    for n in 0..100 {
        let name = |part: usize| {
            let n = n * 10 + part;
            format!("aab{n} aac{n} aad{n} aae{n} aaf{n} aag{n}")
        };
        let names = (0..10).map(|part| product("A", name(part))).collect();
        shop.handle.import_products(names).await.unwrap();
    }
    shop.handle
        .import_products(vec![product("A", "aay".to_owned()), product("B", "aaz".to_owned())])
        .await
        .unwrap();
    let found = |typed: &str| -> Vec<String> {
        let found =
            shop.handle.storage().products().search_products(&search::words([typed]), None, 9).unwrap();
        found.into_iter().map(|product| product.sku.0).collect()
    };
    assert_eq!(found("aa"), ["A", "B"]);
    assert_eq!((found("aab0"), found("apple")), (Vec::new(), Vec::new()));
    let gone = Product { state: ProductState::Inactive, ..product("A", "aay".to_owned()) };
    shop.handle.import_products(vec![gone]).await.unwrap();
    assert_eq!(found("aa"), ["B"]);
}
