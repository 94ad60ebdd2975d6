//! Receipts that head office could not post: corrected at the store, where stock and books move by the difference.

use crate::books::goods_are_conserved;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::MovementId;
use domain::model::base::refusal::Refusal;
use domain::model::base::settings::{NegativeStock, Rules};
use domain::model::inventory::receiving::Receiving;
use domain::model::people::user::Role;
use domain::rules::books::posting::{Context, RecordToPost, of_record};
use domain::rules::inventory::receiving::{
    Corrected, NewReceiving, NewReceivingLine, Side, receive, resubmit, reverse,
};
use domain::wire::record::{AnyPayload, Record, receiving_posted, receiving_reversed};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use testkit::shop::*;

const SKUS: [&str; 2] = ["a", "b"];

/// (product, pieces, cost of them all).
type Line = (&'static str, i64, i64);

fn shop_with(rules: Rules) -> Shop {
    Shop::open(rules, [product("a", 1000), product("b", 3000)])
}

fn command(lines: &[Line]) -> NewReceiving {
    let line = |(sku, qty, total): &Line| NewReceivingLine {
        sku: (*sku).into(),
        code: None,
        qty: (*qty).into(),
        unit_cost: None,
        line_total: Some(Money::new(*total)),
        rejected_qty: Some(Quantity::new(1)),
        note: None,
    };
    NewReceiving {
        supplier_id: Some("sup_1".to_owned()),
        delivery_note_no: Some("N-1".to_owned()),
        lines: lines.iter().map(line).collect(),
        ..NewReceiving::default()
    }
}

fn posted(shop: &mut Shop, lines: &[Line]) -> Receiving {
    let ids: Vec<MovementId> = shop.ids("mov_", lines.len());
    let id = shop.next("rcv_").into();
    let event = receive(&command(lines), id, ids, &shop.products, &shop.stock_context(&boss())).unwrap();
    let receiving = event.fact.receiving.clone();
    shop.commit(event);
    receiving
}

/// Both halves of a correction.
struct Done {
    reversed: Receiving,
    posted: Receiving,
}

fn corrected(shop: &mut Shop, old: &Receiving, lines: &[Line]) -> Result<Done, Refusal> {
    let command = command(lines);
    let old = Side { of: old, order: None, movement_ids: shop.ids("mov_", old.lines.len()) };
    let new = Side { of: &command, order: None, movement_ids: shop.ids("mov_", lines.len()) };
    let id = shop.next("rcv_").into();
    let Corrected { reversed, posted } =
        resubmit(old, new, id, &shop.products, &shop.stock_context(&boss()))?;
    let done = Done { reversed: reversed.fact.receiving.clone(), posted: posted.fact.receiving.clone() };
    shop.commit(reversed);
    shop.commit(posted);
    Ok(done)
}

fn on_hand(shop: &Shop, sku: &str) -> (i64, i64) {
    let row = shop.ledger.stock.get(sku).cloned().unwrap_or_default();
    (row.qty.get(), row.value.get())
}

fn sell(shop: &mut Shop, sku: &str, qty: i64) {
    shop.sell(vec![item(sku, qty, 1000)]).unwrap();
}

#[test]
fn the_corrected_receipt_and_the_old_one_name_each_other() {
    let mut shop = shop_with(rules());
    let old = posted(&mut shop, &[("a", 10, 100_000)]);
    let done = corrected(&mut shop, &old, &[("a", 10, 10_000)]).unwrap();
    assert_eq!(done.posted.resubmits.as_ref(), Some(&old.receiving_id));
    assert_eq!(done.reversed.replaced_by.as_ref(), Some(&done.posted.receiving_id));
    assert_eq!(done.reversed.state, "reversed");
    assert_eq!(
        done.posted.delivery_note_no, old.delivery_note_no,
        "its number is free for the corrected one"
    );
    assert_eq!(on_hand(&shop, "a"), (10, 10_000));
    let again = corrected(&mut shop, &old, &[("a", 10, 10_000)]).map(drop).unwrap_err();
    assert_eq!(again.code(), "invalid_state", "once");
    assert_eq!(shop.replayed().0.stock, shop.ledger.stock);
}

/// A digit too many: taken back at the average, 450,000 would be left in the stock. Here the difference alone moves.
#[test]
fn the_stock_moves_by_the_difference_whatever_the_average_became() {
    let mut shop = shop_with(rules());
    shop.stock("a", 10, 100_000);
    let old = posted(&mut shop, &[("a", 10, 1_000_000)]);
    assert_eq!(on_hand(&shop, "a"), (20, 1_100_000));
    corrected(&mut shop, &old, &[("a", 9, 90_000), ("b", 1, 5_000)]).unwrap();
    assert_eq!((on_hand(&shop, "a"), on_hand(&shop, "b")), ((19, 190_000), (1, 5_000)));
}

/// On hand before, the wrong receipt, sold, the right one, on hand afterwards, cost of the sold goods afterwards.
type Sold = ((i64, i64), Line, i64, Line, (i64, i64), i64);

/// Pieces that were sold meanwhile took the wrong cost with them: the cost of goods is corrected, once.
#[test]
fn pieces_that_were_sold_at_a_wrong_cost_are_corrected_with_it() {
    let table: [Sold; 4] = [
        // All pieces of the receipt were sold: nothing of its wrong value may stay.
        ((0, 0), ("a", 10, 100_000), 10, ("a", 10, 10_000), (0, 0), 10_000),
        // The stock fell below what was there before: the value left without the receipt would be below zero.
        ((10, 10_000), ("a", 10, 1_000_000), 15, ("a", 10, 10_000), (5, 5_000), 15_000),
        // The wrong cost was too low.
        ((5, 50_000), ("a", 10, 1_000), 8, ("a", 10, 100_000), (7, 70_000), 80_000),
        // Fewer pieces had come than were sold: they are below zero at the last cost.
        ((0, 0), ("a", 10, 10_000), 10, ("a", 8, 8_000), (-2, -2_000), 10_000),
    ];
    for (before, wrong, sold, right, after, cost_of_goods) in table {
        let mut shop = shop_with(rules());
        if before.0 > 0 {
            shop.stock("a", before.0, before.1);
        }
        let old = posted(&mut shop, &[wrong]);
        sell(&mut shop, "a", sold);
        corrected(&mut shop, &old, &[right]).unwrap();
        assert_eq!(on_hand(&shop, "a"), after, "{wrong:?} {sold}");
        let came = before.1 + right.2;
        assert_eq!(came - after.1, cost_of_goods, "what came and is not there was sold: {wrong:?} {sold}");
    }
}

#[test]
fn a_correction_that_can_not_be_posted_changes_nothing() {
    let strict = || Rules { negative_stock: NegativeStock::Reject, ..rules() };
    let mut shop = shop_with(strict());
    let old = posted(&mut shop, &[("a", 10, 10_000)]);
    sell(&mut shop, "a", 9);
    let refused = corrected(&mut shop, &old, &[("a", 8, 8_000)]).map(drop).unwrap_err();
    assert_eq!(refused.code(), "insufficient_stock", "two pieces fewer, and one is there");
    assert!(corrected(&mut shop, &old, &[("a", 9, 9_000)]).is_ok(), "one piece fewer");

    let mut shop = shop_with(rules());
    let old = posted(&mut shop, &[("a", 10, 10_000)]);
    let (clerk, command) = (caller("dewi", Role::WarehouseStaff), command(&[("a", 1, 1)]));
    let side = Side { of: &old, order: None, movement_ids: vec!["mov_x".into()] };
    let new = Side { of: &command, order: None, movement_ids: vec!["mov_y".into()] };
    let refused = resubmit(side, new, "rcv_x".into(), &shop.products, &shop.stock_context(&clerk));
    assert_eq!(refused.map(drop).unwrap_err().code(), "insufficient_role");
    // The wrong product, of which all pieces were sold together with others at a mixed cost.
    let mut shop = shop_with(rules());
    shop.stock("a", 5, 50_000);
    let old = posted(&mut shop, &[("a", 10, 1_000)]);
    sell(&mut shop, "a", 8);
    let refused = corrected(&mut shop, &old, &[("b", 10, 10_000)]).map(drop).unwrap_err();
    assert!(refused.details().to_string().contains("must keep a"), "{refused:?}");
    assert_eq!(on_hand(&shop, "a").0, 7);
}

fn payload(text: &str) -> AnyPayload {
    let mut record: Record<Value> = serde_json::from_str(text).unwrap();
    record.read_payload().unwrap().unwrap()
}

/// What head office has after a record: sums by account, and pieces with their value by product.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Office {
    accounts: BTreeMap<String, i64>,
    stock: BTreeMap<String, (i64, i64)>,
}

impl Office {
    fn apply(&mut self, payload: &AnyPayload) {
        let effect = payload.effect("S001").unwrap();
        let moved: Money = effect.moves.iter().map(|one| one.value).sum();
        for one in effect.moves {
            let row = self.stock.entry(one.sku.0).or_default();
            *row = (row.0 + one.qty.get(), row.1 + one.value.get());
        }
        let context = Context::default();
        let source = RecordToPost { payload, store_id: "S001", moved, context: &context };
        let entries = of_record(&source).unwrap();
        assert_eq!((entries.own.unbalanced, entries.own.stock_differs), (Money::ZERO, Money::ZERO));
        for row in entries.own.rows {
            *self.accounts.entry(String::from(row.account)).or_default() +=
                row.debit.get() - row.credit.get();
        }
        self.accounts.retain(|_, sum| *sum != 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Whichever of the old receipts head office could post at last, by a replay, and whichever were replaced: its sums are
    /// the same, and its stock is the store's.
    #[test]
    fn any_mix_of_replayed_and_replaced_receipts_gives_the_same_books(
        steps in prop::collection::vec((0..4_u8, 0..2_usize, 1..20_i64, 0..40_000_i64), 1..25),
        replayed in any::<u32>(),
    ) {
        let mut shop = shop_with(rules());
        let (mut mixed, mut replaced) = (Office::default(), Office::default());
        let mut held: Vec<Receiving> = Vec::new();
        let mut number = 0;
        for (kind, sku, qty, total) in steps {
            let line = (SKUS[sku], qty, total);
            match kind {
                // A receipt that head office holds.
                0 if held.len() < 3 => {
                    let mut cmd = command(&[line, (SKUS[1 - sku], 1, total)]);
                    cmd.delivery_note_no = None;
                    let ids: Vec<MovementId> = shop.ids("mov_", 2);
                    let id = shop.next("rcv_").into();
                    let event = receive(&cmd, id, ids, &shop.products, &shop.stock_context(&boss())).unwrap();
                    held.push(event.fact.receiving.clone());
                    shop.commit(event);
                }
                1 if !held.is_empty() => {
                    let old = held.remove(0);
                    let lines = [line, (SKUS[1 - sku], qty, total / 2)];
                    let mut cmd = command(&lines);
                    cmd.delivery_note_no = None;
                    let taken = Side { of: &old, order: None, movement_ids: shop.ids("mov_", old.lines.len()) };
                    let new = Side { of: &cmd, order: None, movement_ids: shop.ids("mov_", 2) };
                    let id = shop.next("rcv_").into();
                    let both = resubmit(taken, new, id, &shop.products, &shop.stock_context(&boss())).unwrap();
                    let [before, after] = [shop.stamp(), shop.stamp()];
                    let back = receiving_reversed(&before, &both.reversed.fact.receiving, &both.reversed.rows.movements);
                    let new = payload(&receiving_posted(&after, &both.posted.fact.receiving));
                    if replayed >> number & 1 == 1 {
                        mixed.apply(&payload(&receiving_posted(&before, &old)));
                        mixed.apply(&payload(&back));
                    }
                    mixed.apply(&new);
                    replaced.apply(&new);
                    number += 1;
                    shop.commit(both.reversed);
                    shop.commit(both.posted);
                }
                _ => sell(&mut shop, SKUS[sku], qty),
            }
        }
        // What is still held is posted in the end.
        for old in held {
            let text = receiving_posted(&shop.stamp(), &old);
            mixed.apply(&payload(&text));
            replaced.apply(&payload(&text));
        }
        goods_are_conserved(&shop, &SKUS);
        let sold: BTreeMap<&str, (i64, i64)> = SKUS
            .into_iter()
            .map(|sku| {
                let of_sales = shop.events.iter().flat_map(|event| &event.rows.movements);
                let of_sales = of_sales.filter(|one| one.sku.as_str() == sku && one.reference_type == "transaction");
                let sums = of_sales.fold((0, 0), |(qty, value), one| {
                    (qty + one.qty.get(), value + one.cost.get() - one.correction.get())
                });
                (sku, sums)
            })
            .collect();
        for sku in SKUS {
            let (qty, value) = mixed.stock.get(sku).copied().unwrap_or_default();
            let (out, cost) = sold[sku];
            prop_assert_eq!((qty + out, value + cost), on_hand(&shop, sku), "head office has the store's stock");
        }
        prop_assert_eq!(mixed.accounts, replaced.accounts, "a replay before the correction changes no sum");
        let at_store: BTreeMap<_, _> = shop.ledger.stock.clone().into_iter().collect();
        let again: BTreeMap<_, _> = shop.replayed().0.stock.into_iter().collect();
        prop_assert_eq!(again, at_store, "the events alone give the same stock");
    }
}

/// A plain reversal still goes by the average.
#[test]
fn a_reversal_that_corrects_nothing_goes_by_the_average() {
    let mut shop = shop_with(rules());
    shop.stock("a", 10, 100_000);
    let old = posted(&mut shop, &[("a", 10, 1_000_000)]);
    let ids = shop.ids("mov_", 1);
    let event = reverse(&old, None, ids, &shop.stock_context(&boss())).unwrap();
    shop.commit(event);
    assert_eq!(on_hand(&shop, "a"), (10, 550_000));
}
