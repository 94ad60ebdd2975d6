//! Counts: rolling, by zone, blind, reviewed, recounted, posted.

use serde_json::{Value, json};
use testkit::audit::items;
use testkit::goods::{COST, OTHER, SKU, stock, text};
use testkit::{Client, Store};

const PATH: &str = "/api/opname";

fn shop() -> Store {
    let store = Store::open_with("", 1);
    store.receive_all(10);
    store
}

#[track_caller]
fn started(client: &mut Client, body: &Value) -> String {
    let made = client.post(PATH, body).data(201);
    assert_eq!(made["state"], json!("counting"), "{made}");
    format!("{PATH}/{}", text(&made, "opname_id"))
}

#[track_caller]
fn count(client: &mut Client, path: &str, sku: &str, qty: i64, zone: Option<&str>) -> Value {
    let counts = json!({"counts": [{"sku": sku, "qty": qty, "zone": zone}]});
    client.post(&format!("{path}/counts"), &counts).data(200)["lines"][0].clone()
}

/// Moves stock while people count.
#[track_caller]
fn gone(client: &mut Client, qty: i64) {
    let body = json!({"reason": "sample", "lines": [{"sku": SKU, "qty": -qty}]});
    client.post("/api/adjustments", &body).data(201);
}

#[test]
fn sales_go_on_and_only_what_differs_moves() {
    let mut store = shop();
    let (mut staff, mut manager) = (store.login("warehouse"), store.login("manager"));
    let made = staff.post(PATH, &json!({"scope": "all"})).data(201);
    assert_eq!(made["lines_total"], json!(12));
    let path = format!("{PATH}/{}", text(&made, "opname_id"));
    gone(&mut staff, 1);
    let line = count(&mut staff, &path, SKU, 7, None);
    assert_eq!((&line["expected"], &line["variance"]), (&json!(9), &json!(-2)), "{line}");
    assert_eq!(line["variance_value"], json!(-2 * COST));
    count(&mut staff, &path, OTHER, 10, None);
    gone(&mut staff, 3);
    staff.post(&format!("{path}/post"), &json!({})).refused(403, "insufficient_role");
    let posted = manager.post(&format!("{path}/post"), &json!({})).data(200);
    assert_eq!((&posted["state"], &posted["variance_value"]), (&json!("posted"), &json!(-2 * COST)));
    assert_eq!(stock(&mut staff, SKU), (4, 4 * COST));
    assert_eq!(stock(&mut staff, OTHER).0, 10);
    assert_eq!(stock(&mut staff, "8990003").0, 10, "products that were not counted are unchanged");
    let movements = items(&mut staff, &format!("/api/stock/{SKU}/movements"));
    assert_eq!((&movements[0]["reason"], &movements[0]["balance_after"]), (&json!("opname"), &json!(4)));
    assert_eq!(
        items(&mut staff, &format!("/api/stock/{OTHER}/movements")).len(),
        1,
        "no movement without a difference"
    );
    let details = manager.post(&format!("{path}/post"), &json!({})).refused(409, "invalid_state");
    assert_eq!(details["state"], json!("posted"));
    // The document is complete, in pages, after a restart.
    store.kill9();
    store.start();
    let mut staff = store.login("warehouse");
    let first = staff.get(&format!("{path}?limit=1")).data(200);
    assert_eq!((&first["lines"][0]["sku"], &first["lines"][0]["counted"]), (&json!(SKU), &json!(7)));
    let next = text(&first, "next_cursor");
    let second = staff.get(&format!("{path}?limit=1&cursor={next}")).data(200);
    assert_eq!((&second["lines"][0]["sku"], &second["next_cursor"]), (&json!(OTHER), &Value::Null));
    let body = json!({"counts": [{"sku": SKU, "qty": 1}]});
    staff.post(&format!("{path}/counts"), &body).refused(409, "invalid_state");
    store.stop();
    store.verify();
}

#[test]
fn zones_add_up_and_what_moved_between_them_is_counted_again_or_accepted() {
    let mut store = shop();
    let (mut staff, mut manager) = (store.login("warehouse"), store.login("manager"));
    let path = started(&mut staff, &json!({"scope": "skus", "skus": [SKU, OTHER]}));
    count(&mut staff, &path, OTHER, 4, Some("shelf"));
    count(&mut staff, &path, OTHER, 5, Some("back"));
    let line = count(&mut staff, &path, OTHER, 6, Some("shelf"));
    assert_eq!((&line["counted"], &line["variance"]), (&json!(11), &json!(1)), "{line}");
    // A count entered by mistake is withdrawn: first that of one zone, and then nothing is counted.
    let withdraw = |staff: &mut Client, zone: &str, qty: i64| {
        let line = json!({"sku": OTHER, "qty": qty, "zone": zone, "withdraw": true});
        staff.post(&format!("{path}/counts"), &json!({"counts": [line]}))
    };
    withdraw(&mut staff, "shelf", 1).invalid_field("counts[0].qty");
    let left = withdraw(&mut staff, "shelf", 0).data(200);
    assert_eq!((&left["lines"][0]["counted"], &left["lines_counted"]), (&json!(5), &json!(1)), "{left}");
    withdraw(&mut staff, "shelf", 0).invalid_field("counts[0].zone");
    let left = withdraw(&mut staff, "back", 0).data(200);
    assert_eq!((&left["lines"][0]["counted"], &left["lines_counted"]), (&Value::Null, &json!(0)), "{left}");
    let uncounted = staff.get(&format!("{path}/uncounted")).data(200);
    assert_eq!(uncounted["items"].as_array().unwrap().len(), 2, "{uncounted}");
    count(&mut staff, &path, OTHER, 6, Some("shelf"));
    count(&mut staff, &path, OTHER, 5, Some("back"));
    count(&mut staff, &path, SKU, 6, Some("shelf"));
    gone(&mut staff, 2);
    let line = count(&mut staff, &path, SKU, 4, Some("back"));
    assert_eq!(line["moved_between_counts"], json!(true));
    let details = manager.post(&format!("{path}/post"), &json!({})).refused(422, "validation_failed");
    assert_eq!(details["fields"][0]["path"], json!(format!("lines.{SKU}")));
    staff.post(&format!("{path}/recount"), &json!({"skus": [SKU]})).refused(409, "invalid_state");
    let review = staff.post(&format!("{path}/submit"), &json!({})).data(200);
    assert_eq!(review["state"], json!("review"));
    let body = json!({"counts": [{"sku": SKU, "qty": 8}]});
    staff.post(&format!("{path}/counts"), &body).refused(409, "invalid_state");
    staff.post(&format!("{path}/recount"), &json!({"skus": ["8990003"]})).invalid_field("skus");
    staff.post(&format!("{path}/recount"), &json!({"skus": [SKU]})).data(200);
    let other = json!({"counts": [{"sku": OTHER, "qty": 1}]});
    staff.post(&format!("{path}/counts"), &other).invalid_field("counts[0].sku");
    let line = count(&mut staff, &path, SKU, 8, None);
    assert_eq!((&line["counted"], &line["variance"]), (&json!(8), &json!(0)));
    manager.post(&format!("{path}/post"), &json!({})).data(200);
    assert_eq!((stock(&mut staff, SKU).0, stock(&mut staff, OTHER).0), (8, 11));
    // The manager accepts the count.
    let path = started(&mut staff, &json!({"scope": "skus", "skus": [SKU]}));
    count(&mut staff, &path, SKU, 5, Some("shelf"));
    gone(&mut staff, 1);
    count(&mut staff, &path, SKU, 3, Some("back"));
    manager.post(&format!("{path}/post"), &json!({"accept": true})).data(200);
    assert_eq!(stock(&mut staff, SKU).0, 8);
    store.stop();
    store.verify();
}

#[test]
fn a_blind_count_hides_what_is_expected_from_the_counter() {
    let store = shop();
    let (mut staff, mut manager) = (store.login("warehouse"), store.login("manager"));
    let path = started(&mut staff, &json!({"scope": "category", "category": "grocery", "blind": true}));
    let line = count(&mut staff, &path, SKU, 7, None);
    for hidden in ["expected", "variance", "variance_value"] {
        assert_eq!(line[hidden], Value::Null, "{hidden}: {line}");
    }
    assert_eq!(line["counted"], json!(7));
    let seen = staff.get(&path).data(200);
    assert_eq!(seen["lines"][0], line);
    let seen = manager.get(&path).data(200);
    assert_eq!((&seen["lines"][0]["expected"], &seen["lines"][0]["variance"]), (&json!(10), &json!(-3)));
    manager.post(&format!("{path}/cancel"), &json!({})).data(200);
    assert_eq!(stock(&mut staff, SKU).0, 10, "no stock moves");
    assert_eq!(staff.get(&path).data(200)["lines"][0]["expected"], json!(10), "the count has ended");
}

#[test]
fn one_open_count_per_product_and_nothing_that_makes_no_sense() {
    let store = shop();
    let (mut staff, mut manager) = (store.login("warehouse"), store.login("manager"));
    let path = started(&mut staff, &json!({"scope": "skus", "skus": [SKU]}));
    for body in [
        json!({"scope": "all"}),
        json!({"scope": "category", "category": "grocery"}),
        json!({"scope": "skus", "skus": [SKU]}),
    ] {
        let details = staff.post(PATH, &body).refused(409, "duplicate");
        assert!(path.ends_with(details["id"].as_str().unwrap()), "{details}");
    }
    staff.post(PATH, &json!({"scope": "category"})).invalid_field("category");
    staff.post(PATH, &json!({"scope": "category", "category": "nothing"})).invalid_field("category");
    staff.post(PATH, &json!({"scope": "all", "skus": [SKU]})).invalid_field("skus");
    staff.post(PATH, &json!({"scope": "skus", "skus": ["nope"]})).refused(422, "unknown_sku");
    let counts = format!("{path}/counts");
    staff.post(&counts, &json!({"counts": [{"sku": "nope", "qty": 1}]})).refused(422, "unknown_sku");
    staff.post(&counts, &json!({"counts": [{"sku": OTHER, "qty": 1}]})).invalid_field("counts[0].sku");
    staff.post(&counts, &json!({"counts": [{"sku": SKU, "qty": -1}]})).invalid_field("counts[0].qty");
    staff.post(&format!("{path}/cancel"), &json!({})).refused(403, "insufficient_role");
    manager.post(&format!("{path}/cancel"), &json!({})).data(200);
    manager.post(&format!("{path}/cancel"), &json!({})).refused(409, "invalid_state");
    manager.post(&format!("{path}/submit"), &json!({})).refused(409, "invalid_state");
    for step in ["submit", "post", "cancel"] {
        manager.post(&format!("{PATH}/opn_nope/{step}"), &json!({})).refused(404, "not_found");
    }
    manager.post(&format!("{PATH}/opn_nope/recount"), &json!({"skus": [SKU]})).refused(404, "not_found");
    let body = json!({"counts": [{"sku": SKU, "qty": 1}]});
    manager.post(&format!("{PATH}/opn_nope/counts"), &body).refused(404, "not_found");
    manager.get(&format!("{PATH}/opn_nope")).refused(404, "not_found");
    staff.post(PATH, &json!({"scope": "all"})).data(201);
    assert_eq!(items(&mut staff, &format!("{PATH}?state=cancelled")).len(), 1);
    assert_eq!(items(&mut staff, PATH).len(), 2);
    staff.get(&format!("{PATH}?state=lost")).refused(400, "invalid_query");
}

#[test]
fn a_counter_finds_products_and_the_uncounted_ones_without_the_books() {
    let store = shop();
    let (mut staff, mut manager) = (store.login("warehouse"), store.login("manager"));
    let place = json!({"shelf_place": "B-04"}).to_string();
    manager.send("PATCH", &format!("/api/stock/{OTHER}"), &[], place.as_bytes()).data(200);
    let path = started(&mut staff, &json!({"scope": "skus", "skus": [SKU, OTHER], "blind": true}));
    let lookup = format!("{path}/lookup");
    count(&mut staff, &path, SKU, 7, Some("shelf"));
    let found = items(&mut staff, &format!("{lookup}?barcode=89900010"));
    let mut expected = json!([{"sku": SKU, "name": "Product 8990001", "shelf_place": null, "pack_qty": 1,
        "here": true, "counted": 7, "expected": null}]);
    assert_eq!(json!(found), expected);
    expected[0]["expected"] = json!(10);
    assert_eq!(json!(items(&mut manager, &format!("{lookup}?q=8990001"))), expected, "found by SKU");
    let other = &items(&mut staff, &format!("{lookup}?q=8990003"))[0];
    assert_eq!(
        (&other["here"], &other["counted"]),
        (&json!(false), &Value::Null),
        "not in the scope of the count"
    );
    assert_eq!(items(&mut staff, &format!("{lookup}?q=product")).len(), 12, "all pages together");
    assert!(items(&mut staff, &format!("{lookup}?barcode=1")).is_empty());
    // Products still to be counted: all, those of a zone, and those that match a search.
    let left = |staff: &mut Client, query: &str| -> Value {
        items(staff, &format!("{path}/uncounted?{query}")).iter().map(|one| one["sku"].clone()).collect()
    };
    assert_eq!(left(&mut staff, "zone=shelf"), json!([OTHER]));
    assert_eq!(left(&mut staff, "zone=Shelf%20"), json!([OTHER]));
    assert_eq!(left(&mut staff, "zone=back"), json!([SKU, OTHER]));
    assert_eq!(left(&mut staff, "q=8990001"), json!([]));
    assert_eq!(left(&mut staff, "q=8990002"), json!([OTHER]));
    let place = items(&mut staff, &format!("{path}/uncounted"))[0]["shelf_place"].clone();
    assert_eq!(place, json!("B-04"));
    // Progress: a product that was counted twice counts once, and one to be recounted does not count.
    let far = |staff: &mut Client| staff.get(&path).data(200)["lines_counted"].clone();
    count(&mut staff, &path, SKU, 1, Some("back"));
    assert_eq!(far(&mut staff), json!(1));
    count(&mut staff, &path, OTHER, 1, None);
    staff.post(&format!("{path}/submit"), &json!({})).data(200);
    staff.post(&format!("{path}/recount"), &json!({"skus": [SKU]})).data(200);
    assert_eq!(far(&mut staff), json!(1));
    count(&mut staff, &path, SKU, 10, None);
    assert_eq!(items(&mut staff, PATH)[0]["lines_counted"], json!(2));
    staff.get(&format!("{PATH}/opn_nope/lookup")).refused(404, "not_found");
}

#[test]
fn differences_come_by_what_they_are_worth() {
    let store = shop();
    let (mut staff, mut manager) = (store.login("warehouse"), store.login("manager"));
    let path = started(&mut staff, &json!({"scope": "all"}));
    let differences = format!("{path}/differences");
    for (sku, qty) in [(SKU, 8), (OTHER, 14), ("8990003", 10), ("8990004", 7)] {
        count(&mut staff, &path, sku, qty, Some("shelf"));
    }
    let of = |client: &mut Client| -> Value {
        let shown = items(client, &differences);
        shown.iter().map(|line| json!([line["sku"], line["variance"], line["variance_value"]])).collect()
    };
    let largest_first = json!([[OTHER, 4, 7_200], [SKU, -2, -2_400], ["8990004", -3, -1_797]]);
    assert_eq!(of(&mut manager), largest_first);
    let sums = manager.get(&format!("{differences}?limit=1")).data(200);
    assert_eq!((&sums["lines_count"], &sums["missing"], &sums["found"]), (&json!(3), &json!(-5), &json!(4)));
    assert_eq!((&sums["missing_value"], &sums["found_value"]), (&json!(-4_197), &json!(7_200)));
    assert_eq!(sums["items"].as_array().unwrap().len(), 1);
    // Pieces that moved between two zones are listed as well, although the product has no difference.
    gone(&mut staff, 2);
    count(&mut staff, &path, SKU, 0, Some("back"));
    let shown = json!([[OTHER, 4, 7_200], ["8990004", -3, -1_797], [SKU, 0, 0]]);
    assert_eq!(of(&mut manager), shown);
    let sums = manager.get(&differences).data(200);
    assert_eq!((&sums["lines_count"], &sums["moved_count"]), (&json!(2), &json!(1)));
    manager.post(&format!("{path}/post"), &json!({"accept": true})).data(200);
    assert_eq!(of(&mut manager), shown, "the differences as posted");
    staff.get(&differences).refused(403, "insufficient_role");
    // Goods without movements are valued at the cost of their product, before and after the count is posted.
    let product = json!({"sku": "NEW", "name": "New", "price": 4_000, "cost": 2_500});
    manager.post("/api/products", &product).data(201);
    let path = started(&mut staff, &json!({"scope": "skus", "skus": ["NEW"]}));
    count(&mut staff, &path, "NEW", 4, Some("shelf"));
    let worth = items(&mut manager, &format!("{path}/differences"))[0]["variance_value"].clone();
    assert_eq!(worth, json!(10_000));
    manager.post(&format!("{path}/post"), &json!({"accept": true})).data(200);
    assert_eq!(stock(&mut manager, "NEW"), (4, 10_000));
}

#[test]
fn a_second_counter_of_a_place_is_asked_what_the_first_counted() {
    let mut store = shop();
    let (mut first, mut second) = (store.login("warehouse"), store.login("manager"));
    let path = started(&mut second, &json!({"scope": "skus", "skus": [SKU]}));
    count(&mut first, &path, SKU, 6, Some("shelf"));
    let counts = format!("{path}/counts");
    let mut body = json!({"counts": [{"sku": SKU, "qty": 4, "zone": "shelf"}]});
    let asked = second.post(&counts, &body).refused(409, "already_counted")["counts"][0].clone();
    assert_eq!(
        (&asked["qty"], &asked["zone"], &asked["path"]),
        (&json!(6), &json!("shelf"), &json!("counts[0]"))
    );
    assert!(asked["counted_by"][0]["name"].is_string(), "{asked}");
    body["mode"] = json!("add");
    let line = second.post(&counts, &body).data(200)["lines"][0].clone();
    assert_eq!((&line["counted"], &line["variance"]), (&json!(10), &json!(0)), "{line}");
    let differences = second.get(&format!("{path}/differences")).data(200);
    assert_eq!((&differences["items"], &differences["awaited"]), (&json!([]), &json!([])));
    body["mode"] = json!("replace");
    let line = second.post(&counts, &body).data(200)["lines"][0].clone();
    assert_eq!((&line["counted"], line["counters"].as_array().unwrap().len()), (&json!(4), 1), "{line}");
    store.stop();
    store.verify();
}

#[test]
fn goods_that_were_counted_before_their_delivery_is_typed_are_pointed_at() {
    let mut store = shop();
    crate::head_office::apply_feed(
        &mut store,
        &json!({"purchase_order": testkit::goods::order("po_1", &[(SKU, 5, 900)])}),
    );
    let mut manager = store.login("manager");
    let path = started(&mut manager, &json!({"scope": "skus", "skus": [SKU]}));
    count(&mut manager, &path, SKU, 15, None);
    let found = manager.get(&format!("{path}/differences")).data(200)["awaited"].clone();
    assert_eq!((&found[0]["sku"], &found[0]["open_qty"]), (&json!(SKU), &json!(5)), "{found}");
    manager.post(&format!("{path}/post"), &json!({})).data(200);
    let delivery = json!({"po_id": "po_1", "lines": [{"sku": SKU, "qty": 5}]});
    let came = manager.post("/api/receiving", &delivery).data(201);
    let warning = &came["warnings"][0];
    assert_eq!((&warning["code"], &warning["found"]), (&json!("counted_before"), &json!(5)), "{came}");
    assert_eq!(format!("{PATH}/{}", text(warning, "document_id")), path);
    store.stop();
    store.verify();
}

#[test]
fn goods_that_come_while_a_count_is_open_are_pointed_at_by_the_receipt_and_in_the_review() {
    let mut store = shop();
    crate::head_office::apply_feed(&mut store, &json!({"transfer": testkit::goods::coming("trf_far", 3)}));
    let mut manager = store.login("manager");
    let path = started(&mut manager, &json!({"scope": "skus", "skus": [SKU]}));
    let line = count(&mut manager, &path, SKU, 18, Some("shelf"));
    assert_eq!(line["variance"], json!(8), "{line}");
    let differences = format!("{path}/differences");
    let review = manager.get(&differences).data(200);
    assert_eq!(
        (&review["awaited"][0]["transfer_id"], &review["awaited"][0]["open_qty"], &review["received_since"]),
        (&json!("trf_far"), &json!(3), &json!([])),
        "{review}"
    );
    let found = |document: &Value| {
        let warning = &document["warnings"][0];
        assert_eq!(
            (&warning["code"], &warning["found"]),
            (&json!("counted_before"), &json!(8)),
            "{document}"
        );
        assert_eq!(format!("{PATH}/{}", text(warning, "document_id")), path);
    };
    let delivery = json!({"lines": [{"sku": SKU, "qty": 5, "unit_cost": 900}]});
    let came = manager.post("/api/receiving", &delivery).data(201);
    found(&came);
    let lines = json!({"lines": [{"sku": SKU, "qty": 3}]});
    let transfer = manager.post("/api/transfers/trf_far/receive", &lines).data(200);
    found(&transfer);
    assert_eq!(manager.get("/api/transfers/trf_far").data(200), transfer);
    let review = manager.get(&differences).data(200);
    assert_eq!(review["awaited"], json!([]));
    let received = review["received_since"].as_array().unwrap();
    let mut received: Vec<(String, i64)> = received
        .iter()
        .map(|document| (text(document, "document_id"), document["qty"].as_i64().unwrap()))
        .collect();
    received.sort();
    assert_eq!(received, [(text(&came, "receiving_id"), 5), ("trf_far".to_owned(), 3)]);
    // The recount has the same result: 18 pieces, of which 8 arrived in the meantime.
    manager.post(&format!("{path}/submit"), &json!({})).data(200);
    manager.post(&format!("{path}/recount"), &json!({"skus": [SKU]})).data(200);
    let line = count(&mut manager, &path, SKU, 18, Some(" SHELF "));
    assert_eq!(line["variance"], json!(0), "{line}");
    assert_eq!(manager.get(&differences).data(200)["received_since"], json!([]));
    manager.post(&format!("{path}/post"), &json!({})).data(200);
    assert_eq!(stock(&mut manager, SKU).0, 18);
    store.stop();
    store.verify();
}

#[test]
fn an_incoming_transfer_that_was_counted_is_pointed_at_when_it_is_received() {
    let mut store = shop();
    crate::head_office::apply_feed(&mut store, &json!({"transfer": testkit::goods::coming("trf_far", 10)}));
    let mut manager = store.login("manager");
    let path = started(&mut manager, &json!({"scope": "skus", "skus": [SKU]}));
    let counts = format!("{path}/counts");
    let barcode = json!({"counts": [{"sku": SKU, "qty": 8_991_234_500_188_i64}]});
    manager.post(&counts, &barcode).invalid_field("counts[0].qty");
    count(&mut manager, &path, SKU, 12, Some("shelf"));
    count(&mut manager, &path, SKU, 20, Some("Shelf "));
    manager.post(&format!("{path}/post"), &json!({})).data(200);
    assert_eq!(stock(&mut manager, SKU).0, 20, "one zone");
    let lines = json!({"lines": [{"sku": SKU, "qty": 10}]});
    let transfer = manager.post("/api/transfers/trf_far/receive", &lines).data(200);
    let warning = &transfer["warnings"][0];
    assert_eq!((&warning["code"], &warning["found"]), (&json!("counted_before"), &json!(10)), "{transfer}");
    store.stop();
    store.verify();
}
