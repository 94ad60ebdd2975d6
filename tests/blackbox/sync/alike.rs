//! Whatever three stores and head office change, all of them end up with the same rows, both online and after two of
//! the stores were disconnected for a day.

use super::company::{Company, IDS};
use crate::feed::reach::registered;
use serde_json::{Value, json};
use testkit::counter::{SALES, text};
use testkit::store::PASSWORD;
use testkit::wait;

/// The stores that are disconnected, and the one that is not.
const AWAY: [usize; 2] = [0, 1];
const ONLINE: usize = 2;

/// State for the second day.
struct Known {
    /// Members of each store, and one of head office.
    members: Vec<String>,
    /// Users that head office created for the first and the second store, and one of the first store's own.
    people: [String; 3],
    /// Orders sent to the first store. Nothing of the second one has arrived yet.
    orders: [String; 2],
    supplier: String,
    /// A price for all stores, and the third store's own.
    prices: [String; 2],
    promotion: String,
}

fn member(id: &str) -> String {
    format!("/api/members/{id}")
}

fn person(id: &str) -> String {
    format!("/api/users/{id}")
}

/// Makes head office's changes while all stores are online.
fn office_online(company: &mut Company) -> Known {
    let (tomorrow, yesterday) = (company.day(1), company.day(-1));
    let tea = json!({"sku": "9000001", "name": "Jasmine Tea", "price": 15_000, "category": "Drinks", "tax_rate_bp": 0,
        "tax_code": "exempt", "cost": 9_000, "reorder_level": 7,
        "barcodes": [{"code": "C-24", "pack_qty": 24}, {"code": "C-1", "pack_qty": 1}]});
    company.made("/api/products", &tea);
    let renamed =
        json!({"name": "Tea, renamed", "category": "Drinks", "barcodes": [{"code": "C-2", "pack_qty": 1}]});
    company.patch("/api/products/8990002", &renamed);
    company.patch("/api/products/8990011", &json!({"state": "inactive"}));
    let price = |sku: &str, price: i64, store: Option<&str>, from: Option<&str>| json!({"sku": sku, "price": price, "store_id": store, "from": from});
    let all = company.made("/api/prices", &price("8990004", 1_100, None, None));
    company.made("/api/prices", &price("8990004", 1_200, Some("S001"), None));
    let third = company.made("/api/prices", &price("8990004", 1_300, Some("S003"), Some(&yesterday)));
    company.made("/api/prices", &price("8990005", 50, None, Some(&tomorrow)));
    company.made("/api/prices", &price("8990005", 60, Some("S002"), Some(&tomorrow)));
    let withdrawn = company.made("/api/prices", &price("8990006", 1, Some("S002"), None));
    company.patch("/api/products/8990006", &json!({"price": 160}));
    let withdraw = format!("/api/prices/{}/withdraw", text(&withdrawn, "price_id"));
    company.office.post(&withdraw, &json!({})).data(200);
    let promotion = json!({"name": "Tea week", "type": "line_percent", "value": 1_000, "skus": ["8990009"],
        "from": yesterday, "to": company.day(9), "priority": 1});
    let promotion = text(&company.made("/api/promotions", &promotion), "promotion_id");
    let gold = json!({"name": "Gold", "type": "basket_percent", "value": 500, "tier": "gold", "priority": 2,
        "from": yesterday, "to": company.day(9), "stackable": true});
    company.made("/api/promotions", &gold);
    let supplier =
        text(&company.made("/api/suppliers", &json!({"code": "TEA", "name": "Tea Ltd"})), "supplier_id");
    company.made("/api/suppliers", &json!({"code": "OLD", "name": "Old Ltd", "state": "inactive"}));
    let orders = [company.ordered(&supplier, 10), company.ordered(&supplier, 20)];
    let given = [company.given(0, "ani"), company.given(1, "budi")];
    for disabled in [true, false] {
        company.patch(&person(&given[0]), &json!({"disabled": disabled}));
    }
    company.patch(&person(&given[1]), &json!({"disabled": true, "name": "Budi Hartono"}));
    company.patch(
        "/api/stores/S002/products/8990002/settings",
        &json!({"reorder_level": 44, "shelf_place": "B-2"}),
    );
    let hana = json!({"name": "Member Hana", "email": "hana@example.com", "birth_date": "1990-01-31", "code": "CARD-9"});
    let hana = text(&company.made("/api/members", &hana), "member_id");
    company.patch(&member(&hana), &json!({"tier": "gold", "phone": "0811999000"}));
    let prices = [text(&all, "price_id"), text(&third, "price_id")];
    let people = [given[0].clone(), given[1].clone(), String::new()];
    Known { members: vec![hana], people, orders, supplier, prices, promotion }
}

/// Makes the stores' own changes while all of them are online.
fn stores_online(company: &mut Company, known: &mut Known) {
    let hana = known.members.pop().unwrap();
    let mut denied = Vec::new();
    for (store, id) in IDS.iter().enumerate() {
        let made =
            registered(&mut company.ends[store], &format!("Member of {id}"), &format!("08{store}1222333"));
        known.members.push(text(&made, "member_id"));
        let new = json!({"username": format!("own-{store}@s001.example"), "name": "Own", "role": "cashier",
            "password": PASSWORD});
        let own = text(&company.said(store, "/api/users", &new), "id");
        company.own(store, &person(&own), &json!({"name": format!("Own of {id}")}));
        company.own(store, &person(&own), &json!({"disabled": true}));
        if store == 0 {
            known.people[2].clone_from(&own);
        }
        denied.push(own);
        company.own(
            store,
            "/api/stock/8990001",
            &json!({"reorder_level": 10 + store, "shelf_place": format!("A-{id}")}),
        );
        let broken = json!({"reason": "damaged", "lines": [{"sku": "8990010", "qty": -2}]});
        company.said(store, "/api/adjustments", &broken);
    }
    known.members.push(hana);
    let came = json!({"po_id": known.orders[0], "lines": [{"sku": "8990002", "qty": 4}]});
    company.ends[0].seen("the order is here", "/api/purchase-orders", |list| list["items"][1].is_object());
    company.said(0, "/api/receiving", &came);
    company.synced();
    // Head office alone lifts a denial of a store.
    for own in &denied {
        company.patch(&person(own), &json!({"disabled": false}));
    }
    // Points of one store are redeemed at another, and a member of one is changed at another.
    for store in 0..IDS.len() {
        let ids = known.members.clone();
        company.ends[store]
            .seen("all members are here", &member(&ids[(store + 1) % 3]), |m| m["name"].is_string());
        company.ends[store].sold(&ids[store], 20, 0);
        let given = json!({"points": 100, "reason": "forgotten at the till"});
        company.said(store, &format!("{}/points/adjust", member(&ids[3])), &given);
        company.own(
            store,
            &member(&ids[(store + 1) % 3]),
            &json!({"email": format!("m{store}@example.com")}),
        );
    }
    company.ends[1].member(&known.members[0], 44);
    company.ends[1].sold(&known.members[0], 3, 40);
    company.ends[2].seen("the member is here", &member(&known.members[1]), |m| m["name"].is_string());
    company.own(2, &member(&known.members[1]), &json!({"state": "blocked"}));
    let transfer = company.sent(0, 1, 5);
    company.received(1, &transfer, 3);
    let path = format!("/api/transfers/{transfer}");
    company.ends[0].seen("the sender hears of it", &path, |found| found["state"] == json!("received"));
    let lost = json!({"lines": [{"sku": "8990007", "qty": 1, "resolution": "lost"}]});
    company.said(0, &format!("{path}/resolve"), &lost);
}

/// Makes changes of head office and the third store while the other two are disconnected.
fn office_apart(company: &mut Company, known: &Known) -> String {
    company
        .patch("/api/products/8990002", &json!({"name": "Tea, once more", "price": 3_100, "barcodes": []}));
    company.patch(
        "/api/products/8990003",
        &json!({"barcodes": [{"code": "C-2", "pack_qty": 6}], "reorder_level": 9}),
    );
    company.patch("/api/products/8990012", &json!({"state": "inactive"}));
    company.patch("/api/products/8990011", &json!({"state": "active"}));
    company.made("/api/products", &json!({"sku": "9000002", "name": "New while apart", "price": 5}));
    for price in &known.prices {
        company.office.post(&format!("/api/prices/{price}/withdraw"), &json!({})).data(200);
    }
    company.made("/api/prices", &json!({"sku": "8990007", "price": 24_000, "store_id": "S001"}));
    company.made("/api/prices", &json!({"sku": "8990008", "price": 9_999, "from": company.day(1)}));
    company
        .patch(&format!("/api/promotions/{}", known.promotion), &json!({"name": "Tea days", "priority": 3}));
    company
        .patch(&format!("/api/suppliers/{}", known.supplier), &json!({"name": "Tea & Sons", "phone": "021"}));
    company
        .office
        .post(&format!("/api/purchase-orders/{}/cancel", known.orders[1]), &json!({"reason": "not needed"}))
        .data(200);
    company.ordered(&known.supplier, 30);
    company.patch(&person(&known.people[0]), &json!({"disabled": true}));
    company.patch(&person(&known.people[1]), &json!({"disabled": false, "role": "warehouse_staff"}));
    company.patch(&person(&known.people[2]), &json!({"name": "Own, of head office"}));
    company.given(0, "caca");
    let level = json!({"reorder_level": 71, "shelf_place": "Z-1"});
    company.patch("/api/stores/S001/products/8990001/settings", &level);
    for (place, id) in known.members.iter().enumerate() {
        company
            .patch(&member(id), &json!({"name": format!("Member {place} of head office"), "tier": "gold"}));
    }
    company.own(ONLINE, &member(&known.members[3]), &json!({"birth_date": "1991-02-01", "code": "CARD-10"}));
    company.ends[ONLINE].sold(&known.members[3], 5, 50);
    company.sent(ONLINE, 0, 6)
}

/// Makes changes at the two disconnected stores that conflict with each other and with head office. Returns the member
/// registered at each store.
fn stores_apart(company: &mut Company, known: &Known) -> Vec<String> {
    let mut twins = Vec::new();
    for store in AWAY {
        let id = IDS[store];
        twins.push(text(&registered(&mut company.ends[store], "Member twice", "0899000111"), "member_id"));
        company.ends[store].sold(&twins[store], 10, 0);
        for (place, known) in known.members.iter().enumerate() {
            company.own(store, &member(known), &json!({"name": format!("Member {place} of {id}")}));
        }
        company.own(store, &member(&known.members[2]), &json!({"phone": format!("08{store}7777777")}));
        // Both stores redeem nearly all of the same points.
        company.ends[store].sold(&known.members[3], 1, 290);
        company.own(store, "/api/stock/8990001", &json!({"reorder_level": 80 + store}));
        company.own(store, "/api/stock/8990003", &json!({"shelf_place": format!("C-{id}")}));
        let new = json!({"username": "late@s001.example", "name": "Late", "role": "warehouse_staff",
            "password": PASSWORD});
        let late = text(&company.said(store, "/api/users", &new), "id");
        company.own(store, &person(&late), &json!({"disabled": true}));
    }
    // The store can't rename a user of head office. Of the store's own user the last name is kept.
    let path = person(&known.people[0]);
    let named = company.ends[0].manager.send("PATCH", &path, &[], br#"{"name": "Ani of the store"}"#);
    named.refused(409, "invalid_state");
    company.own(0, &person(&known.people[2]), &json!({"name": "Own, of the store"}));
    // A receipt against the order that head office cancels.
    let came = json!({"po_id": known.orders[1], "lines": [{"sku": "8990002", "qty": 6}]});
    company.said(0, "/api/receiving", &came);
    twins
}

/// Asserts that every store prices a basket with the same promotions.
#[track_caller]
fn same_baskets(company: &mut Company, gold: &str) {
    let basket = json!({"member_id": gold, "items": [{"sku": "8990009", "qty": 3, "price": 3_333}]});
    let seen = company.ends.iter_mut().map(|end| {
        let sale = end.till.post(SALES, &basket).data(201);
        let void = format!("{SALES}/{}/void", text(&sale, "transaction_id"));
        end.till.post(&void, &json!({"reason": "r"})).data(200);
        (sale["total"].clone(), sale["items"][0]["discounts"].clone())
    });
    let seen: Vec<(Value, Value)> = seen.collect();
    assert!(seen[0].1.as_array().is_some_and(|discounts| !discounts.is_empty()), "{seen:?}");
    assert!(seen.iter().all(|one| *one == seen[0]), "{seen:?}");
}

#[test]
fn all_stores_and_head_office_show_the_same() {
    let mut company = Company::open();
    let mut known = office_online(&mut company);
    stores_online(&mut company, &mut known);
    company.alike("online");
    same_baskets(&mut company, &known.members[3]);

    company.cut(&AWAY);
    let home = company.sent(0, 1, 7);
    company.next_day();
    let far = office_apart(&mut company, &known);
    let twins = stores_apart(&mut company, &known);
    company.sent(1, 0, 4);
    company.reunite();
    company.received(1, &home, 7);
    company.received(0, &far, 2);
    let path = format!("/api/transfers/{far}");
    company.ends[ONLINE].seen("the sender hears of it", &path, |found| found["state"] == json!("received"));
    let found = json!({"lines": [{"sku": "8990007", "qty": 3, "resolution": "found_at_destination"}]});
    company.said(ONLINE, &format!("{path}/resolve"), &found);
    company.alike("after a day apart");

    wait::until("head office has an exception about the member registered twice", || {
        let list = company.office.get("/api/exceptions?code=member_registered_twice").data(200);
        (!list["items"].as_array().unwrap().is_empty()).then_some(())
    });
    company.office.post(&format!("{}/merge", member(&twins[1])), &json!({"into": twins[0]})).data(200);
    company.alike("one person again");
    same_baskets(&mut company, &known.members[3]);
    company.read_once_more();
    company.alike("read once more");
    company.close();
}
