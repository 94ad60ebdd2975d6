//! The accountant's story (docs/arithmetic.md): two stores, three days, an order, an invoice, a provider's file, a bank
//! file and a store that loses its connection. A real hub with the clock of the story receives all of it. Every entry,
//! balance and report must be as on the page.

mod days;
mod outcome;
mod page;
mod world;

use domain::model::base::currency::Currency;
use domain::model::base::figures::Money;
use serde_json::{Value, json};
use testkit::dice::Random;
use testkit::process;
use world::World;

#[test]
fn the_accountants_story_comes_to_every_figure_of_its_page() {
    goes("IDR", None);
}

#[test]
fn the_story_comes_to_the_same_with_the_hub_killed_amid_and_after_each_call() {
    goes("IDR", Some(Random::announced("story")));
}

#[test]
fn the_story_comes_to_the_same_figures_in_each_kind_of_currency() {
    for currency in ["EUR", "JPY", "KWD"] {
        goes(currency, None);
    }
}

fn goes(currency: &str, kills: Option<Random>) {
    let Some(mut world) = World::open(currency, kills) else { return };
    let supplier = begins(&mut world);
    let order = ordered(&mut world, &supplier);
    world.at("2026-11-18T21:00:00+07:00");
    world.hears(0, &days::s001_18((&supplier, &order)));
    world.hears(1, &days::s002_18());
    came_short(&mut world, &order);
    world.at("2026-11-19T21:00:00+07:00");
    world.hears(0, &days::s001_19());
    world.hears(1, &days::s002_19());
    let invoice = invoiced(&mut world, &supplier);
    world.at("2026-11-20T21:00:00+07:00");
    world.hears(0, &days::s001_20());
    let (reported, late) = days::s002_20();
    world.hears(1, &reported);
    paid(&mut world, &supplier, &invoice);
    settled(&mut world);
    world.at("2026-11-21T02:00:00+07:00");
    world.greeted(0);
    locked(&mut world);
    let before = outcome::balance(&world, "20", "");
    world.at("2026-11-21T09:00:00+07:00");
    world.hears(1, &late);
    let after = outcome::balance(&world, "20", "");
    assert_eq!((&after["items"], &after["total_debit"]), (&before["items"], &before["total_debit"]));
    outcome::entries(&world);
    outcome::balances(&world);
    outcome::reports(&world);
    outcome::left(&world);
    outcome::files(&world, &order);
    let proofs = world.did("/api/finance/proofs", &json!({}));
    assert_eq!(proofs["ok"], true, "{proofs}");
    process::succeed(world.hub.command(&["verify"]), "");
}

fn text(of: &Value, name: &str) -> String {
    of[name].as_str().unwrap_or_else(|| panic!("no {name}: {of}")).to_owned()
}

/// Creates the catalogue, a supplier with its price, and the balances of bank and safes. Returns the supplier.
fn begins(world: &mut World) -> String {
    for (sku, price) in [("A", 15_000), ("B", 111_000)] {
        world.did("/api/products", &json!({"sku": sku, "name": sku, "price": price}));
    }
    let supplier = json!({"code": "TEA", "name": "Tea", "payment_terms_days": 30, "discount_days": 10,
        "discount_bp": 200, "price_tolerance_bp": 200});
    let supplier = text(&world.did("/api/suppliers", &supplier), "supplier_id");
    world.did(&format!("/api/suppliers/{supplier}/products"), &json!({"sku": "A", "unit_cost": 9_000}));
    for (book, account, amount) in
        [("", "1040", 20_000_000), ("S001", "1020", 1_000_000), ("S002", "1020", 1_000_000)]
    {
        let lines = json!([{"account": account, "debit": amount, "credit": 0}]);
        let opening = json!({"store_id": book, "date": "2026-11-18", "lines": lines});
        world.did("/api/finance/opening", &opening);
        let twice = world.posts("/api/finance/opening", &opening);
        twice.refused(409, "duplicate");
    }
    supplier
}

/// Orders 100 pieces at the price of the list, and returns the order.
fn ordered(world: &mut World, supplier: &str) -> String {
    let order = json!({"supplier_id": supplier, "store_id": "S001", "lines": [{"sku": "A", "qty": 100}]});
    let order = world.did("/api/purchase-orders", &order);
    assert_eq!((&order["po_no"], &order["total"]), (&json!("PO-2026-000001"), &json!(900_000)));
    let id = text(&order, "po_id");
    for step in ["approve", "send"] {
        world.did(&format!("/api/purchase-orders/{id}/{step}"), &json!({}));
    }
    id
}

/// Receives the order except for four pieces, which never arrive.
fn came_short(world: &mut World, order: &str) {
    let path = format!("/api/purchase-orders/{order}");
    let received = world.reads(&path);
    assert_eq!(
        (&received["state"], &received["lines"][0]["state"], &received["lines"][0]["received_qty"]),
        (&json!("partially_received"), &json!("partial"), &json!(96))
    );
    let closed = world.did(&format!("{path}/lines/1/close"), &json!({"reason": "supplier is out"}));
    assert_eq!(closed["state"], "received");
    assert_eq!(world.did(&format!("{path}/close"), &json!({}))["state"], "closed");
}

/// Enters an invoice that is higher than the order but correct, and returns it.
fn invoiced(world: &mut World, supplier: &str) -> String {
    let mut bill = json!({"supplier_id": supplier, "invoice_no": "TEA-778", "invoice_date": "2026-11-19",
        "lines": [{"receiving_id": "rcv_tea", "receiving_line_no": 1, "qty": 96, "unit_cost": 9_300,
            "tax_rate_bp": 1_100}]});
    let made = world.did("/api/finance/invoices", &bill);
    let sums = ["net", "tax", "total"].map(|name| &made[name]);
    assert_eq!(sums, [&json!(892_800), &json!(98_208), &json!(991_008)]);
    assert_eq!(made["discount_terms"], json!({"days": 10, "bp": 200}));
    let id = text(&made, "invoice_id");
    let path = format!("/api/finance/invoices/{id}");
    let disputed = world.did(&format!("{path}/match"), &json!({}));
    assert_eq!(disputed["state"], "disputed");
    let found = disputed["exceptions"].as_array().unwrap();
    assert_eq!((found.len(), &found[0]["type"]), (1, &json!("price_over")), "{disputed}");
    let accept = json!({"accept": [{"line_no": 1, "type": "price_over", "reason": "price list of 15 Nov"}]});
    assert_eq!(world.did(&format!("{path}/match"), &accept)["state"], "matched");
    assert_eq!(world.did(&format!("{path}/approve"), &json!({}))["state"], "approved");
    assert_eq!(world.lists("/api/finance/uninvoiced"), [] as [Value; 0]);
    bill["invoice_no"] = json!("tea 778");
    let twice = world.posts("/api/finance/invoices", &bill).refused(409, "duplicate");
    assert_eq!(twice["id"], json!(id));
    id
}

fn paid(world: &mut World, supplier: &str, invoice: &str) {
    let payment = json!({"supplier_id": supplier, "date": "2026-11-20", "account": "1040", "amount": 971_188,
        "reference": "TEA-778",
        "allocations": [{"invoice_id": invoice, "amount": 991_008, "discount": 19_820}]});
    let payment = world.did("/api/finance/payments", &payment);
    assert_eq!((&payment["state"], &payment["unallocated"]), (&json!("posted"), &json!(0)));
    assert_eq!(world.reads(&format!("/api/finance/invoices/{invoice}"))["state"], "paid");
}

/// Returns the provider's file: points as thousands separators, a comma as decimal separator.
fn cards(world: &World) -> String {
    let rows = [
        ("C-1001", 155_400, 2_331),
        ("C-2001", 222_000, 3_330),
        ("C-1002", 333_000, 4_995),
        ("R-1001", -62_160, 0),
    ];
    let rows = rows.map(|(reference, gross, fee)| {
        let [gross, fee] = [gross, fee].map(|amount| grouped(world.currency, amount));
        format!("20/11/2026;{reference};{gross};{fee};77\r\n")
    });
    format!("\u{feff}Tanggal;Referensi;Bruto;Biaya;Batch\r\n{}", rows.concat())
}

fn grouped(currency: Currency, amount: i64) -> String {
    let plain = currency.decimal(Money::new(amount));
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let digits = whole.trim_start_matches('-').len();
    let (front, back) = whole.split_at(if digits > 3 { whole.len() - 3 } else { whole.len() });
    let (point, comma) = (if back.is_empty() { "" } else { "." }, if fraction.is_empty() { "" } else { "," });
    format!("{front}{point}{back}{comma}{fraction}")
}

/// Returns the bank's file: a point as decimal separator.
fn bank(world: &World) -> String {
    let rows = [
        ("19", "QR 18NOV", 110_223),
        ("20", "QR 19NOV", -111_000),
        ("20", "PAYOUT 77", 637_584),
        ("20", "TEA-778", -971_188),
    ];
    let rows = rows.map(|(day, reference, amount)| {
        format!("2026-11-{day},{reference},{}\n", world.currency.decimal(Money::new(amount)))
    });
    format!("date,reference,amount\n{}", rows.concat())
}

/// Imports two files, with one payment that nobody reports, and approves four days.
fn settled(world: &mut World) {
    // An amount with three decimals looks like thousands, so the source states the number of decimals.
    let decimals = world.currency.exponent();
    let mark = |mark: &'static str| if decimals == 0 { "auto" } else { mark };
    let columns = json!({"date": "Tanggal", "reference": "Referensi", "gross": "Bruto", "fee": "Biaya",
        "batch": "Batch"});
    let card = json!({"name": "Cards", "kind": "provider", "methods": ["card"], "fee_rate_bp": 150,
        "fee_on_refunds": "kept", "csv": {"date_format": "%d/%m/%Y", "columns": columns, "decimal": mark(",")}});
    let card = text(&world.did("/api/statement-sources", &card), "source_id");
    let at_bank = json!({"name": "Bank", "kind": "bank", "methods": ["qris"], "fee_rate_bp": 70,
        "csv": {"decimal": mark(".")}});
    let at_bank = text(&world.did("/api/statement-sources", &at_bank), "source_id");
    let (cards, bank) = (cards(world), bank(world));

    let path = format!("/api/statements?source_id={card}");
    let read = world.uploads(&path, &cards).data(201);
    let figures = ["lines_new", "matched", "gross", "fee", "net"].map(|name| &read[name]);
    assert_eq!(figures, [&json!(4), &json!(4), &json!(648_240), &json!(10_656), &json!(637_584)]);
    let again = world.uploads(&path, &cards).refused(409, "duplicate");
    assert_eq!(again["id"], read["statement_id"]);

    assert_eq!(settlement(world, "S001", 19)["state"], "discrepant");
    let found = world.lists("/api/settlement-exceptions?state=open&type=missing_at_provider&store_id=S001");
    assert_eq!((found.len(), &found[0]["amount"]), (1, &json!(83_250)), "{found:?}");
    let path = format!("/api/settlement-exceptions/{}/resolve", text(&found[0], "exception_id"));
    world.did(&path, &json!({"resolution": "carry", "reason": "terminal was offline"}));
    assert_eq!(settlement(world, "S001", 19)["state"], "reconciled");

    let path =
        format!("/api/statements?source_id={at_bank}&opening_balance=20000000&closing_balance=19665619");
    let read = world.uploads(&path, &bank).data(201);
    let figures = ["lines_new", "matched", "exceptions", "closing_balance"].map(|name| &read[name]);
    assert_eq!(figures, [&json!(4), &json!(4), &json!(0), &json!(19_665_619)]);
    for (store, day) in [("S001", 18), ("S001", 19), ("S002", 18), ("S002", 19)] {
        let of_day = settlement(world, store, day);
        assert_eq!(of_day["state"], "reconciled", "{store} {day}: {of_day}");
        let path = format!("/api/settlements/{}/approve", text(&of_day, "settlement_id"));
        assert_eq!(world.did(&path, &json!({}))["state"], "approved");
    }
}

/// Returns the settlement of a store's day.
fn settlement(world: &World, store: &str, day: u8) -> Value {
    let path = format!("/api/settlements?store_id={store}&from=2026-11-{day}&to=2026-11-{day}");
    let listed = world.lists(&path);
    world.reads(&format!("/api/settlements/{}", text(&listed[0], "settlement_id")))
}

/// Locks the night of the 20th while one store is offline.
fn locked(world: &mut World) {
    let path = "/api/finance/days/2026-11-20/lock";
    let refused = world.posts(path, &json!({})).refused(409, "not_ready");
    let problems = refused["problems"].as_array().unwrap().iter();
    let problems: Vec<Value> = problems.map(|one| json!([one["store_id"], one["code"]])).collect();
    assert_eq!(problems, [json!(["S002", "store_not_heard"]), json!(["S002", "day_not_sealed"])]);
    let force = json!({"force": true, "reason": "S002 offline, sales follow"});
    let done = world.did(path, &force);
    // The settlements of the 18th and 19th have locked these days of both stores.
    let spans = done["locked"].as_array().unwrap().iter();
    let spans: Vec<Value> = spans.map(|one| json!([one["store_id"], one["from"], one["to"]])).collect();
    let of = |store: &str| [json!([store, null, "2026-11-17"]), json!([store, "2026-11-20", "2026-11-20"])];
    let mut expected = vec![json!(["", null, "2026-11-20"])];
    expected.extend(["S001", "S002"].into_iter().flat_map(of));
    assert_eq!(spans, expected);
    let warned: Vec<Value> =
        done["warnings"].as_array().unwrap().iter().map(|one| one["code"].clone()).collect();
    assert_eq!(warned, ["settlement_open"], "S001 has an unpaid item of the 20th");
}
