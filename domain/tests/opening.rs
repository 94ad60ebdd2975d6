//! Opening stock: all rows or none, every bad row reported, only once.

use domain::model::base::event::{Event, Rows, fact};
use domain::model::base::figures::Money;
use domain::model::base::ids::{EventId, MovementId, Sku};
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::books::ledger::LedgerBook;
use domain::model::hub::stamp::Stamp;
use domain::model::inventory::product::Product;
use domain::model::inventory::stock::{MovementReason, Stock};
use domain::rules::inventory::stock::{OpeningCost, OpeningRow, open_stock};
use domain::wire::record;
use domain::wire::record::RECORD_BYTES_MAX;
use std::collections::{BTreeMap, BTreeSet};

fn product(sku: &str, track_stock: bool) -> (Sku, Product) {
    let product = Product::new(sku.into(), sku.to_owned(), Money::new(100), UtcMs(1));
    (sku.into(), Product { track_stock, ..product })
}

fn row(line: u64, sku: &str, qty: i64, unit_cost: i64) -> OpeningRow {
    OpeningRow {
        line,
        sku: sku.into(),
        qty: qty.into(),
        cost: OpeningCost::Unit(Money::new(unit_cost)),
        late: false,
    }
}

fn open(rows: &[OpeningRow], book: &LedgerBook) -> Result<Event<fact::StockOpened>, Refusal> {
    open_again(rows, &BTreeSet::new(), book)
}

fn open_again(
    rows: &[OpeningRow],
    opened: &BTreeSet<Sku>,
    book: &LedgerBook,
) -> Result<Event<fact::StockOpened>, Refusal> {
    let skus = rows.iter().map(|row| row.sku.0.as_str()).filter(|sku| *sku != "none");
    let products: BTreeMap<_, _> = skus.map(|sku| product(sku, sku != "service")).collect();
    let ids = (0..rows.len()).map(|n| MovementId(format!("mov_{n}"))).collect();
    open_stock(rows, ids, UtcMs(1_795_140_394_739), &"console".into(), (&products, opened), book)
}

#[test]
fn rows_become_movements_with_the_stock_afterwards() {
    let event = open(&[row(2, "A", 10, 250), row(3, "B", 3, 0)], &LedgerBook::default()).unwrap();
    let Rows { movements, stock, .. } = &event.rows;
    assert_eq!(
        (movements[0].qty.get(), movements[0].cost, movements[0].reason),
        (10, 2_500.into(), MovementReason::Opening)
    );
    assert_eq!((stock[0].qty.get(), stock[0].value, stock[0].last_cost), (10, 2_500.into(), 250.into()));
    assert_eq!((stock[1].qty.get(), stock[1].value, movements[1].balance_after.get()), (3, Money::ZERO, 3));
    let mut book = LedgerBook::default();
    book.evolve(&event.clone().into());
    let again = open(&[row(2, "A", 1, 1)], &book).unwrap_err();
    assert!(again.to_string().contains("line 2"), "{again}");
}

#[test]
fn opening_stock_is_added_to_the_movements_since() {
    let mut book = LedgerBook::default();
    let sku = Sku::from("A");
    let mut sold = Stock::seed(&product("A", true).1);
    sold.take_out(3.into()).unwrap();
    sold.updated_at = UtcMs(5);
    book.stock.insert(sku.clone(), sold);
    let late = OpeningRow { late: true, ..row(2, "A", 10, 250) };
    assert!(open(&[row(2, "A", 10, 250)], &book).unwrap_err().to_string().contains("line 2"));
    let event = open(std::slice::from_ref(&late), &book).unwrap();
    let Rows { movements, stock, .. } = &event.rows;
    assert_eq!((stock[0].qty.get(), stock[0].value, movements[0].balance_after.get()), (7, 1_750.into(), 7));
    // Three pieces left without a cost, so their cost goes to cost of goods.
    assert_eq!((movements[0].cost, movements[0].correction), (2_500.into(), 750.into()));
    book.evolve(&event.clone().into());
    let again = open_again(&[late], &BTreeSet::from([sku]), &book).unwrap_err();
    assert!(matches!(&again, Refusal::ValidationFailed(problems) if problems[0].problem.contains("already")));
}

#[test]
fn pieces_may_cost_a_total_that_is_no_whole_number_each() {
    let screws = OpeningRow { cost: OpeningCost::Total(Money::new(87_500)), ..row(2, "A", 1_000, 0) };
    let event = open(&[screws], &LedgerBook::default()).unwrap();
    let Rows { movements, stock, .. } = &event.rows;
    assert_eq!((stock[0].qty.get(), stock[0].value), (1_000, 87_500.into()));
    assert_eq!((movements[0].cost, movements[0].unit_cost), (87_500.into(), 88.into()));
    let negative = OpeningRow { cost: OpeningCost::Total(Money::new(-1)), ..row(2, "A", 1_000, 0) };
    let refused = open(&[negative], &LedgerBook::default()).unwrap_err();
    assert!(refused.to_string().contains("line_total"), "{refused}");
}

#[test]
fn every_bad_row_is_named() {
    let rows = [
        row(2, "A", 1, 1),
        row(3, "none", 1, 1),
        row(4, "service", 1, 1),
        row(5, "B", 0, 1),
        row(6, "C", 1, -1),
        row(7, "A", 1, 1),
        row(8, "D", 1_000_000, 1_000_000_000_000),
    ];
    let Err(Refusal::ValidationFailed(problems)) = open(&rows, &LedgerBook::default()) else { panic!() };
    let lines: Vec<_> = problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(lines, ["line 3", "line 4", "line 5", "line 6", "line 7", "line 8"]);
    assert!(open(&[], &LedgerBook::default()).is_err());
}

#[test]
fn records_stay_within_their_size_and_hold_every_movement() {
    let rows: Vec<_> = (0..1_001).map(|n| row(n, &format!("{n:064}"), 1_000_000, 1_000)).collect();
    let movements = open(&rows, &LedgerBook::default()).unwrap().rows.movements;
    let mut stamps = 0;
    let stamp = || {
        stamps += 1;
        Stamp {
            now: UtcMs(1),
            at: "0000000000001-00000-S001".to_owned(),
            event_id: EventId(format!("evt_{stamps}")),
        }
    };
    let date = jiff::civil::date(2026, 11, 20);
    let records = record::stock_moved(stamp, &"S001".into(), date, &movements);
    let reported: usize = records
        .iter()
        .map(|text| {
            assert!(text.len() <= RECORD_BYTES_MAX, "{}", text.len());
            let record: record::Record<record::StockMoved> = serde_json::from_str(text).unwrap();
            assert_eq!(record.payload.parts as usize, records.len());
            record.payload.movements.len()
        })
        .sum();
    assert_eq!(reported, 1_001);
}
