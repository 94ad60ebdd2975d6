//! The figures of docs/arithmetic.md over HTTP: baskets, payments, rounding, refunds, tenders and points of the
//! vectors, computed by the running store.

use crate::head_office::apply_feed;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use testkit::counter::{SALES, number, text};
use testkit::{Client, Reply, Store, process};

const RETURNS: &str = "/api/pos/returns";

/// Returns the vectors of one section.
fn vectors(file: &str, function: &str) -> Vec<Value> {
    let text = match file {
        "price" => include_str!("../../../domain/tests/vectors/01-price.json"),
        "payment" => include_str!("../../../domain/tests/vectors/02-payment.json"),
        "returns" => include_str!("../../../domain/tests/vectors/04-returns.json"),
        "promotions" => include_str!("../../../domain/tests/vectors/09-promotions.json"),
        _ => include_str!("../../../domain/tests/vectors/05-points.json"),
    };
    let all: Vec<Value> = serde_json::from_str(text).unwrap();
    let found: Vec<Value> = all.into_iter().filter(|vector| vector["fn"] == function).collect();
    assert!(!found.is_empty(), "no vector of {function}");
    found
}

/// A shop with these settings. Products are named after their tax rate.
struct Shop {
    store: Store,
    till: Client,
    manager: Client,
    shift_id: String,
    members: usize,
}

impl Shop {
    fn open(settings: &str) -> Self {
        let store = Store::open_with(settings, 1);
        let rows = "sku,name,price,category,barcode,reorder_level,tax_rate_bp,cost\n\
            rate-0,Free of tax,1,,,0,0,1\nrate-1100,Taxed,1,,,0,1100,1\n";
        let file = store.write_file("rates.csv", rows);
        process::succeed(store.command(&["import", "products", file.to_str().unwrap()]), "");
        let mut till = store.login("till-1").at_register("till-1");
        let manager = store.login("manager");
        let shift_id = text(&till.post("/api/shifts/open", &json!({})).data(201), "shift_id");
        Self { store, till, manager, shift_id, members: 0 }
    }

    /// Creates a member with this many points.
    fn member(&mut self, points: i64) -> String {
        self.members += 1;
        let body = json!({"name": "M", "phone": format!("0812{:08}", self.members)});
        let id = text(&self.till.post("/api/members", &body).data(201), "member_id");
        if points > 0 {
            let adjust = json!({"points": points, "reason": "vector"});
            self.manager.post(&format!("/api/members/{id}/points/adjust"), &adjust).data(200);
        }
        id
    }

    fn balance(&mut self, member: &str) -> i64 {
        number(&self.manager.get(&format!("/api/members/{member}/points")).data(200), "balance")
    }

    /// Creates a basket of untaxed lines at these prices.
    fn plain(&mut self, prices: &[i64], member: Option<&str>) -> Value {
        let line = |price: &i64| json!({"sku": "rate-0", "qty": 1, "price": price});
        let mut body = json!({"items": prices.iter().map(line).collect::<Vec<_>>()});
        if prices == [0] {
            body["items"] = json!([{"sku": "rate-0", "qty": 1, "price": 5, "discount": 5}]);
        }
        if let Some(member) = member {
            body["member_id"] = json!(member);
        }
        self.till.post(SALES, &body).data(201)
    }

    fn pay(&mut self, basket: &Value, payments: &Value) -> Reply {
        let path = format!("{SALES}/{}/pay", text(basket, "transaction_id"));
        self.till.post(&path, &json!({"payments": payments}))
    }

    /// Takes back one line of a sale.
    fn back(&mut self, sale: &Value, line_no: usize, sku: &str, qty: i64) -> Reply {
        let items = json!([{"sku": sku, "qty": qty, "line_no": line_no}]);
        self.till.post(RETURNS, &json!({"transaction_id": sale["transaction_id"], "items": items}))
    }

    fn drawer(&mut self) -> i64 {
        let summary = self.manager.get(&format!("/api/shifts/{}/summary", self.shift_id)).data(200);
        number(&summary["cash"], "sales")
    }
}

/// One shop for each set of settings.
#[derive(Default)]
struct Shops(BTreeMap<String, Shop>);

impl Shops {
    fn with(&mut self, settings: String) -> &mut Shop {
        self.0.entry(settings.clone()).or_insert_with(|| Shop::open(&settings))
    }
}

fn taxed(vector: &Value) -> String {
    format!("tax.prices_include_tax = {}\n", vector["in"]["tax"] == "contained")
}

/// Asserts that every field of the vector has its value.
#[track_caller]
fn fits(id: &str, shown: &Value, reported: &Value) {
    for (name, expected) in reported.as_object().unwrap() {
        assert_eq!(&shown[name], expected, "{id}: {name}: {shown}");
    }
}

#[test]
fn baskets_come_out_as_the_page_says() {
    let mut shops = Shops::default();
    for vector in vectors("price", "basket") {
        let (id, given, out) = (text(&vector, "id"), &vector["in"], &vector["out"]);
        let line = |line: &Value| {
            let sku = format!("rate-{}", line["rate_bp"]);
            let discount = line["discount"].as_i64().unwrap_or(0);
            json!({"sku": sku, "qty": line["qty"], "price": line["price"], "discount": discount})
        };
        let items: Vec<Value> = given["lines"].as_array().unwrap().iter().map(line).collect();
        let body = json!({"items": items, "discount": given["discount"].as_i64().unwrap_or(0)});
        let reply = shops.with(taxed(&vector)).till.post(SALES, &body);
        if let Some(code) = out["error"].as_str() {
            reply.refused(422, code);
            continue;
        }
        let made = reply.data(201);
        for name in ["subtotal", "discount", "tax", "total"] {
            assert_eq!(made[name], out[name], "{id}: {name}: {made}");
        }
        for (shown, reported) in
            made["items"].as_array().unwrap().iter().zip(out["lines"].as_array().unwrap())
        {
            for name in ["discount", "tax", "total"] {
                assert_eq!(shown[name], reported[name], "{id}: {name}: {shown}");
            }
            let parts = shown["discounts"].as_array().unwrap().iter().map(|part| number(part, "amount"));
            assert_eq!(parts.sum::<i64>(), number(shown, "discount"), "{id}: {shown}");
        }
    }
}

#[test]
fn payments_come_out_as_the_page_says() {
    let mut shops = Shops::default();
    for vector in vectors("payment", "pay") {
        let (id, given, out) = (text(&vector, "id"), &vector["in"], &vector["out"]);
        let worth = given["redeem_value"].as_i64().unwrap_or(1);
        let settings = format!(
            "payments.cash_rounding = {}\npoints.redeem_value = {worth}\n",
            given["step"].as_i64().unwrap_or(0)
        );
        let shop = shops.with(settings);
        let member = shop.member(1_000_000);
        let before = shop.drawer();
        let mut sale = shop.plain(&[number(given, "total")], Some(&member));
        for (payments, step) in
            given["requests"].as_array().unwrap().iter().zip(out["steps"].as_array().unwrap())
        {
            let reply = shop.pay(&sale, payments);
            if let Some(code) = step["error"].as_str() {
                let reached = sale["state"] == "paid";
                // A completed sale accepts no more payments of any kind.
                let (status, code) = if reached { (409, "invalid_state") } else { (422, code) };
                reply.refused(status, code);
                continue;
            }
            sale = reply.data(200);
            for name in ["state", "amount_paid", "amount_due"] {
                assert_eq!(sale[name], step[name], "{id}: {name}: {sale}");
            }
            let reported = step["payments"].as_array().unwrap();
            let shown = sale["payments"].as_array().unwrap();
            for (shown, reported) in shown.iter().rev().zip(reported.iter().rev()) {
                fits(&id, shown, reported);
            }
        }
        assert_eq!((&sale["rounding"], &sale["change"]), (&out["rounding"], &out["change"]), "{id}: {sale}");
        assert_eq!(json!(shop.drawer() - before), out["drawer"], "{id}: cash in the drawer");
    }
}

#[test]
fn cash_is_rounded_as_the_page_says_both_ways() {
    let mut shops = Shops::default();
    for vector in vectors("payment", "cash_round") {
        let (id, given, out) = (text(&vector, "id"), &vector["in"], &vector["out"]);
        let mode = given["mode"].as_str().unwrap_or("nearest");
        let settings =
            format!("payments.cash_rounding = {}\npayments.cash_rounding_mode = \"{mode}\"\n", given["step"]);
        let shop = shops.with(settings);
        let amount = number(given, "amount");
        let sale = shop.plain(&[amount], None);
        let paid = shop.pay(&sale, &json!([{"method": "cash", "amount": amount}])).data(200);
        if given["direction"] == "sale" {
            assert_eq!((&paid["rounding"], &sale["cash_due"]), (&out["rounding"], &out["cash"]), "{id}");
            continue;
        }
        let returned = shop.back(&sale, 1, "rate-0", 1).data(201);
        assert_eq!(
            (&returned["rounding"], &returned["refund_total"]),
            (&out["rounding"], &json!(amount)),
            "{id}"
        );
        assert_eq!(returned["refunds"][0]["rounding"], out["rounding"], "{id}: {returned}");
    }
}

#[test]
fn parts_of_a_line_come_back_as_the_page_says() {
    let mut shops = Shops::default();
    for vector in vectors("returns", "refund_parts") {
        let (id, given, out) = (text(&vector, "id"), &vector["in"], &vector["out"]);
        let line = &given["line"];
        let shop = shops.with(taxed(&vector));
        let item = json!({"sku": "rate-1100", "qty": line["qty"], "price": line["price"], "discount": line["discount"]});
        let sale = shop.till.post(SALES, &json!({"items": [item]})).data(201);
        assert_eq!(sale["tax"], line["tax"], "{id}: {sale}");
        shop.pay(&sale, &json!([{"method": "card", "amount": sale["total"]}])).data(200);
        for (qty, reported) in given["parts"].as_array().unwrap().iter().zip(out["parts"].as_array().unwrap())
        {
            let reply = shop.back(&sale, 1, "rate-1100", qty.as_i64().unwrap());
            match reported["error"].as_str() {
                Some(code) => drop(reply.refused(422, code)),
                None => fits(&id, &reply.data(201)["items"][0], reported),
            }
        }
        let path = format!("{SALES}/{}", text(&sale, "transaction_id"));
        assert_eq!(shop.till.get(&path).data(200)["refunded"], out["refunded"], "{id}");
    }
}

#[test]
fn money_goes_back_by_method_as_the_page_says() {
    let mut shops = Shops::default();
    for vector in vectors("returns", "refund_tenders") {
        let (id, given, out) = (text(&vector, "id"), &vector["in"], &vector["out"]);
        let worth = given["redeem_value"].as_i64().unwrap_or(1);
        let shop = shops.with(format!("points.redeem_value = {worth}\npoints.earn_per = 1000000000\n"));
        let member = shop.member(1_000_000);
        let prices: Vec<i64> =
            given["refunds"].as_array().unwrap().iter().map(|one| one.as_i64().unwrap()).collect();
        let sale = shop.plain(&prices, Some(&member));
        assert_eq!(sale["total"], given["total"], "{id}");
        shop.pay(&sale, &given["payments"]).data(200);
        let mut balance = shop.balance(&member);
        for (place, reported) in out["refunds"].as_array().unwrap().iter().enumerate() {
            let returned = shop.back(&sale, place + 1, "rate-0", 1).data(201);
            let shown = returned["refunds"].as_array().unwrap().iter();
            let shown: Vec<Value> =
                shown.map(|part| json!({"method": part["method"], "amount": part["amount"]})).collect();
            let mut parts = reported.clone();
            let mut points = 0;
            for part in parts.as_array_mut().unwrap() {
                let back = part.as_object_mut().unwrap().remove("points");
                points += back.and_then(|points| points.as_i64()).unwrap_or(0);
            }
            assert_eq!(json!(shown), parts, "{id}: {returned}");
            let now = shop.balance(&member);
            assert_eq!(now - balance, points, "{id}: points are given back with the money: {returned}");
            balance = now;
        }
    }
}

#[test]
fn points_are_earned_and_reversed_as_the_page_says() {
    let mut shops = Shops::default();
    let mut tried = 0;
    for vector in vectors("points", "points") {
        let (id, given, out) = (text(&vector, "id"), &vector["in"], &vector["out"]);
        if given["multiplier_bp"] != json!(10_000) {
            // The tier of a member is set by head office.
            continue;
        }
        let shop = shops.with(format!("points.earn_per = {}\n", given["earn_per"]));
        let paid = number(given, "points_paid");
        let member = shop.member(paid);
        let refunds = given["refunds"].as_array().cloned().unwrap_or_default();
        let mut prices: Vec<i64> = refunds.iter().map(|one| one.as_i64().unwrap()).collect();
        if prices.is_empty() {
            prices.push(number(given, "total"));
        }
        let sale = shop.plain(&prices, Some(&member));
        let card = json!({"method": "card", "amount": number(given, "total") - paid});
        let payments = match paid {
            0 => json!([card]),
            _ => json!([{"method": "points", "amount": paid}, card]),
        };
        let sold = shop.pay(&sale, &payments).data(200);
        assert_eq!(sold["points_earned"], out["earned"], "{id}: {sold}");
        for (place, reversed) in out["reversed"].as_array().unwrap().iter().enumerate() {
            let returned = shop.back(&sale, place + 1, "rate-0", 1).data(201);
            assert_eq!(&returned["points_reversed"], reversed, "{id}: {returned}");
        }
        let given_back = if refunds.is_empty() { 0 } else { paid };
        assert_eq!(json!(shop.balance(&member) - given_back), out["kept"], "{id}");
        tried += 1;
    }
    assert!(tried >= 4, "{tried} vectors");
}

/// Opens a shop for one vector of promotions, with its products, its promotions and a member of its tier.
fn promoted(given: &Value) -> (Shop, String) {
    let mut shop = Shop::open("");
    let mut rows = String::from("sku,name,price,category,barcode,reorder_level,tax_rate_bp,cost\n");
    for line in given["lines"].as_array().unwrap() {
        let (sku, category) = (line["sku"].as_str().unwrap(), line["category"].as_str().unwrap());
        rows.push_str(&format!("{sku},Product {sku},{},{category},,0,0,1\n", line["price"]));
    }
    let file = shop.store.write_file("promoted.csv", &rows);
    process::succeed(shop.store.command(&["import", "products", file.to_str().unwrap()]), "");
    let mut promotions = given["promotions"].as_array().unwrap().clone();
    for promotion in &mut promotions {
        // A promotion that is in force on the vector's date is in force today.
        assert!(promotion["from"].as_str() <= given["date"].as_str());
        assert!(promotion["to"].as_str() >= given["date"].as_str());
        (promotion["from"], promotion["to"]) = (json!("2000-01-01"), json!("2999-12-31"));
    }
    apply_feed(&mut shop.store, &json!({"promotions": promotions}));
    let member = shop.member(0);
    if let Some(tier) = given["tier"].as_str() {
        let body = json!({"tier": tier}).to_string();
        shop.manager.send("PATCH", &format!("/api/members/{member}"), &[], body.as_bytes()).data(200);
    }
    (shop, member)
}

#[test]
fn promotions_come_out_as_the_page_says() {
    for vector in vectors("promotions", "promo") {
        let (id, given, out) = (text(&vector, "id"), &vector["in"], &vector["out"]);
        let (mut shop, member) = promoted(given);
        let line = |line: &Value| json!({"sku": line["sku"], "qty": line["qty"], "price": line["price"]});
        let items: Vec<Value> = given["lines"].as_array().unwrap().iter().map(line).collect();
        let manual = given["manual"].as_i64().unwrap_or(0);
        let body = json!({"items": items, "member_id": member, "discount": manual});
        let made = shop.till.post(SALES, &body).data(201);
        for (shown, reported) in
            made["items"].as_array().unwrap().iter().zip(out["lines"].as_array().unwrap())
        {
            let parts = shown["discounts"].as_array().unwrap().iter();
            let parts: Vec<Value> = parts
                .map(|part| json!({"promotion_id": part["promotion_id"], "amount": part["amount"]}))
                .collect();
            assert_eq!(json!(parts), reported["discounts"], "{id}: {shown}");
            assert_eq!(
                (&shown["discount"], &shown["total"]),
                (&reported["discount"], &reported["net"]),
                "{id}: {shown}"
            );
        }
        // The basket is paid at its price, and a return of everything refunds the same amount.
        shop.pay(&made, &json!([{"method": "card", "amount": made["total"]}])).data(200);
        let items: Vec<Value> = given["lines"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| json!({"sku": line["sku"], "qty": line["qty"]}))
            .collect();
        let back = json!({"transaction_id": made["transaction_id"], "items": items});
        assert_eq!(shop.till.post(RETURNS, &back).data(201)["refund_total"], made["total"], "{id}");
    }
}
