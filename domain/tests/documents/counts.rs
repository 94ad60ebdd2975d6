//! Stock counts.

use super::*;
use domain::model::base::figures::Quantity;

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
            case("two of everything", started, |s| s.start_count(Scope::All, None), "duplicate", "opn_"),
            case(
                "a product that is counted already",
                |s| {
                    s.start_count(Scope::Skus, Some(vec!["a".into(), "b".into()])).unwrap();
                },
                |s| s.start_count(Scope::Skus, Some(vec!["b".into()])),
                "duplicate",
                "opn_",
            ),
            case(
                "a category of a product that is counted already",
                |s| {
                    s.start_count(Scope::Skus, Some(vec!["milk".into()])).unwrap();
                },
                |s| s.start_count(Scope::Category, None),
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
                "a barcode as a quantity",
                started,
                |s| s.count(&the_count(s), "a", 8_991_234_500_188, None),
                "validation_failed",
                "counts[0].qty",
            ),
            case(
                "a surplus that is worth too much",
                |s| {
                    s.stock("a", 1, 100_000_000);
                    let id = counting(s);
                    s.count(&id, "a", 1_000_000, None).unwrap();
                },
                |s| s.post_count(&the_count(s), false),
                "validation_failed",
                "lines.a",
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
    let event = opname::submit(id, &shop.stock_context(&staff())).unwrap();
    shop.commit(event);
}

fn recount(shop: &mut Shop, id: &OpnameId, sku: &str) -> Result<(), Refusal> {
    let cmd = RecountOpname { skus: vec![sku.into()] };
    let event = opname::recount(&cmd, id, &shop.stock_context(&staff()))?;
    shop.commit(event);
    Ok(())
}

/// (mode of the second person's count, whether it is accepted, pieces, who counted them).
#[test]
fn nobody_overwrites_what_somebody_else_counted() {
    for (mode, taken, pieces, counters) in
        [(None, false, 12, 1), (Some(CountMode::Add), true, 20, 2), (Some(CountMode::Replace), true, 8, 1)]
    {
        let mut shop = open();
        let id = counting(&mut shop);
        shop.count(&id, "a", 11, Some("shelf")).unwrap();
        shop.count(&id, "a", 12, Some("shelf")).unwrap();
        let here = |zone: &str, qty: i64| Count {
            sku: "a".into(),
            code: None,
            qty: qty.into(),
            zone: Some(zone.into()),
            withdraw: None,
        };
        let say = |shop: &mut Shop, counts: Vec<Count>, mode| {
            let cmd = CountOpname { counts, mode };
            let event = opname::count(&cmd, &id, &shop.products, &shop.stock_context(&staff()));
            event.map(|event| shop.commit(event))
        };
        say(&mut shop, vec![here("back", 0)], None).unwrap();
        // Cartons and pieces of one place are sent together.
        let reported = say(&mut shop, vec![here("shelf", 6), here("shelf", 2)], mode);
        assert_eq!(reported.is_ok(), taken, "{mode:?}");
        if let Err(refused) = reported {
            assert_eq!(refused.code(), "already_counted");
            let words = refused.to_string();
            assert!(words.contains("counted 12 of a in shelf"), "{words}");
            assert_eq!(refused.details()["counts"][0]["path"], "counts[0]");
        }
        let line = shop.ledger.counted.values().next().unwrap();
        assert_eq!(
            (line.counted().get(), line.zones["shelf"].counters().len()),
            (pieces, counters),
            "{mode:?}"
        );
        // A count by two people is not replaced without a mode.
        let again = shop.count(&id, "a", 1, Some("shelf"));
        assert_eq!(again.is_err(), counters == 2 || mode == Some(CountMode::Replace), "{mode:?}");
    }
}

#[test]
fn a_withdrawn_count_leaves_the_others_compared_at_their_own_time() {
    let mut shop = open();
    let id = counting(&mut shop);
    shop.count(&id, "a", 12, Some("shelf")).unwrap();
    shop.sell(vec![item("a", 2, 1000)]).unwrap();
    shop.count(&id, "a", 3, Some("back")).unwrap();
    let withdraw =
        Count { sku: "a".into(), code: None, qty: 0.into(), zone: Some("back".into()), withdraw: Some(true) };
    let again = Count { qty: 12.into(), zone: Some("shelf".into()), withdraw: None, ..withdraw.clone() };
    let gone = Count { zone: Some("shelf".into()), ..withdraw.clone() };
    let cmd = CountOpname { counts: vec![withdraw], mode: None };
    let event = opname::count(&cmd, &id, &shop.products, &shop.stock_context(&boss())).unwrap();
    shop.commit(event);
    let line = shop.ledger.counted.values().next().unwrap();
    assert_eq!((line.counted().get(), line.expected.get(), line.variance().get()), (12, 12, 0));
    // A count that is sent, withdrawn and sent again in one command counts once.
    let cmd = CountOpname { counts: vec![again.clone(), gone, again], mode: None };
    let event = opname::count(&cmd, &id, &shop.products, &shop.stock_context(&boss())).unwrap();
    shop.commit(event);
    assert_eq!(shop.ledger.counted.values().next().unwrap().counted(), 12);
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
    let Some(Event { fact: Fact::OpnameChanged(it), rows: Rows { movements, stock, .. } }) =
        shop.events.last()
    else {
        panic!()
    };
    let fact::OpnameChanged { opname, lines, .. } = &**it;
    assert_eq!((opname.state, lines.len()), (OpnameState::Posted, 2));
    assert_eq!(
        movements.iter().map(|moved| (moved.sku.as_str(), moved.qty.get())).collect::<Vec<_>>(),
        [("a", -2)]
    );
    assert_eq!(stock.len(), 1, "a row without a movement is not written");
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

#[test]
fn zones_are_equal_in_any_spelling() {
    let mut shop = open();
    let id = counting(&mut shop);
    for (zone, zones, pieces) in [
        (Some(" Back  room"), 1, 1),
        (Some("back room"), 1, 2),
        (Some("BACK\u{a0}ROOM\u{200b}"), 1, 3),
        (Some(" "), 2, 7),
        (None, 2, 8),
        (Some("\u{200b}\t"), 2, 9),
        (Some("shelf"), 3, 16),
    ] {
        // Each count replaces the former one of the same zone; the other zones are kept.
        let qty = match zone.map(str::trim) {
            Some("shelf") => 7,
            _ if zones == 1 => pieces,
            _ => pieces - 3,
        };
        shop.count(&id, "a", qty, zone).unwrap();
        let line = &shop.ledger.counted[&(id.clone(), "a".into())];
        assert_eq!((line.zones.len(), line.counted().get()), (zones, pieces), "{zone:?}");
    }
    let line = &shop.ledger.counted[&(id.clone(), "a".into())];
    assert_eq!(line.zones.keys().collect::<Vec<_>>(), ["", "Back room", "shelf"]);
    let gone = Count {
        sku: "a".into(),
        code: None,
        qty: 0.into(),
        zone: Some("back ROOM ".into()),
        withdraw: Some(true),
    };
    let cmd = CountOpname { counts: vec![gone], mode: None };
    let event = opname::count(&cmd, &id, &shop.products, &shop.stock_context(&boss())).unwrap();
    shop.commit(event);
    assert_eq!(shop.ledger.counted[&(id, "a".into())].zones.len(), 2);
}

/// (state of the count, its age in milliseconds, counted pieces, found pieces of which a receipt is warned).
#[test]
fn a_receipt_is_warned_of_what_an_open_or_a_recent_count_found() {
    for (state, age, qty, found) in [
        (OpnameState::Counting, 0, 22, Some(10)),
        (OpnameState::Review, 2 * COMPARED_MS, 22, Some(10)),
        (OpnameState::Review, 0, 12, None),
        (OpnameState::Review, 0, 11, None),
        (OpnameState::Cancelled, 0, 22, None),
        (OpnameState::Posted, COMPARED_MS, 22, Some(10)),
        (OpnameState::Posted, COMPARED_MS + 1, 22, None),
    ] {
        let mut shop = open();
        let id = counting(&mut shop);
        shop.count(&id, "a", qty, None).unwrap();
        let line = shop.ledger.counted[&(id.clone(), "a".into())].clone();
        let ended = matches!(state, OpnameState::Posted | OpnameState::Cancelled).then_some(shop.now);
        let count = Opname { state, ended_at: ended, ..shop.ledger.opnames[&id].clone() };
        let now = UtcMs(shop.now.0 + age);
        let warned = |counts: &[(Opname, OpnameLine)]| {
            let found = counted_before(counts, now).iter().map(|warning| warning.found).collect::<Vec<_>>();
            assert!(found.len() < 2, "{found:?}");
            found.first().copied().flatten().map(Quantity::get)
        };
        let one = (count.clone(), line.clone());
        assert_eq!(warned(std::slice::from_ref(&one)), found, "{state:?} {age} {qty}");
        // Products that were not counted, or are to be recounted, have no found pieces.
        let again = OpnameLine { zones: BTreeMap::new(), ..line.clone() };
        assert_eq!(warned(&[(count.clone(), again)]), None);
        // A later count of the product decides, whatever its position in the list.
        let agrees = OpnameLine { expected: line.counted(), ..line };
        let later = Opname { state: OpnameState::Review, ended_at: None, ..count };
        if ended.is_some() {
            assert_eq!(warned(&[one, (later, agrees)]), None, "{state:?}");
        }
    }
}

#[test]
fn goods_received_while_a_count_is_open_are_warned_of() {
    let mut shop = open();
    let id = counting(&mut shop);
    shop.count(&id, "a", 22, Some("shelf")).unwrap();
    super::receipts::a_receipt(&mut shop);
    let line = shop.ledger.counted[&(id.clone(), "a".into())].clone();
    assert_eq!(
        (line.variance().get(), line.moved_between_counts()),
        (10, false),
        "as at the time of the count"
    );
    let counts = [(shop.ledger.opnames[&id].clone(), line)];
    let warning = &counted_before(&counts, shop.now)[0];
    assert_eq!((warning.document_id.as_str(), warning.found), (id.as_str(), Some(Quantity::new(10))));
}
