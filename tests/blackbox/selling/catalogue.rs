//! The catalogue at the till: search by word and code, labels, and the age of the data.

use serde_json::{Value, json};
use testkit::hub::Hub;
use testkit::{Client, Store, process, wait};

const PRODUCTS: &str = "/api/pos/products";

/// Opens a shop with drinks in addition to the harness's catalogue.
#[track_caller]
fn shop(extra: &str) -> Store {
    let store = Store::open_with(extra, 1);
    let rows = "sku,name,price,category,barcode,reorder_level,tax_rate_bp,cost\n\
        teh-350,Teh Botol Sosro (350 ml),4500,Minuman,8996001600146,0,1100,3000\n\
        teh-500,Teh Botol Sosro 500 ml,1234567,Minuman,8996001600153,0,0,4000\n\
        kopi,\"Kopi <Luwak> & \"\"Co\"\"\",15000,Minuman,,0,,9000\n";
    let file = store.write_file("drinks.csv", rows);
    process::succeed(store.command(&["import", "products", file.to_str().unwrap()]), "");
    store
}

#[track_caller]
fn found(till: &mut Client, query: &str) -> Vec<String> {
    let page = till.get(&format!("{PRODUCTS}?{query}")).data(200);
    page["items"].as_array().unwrap().iter().map(|item| item["sku"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_product_is_found_by_the_beginning_of_any_word_and_by_its_code() {
    let store = shop("tax.default_rate_bp = 1200\n");
    let mut till = store.login("till-1");
    for (query, expected) in [
        ("q=teh", &["teh-350", "teh-500"][..]),
        ("q=BOT", &["teh-350", "teh-500"]),
        ("q=sosro%20teh", &["teh-350", "teh-500"]),
        ("q=sos%20350", &["teh-350"]),
        ("q=350", &["teh-350"]),
        ("q=luwak", &["kopi"]),
        ("q=minum", &["kopi", "teh-350", "teh-500"]),
        ("q=otol", &[]),
        ("q=teh%20kopi", &[]),
        ("q=%28%29", &[]),
        ("barcode=8996001600153", &["teh-500"]),
        ("barcode=8996001600153&q=teh", &["teh-500"]),
        ("barcode=8996001600153&q=kopi", &[]),
        ("barcode=899600160015", &[]),
        ("barcode=", &[]),
    ] {
        assert_eq!(found(&mut till, query), expected, "{query}");
    }
    let (mut walked, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = till.get(&format!("{PRODUCTS}?q=minuman&limit=1{cursor}")).data(200);
        walked.extend(page["items"].as_array().unwrap().iter().map(|item| item["sku"].clone()));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(walked, ["kopi", "teh-350", "teh-500"]);
    let kopi = till.get(&format!("{PRODUCTS}/kopi")).data(200);
    let expected = [
        ("tax_rate_bp", json!(1200)),
        ("barcode", Value::Null),
        ("on_hand", json!(0)),
        ("category", json!("Minuman")),
    ];
    for (field, value) in expected {
        assert_eq!(kopi[field], value, "{field}: {kopi}");
    }
    let mut names: Vec<&String> = kopi.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(
        names,
        [
            "as_of",
            "barcode",
            "barcodes",
            "category",
            "name",
            "on_hand",
            "pack_qty",
            "price",
            "sku",
            "tax_rate_bp",
            "updated_at"
        ]
    );
}

/// Opens a store with an open shift, at a hub where product 8990001 has a carton of 12.
#[track_caller]
fn with_cartons(hub: &Hub, own: &str) -> (Store, Client) {
    let mut store = Store::prepare("", 1);
    if !own.is_empty() {
        let file = store.write_file("own.csv", own);
        process::succeed(store.command(&["import", "products", file.to_str().unwrap()]), "");
    }
    hub.enrol(&store);
    store.start();
    let codes = json!([{"code": "18990001", "pack_qty": 12}, {"code": "89900010", "pack_qty": 1}]);
    let body = json!({"barcodes": codes}).to_string();
    hub.login().send("PATCH", "/api/products/8990001", &[], body.as_bytes()).data(200);
    let mut till = store.login("till-1").at_register("till-1");
    till.post("/api/shifts/open", &json!({})).data(201);
    wait::until("the till knows the carton", || {
        let page = till.get(&format!("{PRODUCTS}?barcode=18990001")).data(200);
        let skus = page["items"].as_array().unwrap().iter().map(|item| item["sku"].clone());
        skus.collect::<Vec<_>>().contains(&json!("8990001")).then_some(())
    });
    (store, till)
}

#[test]
fn a_cartons_code_sells_its_pieces() {
    let hub = Hub::open();
    let (store, mut till) = with_cartons(&hub, "");
    let shown = till.get(&format!("{PRODUCTS}?barcode=18990001")).data(200)["items"][0].clone();
    assert_eq!((&shown["barcode"], &shown["pack_qty"]), (&json!("18990001"), &json!(12)), "{shown}");
    let one = till.get(&format!("{PRODUCTS}/8990001")).data(200);
    assert_eq!(
        (&one["barcode"], &one["pack_qty"]),
        (&json!("89900010"), &json!(1)),
        "the code of a single piece: {one}"
    );
    assert_eq!(one["barcodes"].as_array().unwrap().len(), 2);
    let price = shown["price"].as_i64().unwrap();

    const SALES: &str = "/api/pos/transactions";
    let item = |code: &str, qty: i64| json!({"code": code, "qty": qty, "price": price});
    let made = till.post(SALES, &json!({"items": [item("18990001", 2), item("89900010", 3)]})).data(201);
    let line = &made["items"][0];
    assert_eq!((&line["sku"], &line["qty"]), (&json!("8990001"), &json!(24)), "{line}");
    assert_eq!((&line["code"], &line["pack_qty"]), (&json!("18990001"), &json!(12)), "{line}");
    assert_eq!(made["subtotal"], json!(27 * price));
    // The number of pieces stays the same when the basket is changed, held and recalled.
    let path = format!("{SALES}/{}", made["transaction_id"].as_str().unwrap());
    let more = till.post(&format!("{path}/lines"), &json!({"barcode": "18990001", "qty": 2})).data(200);
    assert_eq!(more["items"][0]["qty"], json!(48), "{more}");
    let body = json!({"items": [item("18990001", 1)]}).to_string();
    let changed = till.send("PATCH", &path, &[], body.as_bytes()).data(200);
    assert_eq!(changed["items"][0]["qty"], json!(12));
    let hold = till.post("/api/pos/holds", &json!({"transaction_id": made["transaction_id"]})).data(201);
    let recall = format!("/api/pos/holds/{}/recall", hold["hold_id"].as_str().unwrap());
    let back = till.post(&recall, &json!({})).data(200);
    assert_eq!((&back["items"][0]["qty"], &back["items"][0]["pack_qty"]), (&json!(12), &json!(12)), "{back}");
    let held = till.post("/api/pos/holds", &json!({"items": [item("18990001", 1)]})).data(201);
    assert_eq!(held["item_count"], json!(12));
    till.post(&format!("{path}/pay"), &json!({"method": "card", "amount": back["total"]})).data(200);
    let stock = store.login("manager").get("/api/stock/8990001").data(200);
    assert_eq!(stock["on_hand"], json!(-12));

    let named = json!({"items": [{"sku": "8990002", "code": "18990001", "qty": 1, "price": price}]});
    till.post(SALES, &named).invalid_field("items[0].code");
    till.post(SALES, &json!({"items": [item("18990001", 100_000)]})).invalid_field("items[0].qty");
    let details = till.post(SALES, &json!({"items": [item("nope", 1)]})).refused(422, "unknown_sku");
    assert_eq!(details["skus"], json!(["nope"]));
    till.post(SALES, &json!({"items": [{"qty": 1, "price": 1}]})).refused(422, "validation_failed");
}

#[test]
fn a_cartons_code_moves_its_pieces_in_the_stock_room() {
    let hub = Hub::open();
    process::succeed(hub.command(&["store", "add", "S002"]), "");
    let (store, _till) = with_cartons(&hub, "");
    let (mut staff, mut manager) = (store.login("warehouse"), store.login("manager"));
    let on_hand =
        |manager: &mut Client| manager.get("/api/stock/8990001").data(200)["on_hand"].as_i64().unwrap();
    let carton = |qty: i64| json!({"code": "18990001", "qty": qty});
    let came = json!({"code": "18990001", "qty": 3, "rejected_qty": 1, "unit_cost": 100});
    let received = staff.post("/api/receiving", &json!({"lines": [came]})).data(201);
    let line = &received["lines"][0];
    assert_eq!(
        (&line["sku"], &line["qty"], &line["rejected_qty"]),
        (&json!("8990001"), &json!(36), &json!(12))
    );
    assert_eq!(on_hand(&mut manager), 36);
    let lost = json!({"reason": "loss", "lines": [carton(-1)]});
    let keyed = |staff: &mut Client| {
        let key = [("Idempotency-Key", "lost-1")];
        staff.send("POST", "/api/adjustments", &key, lost.to_string().as_bytes()).data(201)
    };
    let adjusted = keyed(&mut staff);
    assert_eq!(adjusted["lines"][0]["qty"], json!(-12), "{adjusted}");
    assert_eq!(keyed(&mut staff), adjusted, "the command ran once");
    let back = json!({"supplier_id": "sup_1", "lines": [{"code": "89900010", "qty": 2}]});
    assert_eq!(staff.post("/api/supplier-returns", &back).data(201)["lines"][0]["qty"], json!(2));
    wait::until("the other store is known", || {
        let stores = staff.get("/api/stores?q=s002&state=active").data(200);
        (stores["items"][0]["store_id"] == json!("S002")).then_some(())
    });
    assert_eq!(staff.get("/api/stores?state=disabled").data(200)["items"], json!([]));
    assert_eq!(
        staff.get("/api/stores?q=s001").data(200)["items"],
        json!([]),
        "the list must not contain this store"
    );
    let sent = staff.post("/api/transfers", &json!({"to_store_id": "S002", "lines": [carton(1)]})).data(201);
    assert_eq!(sent["lines"][0]["qty"], json!(12), "{sent}");
    assert_eq!(on_hand(&mut manager), 36 - 12 - 2 - 12);

    let opname = staff.post("/api/opname", &json!({"scope": "skus", "skus": ["8990001"]})).data(201);
    let path = format!("/api/opname/{}", opname["opname_id"].as_str().unwrap());
    let counts = json!({"counts": [carton(1), {"sku": "8990001", "qty": 5}]});
    let counted = staff.post(&format!("{path}/counts"), &counts).data(200);
    assert_eq!(counted["lines"][0]["counted"], json!(17), "{counted}");

    for (path, list, extra) in [
        ("/api/receiving", "lines", json!({})),
        ("/api/adjustments", "lines", json!({"reason": "found"})),
        ("/api/transfers", "lines", json!({"to_store_id": "S002"})),
        ("/api/supplier-returns", "lines", json!({"supplier_id": "sup_1"})),
        (&format!("{path}/counts"), "counts", json!({})),
    ] {
        let ask = |staff: &mut Client, line: Value| {
            let mut body = extra.clone();
            body[list] = json!([line]);
            staff.post(path, &body)
        };
        let details = ask(&mut staff, json!({"code": "nope", "qty": 1})).refused(422, "unknown_sku");
        assert_eq!(details["skus"], json!(["nope"]), "{path}");
        let other = json!({"sku": "8990002", "code": "18990001", "qty": 1});
        ask(&mut staff, other).invalid_field(&format!("{list}[0].code"));
        ask(&mut staff, carton(100_000)).invalid_field(&format!("{list}[0].qty"));
        ask(&mut staff, json!({"qty": 1})).refused(422, "validation_failed");
    }
}

#[test]
fn a_code_on_two_products_sells_neither_unseen() {
    // A file can't give a code to a second product.
    let store = shop("");
    let rows = "sku,name,price,category,barcode,reorder_level\nsusu,Susu,9000,Minuman,8996001600146,0\n";
    let file = store.write_file("taken.csv", rows);
    let output = store.run(&["import", "products", file.to_str().unwrap()]);
    let said = process::said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("line 2: barcode 8996001600146 can't be added to susu: teh-350 has it"), "{said}");
    let mut till = store.login("till-1");
    assert!(found(&mut till, "q=susu").is_empty(), "nothing was imported");
    // A file that moves the code from one product to the other can.
    let kept = format!("{rows}teh-350,Teh,4500,Minuman,,0\n");
    let file = store.write_file("kept.csv", &kept);
    assert_eq!(
        store.run(&["import", "products", file.to_str().unwrap()]).status.code(),
        Some(1),
        "the other product keeps its code"
    );
    let moved = format!("{rows}teh-350,Teh,4500,Minuman,-,0\n");
    let file = store.write_file("moved.csv", &moved);
    process::succeed(store.command(&["import", "products", file.to_str().unwrap()]), "");
    assert_eq!(found(&mut till, "barcode=8996001600146"), ["susu"]);
    drop(store);

    // Head office can do so, because it does not know the store's own product: both are listed, and the code sells
    // neither.
    let hub = Hub::open();
    let own = "sku,name,price,category,barcode,reorder_level\nown,Own,9000,,18990001,0\n";
    let (store, mut till) = with_cartons(&hub, own);
    assert_eq!(found(&mut till, "barcode=18990001"), ["8990001", "own"]);
    let mut manager = store.login("manager");
    let shared = |manager: &mut Client| {
        let page = manager.get("/api/stock?shared_barcode=true").data(200);
        page["items"].as_array().unwrap().iter().map(|item| item["sku"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(shared(&mut manager), ["8990001", "own"]);
    till.post("/api/shifts/open", &json!({})).refused(409, "shift_already_open");
    let item = |sku: Option<&str>| {
        json!({"items": [{"sku": sku.unwrap_or(""), "code": "18990001", "qty": 1,
        "price": 9_000}]})
    };
    let details = till.post("/api/pos/transactions", &item(None)).refused(409, "duplicate");
    assert_eq!(details, json!({"what": "barcode", "id": "18990001", "skus": ["8990001", "own"]}));
    let made = till.post("/api/pos/transactions", &item(Some("own"))).data(201);
    assert_eq!((&made["items"][0]["sku"], &made["items"][0]["qty"]), (&json!("own"), &json!(1)));
    // Once one of the products loses the code, it sells the other.
    let body = json!({"barcodes": [{"code": "89900010", "pack_qty": 1}]}).to_string();
    hub.login().send("PATCH", "/api/products/8990001", &[], body.as_bytes()).data(200);
    wait::until("one product has the code", || {
        (found(&mut till, "barcode=18990001") == ["own"]).then_some(())
    });
    assert!(shared(&mut manager).is_empty());
}

#[test]
fn labels_say_the_price_and_whether_tax_is_in_it() {
    let store = shop("");
    let labels = |who: &str, query: &str| store.login(who).get(&format!("/api/pos/labels?{query}"));
    let page = labels("till-1", "skus=teh-500,kopi,teh-350");
    assert_eq!(page.status, 200, "{}", page.text());
    assert!(page.header("content-type").is_some_and(|kind| kind.starts_with("text/html")));
    let text = page.text();
    assert_eq!(text.matches("<section>").count(), 3, "{text}");
    let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what}: {text}"));
    assert!(
        place("Teh Botol Sosro 500 ml") < place("Luwak") && place("Luwak") < place("(350 ml)"),
        "the requested labels"
    );
    for what in ["1,234,567", "IDR", "8996001600153", "plus 11.00 % tax", "Kopi &lt;Luwak&gt; &amp; "] {
        place(what);
    }
    assert!(!text.contains("<Luwak>"), "the name must be text: {text}");
    let free = labels("warehouse", "skus=teh-500").text();
    assert!(!free.contains("tax"), "a product without tax: {free}");
    let contained = shop("tax.prices_include_tax = true\n");
    let page = contained.login("manager").get("/api/pos/labels?skus=teh-350").text();
    assert!(page.contains("tax included"), "{page}");
    let details = labels("till-1", "skus=nope,teh-350,nada").refused(422, "unknown_sku");
    assert_eq!(details["skus"], json!(["nope", "nada"]));
    let many = format!("skus={}", vec!["teh-350"; 201].join(","));
    for query in ["", "skus=", "skus=,", &many, "skus=teh-350&size=a4"] {
        labels("till-1", query).refused(400, "invalid_query");
    }
    assert_eq!(labels("till-1", &format!("skus={}", vec!["kopi"; 200].join(","))).status, 200);
}

#[test]
fn a_till_sees_how_old_what_it_knows_is() {
    let mut hub = Hub::open();
    let mut store = Store::prepare("sync.backoff_min = \"50ms\"\nsync.backoff_max = \"100ms\"\n", 1);
    hub.enrol(&store);
    hub.kill9();
    store.start();
    let mut till = store.login("till-1");
    let as_of = |till: &mut Client| till.get(PRODUCTS).data(200)["as_of"].clone();
    assert_eq!(as_of(&mut till), Value::Null, "head office was never reached");
    hub.start();
    let first = wait::until("the catalogue arrives", || Some(as_of(&mut till)).filter(|at| !at.is_null()));
    let one = till.get(&format!("{PRODUCTS}/8990001")).data(200);
    assert!(one["as_of"].as_str() >= first.as_str(), "{one}");
    // Without head office the catalogue only gets older, also across a restart.
    hub.kill9();
    store.kill9();
    store.start();
    let mut till = store.login("till-1");
    let stale = as_of(&mut till);
    assert!(stale.as_str() >= first.as_str(), "{stale} {first}");
    hub.start();
    let body = json!({"name": "Dearer"}).to_string();
    hub.login().send("PATCH", "/api/products/8990001", &[], body.as_bytes()).data(200);
    wait::until("the till has the change", || {
        let shown = till.get(&format!("{PRODUCTS}/8990001")).data(200);
        (shown["name"] == json!("Dearer") && shown["as_of"].as_str() > stale.as_str()).then_some(())
    });
    let members = |till: &mut Client| till.get("/api/members/search?q=ani").data(200)["as_of"].clone();
    wait::until("members are newer than the change", || {
        members(&mut till).as_str().is_some_and(|at| Some(at) > stale.as_str()).then_some(())
    });
    // A shop without head office always has current data.
    let alone = Store::open_with("", 1);
    assert!(as_of(&mut alone.login("till-1")).is_string());
    assert!(members(&mut alone.login("till-1")).is_string());
}
