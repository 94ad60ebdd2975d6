//! The catalogue at the till: found by word and code, printed on labels, and how old it is.

use crate::support::hub::Hub;
use crate::support::{Client, Store, process, wait};
use serde_json::{Value, json};

const PRODUCTS: &str = "/api/pos/products";

/// A shop with drinks beside the harness's catalogue.
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
        ["as_of", "barcode", "category", "name", "on_hand", "price", "sku", "tax_rate_bp", "updated_at"]
    );
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
        "as asked"
    );
    for what in ["1,234,567", "IDR", "8996001600153", "plus 11.00 % tax", "Kopi &lt;Luwak&gt; &amp; "] {
        place(what);
    }
    assert!(!text.contains("<Luwak>"), "a name is text: {text}");
    let free = labels("warehouse", "skus=teh-500").text();
    assert!(!free.contains("tax"), "free of tax: {free}");
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
    assert_eq!(as_of(&mut till), Value::Null, "head office was never heard");
    hub.start();
    let first = wait::until("the catalogue comes", || Some(as_of(&mut till)).filter(|at| !at.is_null()));
    let one = till.get(&format!("{PRODUCTS}/8990001")).data(200);
    assert!(one["as_of"].as_str() >= first.as_str(), "{one}");
    // While head office is away it only gets older, also over a restart.
    hub.kill9();
    store.kill9();
    store.start();
    let mut till = store.login("till-1");
    let stale = as_of(&mut till);
    assert!(stale.as_str() >= first.as_str(), "{stale} {first}");
    hub.start();
    let body = json!({"name": "Dearer"}).to_string();
    hub.login().send("PATCH", "/api/products/8990001", &[], body.as_bytes()).data(200);
    wait::until("the change is at the till", || {
        let shown = till.get(&format!("{PRODUCTS}/8990001")).data(200);
        (shown["name"] == json!("Dearer") && shown["as_of"].as_str() > stale.as_str()).then_some(())
    });
    let members = |till: &mut Client| till.get("/api/members/search?q=ani").data(200)["as_of"].clone();
    wait::until("members are of after the change", || {
        members(&mut till).as_str().is_some_and(|at| Some(at) > stale.as_str()).then_some(())
    });
    // A shop without head office is its own: always of now.
    let alone = Store::open_with("", 1);
    assert!(as_of(&mut alone.login("till-1")).is_string());
    assert!(members(&mut alone.login("till-1")).is_string());
}
