//! Receiving: refusals, the cost of goods, and the resulting stock.

use domain::model::base::event::{Event, Fact, Rows};
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::MovementId;
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::inventory::product::Product;
use domain::model::inventory::purchase::PurchaseOrder;
use domain::model::inventory::receiving::Receiving;
use domain::model::people::user::{Principal, Role};
use domain::rules::inventory::receiving::{
    COMPARED_MS, NewReceiving, NewReceivingLine, receive, receive_order, repeats,
};
use domain::rules::inventory::stock::view;
use serde_json::json;
use testkit::shop::*;

fn open() -> Shop {
    let costed = Product { cost: Some(Money::new(700)), ..product("c", 900) };
    Shop::open(rules(), goods().into_iter().chain([costed]))
}

fn line(sku: &str, qty: i64, unit_cost: Option<i64>) -> NewReceivingLine {
    NewReceivingLine {
        sku: sku.into(),
        code: None,
        qty: qty.into(),
        unit_cost: unit_cost.map(Money::new),
        line_total: None,
        rejected_qty: None,
        note: None,
    }
}

fn in_all(sku: &str, qty: i64, total: i64) -> NewReceivingLine {
    NewReceivingLine { line_total: Some(Money::new(total)), ..line(sku, qty, None) }
}

fn clerk() -> Principal {
    caller("dewi", Role::WarehouseStaff)
}

fn post_as(who: &Principal, cmd: &NewReceiving, shop: &mut Shop) -> Result<Receiving, Refusal> {
    let id = shop.next("rcv_").into();
    let ids = cmd.lines.iter().map(|_| MovementId(shop.next("mov_"))).collect();
    let event = receive(cmd, id, ids, &shop.products, &shop.stock_context(who))?;
    let receiving = &event.fact.receiving;
    let posted = Receiving::clone(receiving);
    shop.commit(event);
    Ok(posted)
}

fn post(lines: Vec<NewReceivingLine>, shop: &mut Shop) -> Result<Receiving, Refusal> {
    post_as(&clerk(), &NewReceiving { lines, ..NewReceiving::default() }, shop)
}

fn noted(supplier: Option<&str>, number: &str, shop: &mut Shop) -> Result<Receiving, Refusal> {
    let cmd = NewReceiving {
        supplier_id: supplier.map(str::to_owned),
        delivery_note_no: Some(number.to_owned()),
        lines: vec![line("a", 1, Some(1))],
        ..NewReceiving::default()
    };
    post_as(&clerk(), &cmd, shop)
}

/// (pieces, total cost, the shown unit cost).
#[test]
fn a_line_that_says_its_total_comes_in_at_what_was_paid() {
    for (qty, total, unit_cost) in [(12, 100_000, 8_333), (10_000, 4_000, 0), (1_000, 87_500, 88), (3, 0, 0)]
    {
        let mut shop = open();
        let posted = post(vec![in_all("a", qty, total)], &mut shop).unwrap();
        let line = &posted.lines[0];
        assert_eq!((line.unit_cost, line.cost, line.cost_missing), (unit_cost.into(), total.into(), false));
        assert_eq!((posted.total_cost, shop.ledger.stock["a"].value), (total.into(), total.into()));
        // Half of the pieces leave at the average cost: a share of the value, not pieces × a rounded cost.
        let half = qty / 2;
        let more = post(vec![line_at_average("a", half)], &mut shop).unwrap();
        let share = (total * half * 2 + qty) / (qty * 2);
        assert_eq!((more.total_cost, shop.ledger.stock["a"].value), (share.into(), (total + share).into()));
    }
}

/// Receives the order lines in parts of these numbers of pieces, and returns the cost of each part.
#[track_caller]
fn costs_of(lines: &serde_json::Value, parts: &[i64]) -> Vec<i64> {
    let mut shop = open();
    let order = json!({"po_id": "po_1", "supplier_id": "sup_1", "store_id": "S001", "state": "sent", "revision": 0,
        "lines": lines, "total": 100_000, "created_by": "usr_1", "created_at": NOW, "updated_at": NOW});
    let order: PurchaseOrder = serde_json::from_value(order).unwrap();
    let mut costs = Vec::new();
    for qty in parts {
        let lines = vec![line("a", *qty, None)];
        let cmd = NewReceiving { po_id: Some("po_1".into()), lines, ..NewReceiving::default() };
        let ids = vec![MovementId(shop.next("mov_"))];
        let id = shop.next("rcv_").into();
        let event = receive_order(&cmd, Some(&order), id, ids, &shop.products, &shop.stock_context(&clerk()))
            .unwrap();
        costs.push(event.fact.receiving.total_cost.get());
        shop.commit(event);
    }
    assert_eq!(shop.ledger.stock["a"].value.get(), costs.iter().sum::<i64>());
    costs
}

/// 12 pieces were ordered for 100,000 in total. All partial receipts together are worth 100,000.
#[test]
fn parts_of_an_ordered_total_add_up_to_it() {
    let ordered = json!([{"line_no": 1, "sku": "a", "qty": 12, "unit_cost": 8_333, "line_total": 100_000, "received_qty": 0}]);
    assert_eq!(costs_of(&ordered, &[1, 4, 7]), [8_333, 33_333, 58_334]);
}

/// One product on two lines with two prices: pieces have the cost of the line that they fill, an open line first.
#[test]
fn pieces_cost_what_the_order_line_costs_that_they_fill() {
    let ordered = |closed: bool| {
        json!([{"line_no": 1, "sku": "a", "qty": 5, "unit_cost": 1_000, "received_qty": 0, "closed": closed},
            {"line_no": 2, "sku": "a", "qty": 5, "unit_cost": 2_000, "received_qty": 0}])
    };
    assert_eq!(costs_of(&ordered(false), &[10]), [15_000]);
    assert_eq!(costs_of(&ordered(false), &[3, 4, 3]), [3_000, 6_000, 6_000]);
    assert_eq!(costs_of(&ordered(true), &[5]), [10_000]);
}

fn line_at_average(sku: &str, qty: i64) -> NewReceivingLine {
    line(sku, qty, None)
}

#[test]
fn receipts_that_are_refused() {
    let invalid = "validation_failed";
    run_table(
        open,
        &[
            case("no lines", nothing, |s| post(vec![], s), invalid, "\"lines\""),
            case("nothing came", nothing, |s| post(vec![line("a", 0, None)], s), invalid, "lines[0].qty"),
            case("below zero", nothing, |s| post(vec![line("a", -1, None)], s), invalid, "lines[0].qty"),
            case(
                "a total beside a unit cost",
                nothing,
                |s| post(vec![NewReceivingLine { unit_cost: Some(Money::new(1)), ..in_all("a", 1, 1) }], s),
                invalid,
                "lines[0].line_total",
            ),
            case(
                "a total of nothing",
                nothing,
                |s| {
                    let nothing =
                        NewReceivingLine { rejected_qty: Some(Quantity::new(1)), ..in_all("a", 0, 5) };
                    post(vec![nothing], s)
                },
                invalid,
                "lines[0].line_total",
            ),
            case(
                "a total below zero",
                nothing,
                |s| post(vec![in_all("a", 1, -1)], s),
                invalid,
                "lines[0].line_total",
            ),
            case(
                "a cost below zero",
                nothing,
                |s| post(vec![line("a", 1, Some(-1))], s),
                invalid,
                "unit_cost",
            ),
            case(
                "unknown skus",
                nothing,
                |s| post(vec![line("z", 1, None), line("a", 1, None), line("y", 1, None)], s),
                "unknown_sku",
                r#"["z","y"]"#,
            ),
            case("a service", nothing, |s| post(vec![line("wrap", 1, None)], s), invalid, "lines[0].sku"),
            case(
                "a figure above 2^53 - 1",
                nothing,
                |s| post(vec![line("a", 1_000_000, Some(1_000_000_000_000))], s),
                invalid,
                "9007199254740991",
            ),
            case(
                "a cashier",
                nothing,
                |s| {
                    let cmd = NewReceiving { lines: vec![line("a", 1, None)], ..NewReceiving::default() };
                    post_as(&ani(), &cmd, s)
                },
                "insufficient_role",
                "",
            ),
            case(
                "an order that is not known here",
                nothing,
                |s| {
                    let lines = vec![line("a", 1, None)];
                    let cmd = NewReceiving { po_id: Some("po_1".into()), lines, ..NewReceiving::default() };
                    post_as(&clerk(), &cmd, s)
                },
                invalid,
                "po_id",
            ),
            case(
                "a record above 256 KiB",
                nothing,
                |s| {
                    let long = NewReceivingLine { note: Some("y".repeat(128)), ..line("a", 1, None) };
                    s.products.get_mut("a").unwrap().name = "\"".repeat(128);
                    post(vec![long; 500], s)
                },
                invalid,
                "too large",
            ),
            case(
                "the same delivery note again",
                |s| {
                    noted(Some("sup_1"), "DN-1", s).unwrap();
                },
                |s| noted(Some("sup_1"), "DN-1", s),
                "duplicate",
                "rcv_1",
            ),
        ],
    );
}

#[test]
fn a_delivery_note_is_one_suppliers_own() {
    let mut shop = open();
    for supplier in [Some("sup_1"), Some("sup_2"), None] {
        noted(supplier, "DN-1", &mut shop).unwrap();
    }
    // Without a supplier, different suppliers may have the same number. With one, the spelling makes no difference.
    noted(None, "DN-1", &mut shop).unwrap();
    for number in ["dn\u{2013}1", "DN_1", "#dn1", "\u{ff24}\u{ff2e}\u{ff11}", "\u{200b}DN1"] {
        assert_eq!(noted(Some("sup_1"), number, &mut shop).unwrap_err().code(), "duplicate", "{number}");
    }
    for blank in [" ", "", "\u{200b}\t"] {
        for _ in 0..2 {
            assert_eq!(noted(Some("sup_1"), blank, &mut shop).unwrap().delivery_note_no, None, "{blank:?}");
        }
    }
}

/// (supplier and note of the earlier receipt, those of the later one, pieces of the later one, whether it gets a
/// warning).
#[test]
fn a_receipt_with_the_same_lines_or_note_is_a_repetition_unless_something_differs() {
    let (tea, rice) = (Some("sup_1"), Some("sup_2"));
    for (earlier, later, qty, warned) in [
        ((tea, Some("DN-1")), (None, Some("dn 1")), 3, true),
        ((None, Some("X1")), (None, Some("x-1")), 3, true),
        ((None, Some("X1")), (None, Some("X2")), 3, false),
        ((None, Some("X1")), (None, None), 10, true),
        ((None, None), (None, None), 10, true),
        ((None, None), (None, None), 9, false),
        ((tea, None), (rice, None), 10, true),
        ((tea, Some("DN-1")), (rice, Some("DN-1")), 10, false),
        ((tea, Some("DN-1")), (tea, Some("DN-2")), 10, false),
        ((tea, Some("DN-1")), (tea, Some(" ")), 10, true),
    ] {
        let mut shop = open();
        let mut came = |(supplier, note): (Option<&str>, Option<&str>), qty: i64| {
            let cmd = NewReceiving {
                supplier_id: supplier.map(str::to_owned),
                delivery_note_no: note.map(str::to_owned),
                lines: vec![line("a", qty, Some(1))],
                ..NewReceiving::default()
            };
            post_as(&clerk(), &cmd, &mut shop).unwrap()
        };
        let (first, second) = (came(earlier, 10), came(later, qty));
        let warning = repeats(&second, &first);
        assert_eq!(warning.is_some(), warned, "{earlier:?} {later:?} {qty}");
        let reversed = Receiving { state: "reversed".to_owned(), ..first.clone() };
        assert_eq!(repeats(&second, &reversed), None, "{earlier:?} {later:?}");
        let old = Receiving { created_at: UtcMs(second.created_at.0 - COMPARED_MS - 1), ..first };
        assert_eq!(repeats(&second, &old), None, "{earlier:?} {later:?}");
    }
}

#[test]
fn rejected_goods_never_enter_stock() {
    let mut shop = open();
    let rejected = NewReceivingLine { rejected_qty: Some(Quantity::new(12)), ..line("b", 0, Some(5)) };
    let posted =
        post(vec![line("a", 10, Some(1000)), rejected, line("a", 6, Some(1200))], &mut shop).unwrap();
    assert_eq!(posted.total_cost, 17_200);
    assert_eq!(posted.lines[1].rejected_qty, 12);
    let Some(Event { fact: Fact::ReceivingPosted(_), rows: Rows { movements, stock, .. } }) =
        shop.events.last()
    else {
        panic!()
    };
    let moved: Vec<_> =
        movements.iter().map(|m| (m.line_no, m.qty.get(), m.cost.get(), m.balance_after.get())).collect();
    assert_eq!(moved, [(1, 10, 10_000, 10), (3, 6, 7_200, 16)]);
    assert_eq!(stock.len(), 1, "a row without a movement is not written again");
    assert_eq!(shop.ledger.stock.get("a").unwrap().last_cost, 1075);
}

#[test]
fn a_missing_cost_is_the_average_or_flagged() {
    let mut shop = open();
    let posted = post(vec![line("a", 1, None), line("c", 2, None)], &mut shop).unwrap();
    assert_eq!((posted.lines[0].unit_cost, posted.lines[0].cost_missing), (Money::ZERO, true));
    assert_eq!(
        (posted.lines[1].cost, posted.lines[1].cost_missing),
        (1400.into(), false),
        "the cost of the product"
    );
    post(vec![line("a", 1, Some(200))], &mut shop).unwrap();
    let posted = post(vec![line("a", 4, None)], &mut shop).unwrap();
    assert_eq!(
        (posted.lines[0].unit_cost, posted.lines[0].cost_missing),
        (100.into(), false),
        "the average cost"
    );
}

#[test]
fn goods_sold_before_they_came_are_corrected_by_the_receipt() {
    let mut shop = open();
    post(vec![line("a", 2, Some(1000))], &mut shop).unwrap();
    let sale = shop.sell(vec![item("a", 7, 2000)]).unwrap();
    assert_eq!(sale.items[0].cost, Some(7000.into()));
    let posted = post(vec![line("a", 20, Some(1200))], &mut shop).unwrap();
    assert_eq!((posted.lines[0].correction, posted.lines[0].balance_after.get()), (1000.into(), 15));
    assert_eq!(shop.ledger.stock.get("a").unwrap().value, 18_000);
}

#[test]
fn a_product_that_never_moved_has_no_stock_but_a_cost() {
    let mut shop = open();
    let shown = serde_json::to_value(view(&shop.products["c"], true, None, 0.into(), None)).unwrap();
    assert_eq!((&shown["on_hand"], &shown["value"]), (&0.into(), &0.into()));
    assert_eq!((&shown["average_cost"], shown["updated_at"].is_null()), (&700.into(), true));
    post(vec![line("c", 3, Some(800))], &mut shop).unwrap();
    let shown = view(&shop.products["c"], true, shop.ledger.stock.get("c"), 0.into(), None);
    let shown = serde_json::to_value(shown).unwrap();
    assert_eq!((&shown["available"], &shown["value"]), (&3.into(), &2400.into()));
    assert!(shown["updated_at"].is_string());
}
