//! A shop and its head office with one of everything that a page shows. The caller supplies every text that a person
//! might have typed: ordinary texts for pictures, injection attacks for everything else.

use crate::office::bought;
use serde_json::{Value, json};
use testkit::hub::Hub;
use testkit::linked::Linked;
use testkit::simulated::Shop;
use testkit::store::{PASSWORD, PRODUCTS};
use testkit::{Client, Store, wait};

/// Text that would run, load or break something if a page treated it as more than text, with a mark that reverses the
/// direction of the rest.
pub const HOSTILE: &str = "\"><img src=x onerror=alert(1)><svg onload=alert(2)>\u{202e}drow";
const GOODS: [&str; 12] = [
    "Teh Botol 450 ml",
    "Aqua 600 ml",
    "Beras Ramos 5 kg",
    "Kerupuk udang 40 g",
    "Permen mint",
    "Kantong belanja",
    "Minyak Bimoli 2 L",
    "Kopi Kapal Api 165 g",
    "Mie goreng 85 g",
    "Gula Gulaku 1 kg",
    "Plastik kecil",
    "Susu bubuk 800 g",
];
/// The till's store, another store that only sends records, and one with contradicting records.
pub const REGISTER: &str = "till-1";
const NEAR: &str = "S200";
const WAREHOUSE: &str = "W100";
const FAR: &str = "S400";
const JSON: [(&str, &str); 1] = [("Content-Type", "application/json")];

/// Returns the text to use in place of an ordinary one.
pub type Say = fn(&str) -> String;

pub fn as_people(text: &str) -> String {
    text.to_owned()
}

/// Returns a text with the length of real names. Those of goods are the longest.
pub fn as_people_at_length(text: &str) -> String {
    let kind = if GOODS.contains(&text) { "Kualitas Premium " } else { "" };
    format!("{text} {kind}Cap Dua Anak Sehat")
}

pub fn as_an_attacker(_: &str) -> String {
    HOSTILE.to_owned()
}

/// A page: its app's name for it, and its address.
pub type Place = (&'static str, String);

/// The shop, and addresses of pages to which no page links.
pub struct Furnished {
    pub shop: Linked,
    pub portal: Vec<Place>,
    pub admin: Vec<Place>,
}

#[track_caller]
pub fn furnished(say: Say) -> Furnished {
    let mut shop = opened(say);
    let member = people(&mut shop, say);
    lists(&mut shop, say);
    let supplier = bought::supplier(&mut shop, say);
    let sale = sold(&mut shop, say, &member);
    money(&mut shop, say);
    goods(&mut shop, say, &supplier);
    let [coming, short] = moved(&mut shop, say);
    strangers(&shop.hub, say);
    let counting = counted(&mut shop, say);
    let mut portal = bought::bought(&mut shop, say, &supplier);
    close(&mut shop, say);
    shop.synced();
    portal.extend(bought::settled(&mut shop, say, &sale));
    let admin = vec![
        ("receive", "#/receiving/new".to_owned()),
        ("member", format!("#/members/{member}")),
        ("count", format!("#/counts/{counting}")),
        ("import_goods", "#/products/import".to_owned()),
        ("send", "#/transfers/new".to_owned()),
        ("take_in", format!("#/transfers/{coming}/receive")),
        ("settle", format!("#/transfers/{short}/resolve")),
        ("adjust", "#/adjustments/new".to_owned()),
        ("send_back", "#/supplier-returns/new".to_owned()),
        ("quick_keys", format!("#/tills/{REGISTER}/quick-keys")),
    ];
    Furnished { shop, portal, admin }
}

/// Returns a text of an answer by its name.
#[track_caller]
pub fn text(answer: &Value, name: &str) -> String {
    answer[name].as_str().unwrap_or_else(|| panic!("no {name}: {answer}")).to_owned()
}

#[track_caller]
pub fn patch(client: &mut Client, path: &str, body: &Value) {
    client.send("PATCH", path, &JSON, body.to_string().as_bytes()).data(200);
}

/// Creates till, store and head office, and the names of the catalogue.
#[track_caller]
fn opened(say: Say) -> Linked {
    let settings = format!(
        "store.address = {}\nstore.receipt_footer = {}\n",
        json!(say("Jl. Menteng Raya 12, Jakarta")),
        json!(say("Thank you, come again"))
    );
    let hub = Hub::open();
    let mut store = Store::prepare(&settings, 2);
    hub.enrol(&store);
    store.start();
    store.receive_all(100);
    let (office, mut manager) = (hub.login(), store.login("manager"));
    manager.post("/api/registers", &json!({"register_id": REGISTER, "name": say("Till 1")})).data(201);
    // Goods without a code.
    let keys = json!({"items": [{"sku": "8990011", "label": say("Small bag")}, {"sku": "8990006"}]});
    let path = format!("/api/pos/quick-keys?register_id={REGISTER}");
    manager.send("PUT", &path, &JSON, keys.to_string().as_bytes()).data(200);
    let mut till = store.login("till-1").at_register(REGISTER);
    till.post("/api/shifts/open", &json!({"opening_float": 200_000, "note": say("New roll of paper")}))
        .data(201);
    let mut shop = Linked { hub, office, store, till, manager };
    let about = json!({"name": say("Toko Menteng"), "address": say("Jl. Menteng Raya 12, Jakarta")});
    patch(&mut shop.office, "/api/stores/S001", &about);
    for ((sku, _), name) in PRODUCTS.iter().zip(GOODS) {
        patch(&mut shop.office, &format!("/api/products/{sku}"), &json!({"name": say(name)}));
    }
    let named = |product: &Value| product["name"] == json!(say(GOODS[11]));
    shop.seen("the catalogue's names", &format!("/api/pos/products/{}", PRODUCTS[11].0), named);
    shop
}

/// Creates members and staff, and returns the store's member.
#[track_caller]
fn people(shop: &mut Linked, say: Say) -> String {
    let siti = json!({"name": say("Siti Aminah"), "phone": "081298765432"});
    let siti = shop.manager.post("/api/members", &siti).data(201);
    let id = text(&siti, "member_id");
    let points = json!({"points": 120, "reason": say("A present")});
    shop.manager.post(&format!("/api/members/{id}/points/adjust"), &points).data(200);
    let person = |username: &str, role: &str| json!({"username": username, "name": say("Dewi Lestari"), "role": role, "password": PASSWORD});
    shop.manager.post("/api/users", &person("x@s001.example", "cashier")).data(201);
    shop.made("/api/users", &person("dewi@hub.example", "ho_finance"));
    shop.made(
        "/api/api-keys",
        &json!({"name": say("Connector"), "role": "read_only", "scopes": ["finance:read"]}),
    );
    // The address is not public, so events wait and the page shows the reason.
    let ledger =
        json!({"name": say("Ledger"), "url": "https://localhost/hooks", "event_types": ["product.*"]});
    shop.made("/api/webhooks", &ledger);
    shop.made("/api/members", &json!({"name": say("Ratna Kusuma"), "phone": "081234567890"}));
    id
}

/// Creates head office's data other than goods and people.
#[track_caller]
fn lists(shop: &mut Linked, say: Say) {
    shop.made("/api/categories", &json!({"code": "tea", "name": say("Tea")}));
    shop.made(
        "/api/tax-codes",
        &json!({"tax_code": "ppn", "name": say("PPN"), "rate_bp": 1_100, "kind": "standard"}),
    );
    shop.made("/api/tiers", &json!({"tier": "gold", "name": say("Gold"), "multiplier_bp": 15_000}));
    shop.made("/api/reasons", &json!({"list": "returns", "code": "torn", "name": say("Torn")}));
    shop.made("/api/payment-methods", &json!({"method": "wallet", "name": say("GoPay")}));
    imported(shop, say);
    shop.made("/api/prices", &json!({"sku": "8990007", "price": 31_000, "from": "2031-01-01"}));
    let week = json!({"name": say("Tea week"), "type": "line_percent", "value": 1_000, "from": "2031-01-01",
        "to": "2031-01-07", "priority": 1, "skus": ["990001"]});
    shop.made("/api/promotions", &week);
    shop.made("/api/finance/accounts", &json!({"account": "6901", "name": say("Stamps"), "type": "expense"}));
}

/// Imports a product from a file whose texts contain quotation marks.
#[track_caller]
fn imported(shop: &mut Linked, say: Say) {
    let quoted = |text: &str| format!("\"{}\"", say(text).replace('"', "\"\""));
    let rows =
        format!("sku,name,price,category\n990001,{},15000,{}\n", quoted("Green tea 25 bags"), quoted("Tea"));
    let headers = [("Content-Type", "text/csv"), ("Idempotency-Key", "a-file-of-one-product")];
    let taken = shop.office.send("POST", "/api/products/import", &headers, rows.as_bytes());
    assert_eq!(taken.status, 200, "{}", taken.text());
}

/// Makes two sales by card and one in cash, of which a piece is returned. Returns the first.
#[track_caller]
fn sold(shop: &mut Linked, say: Say, member: &str) -> Value {
    let mut sales = Vec::new();
    for (method, reference) in [("card", Some("C-1003")), ("card", None), ("cash", None)] {
        let items = json!([{"sku": "8990007", "qty": 2, "price": 25_000}, {"sku": "8990001", "qty": 3, "price": 2_000}]);
        let basket = json!({"items": items, "member_id": member, "note": say("Leave the bag at the door")});
        let sale = shop.till.post("/api/pos/transactions", &basket).data(201);
        let path = format!("/api/pos/transactions/{}/pay", text(&sale, "transaction_id"));
        let payment =
            json!({"method": method, "amount": sale["amount_due"], "reference": reference.map(say)});
        sales.push(shop.till.post(&path, &json!({"payments": [payment]})).data(200));
    }
    let items = json!([{"sku": "8990007", "qty": 1, "reason": say("The bottle leaks")}]);
    let back =
        json!({"transaction_id": sales[2]["transaction_id"], "items": items, "note": say("Without its box")});
    shop.till.post("/api/pos/returns", &back).data(201);
    sales.swap_remove(0)
}

/// Moves cash into the drawer, into the safe, and to the bank.
#[track_caller]
fn money(shop: &mut Linked, say: Say) {
    let shift = shop.till.get("/api/shifts/current").data(200);
    let path = format!("/api/shifts/{}/cash-movements", text(&shift, "shift_id"));
    let coins = json!({"type": "pay_in", "amount": 50_000, "reason": say("Coins from the bank")});
    shop.till.post(&path, &coins).data(201);
    let drop = json!({"type": "drop", "amount": 100_000, "bag_no": say("B-17"), "reason": say("Too much in the drawer")});
    shop.till.post(&path, &drop).data(201);
    let found = json!({"amount": 1_000_000, "reason": say("Counted on the first day")});
    shop.manager.post("/api/safe/opening", &found).data(200);
    let bag = json!({"amount": 400_000, "bag_no": say("B-17"), "bank_account": say("BCA 123")});
    shop.manager.post("/api/deposits", &bag).data(201);
}

/// Receives, returns, sends, finds and loses goods.
#[track_caller]
fn goods(shop: &mut Linked, say: Say, supplier: &str) {
    shop.seen("the supplier", "/api/suppliers?limit=100", |found| !found["items"][0].is_null());
    let mut warehouse = shop.store.login("warehouse");
    let lines = |qty: i64| json!([{"sku": "8990002", "qty": qty}]);
    let note = say("Two cartons are wet");
    let back = json!({"supplier_id": supplier, "reference": say("RT-5"), "note": note, "lines": lines(2)});
    warehouse.post("/api/supplier-returns", &back).data(201);
    for (reason, qty, waits) in [("damaged", -1, false), ("found", 1, true)] {
        let new = json!({"reason": reason, "note": note, "lines": lines(qty), "request_approval": waits});
        warehouse.post("/api/adjustments", &new).data(201);
    }
    patch(&mut warehouse, "/api/stock/8990002", &json!({"reorder_level": 500, "shelf_place": say("B-04")}));
}

/// Makes a transfer to the store, and one from the store of which a piece was lost.
#[track_caller]
fn moved(shop: &mut Linked, say: Say) -> [String; 2] {
    let lines = |qty: i64| json!([{"sku": "8990002", "qty": qty}]);
    let central = json!({"store_id": WAREHOUSE, "kind": "warehouse", "name": say("Central warehouse")});
    shop.made("/api/stores", &central);
    let named = |found: &Value| found.to_string().contains(WAREHOUSE);
    shop.seen("the store knows the warehouse", "/api/stores", named);
    let filled = json!({"store_id": WAREHOUSE, "delivery_note_no": say("SJ-2"),
        "lines": [{"sku": "8990002", "qty": 50, "unit_cost": 1_800}]});
    shop.made("/api/receiving", &filled);
    let note = say("The van of Tuesday");
    let coming = json!({"store_id": WAREHOUSE, "to_store_id": "S001", "note": note, "lines": lines(5)});
    let coming = text(&shop.made("/api/transfers", &coming), "transfer_id");
    let sent = json!({"to_store_id": WAREHOUSE, "note": note, "lines": lines(3)});
    let sent = shop.store.login("warehouse").post("/api/transfers", &sent).data(201);
    let sent = text(&sent, "transfer_id");
    shop.synced();
    let came = json!({"lines": lines(2)});
    shop.office.post(&format!("/api/transfers/{sent}/receive"), &came).data(200);
    for (what, state) in [(&coming, "in_transit"), (&sent, "received")] {
        let path = format!("/api/transfers/{what}");
        wait::until("the store has both transfers", || {
            let found = shop.manager.get(&path);
            (found.status == 200 && found.data(200)["state"] == state).then_some(())
        });
    }
    [coming, sent]
}

/// Makes a finished count and one in progress. Returns the second.
#[track_caller]
fn counted(shop: &mut Linked, say: Say) -> String {
    let count = |sku: &str| json!({"scope": "skus", "skus": [sku], "note": say("Every month")});
    for (sku, over) in [("8990004", true), ("8990005", false)] {
        let made = shop.manager.post("/api/opname", &count(sku)).data(201);
        let path = format!("/api/opname/{}", text(&made, "opname_id"));
        let counts = json!({"counts": [{"sku": sku, "qty": 97, "zone": say("shelf")}]});
        shop.manager.post(&format!("{path}/counts"), &counts).data(200);
        if !over {
            return text(&made, "opname_id");
        }
        shop.manager.post(&format!("{path}/submit"), &json!({})).data(200);
        shop.manager.post(&format!("{path}/post"), &json!({})).data(200);
    }
    unreachable!("the second count is in progress");
}

/// Creates two stores without a daemon: one with contradicting records, one with goods that were not ordered.
#[track_caller]
fn strangers(hub: &Hub, say: Say) {
    let mut near = Shop::open(hub, NEAR);
    for (event, stamp) in [("evt_1", "1700000000009-00000-S200"), ("evt_2", "1700000000001-00000-S200")] {
        let name = format!("{}{event}", say("Sitti"));
        let fields = json!({"name": {"value": name, "at": stamp, "base": ""}});
        near.tells("member.changed", event, &json!({"id": "mbr_1", "fields": fields}));
    }
    let line = json!({"line_no": 1, "sku": "8990001", "name": say(GOODS[0]), "qty": 1, "rejected_qty": 0, "unit_cost": 5,
        "cost": 5, "correction": 0, "balance_after": 1, "cost_missing": false, "note": say("Came loose")});
    let receiving = json!({"receiving_id": "rcv_1", "state": "posted", "store_id": FAR, "po_id": "po_none",
        "supplier_id": null, "delivery_note_no": say("SJ-1"), "reference": say("R-1"), "lines": [line], "total_cost": 5,
        "note": say("Nobody ordered this"), "business_date": "2026-11-20", "created_by": "usr_1",
        "created_at": "2026-11-20T02:06:34.739Z"});
    let payload = json!({"business_date": "2026-11-20", "receiving": receiving, "lines": []});
    Shop::open(hub, FAR).tells("receiving.posted", "evt_r", &payload);
}

/// Counts the drawer.
#[track_caller]
fn close(shop: &mut Linked, say: Say) {
    let shift = shop.till.get("/api/shifts/current").data(200);
    let path = format!("/api/shifts/{}/close", text(&shift, "shift_id"));
    shop.till.post(&path, &json!({"counted_cash": 150_000, "note": say("One note is torn")})).data(200);
}
