//! The hub's final figures, compared with the tables of the page.

use super::page::{BALANCES, ENTRIES, SIDES};
use super::world::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const ACCOUNT_DIGITS: usize = 4;

/// Parses a figure of the page, with its thousands separators and its minus.
fn figure(text: &str) -> i64 {
    text.trim().replace(',', "").replace('−', "-").parse().unwrap()
}

/// Returns debit less credit of a row.
fn signed(row: &Value) -> i64 {
    row["debit"].as_i64().unwrap() - row["credit"].as_i64().unwrap()
}

/// Parses the accounts of one side of an entry: `1010 50,000 · 5010 26,690`.
fn side(text: &str, sign: i64) -> impl Iterator<Item = (String, i64)> {
    text.split('·').map(move |line| {
        let (account, amount) = line.trim().split_once(' ').unwrap();
        (account.to_owned(), sign * figure(amount))
    })
}

/// An entry: number, date, the day that it belongs to if that is another, and its lines.
type Entry = (i64, String, Option<String>, BTreeMap<String, i64>);

fn on_page(book: &str) -> Vec<Entry> {
    let rows = ENTRIES.lines().map(|row| row.split(" | ").collect::<Vec<_>>());
    let mut found: Vec<Entry> = rows
        .filter(|row| row[1] == book)
        .map(|row| {
            let day = |day: &str| format!("2026-11-{day}");
            let (date, of) = match row[2].split_once(" (of ") {
                Some((date, of)) => (day(date), Some(day(of.trim_end_matches(')')))),
                None => (day(row[2]), None),
            };
            let lines = side(row[4], 1).chain(side(row[5], -1)).collect();
            (figure(row[0]), date, of, lines)
        })
        .collect();
    found.sort();
    found
}

fn in_book(world: &World, filter: &str) -> Vec<Entry> {
    let listed = world.lists(&format!("/api/finance/journal?{filter}&limit=500"));
    let mut found: Vec<Entry> = listed.iter().map(|entry| read(world, entry)).collect();
    found.sort();
    found
}

fn read(world: &World, entry: &Value) -> Entry {
    let entry = world.reads(&format!("/api/finance/journal/{}", entry["entry_id"].as_str().unwrap()));
    let text = |name: &str| entry[name].as_str().map(str::to_owned);
    let lines = entry["lines"].as_array().unwrap().iter();
    let lines = lines.map(|line| (line["account"].as_str().unwrap().to_owned(), signed(line))).collect();
    (entry["entry_no"].as_i64().unwrap(), text("entry_date").unwrap(), text("reference_date"), lines)
}

/// Checks every entry in the order of its book.
pub fn entries(world: &World) {
    let mut count = 0;
    for (book, filter) in
        [("head office", "head_office=true"), ("S001", "store_id=S001"), ("S002", "store_id=S002")]
    {
        let (page, found) = (on_page(book), in_book(world, filter));
        for (page, found) in page.iter().zip(&found) {
            assert_eq!(found, page, "{book}");
        }
        assert_eq!(found.len(), page.len(), "{book}");
        count += page.len();
    }
    assert_eq!(count, ENTRIES.lines().count());
}

/// Returns the trial balance of a book on a day.
pub fn balance(world: &World, day: &str, book: &str) -> Value {
    world.reads(&format!("/api/finance/trial-balance?date=2026-11-{day}{book}"))
}

/// Checks the trial balances account by account.
pub fn balances(world: &World) {
    let asked = [
        ("20", ""),
        ("21", ""),
        ("21", "&store_id=S001"),
        ("21", "&store_id=S002"),
        ("21", "&head_office=true"),
    ];
    for (place, (day, book)) in asked.into_iter().enumerate() {
        let reported = balance(world, day, book);
        let rows = reported["items"].as_array().unwrap().iter();
        let account = |row: &Value| row["account"].as_str().unwrap().to_owned();
        let found: BTreeMap<String, i64> =
            rows.map(|row| (account(row), signed(row))).filter(|(_, amount)| *amount != 0).collect();
        let page = BALANCES.lines().map(|row| row.split(" | ").collect::<Vec<_>>());
        let page = page.map(|row| (row[0][..ACCOUNT_DIGITS].to_owned(), figure(row[1 + place])));
        let page: BTreeMap<String, i64> = page.filter(|(_, amount)| *amount != 0).collect();
        assert_eq!(found, page, "{day}{book}");
        let sides = (&reported["total_debit"], &reported["total_credit"]);
        assert_eq!(sides, (&json!(SIDES[place]), &json!(SIDES[place])), "{day}{book}");
    }
}

/// Returns the named figures of each row of a report.
fn rows(world: &World, query: &str, names: &str) -> Value {
    let report = world.reads(&format!("/api/reports/{query}"));
    let row = |row: &Value| names.split(' ').map(|name| row[name].clone()).collect::<Value>();
    report["items"].as_array().unwrap().iter().map(row).collect()
}

const WHOLE: &str = "from=2026-11-18&to=2026-11-21";
const LAST: &str = "from=2026-11-20&to=2026-11-20";

/// Checks the reports that the page names.
pub fn reports(world: &World) {
    for (query, names, expected) in [
        (format!("sales?{LAST}&group_by=tax"), "base", json!([[450_000]])),
        (format!("sales?{LAST}&group_by=tax&dates=books"), "base", json!([[250_000]])),
        (
            "stock?as_of=2026-11-21".to_owned(),
            "store_id on_hand value damaged damaged_value",
            json!([["S001", 72, 640_552, 0, 0], ["S002", 41, 3_280_000, 1, 80_000]]),
        ),
        (format!("profit?{WHOLE}"), "month result", json!([["2026-11", 356_489]])),
        (
            format!("profit?{WHOLE}&group_by=store"),
            "store_id gross_sales discounts returns cost_of_goods purchase_variance",
            json!([
                ["S001", 720_000, 10_000, 56_000, 391_448, 8_980],
                ["S002", 900_000, 30_000, 100_000, 640_000, 0]
            ]),
        ),
        (
            format!("settlements?{WHOLE}&group_by=store"),
            "store_id expected matched fee net approved",
            json!([
                ["S001", 509_490, 426_240, 7_326, 418_914, 2],
                ["S002", 444_000, 222_000, 4_107, 217_893, 2]
            ]),
        ),
        (
            format!("purchases?{WHOLE}"),
            "ordered received rejected invoiced receipts open_qty",
            json!([[100, 96, 4, 96, 1, 0]]),
        ),
    ] {
        assert_eq!(rows(world, &query, names), expected, "{query}");
    }
    let late = &world.reads(&format!("/api/reports/sales?{LAST}&dates=books"))["late"];
    assert_eq!(late, &json!({"count": 1, "total": 222_000}));
    let tax = world.reads(&format!("/api/finance/tax?{WHOLE}"));
    let output = &tax["output"][0];
    assert_eq!((&output["sales_tax"], &output["returns_tax"]), (&json!(173_800), &json!(17_160)));
    let sums = ["output_tax", "input_tax", "payable"].map(|name| &tax[name]);
    assert_eq!(sums, [&json!(156_640), &json!(98_208), &json!(58_432)]);
    assert_eq!(tax["ledger"]["agrees"], true);
}

/// Checks the items that are still open.
pub fn left(world: &World) {
    let items = world.lists("/api/settlement-items?unposted=true");
    let mut open: Vec<Value> = items
        .iter()
        .map(|item| json!([item["reference"], item["amount"], item["store_id"], item["settlement_date"]]))
        .collect();
    open.sort_by_key(ToString::to_string);
    let expected = [
        json!(["B-17", 250_000, "S001", "2026-11-20"]),
        json!(["C-1003", 83_250, "S001", "2026-11-20"]),
        json!(["C-2002", 222_000, "S002", "2026-11-20"]),
    ];
    assert_eq!(open, expected);
    assert_eq!(world.lists("/api/finance/payables"), [] as [Value; 0]);
    assert_eq!(world.lists("/api/finance/uninvoiced"), [] as [Value; 0]);
    let late = world.lists("/api/finance/journal?late=true");
    let late: Vec<Value> = late.iter().map(|entry| json!([entry["store_id"], entry["entry_no"]])).collect();
    assert_eq!(late, [json!(["S002", 19]), json!(["S002", 18])]);
}

/// Checks that amounts in files and documents have the decimals of the currency.
pub fn files(world: &World, order: &str) {
    let money = |amount: i64| shown(amount, world.currency.exponent().into());
    let has = |path: &str, begins: &str, part: &str| {
        let text = world.plain(path, "text/csv");
        let found = text.lines().any(|line| line.starts_with(begins) && line.contains(part));
        assert!(found, "{begins} {part}: {text}");
    };
    let bank = format!(",{},{},", money(19_665_619), money(0));
    has("/api/finance/trial-balance?date=2026-11-21", "1040,", &bank);
    has("/api/reports/stock?as_of=2026-11-21", "S001,72,", &format!("S001,72,{},", money(640_552)));
    let total = format!(";{};", money(205_350).replace('.', ","));
    has("/api/reports/sales?from=2026-11-18&to=2026-11-18&group_by=store&separator=;", "S001;2;13;", &total);
    let paid = format!(",2010,{},{},", money(991_008), money(0));
    has("/api/finance/journal?store_id=S001&from=2026-11-20&limit=500", "S001,18,", &paid);
    let paper = world.plain(&format!("/api/purchase-orders/{order}/document"), "text/plain");
    let line = format!("A  A  100  {}  {}", money(9_000), money(900_000));
    assert!(paper.contains(&line), "{paper}");
}

/// Formats an amount with its decimals, independently of the program.
fn shown(amount: i64, places: u32) -> String {
    let (whole, rest) = (amount / 10_i64.pow(places), amount % 10_i64.pow(places));
    if places == 0 { whole.to_string() } else { format!("{whole}.{rest:0>width$}", width = places as usize) }
}
