//! Transfers: sent, received, resolved, cancelled.

use super::*;
use domain::model::base::figures::Money;
use domain::wire::feed::StoreDown;

fn arriving(lines: &[(&str, i64)]) -> ReceiveTransfer {
    let line =
        |(sku, qty): &(&str, i64)| NewTransferLine { sku: (*sku).into(), code: None, qty: (*qty).into() };
    ReceiveTransfer { lines: lines.iter().map(line).collect() }
}

/// Returns the other store.
fn there() -> Shop {
    let mut shop = Shop::open(rules(), [product("a", 1000), product("b", 3000)]);
    shop.rules.store_id = "S002".into();
    shop
}

fn receive(shop: &mut Shop, sent: &Transfer, lines: &[(&str, i64)]) -> Result<Transfer, Refusal> {
    let (cmd, ids) = (arriving(lines), ids(shop));
    let event = transfer::receive(&cmd, sent, ids, &shop.stock_context(&staff()))?;
    let received = event.fact.transfer.clone();
    shop.commit(event);
    Ok(received)
}

fn resolve(shop: &mut Shop, transfer: &Transfer, lines: &[(&str, i64, Resolution)]) -> Result<(), Refusal> {
    let line = |(sku, qty, how): &(&str, i64, Resolution)| ResolveLine {
        sku: (*sku).into(),
        qty: (*qty).into(),
        resolution: *how,
    };
    let cmd = ResolveTransfer { lines: lines.iter().map(line).collect() };
    let ids = ids(shop);
    let event = transfer::resolve(&cmd, transfer, ids, &shop.stock_context(&boss()))?;
    shop.commit(event);
    Ok(())
}

fn meet(shop: &mut Shop, sent: &Transfer, received: &Transfer) -> Transfer {
    let ids = ids(shop);
    let event = transfer::meet(sent, received, ids, &shop.stock_context(&boss())).unwrap();
    let met = event.fact.transfer.clone();
    shop.commit(event);
    met
}

#[test]
fn goods_travel_and_what_is_missing_is_settled() {
    let (mut here, mut there) = (open(), there());
    let sent = here.send(&[("a", 12)]).unwrap();
    assert_eq!((on_hand(&here, "a"), sent.in_transit_value()), ((0, 0), 10_003.into()));
    let received = receive(&mut there, &sent, &[("a", 10)]).unwrap();
    assert_eq!(on_hand(&there, "a"), (10, 8_335), "J1");
    let again = receive(&mut there, &sent, &[("a", 1)]).unwrap_err();
    assert_eq!(again.code(), "invalid_state", "one receipt");

    let met = meet(&mut here, &sent, &received);
    assert_eq!(
        (met.state, met.cancel_lost, met.in_transit_value()),
        (TransferState::Received, false, 1_668.into())
    );
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
        let ids = ids(&mut there);
        let event = transfer::found_here(&received, &settled, ids, &there.stock_context(&boss()));
        there.commit(event.unwrap());
        assert_eq!(on_hand(&there, "b"), (2, 501), "a repeated record is applied once");
    }
}

#[test]
fn a_cancellation_that_meets_a_receipt_loses() {
    let (mut here, mut there) = (open(), there());
    let sent = here.send(&[("a", 12)]).unwrap();
    let ids = ids(&mut here);
    let event = transfer::cancel(&sent, ids, &here.stock_context(&staff())).unwrap();
    here.commit(event);
    assert_eq!(on_hand(&here, "a"), (12, 10_003), "back at its cost");
    let received = receive(&mut there, &sent, &[("a", 12)]).unwrap();
    let met = meet(&mut here, &sent, &received);
    assert!(met.cancel_lost);
    assert_eq!((on_hand(&here, "a"), met.in_transit_value()), ((0, 0), Money::ZERO));
}

fn send_to(
    shop: &mut Shop,
    store: &str,
    lines: &[(&str, i64)],
) -> Result<Event<fact::TransferChanged>, Refusal> {
    let ids = ids(shop);
    let lines = arriving(lines).lines;
    let cmd = NewTransfer { to_store_id: store.into(), lines, note: None, draft: None };
    transfer::create(
        &cmd,
        Receiver::Unlisted,
        "trf_9".into(),
        ids,
        &shop.products,
        &shop.stock_context(&staff()),
    )
}

#[test]
fn goods_go_only_to_a_listed_store_if_head_office_sent_a_list() {
    let store = |disabled| StoreDown { store_id: "S002".into(), name: "North".to_owned(), disabled };
    for (reported, list_is_here, fine) in [
        (None, false, true),
        (None, true, false),
        (Some(store(false)), true, true),
        (Some(store(true)), true, false),
    ] {
        assert_eq!(
            transfer::check_destination(reported.as_ref(), list_is_here).is_ok(),
            fine,
            "{reported:?}"
        );
    }
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
                    receive(s, &sent, &[("a", 1)])
                },
                "not_found",
                "",
            ),
            case(
                "more than was sent",
                |s| s.rules.store_id = "S002".into(),
                |s| receive(s, &open().send(&[("a", 12)]).unwrap(), &[("a", 13)]),
                "over_receipt",
                "12",
            ),
            case(
                "what was not sent",
                |s| s.rules.store_id = "S002".into(),
                |s| receive(s, &open().send(&[("a", 12)]).unwrap(), &[("b", 1)]),
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// The cost at the sender equals the cost at the receiver, plus resolved, plus in transit.
    #[test]
    fn transfers_conserve_cost(
        qty in 1..40_i64,
        value in 0..100_000_i64,
        received in 0..40_i64,
        settled in prop::collection::vec((0..4_usize, 1..6_i64), 0..8),
    ) {
        let (mut here, mut there) = (open(), there());
        here.stock("a", qty, value);
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
        let parts: Money = line.resolved.iter().map(|part| part.cost).sum();
        prop_assert_eq!(line.in_cost.saturating_add(parts).saturating_add(after.in_transit_value()), value);
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
fn missing_pieces_are_shown() {
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
