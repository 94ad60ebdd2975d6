//! Settings of a store and of its tills that head office sets. They override the store's file at once and permanently.

use serde_json::{Value, json};
use testkit::Client;
use testkit::linked::Linked;

const SETTINGS: &str = "/api/stores/S001/settings";

#[track_caller]
fn set(shop: &mut Linked, fields: &Value) -> Value {
    shop.office.send("PATCH", SETTINGS, &[], fields.to_string().as_bytes()).data(200)
}

fn sell(till: &mut Client, qty: i64) -> testkit::Reply {
    let made = till
        .post("/api/pos/transactions", &json!({"items": [{"sku": "8990001", "qty": qty, "price": 2_000}]}))
        .data(201);
    let path = format!("/api/pos/transactions/{}/pay", made["transaction_id"].as_str().unwrap());
    till.post(&path, &json!({"method": "cash", "amount": made["total"]}))
}

/// Returns the line of `config show` for a setting.
fn shown(shop: &Linked, key: &str) -> String {
    let output = shop.store.run(&["config", "show"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find(|line| line.starts_with(&format!("{key} ="))).unwrap_or_default().to_owned()
}

#[test]
fn settings_of_head_office_override_the_file_at_once_and_survive_restarts() {
    let mut shop = Linked::open();
    shop.priced("8990001", 2_000);
    let file = shop.manager.get("/api/pos/settings").data(200);
    assert!(shown(&shop, "window_days").contains("30") && !shown(&shop, "window_days").contains("hub"));
    let sold = sell(&mut shop.till, 1).data(200).clone();

    let reasons = json!({"voids": ["late"], "discounts": [], "returns": ["torn"], "enforced": true});
    let fields = json!({"returns.window_days": 3, "shifts.blind": true, "pricing.discount_limit_bp": 150,
        "stock.negative": "reject", "store.receipt_footer": "Open till 9", "reasons": reasons, "tiers": {"gold": 20_000}});
    set(&mut shop, &fields);
    let is_set = |seen: &Value| {
        let seen = (
            &seen["returns"]["window_days"],
            &seen["shifts"]["blind"],
            &seen["pricing"]["discount_limit_bp"],
        );
        seen == (&json!(3), &json!(true), &json!(150))
    };
    shop.seen("tills hear of it", "/api/pos/settings", is_set);
    let receipt = format!("/api/pos/receipts/{}", sold["receipt_no"].as_str().unwrap());
    assert_eq!(shop.till.get(&receipt).data(200)["footer"], json!("Open till 9"));
    // Two rules apply in the open shift: no sale without stock, and no unknown reason.
    sell(&mut shop.till, 1_000).refused(409, "insufficient_stock");
    let made = shop
        .till
        .post("/api/pos/transactions", &json!({"items": [{"sku": "8990001", "qty": 1, "price": 2_000}]}))
        .data(201);
    let void = format!("/api/pos/transactions/{}/void", made["transaction_id"].as_str().unwrap());
    shop.till.post(&void, &json!({"reason": "whatever"})).invalid_field("reason");
    shop.till.post(&void, &json!({"reason": "late"})).data(200);
    let mut admin = shop.store.login("admin");
    let shown_to_pages = admin.get("/api/admin/settings").data(200);
    let hub = json!({"source": "hub", "place": null});
    assert_eq!(shown_to_pages["setting_places"]["returns.window_days"], hub, "{shown_to_pages}");
    assert_eq!(shown_to_pages["setting_places"]["reasons.voids"], hub, "{shown_to_pages}");
    let settings = shown_to_pages["settings"].clone();
    assert_eq!((&settings["returns"]["window_days"], &settings["reasons"]), (&json!(3), &reasons));
    assert_eq!(settings["tax"]["default_rate_bp"], json!(1100));
    let line = shown(&shop, "window_days");
    assert!(line.contains("= 3 ") && line.ends_with("# hub"), "{line}");

    // The setting also applies without head office, after a crash, and in a stopped store.
    shop.cut();
    shop.store.kill9();
    let line = shown(&shop, "window_days");
    assert!(line.contains("= 3 ") && line.ends_with("# hub"), "{line}");
    shop.store.start();
    assert!(is_set(&shop.store.login("manager").get("/api/pos/settings").data(200)));

    // Without head office's value the file applies again.
    shop.hub.start();
    shop.office = shop.hub.login();
    set(
        &mut shop,
        &json!({"returns.window_days": null, "shifts.blind": null, "pricing.discount_limit_bp": null,
        "stock.negative": null}),
    );
    shop.manager = shop.store.login("manager");
    let back = shop.seen("tills hear of it", "/api/pos/settings", |seen| seen["returns"] == file["returns"]);
    assert_eq!((&back["shifts"], &back["pricing"]), (&file["shifts"], &file["pricing"]));
    let untaken = shop.manager.get("/api/sync/status").data(200)["inbound"]["untaken"]["total"].clone();
    assert_eq!(untaken, json!(0));
    shop.store.stop();
    shop.store.verify();
}

/// Returns the tax and the payment methods from the settings of a till.
fn terms(client: &mut Client) -> (Value, Value) {
    let seen = client.get("/api/pos/settings").data(200);
    (seen["tax"]["default_rate_bp"].clone(), seen["payments"]["methods"].clone())
}

/// Sells two pieces. Returns their total with tax, and the reply to a payment by card.
fn by_card(till: &mut Client) -> (Value, testkit::Reply) {
    let made = till
        .post("/api/pos/transactions", &json!({"items": [{"sku": "8990001", "qty": 2, "price": 2_000}]}))
        .data(201);
    let path = format!("/api/pos/transactions/{}/pay", made["transaction_id"].as_str().unwrap());
    let paid = till.post(&path, &json!({"method": "card", "amount": made["total"], "reference": "C-1"}));
    (made["total"].clone(), paid)
}

#[test]
fn a_shift_keeps_the_terms_that_it_began_with_and_the_next_one_has_head_offices() {
    let mut shop = Linked::open();
    shop.priced("8990001", 2_000);
    let (rate, methods) = terms(&mut shop.till);
    assert_eq!(rate, json!(1100));
    let set_terms = json!({"tax.default_rate_bp": 1_200, "tax.prices_include_tax": true, "payments.methods": ["cash", "qris"],
        "payments.cash_rounding": 100, "points.earn_per": 500});
    set(&mut shop, &set_terms);
    let reported = (json!(1200), json!(["cash", "qris"]));
    shop.seen("whoever is in no shift is told those of the next one", "/api/pos/settings", |seen| {
        (&seen["tax"]["default_rate_bp"], &seen["payments"]["methods"]) == (&reported.0, &reported.1)
    });
    let line = shown(&shop, "default_rate_bp");
    assert!(line.contains("= 1200 ") && line.ends_with("# hub"), "{line}");
    // The open shift continues with its terms, also after a crash and without head office.
    assert_eq!(terms(&mut shop.till), (rate.clone(), methods.clone()));
    let (total, paid) = by_card(&mut shop.till);
    assert_eq!((total, paid.data(200)["state"].clone()), (json!(4_440), json!("paid")));
    shop.store.kill9();
    shop.store.start();
    shop.till = shop.store.login("till-1").at_register("till-1");
    assert_eq!(terms(&mut shop.till), (rate, methods));
    let (total, paid) = by_card(&mut shop.till);
    assert_eq!((total, paid.data(200)["state"].clone()), (json!(4_440), json!("paid")));
    let shift = shop.till.get("/api/pos/settings").data(200)["shift_id"].as_str().unwrap().to_owned();
    shop.till.post(&format!("/api/shifts/{shift}/close"), &json!({"counted_cash": 0})).data(200);
    // The next shift starts with head office's terms and keeps them when they are withdrawn.
    shop.till.post("/api/shifts/open", &json!({})).data(201);
    assert_eq!(terms(&mut shop.till), reported);
    set(
        &mut shop,
        &json!({"tax.default_rate_bp": null, "tax.prices_include_tax": null, "payments.methods": null, "payments.cash_rounding": null,
        "points.earn_per": null}),
    );
    shop.manager = shop.store.login("manager");
    shop.seen("the file counts again", "/api/pos/settings", |seen| {
        seen["tax"]["default_rate_bp"] == json!(1100)
    });
    assert_eq!(terms(&mut shop.till), reported);
    let (total, paid) = by_card(&mut shop.till);
    assert_eq!(total, json!(4_000), "prices contain the tax");
    paid.refused(422, "validation_failed");
    shop.synced();
    let untaken =
        shop.store.login("manager").get("/api/sync/status").data(200)["inbound"]["untaken"]["total"].clone();
    assert_eq!(untaken, json!(0));
    let shifts = shop.office.get("/api/shifts").data(200)["items"].as_array().unwrap().len();
    assert_eq!(shifts, 2, "head office accepts the shifts of both");
    shop.store.stop();
    shop.store.verify();
}

#[test]
fn head_office_names_tills_and_switches_them_off() {
    let mut shop = Linked::open();
    shop.priced("8990001", 2_000);
    let path = "/api/registers/S001/till-1";
    let off = json!({"name": "Front", "state": "disabled"}).to_string();
    shop.office.send("PATCH", path, &[], off.as_bytes()).data(200);
    let front = json!({"register_id": "till-1", "name": "Front", "state": "disabled"});
    shop.seen("the store has it", "/api/registers", |list| {
        list["items"].as_array().unwrap().contains(&front)
    });
    let basket = json!({"items": [{"sku": "8990001", "qty": 1, "price": 2_000}]});
    shop.till.post("/api/pos/transactions", &basket).refused(403, "insufficient_role");
    shop.office.send("PATCH", path, &[], br#"{"state": "active"}"#).data(200);
    shop.office.send("PATCH", "/api/registers/S001/till-77", &[], br#"{"name": "New"}"#).data(200);
    let new = json!({"register_id": "till-77", "name": "New", "state": "active"});
    shop.seen("the store has both", "/api/registers", |list| {
        let front = json!({"register_id": "till-1", "name": "Front", "state": "active"});
        let items = list["items"].as_array().unwrap();
        items.contains(&front) && items.contains(&new)
    });
    shop.till.post("/api/pos/transactions", &basket).data(201);
    // Head office never set whether the new method is enabled, so the store's value stays.
    shop.manager.send("PATCH", "/api/registers/till-77", &[], br#"{"state": "disabled"}"#).data(200);
    shop.office.send("PATCH", "/api/registers/S001/till-77", &[], br#"{"name": "Newer"}"#).data(200);
    let newer = json!({"register_id": "till-77", "name": "Newer", "state": "disabled"});
    shop.seen("a new name, and nothing else", "/api/registers", |list| {
        list["items"].as_array().unwrap().contains(&newer)
    });
    let listed = shop.office.get("/api/registers?store_id=S001").data(200)["items"].clone();
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().filter_map(|till| till["register_id"].as_str()).collect();
    assert!(names.contains(&"till-1") && names.contains(&"till-77"), "{listed}");
}
