//! The feed is read again, from its beginning or as a snapshot. Records of any kind that are read again change nothing.

use super::goods::reported;
use super::people::{CHANGED, given, is_kept_out, logged_in, patch};
use serde_json::{Value, json};
use testkit::counter::{SALES, text};
use testkit::goods::{SKU, coming};
use testkit::linked::Linked;
use testkit::simulated::Shop;
use testkit::store::PASSWORD;
use testkit::{Client, wait};

const ME: &str = "/api/auth/me";

/// State that the comparisons need.
struct Reported {
    member: String,
    /// A user who was disabled and enabled again, and has since changed the password.
    ani: Client,
}

/// Paths that are compared before and after.
const PATHS: [&str; 8] = [
    "/api/users?limit=500",
    "/api/pos/products?limit=500",
    "/api/stock?limit=500",
    "/api/suppliers",
    "/api/purchase-orders",
    "/api/transfers/trf_far",
    "/api/pos/labels?skus=8990001",
    "/api/sync/status",
];

/// Returns the store's answers about every kind of record.
fn looks(shop: &mut Linked, reported: &mut Reported) -> Vec<(String, String)> {
    let member = ["", "/points"].map(|part| format!("/api/members/{}{part}", reported.member));
    let mut looks = Vec::new();
    for path in PATHS.map(str::to_owned).into_iter().chain(member) {
        let reply = shop.manager.get(&path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        let text = match path.as_str() {
            "/api/sync/status" => reply.data(200)["inbound"]["untaken"].to_string(),
            path if path.contains("labels") => reply.text(),
            _ => {
                let mut shown = reply.data(200);
                // The time at which the feed was last read.
                shown.as_object_mut().unwrap().remove("as_of");
                shown.to_string()
            }
        };
        looks.push((path, text));
    }
    // The price of a basket with promotions. The basket is not paid.
    let basket = json!({"items": [{"sku": SKU, "qty": 2, "price": 1_700}]});
    let sale = shop.till.post(SALES, &basket).data(201);
    looks.push(("a basket".to_owned(), format!("{} {}", sale["total"], sale["items"][0]["discounts"])));
    shop.till.post(&format!("{SALES}/{}/void", text(&sale, "transaction_id")), &json!({"reason": "r"}));
    looks.push((ME.to_owned(), reported.ani.get(ME).data(200).to_string()));
    looks
}

#[track_caller]
fn office(shop: &mut Linked, path: &str, fields: &Value) {
    shop.office.send("PATCH", path, &[], fields.to_string().as_bytes()).data(200);
}

/// Creates a record of each kind and writes each more than once.
fn everything(shop: &mut Linked, far: &mut Shop) -> Reported {
    let (ani, _) = given(shop, "ani@s001.example");
    let ani = text(&ani, "id");
    patch(shop, &ani, &json!({"disabled": true}));
    patch(shop, &ani, &json!({"disabled": false, "name": "Ani Wijaya"}));
    shop.office.post(&format!("/api/users/{ani}/revoke-tokens"), &json!({})).data(200);
    let (budi, _) = given(shop, "budi@s001.example");
    patch(shop, &text(&budi, "id"), &json!({"disabled": true}));
    is_kept_out(shop, &text(&budi, "id"), true);
    // The user is disabled and enabled again before the store learns of either.
    shop.cut();
    shop.hub.start();
    shop.office = shop.hub.login();
    let new = json!({"username": "caca@s001.example", "name": "Caca", "role": "cashier", "store_id": "S001",
        "password": PASSWORD});
    let caca = text(&shop.made("/api/users", &new), "id");
    patch(shop, &caca, &json!({"disabled": true}));
    patch(shop, &caca, &json!({"disabled": false}));
    // A user of the store, renamed first by head office and then by the store.
    let new =
        json!({"username": "dedi@s001.example", "name": "Dedi", "role": "cashier", "password": PASSWORD});
    let dedi = text(&shop.manager.post("/api/users", &new).data(201), "id");
    shop.synced();
    patch(shop, &dedi, &json!({"name": "Dedi of head office"}));
    shop.synced();
    let renamed = json!({"name": "Dedi of the store"}).to_string();
    shop.manager.send("PATCH", &format!("/api/users/{dedi}"), &[], renamed.as_bytes()).data(200);

    for price in [2_500, 2_600] {
        office(shop, &format!("/api/products/{SKU}"), &json!({"price": price}));
        office(shop, &format!("/api/stores/S001/products/{SKU}/settings"), &json!({"reorder_level": price}));
        let set = json!({"sku": SKU, "price": price - 900, "store_id": "S001", "from": "2026-11-01"});
        shop.made("/api/prices", &set);
    }
    let promotion = json!({"name": "Tea week", "type": "line_percent", "value": 1_000, "skus": [SKU],
        "from": "2026-11-01", "to": "2099-01-01", "priority": 1});
    let promotion = text(&shop.made("/api/promotions", &promotion), "promotion_id");
    office(shop, &format!("/api/promotions/{promotion}"), &json!({"priority": 2, "name": "Tea days"}));
    let supplier = shop.made("/api/suppliers", &json!({"code": "TEA", "name": "Tea Traders"}));
    let supplier = text(&supplier, "supplier_id");
    office(shop, &format!("/api/suppliers/{supplier}"), &json!({"name": "Tea & Sons"}));
    let order = json!({"supplier_id": supplier, "store_id": "S001",
        "lines": [{"sku": SKU, "qty": 10, "unit_cost": 900}]});
    let order = text(&shop.made("/api/purchase-orders", &order), "po_id");
    for step in ["approve", "send"] {
        shop.office.post(&format!("/api/purchase-orders/{order}/{step}"), &json!({})).data(200);
    }
    far.tells("transfer.sent", "evt_sent", &reported(&coming("trf_far", 8), -8));
    let member = shop.made("/api/members", &json!({"name": "Siti", "phone": "0811222333"}));
    let member = text(&member, "member_id");
    office(shop, &format!("/api/members/{member}"), &json!({"tier": "gold"}));
    shop.synced();
    let mut staff = shop.store.login("warehouse");
    let came = json!({"po_id": order, "lines": [{"sku": SKU, "qty": 4}]});
    staff.post("/api/receiving", &came).data(201);
    staff.post("/api/transfers/trf_far/receive", &json!({"lines": [{"sku": SKU, "qty": 6}]})).data(200);
    office(shop, &format!("/api/members/{member}"), &json!({"tier": "silver"}));
    let path = format!("/api/members/{member}");
    shop.manager.send("PATCH", &path, &[], br#"{"email": "siti@example.com"}"#).data(200);
    let basket = json!({"member_id": member, "items": [{"sku": "8990007", "qty": 2, "price": 25_000}]});
    let sale = shop.till.post(SALES, &basket).data(201);
    let paid = json!({"method": "card", "amount": sale["total"]});
    shop.till.post(&format!("{SALES}/{}/pay", text(&sale, "transaction_id")), &paid).data(200);

    let mut ani = logged_in(shop, "ani@s001.example", PASSWORD).expect("the user was enabled again");
    let change = json!({"current_password": PASSWORD, "new_password": CHANGED});
    ani.post("/api/auth/password", &change).data(200);
    logged_in(shop, "caca@s001.example", PASSWORD)
        .expect("the user was enabled before the store knew of the account");
    shop.synced();
    let ani = logged_in(shop, "ani@s001.example", CHANGED).expect("the changed password works");
    Reported { member, ani }
}

/// Waits until nothing is in transit any more: pushed records may come back by the feed.
fn settled(shop: &mut Linked, reported: &mut Reported) -> Vec<(String, String)> {
    let mut before = Vec::new();
    wait::until("all records have arrived", || {
        shop.synced();
        let looks = looks(shop, reported);
        let first = before.is_empty();
        let changed = looks.iter().zip(&before).filter(|(one, other)| one != other);
        changed.for_each(|((path, now), (_, then))| println!("{path}:\n{then}\n{now}"));
        let same = !first && looks == before;
        before = looks;
        same.then(|| before.clone())
    })
}

#[test]
fn a_change_of_any_kind_that_is_read_again_changes_nothing() {
    let mut shop = Linked::open();
    let mut far = Shop::open(&shop.hub, "S002");
    let mut reported = everything(&mut shop, &mut far);
    let before = settled(&mut shop, &mut reported);
    let same = |what: &str, now: Vec<(String, String)>| {
        for ((path, now), (_, then)) in now.iter().zip(&before) {
            assert_eq!(now, then, "{what}: {path}");
        }
    };
    // The feed is read from its beginning.
    for _ in 0..2 {
        wait::until("the whole feed is read again", || {
            let forced = shop.manager.post("/api/sync/force", &json!({"full": true})).data(200);
            (forced["completed"] == json!(true)).then_some(())
        });
        same("from the beginning", looks(&mut shop, &mut reported));
    }
    // The feed is read as snapshots, because a hub of another generation does not know the cursor.
    let backup = shop.hub.backup();
    shop.hub.restore(&backup);
    shop.office = shop.hub.login();
    same("as snapshots", settled(&mut shop, &mut reported));
    // Both together: the store discards its cursor, and the hub has another generation by the time of the request.
    let backup = shop.hub.backup();
    shop.hub.kill9();
    shop.manager.post("/api/sync/force", &json!({"full": true})).data(200);
    shop.hub.restore(&backup);
    same("from the beginning of another generation", settled(&mut shop, &mut reported));
    shop.store.stop();
    shop.store.verify();
}
