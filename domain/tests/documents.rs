//! Stock documents: adjustments, transfers, counts, reversed receipts.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test may fail loudly"
)]

#[path = "support/acts.rs"]
mod acts;
#[path = "support/shop.rs"]
mod shop;

use acts::*;
use domain::adjustment::{self, Adjustment, AdjustmentReason, AdjustmentState};
use domain::event::Event;
use domain::ids::{MovementId, OpnameId};
use domain::mandate::Mandate;
use domain::opname::{self, OpnameState, RecountOpname, Scope, line_view};
use domain::receiving::{self, NewReceiving, NewReceivingLine, Receiving};
use domain::refusal::Refusal;
use domain::settings::NegativeStock;
use domain::stock::Stock;
use domain::transfer::{
    self, NewTransfer, NewTransferLine, ReceiveTransfer, Resolution, ResolveLine, ResolveTransfer, Transfer,
    TransferState,
};
use domain::user::{Caller, Role};
use proptest::prelude::*;
use shop::*;

fn open() -> Shop {
    let mut service = product("wrap", 500);
    service.track_stock = false;
    let mut milk = product("milk", 800);
    milk.category = Some("c".to_owned());
    let mut shop = Shop::open(rules(), [product("a", 1000), product("b", 3000), service, milk]);
    stock(&mut shop, "a", 12, 10_003);
    stock(&mut shop, "b", 4, 1_001);
    shop
}

fn stock(shop: &mut Shop, sku: &str, qty: i64, value: i64) {
    let row = Stock { sku: sku.into(), qty, value, last_cost: value / qty, ..Stock::default() };
    shop.ledger.stock.insert(sku.into(), row);
}

fn staff() -> Caller {
    caller("wati", Role::WarehouseStaff)
}

fn on_hand(shop: &Shop, sku: &str) -> (i64, i64) {
    let row = &shop.ledger.stock[sku];
    (row.qty, row.value)
}

fn ids(shop: &mut Shop) -> Vec<MovementId> {
    shop.ids("mov_", 10)
}

fn nothing(_: &mut Shop) {}

fn case(
    name: &'static str,
    given: fn(&mut Shop),
    when: fn(&mut Shop) -> Result<(), Refusal>,
    code: &'static str,
    detail: &'static str,
) -> Case {
    Case { name, given, when, code, detail }
}

fn adjust(shop: &mut Shop, reason: AdjustmentReason, sku: &str, qty: i64) -> Result<(), Refusal> {
    shop.adjust(&staff(), &adjusting(reason, sku, qty)).map(|_| ())
}

fn document(shop: &Shop) -> Adjustment {
    let Some(Event::AdjustmentChanged { adjustment, .. }) = shop.events.last() else { panic!() };
    (**adjustment).clone()
}

fn wait(shop: &mut Shop) -> Adjustment {
    let mut cmd = adjusting(AdjustmentReason::Theft, "a", -2);
    cmd.request_approval = Some(true);
    shop.adjust(&staff(), &cmd).unwrap();
    document(shop)
}

fn approve(shop: &mut Shop, who: &Caller, adjustment: &Adjustment) -> Result<(), Refusal> {
    let (ids, now) = (ids(shop), shop.now);
    let mandate = Mandate::own(who);
    let event = adjustment::approve(adjustment, ids, now, &mandate, &shop.rules, &shop.ledger)?;
    shop.commit(event);
    Ok(())
}

#[test]
fn adjustments_that_are_refused() {
    run_table(
        open,
        &[
            case(
                "stolen goods that come in",
                nothing,
                |s| adjust(s, AdjustmentReason::Theft, "a", 1),
                "validation_failed",
                "lines[0].qty",
            ),
            case(
                "found goods that go out",
                nothing,
                |s| adjust(s, AdjustmentReason::Found, "a", -1),
                "validation_failed",
                "lines[0].qty",
            ),
            case(
                "nothing at all",
                nothing,
                |s| adjust(s, AdjustmentReason::Correction, "a", 0),
                "validation_failed",
                "lines[0].qty",
            ),
            case(
                "an unknown product",
                nothing,
                |s| adjust(s, AdjustmentReason::Loss, "x", -1),
                "unknown_sku",
                "x",
            ),
            case(
                "a service",
                nothing,
                |s| adjust(s, AdjustmentReason::Loss, "wrap", -1),
                "validation_failed",
                "no stock",
            ),
            case(
                "above the limit, without a manager",
                |s| s.rules.policy.adjustment_value = 1_666,
                |s| adjust(s, AdjustmentReason::Loss, "a", -2),
                "approval_required",
                "",
            ),
            case(
                "by a cashier",
                nothing,
                |s| s.adjust(&ani(), &adjusting(AdjustmentReason::Loss, "a", -1)).map(|_| ()),
                "insufficient_role",
                "",
            ),
            case(
                "approved by the stock room",
                |s| {
                    wait(s);
                },
                |s| {
                    let waiting = document(s);
                    approve(s, &staff(), &waiting)
                },
                "insufficient_role",
                "",
            ),
            case(
                "approved twice",
                |s| {
                    let waiting = wait(s);
                    approve(s, &boss(), &waiting).unwrap();
                },
                |s| {
                    let stale = Adjustment { state: AdjustmentState::Pending, ..document(s) };
                    approve(s, &boss(), &stale)
                },
                "invalid_state",
                "posted",
            ),
        ],
    );
}

#[test]
fn an_adjustment_waits_moves_and_is_taken_back() {
    let mut shop = open();
    let waiting = wait(&mut shop);
    assert_eq!((waiting.state, waiting.value), (AdjustmentState::Pending, -1_667));
    assert_eq!(on_hand(&shop, "a"), (12, 10_003), "nothing moved");
    approve(&mut shop, &boss(), &waiting).unwrap();
    assert_eq!(on_hand(&shop, "a"), (10, 8_336));
    let posted = document(&shop);
    let (who, ids) = (boss(), ids(&mut shop));
    let event = adjustment::reverse(&posted, ids.clone(), NOW, &Mandate::own(&who), &shop.ledger).unwrap();
    shop.commit(event);
    assert_eq!(on_hand(&shop, "a"), (12, 10_003), "at the cost it left with");
    let again = adjustment::reverse(&posted, ids, NOW, &Mandate::own(&who), &shop.ledger);
    assert_eq!(again.unwrap_err().code(), "invalid_state");

    let rejected = wait(&mut shop);
    let event = adjustment::reject(&rejected, NOW, &Mandate::own(&who), &shop.ledger).unwrap();
    shop.commit(event);
    assert_eq!(approve(&mut shop, &boss(), &rejected).unwrap_err().code(), "invalid_state");
}

fn arriving(lines: &[(&str, i64)]) -> ReceiveTransfer {
    let line = |(sku, qty): &(&str, i64)| NewTransferLine { sku: (*sku).into(), qty: *qty };
    ReceiveTransfer { lines: lines.iter().map(line).collect() }
}

fn changed(event: &Event) -> Transfer {
    let Event::TransferChanged { transfer, .. } = event else { panic!("{event:?}") };
    (**transfer).clone()
}

/// The other store.
fn there() -> Shop {
    let mut shop = Shop::open(rules(), [product("a", 1000), product("b", 3000)]);
    shop.rules.store_id = "S002".into();
    shop
}

fn receive(shop: &mut Shop, sent: &Transfer, lines: &[(&str, i64)]) -> Result<Transfer, Refusal> {
    let (who, ids) = (staff(), ids(shop));
    let cmd = arriving(lines);
    let event = transfer::receive(&cmd, sent, ids, NOW, &Mandate::own(&who), &shop.rules, &shop.ledger)?;
    let received = changed(&event);
    shop.commit(event);
    Ok(received)
}

fn resolve(shop: &mut Shop, transfer: &Transfer, lines: &[(&str, i64, Resolution)]) -> Result<(), Refusal> {
    let (who, ids) = (boss(), ids(shop));
    let line = |(sku, qty, how): &(&str, i64, Resolution)| ResolveLine {
        sku: (*sku).into(),
        qty: *qty,
        resolution: *how,
    };
    let cmd = ResolveTransfer { lines: lines.iter().map(line).collect() };
    let event = transfer::resolve(&cmd, transfer, ids, NOW, &Mandate::own(&who), &shop.rules, &shop.ledger)?;
    shop.commit(event);
    Ok(())
}

fn meet(shop: &mut Shop, sent: &Transfer, received: &Transfer) -> Transfer {
    let (who, ids) = (boss(), ids(shop));
    let event =
        transfer::meet(sent, received, ids, NOW, &Mandate::own(&who), &shop.rules, &shop.ledger).unwrap();
    let met = changed(&event);
    shop.commit(event);
    met
}

#[test]
fn goods_travel_and_what_is_missing_is_settled() {
    let (mut here, mut there) = (open(), there());
    let sent = here.send(&[("a", 12)]).unwrap();
    assert_eq!((on_hand(&here, "a"), sent.in_transit_value()), ((0, 0), 10_003));
    let received = receive(&mut there, &sent, &[("a", 10)]).unwrap();
    assert_eq!(on_hand(&there, "a"), (10, 8_335), "J1");
    let again = receive(&mut there, &sent, &[("a", 1)]).unwrap_err();
    assert_eq!(again.code(), "invalid_state", "one receive");

    let met = meet(&mut here, &sent, &received);
    assert_eq!((met.state, met.cancel_lost, met.in_transit_value()), (TransferState::Received, false, 1_668));
    assert_eq!(on_hand(&here, "a"), (0, 0));
    resolve(&mut here, &met, &[("a", 1, Resolution::Lost)]).unwrap();
    let too_many = resolve(&mut here, &met, &[("a", 2, Resolution::FoundAtSource)]);
    assert_eq!(too_many.unwrap_err().code(), "validation_failed");
    resolve(&mut here, &met, &[("a", 1, Resolution::FoundAtSource)]).unwrap();
    assert_eq!(on_hand(&here, "a"), (1, 834));
    assert_eq!(here.ledger.transfers[&sent.transfer_id].in_transit_value(), 0);
}

#[test]
fn pieces_found_at_the_destination_come_in_there_once() {
    let (mut here, mut there) = (open(), there());
    let sent = here.send(&[("b", 4)]).unwrap();
    let received = receive(&mut there, &sent, &[]).unwrap();
    let met = meet(&mut here, &sent, &received);
    resolve(&mut here, &met, &[("b", 2, Resolution::Damaged), ("b", 2, Resolution::FoundAtDestination)])
        .unwrap();
    let settled = here.ledger.transfers[&sent.transfer_id].clone();
    for _ in 0..2 {
        let (who, ids) = (boss(), ids(&mut there));
        let mandate = Mandate::own(&who);
        let event =
            transfer::found_here(&received, &settled, ids, NOW, &mandate, &there.rules, &there.ledger);
        there.commit(event.unwrap());
        assert_eq!(on_hand(&there, "b"), (2, 501), "told twice, in once");
    }
}

#[test]
fn a_cancellation_that_meets_a_receipt_loses() {
    let (mut here, mut there) = (open(), there());
    let sent = here.send(&[("a", 12)]).unwrap();
    let (who, now) = (staff(), here.now);
    let ids = ids(&mut here);
    let event = transfer::cancel(&sent, ids, now, &Mandate::own(&who), &here.rules, &here.ledger).unwrap();
    here.commit(event);
    assert_eq!(on_hand(&here, "a"), (12, 10_003), "back at its cost");
    let received = receive(&mut there, &sent, &[("a", 12)]).unwrap();
    let met = meet(&mut here, &sent, &received);
    assert!(met.cancel_lost);
    assert_eq!((on_hand(&here, "a"), met.in_transit_value()), ((0, 0), 0));
}

fn send_to(shop: &mut Shop, store: &str, lines: &[(&str, i64)]) -> Result<(), Refusal> {
    let (who, ids) = (staff(), ids(shop));
    let lines = arriving(lines).lines;
    let cmd = NewTransfer { to_store_id: store.into(), lines, note: None, draft: None };
    let mandate = Mandate::own(&who);
    transfer::create(&cmd, "trf_9".into(), ids, NOW, &mandate, &shop.products, &shop.rules, &shop.ledger)
        .map(|_| ())
}

#[test]
fn transfers_that_are_refused() {
    run_table(
        open,
        &[
            case(
                "to oneself",
                nothing,
                |s| send_to(s, "S001", &[("a", 1)]),
                "validation_failed",
                "to_store_id",
            ),
            case(
                "to a store that nobody knows",
                |s| s.rules.policy.stores = vec!["S002".into()],
                |s| send_to(s, "S003", &[("a", 1)]),
                "validation_failed",
                "to_store_id",
            ),
            case(
                "a product twice",
                nothing,
                |s| send_to(s, "S002", &[("a", 1), ("a", 1)]),
                "validation_failed",
                "lines[1].sku",
            ),
            case(
                "more than there is, where that is refused",
                |s| s.rules.negative_stock = NegativeStock::Reject,
                |s| send_to(s, "S002", &[("a", 13), ("b", 4)]),
                "insufficient_stock",
                "13",
            ),
            case(
                "received by its sender",
                nothing,
                |s| {
                    let sent = s.clone().send(&[("a", 1)]).unwrap();
                    receive(s, &sent, &[("a", 1)]).map(|_| ())
                },
                "not_found",
                "",
            ),
            case(
                "more than was sent",
                |s| s.rules.store_id = "S002".into(),
                |s| receive(s, &open().send(&[("a", 12)]).unwrap(), &[("a", 13)]).map(|_| ()),
                "over_receipt",
                "12",
            ),
            case(
                "what was not sent",
                |s| s.rules.store_id = "S002".into(),
                |s| receive(s, &open().send(&[("a", 12)]).unwrap(), &[("b", 1)]).map(|_| ()),
                "validation_failed",
                "lines[0].sku",
            ),
            case(
                "settled before it arrived",
                nothing,
                |s| {
                    let sent = s.clone().send(&[("a", 1)]).unwrap();
                    resolve(s, &sent, &[("a", 1, Resolution::Lost)])
                },
                "invalid_state",
                "in_transit",
            ),
        ],
    );
}

fn counting(shop: &mut Shop) -> OpnameId {
    shop.start_count(Scope::All, None).unwrap()
}

fn started(shop: &mut Shop) {
    counting(shop);
}

fn the_count(shop: &Shop) -> OpnameId {
    shop.ledger.opnames.keys().next().unwrap().clone()
}

#[test]
fn counts_that_are_refused() {
    run_table(
        open,
        &[
            case(
                "two of everything",
                started,
                |s| s.start_count(Scope::All, None).map(|_| ()),
                "duplicate",
                "opn_",
            ),
            case(
                "a product that is counted already",
                |s| {
                    s.start_count(Scope::Skus, Some(vec!["a".into(), "b".into()])).unwrap();
                },
                |s| s.start_count(Scope::Skus, Some(vec!["b".into()])).map(|_| ()),
                "duplicate",
                "opn_",
            ),
            case(
                "a category of a product that is counted already",
                |s| {
                    s.start_count(Scope::Skus, Some(vec!["milk".into()])).unwrap();
                },
                |s| s.start_count(Scope::Category, None).map(|_| ()),
                "duplicate",
                "opn_",
            ),
            case(
                "a product out of scope",
                |s| {
                    s.start_count(Scope::Category, None).unwrap();
                },
                |s| s.count(&the_count(s), "a", 1, None),
                "validation_failed",
                "counts[0].sku",
            ),
            case(
                "a service",
                started,
                |s| s.count(&the_count(s), "wrap", 1, None),
                "validation_failed",
                "sku",
            ),
            case(
                "below zero",
                started,
                |s| s.count(&the_count(s), "a", -1, None),
                "validation_failed",
                "qty",
            ),
            case(
                "after it was submitted",
                |s| {
                    let id = counting(s);
                    submit(s, &id);
                },
                |s| s.count(&the_count(s), "a", 1, None),
                "invalid_state",
                "review",
            ),
            case(
                "another product than the one to recount",
                |s| {
                    let id = counting(s);
                    s.count(&id, "a", 1, None).unwrap();
                    submit(s, &id);
                    recount(s, &id, "a").unwrap();
                },
                |s| s.count(&the_count(s), "b", 1, None),
                "validation_failed",
                "counts[0].sku",
            ),
            case(
                "a recount of what was not counted",
                |s| {
                    let id = counting(s);
                    submit(s, &id);
                },
                |s| recount(s, &the_count(s), "a"),
                "validation_failed",
                "a was not counted",
            ),
            case(
                "posted although it moved between two zones",
                |s| {
                    let id = counting(s);
                    s.count(&id, "a", 5, Some("shelf")).unwrap();
                    s.sell(vec![item("a", 1, 1000)]).unwrap();
                    s.count(&id, "a", 7, Some("back")).unwrap();
                },
                |s| s.post_count(&the_count(s), false),
                "validation_failed",
                "lines.a",
            ),
            case(
                "posted twice",
                |s| {
                    let id = counting(s);
                    s.post_count(&id, false).unwrap();
                },
                |s| s.post_count(&the_count(s), false),
                "invalid_state",
                "posted",
            ),
        ],
    );
}

fn submit(shop: &mut Shop, id: &OpnameId) {
    let who = staff();
    let event = opname::submit(id, &Mandate::own(&who), &shop.ledger).unwrap();
    shop.commit(event);
}

fn recount(shop: &mut Shop, id: &OpnameId, sku: &str) -> Result<(), Refusal> {
    let who = staff();
    let cmd = RecountOpname { skus: vec![sku.into()] };
    let event = opname::recount(&cmd, id, &Mandate::own(&who), &shop.ledger)?;
    shop.commit(event);
    Ok(())
}

#[test]
fn a_count_is_reviewed_recounted_and_posts_only_differences() {
    let mut shop = open();
    let id = counting(&mut shop);
    shop.count(&id, "a", 5, Some("shelf")).unwrap();
    shop.sell(vec![item("a", 2, 1000)]).unwrap();
    shop.count(&id, "a", 5, Some("back")).unwrap();
    shop.count(&id, "b", 4, None).unwrap();
    submit(&mut shop, &id);
    recount(&mut shop, &id, "a").unwrap();
    shop.count(&id, "a", 8, None).unwrap();
    shop.sell(vec![item("a", 1, 1000)]).unwrap();
    submit(&mut shop, &id);
    let before = on_hand(&shop, "b");
    shop.post_count(&id, false).unwrap();
    let Some(Event::OpnameChanged { opname, lines, movements, stock }) = shop.events.last() else { panic!() };
    assert_eq!((opname.state, lines.len()), (OpnameState::Posted, 2));
    assert_eq!(
        movements.iter().map(|moved| (moved.sku.as_str(), moved.qty)).collect::<Vec<_>>(),
        [("a", -2)]
    );
    assert_eq!(stock.len(), 1, "a row that nothing moved is not written");
    assert_eq!(on_hand(&shop, "a").0, 12 - 2 - 1 - 2);
    assert_eq!(on_hand(&shop, "b"), before);
    assert!(shop.ledger.counted.is_empty());
}

#[test]
fn a_blind_count_hides_what_is_expected_from_its_counters() {
    let mut shop = open();
    let id = counting(&mut shop);
    shop.count(&id, "a", 10, None).unwrap();
    let mut document = shop.ledger.opnames[&id].clone();
    document.blind = true;
    let line = &shop.ledger.counted[&(id, "a".into())];
    let row = &shop.ledger.stock["a"];
    let seen = line_view(&document, line, row, Role::WarehouseStaff);
    assert!(seen["expected"].is_null() && seen["variance"].is_null() && seen["variance_value"].is_null());
    assert_eq!(seen["counted"], 10);
    let seen = line_view(&document, line, row, Role::StoreManager);
    assert_eq!((seen["expected"].clone(), seen["variance_value"].clone()), (12.into(), (-1_667).into()));
}

fn a_receipt(shop: &mut Shop) -> Receiving {
    let line = |qty, unit_cost| NewReceivingLine {
        sku: "a".into(),
        qty,
        unit_cost: Some(unit_cost),
        rejected_qty: None,
        note: None,
    };
    let cmd = NewReceiving {
        supplier_id: Some("sup_1".to_owned()),
        delivery_note_no: Some("N-1".to_owned()),
        lines: vec![line(5, 1200), line(1, 1200)],
        ..NewReceiving::default()
    };
    let ids: Vec<MovementId> = shop.ids("mov_", 2);
    let id = shop.next("rcv_").into();
    let event = receiving::receive(&cmd, id, ids, NOW, &boss(), &shop.products, &shop.rules, &shop.ledger);
    let event = event.unwrap();
    let Event::ReceivingPosted { receiving, .. } = &event else { panic!() };
    let receiving = (**receiving).clone();
    shop.commit(event);
    receiving
}

#[test]
fn a_receipt_is_taken_back_once_and_its_note_may_come_again() {
    let mut shop = open();
    stock(&mut shop, "a", 6, 6_000);
    let receipt = a_receipt(&mut shop);
    assert_eq!(on_hand(&shop, "a"), (12, 13_200));
    let (who, ids) = (boss(), ids(&mut shop));
    let mandate = Mandate::own(&who);
    let reversed =
        |shop: &Shop| receiving::reverse(&receipt, ids.clone(), NOW, &mandate, &shop.rules, &shop.ledger);
    let event = reversed(&shop).unwrap();
    shop.commit(event);
    assert_eq!(on_hand(&shop, "a"), (6, 6_600), "at the average: the rest is purchase variance");
    assert_eq!(reversed(&shop).unwrap_err().code(), "invalid_state");
    a_receipt(&mut shop);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Cost at the sender = cost at the receiver + settled + still on its way.
    #[test]
    fn transfers_conserve_cost(
        qty in 1..40_i64,
        value in 0..100_000_i64,
        received in 0..40_i64,
        settled in prop::collection::vec((0..4_usize, 1..6_i64), 0..8),
    ) {
        let (mut here, mut there) = (open(), there());
        stock(&mut here, "a", qty, value);
        let sent = here.send(&[("a", qty)]).unwrap();
        prop_assert_eq!(sent.lines[0].cost, value, "the last unit takes the whole value");
        let received = receive(&mut there, &sent, &[("a", received.min(qty))]).unwrap();
        let met = meet(&mut here, &sent, &received);
        let hows = [
            Resolution::Lost, Resolution::Damaged, Resolution::FoundAtSource, Resolution::FoundAtDestination,
        ];
        for (how, qty) in settled {
            let _ = resolve(&mut here, &met, &[("a", qty, hows[how])]);
        }
        let after = &here.ledger.transfers[&sent.transfer_id];
        let line = &after.lines[0];
        let parts: i64 = line.resolved.iter().map(|part| part.cost).sum();
        prop_assert_eq!(line.in_cost + parts + after.in_transit_value(), value);
        prop_assert!(line.resolved.iter().all(|part| part.cost >= 0));
        if line.pending() == 0 {
            prop_assert_eq!(after.in_transit_value(), 0, "the last piece takes all");
        }
        let back: i64 = line
            .resolved
            .iter()
            .filter(|part| part.resolution == Resolution::FoundAtSource)
            .map(|part| part.cost)
            .sum();
        prop_assert_eq!(on_hand(&here, "a").1, back);
    }
}

#[test]
fn goods_go_back_to_their_supplier_at_the_average() {
    use domain::supplier_return::{NewSupplierReturn, NewSupplierReturnLine, give_back};
    let mut shop = open();
    stock(&mut shop, "a", 10, 10_100);
    let line = |qty, unit_cost| NewSupplierReturnLine { sku: "a".into(), qty, unit_cost };
    let cmd = NewSupplierReturn {
        supplier_id: "sup_1".to_owned(),
        lines: vec![line(5, Some(1_000)), line(1, None)],
        ..NewSupplierReturn::default()
    };
    let (who, ids) = (staff(), ids(&mut shop));
    let run = |who: &Caller, cmd: &NewSupplierReturn, shop: &Shop| {
        let mandate = Mandate::own(who);
        give_back(cmd, "srt_1".into(), ids.clone(), NOW, &mandate, &shop.products, &shop.rules, &shop.ledger)
    };
    assert_eq!(run(&ani(), &cmd, &shop).unwrap_err().code(), "insufficient_role");
    let nothing = NewSupplierReturn { supplier_id: String::new(), ..NewSupplierReturn::default() };
    let refused = run(&who, &nothing, &shop).unwrap_err().details().to_string();
    assert!(refused.contains("supplier_id") && refused.contains("lines"), "{refused}");
    let event = run(&who, &cmd, &shop).unwrap();
    let Event::SupplierReturnPosted { document, .. } = &event else { panic!("{event:?}") };
    assert_eq!((document.claim, document.stock_cost), (6_010, 6_060), "M33 and one at the average");
    shop.commit(event);
    assert_eq!(on_hand(&shop, "a"), (4, 4_040));
}

#[test]
fn what_is_missing_is_shown() {
    let (mut here, mut there) = (open(), there());
    let sent = here.send(&[("a", 12)]).unwrap();
    assert_eq!(transfer::view(&sent)["discrepancies"], serde_json::json!([]));
    let received = receive(&mut there, &sent, &[("a", 10)]).unwrap();
    let met = meet(&mut here, &sent, &received);
    resolve(&mut here, &met, &[("a", 1, Resolution::Lost)]).unwrap();
    let shown = transfer::view(&here.ledger.transfers[&sent.transfer_id]);
    let shown: Vec<_> =
        shown["discrepancies"].as_array().unwrap().iter().map(|d| d["resolution"].clone()).collect();
    assert_eq!(shown, ["lost", "pending"]);
}
