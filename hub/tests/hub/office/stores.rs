//! The hub's work for one store is the same with two stores as with a thousand.

use crate::support::server::Server;
use crate::support::shop::Shop;
use crate::sync::kinds::raw;
use crate::sync::records::{DAY, NOON, Sale};
use serde_json::{Value, json};

fn earned(store: &str, id: &str, member: &str, points: i64) -> String {
    let entry = json!({"entry_id": format!("{id}:earn"), "member_id": member, "points": points, "reason": "adjust",
        "reference_id": id, "balance_after": 0, "lots": [], "business_date": DAY, "user_id": "usr_1", "at": NOON});
    let payload = json!({"business_date": DAY, "entry": entry, "reason": "r"});
    raw("points.adjusted", id, &format!("1700445994739-00000-{store}"), &payload)
}

fn sold_to(store: &str, number: u64, member: &str) -> String {
    let sale = Sale { store, number, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
    let mut record: Value = serde_json::from_str(&sale.record(&format!("evt_sale_{number}"))).unwrap();
    record["payload"]["transaction"]["member_id"] = json!(member);
    record.to_string()
}

async fn tells(shop: &mut Shop, records: Vec<String>) -> Value {
    let from = shop.chain().records.len() + 1;
    for record in records {
        shop.chain().append(record);
    }
    let to = shop.chain().records.len();
    let answer = shop.push(&shop.batch(from, to)).await.data().clone();
    assert_eq!((&answer["parked"], &answer["acked_seq"]), (&json!([]), &json!(to)));
    answer
}

pub async fn head(shop: &Shop, lane: &str) -> String {
    let page = shop.speak().get(&format!("/api/sync/pull?lane={lane}&limit=500")).await.data().clone();
    page["next_cursor"].as_str().unwrap().to_owned()
}

/// Returns the number of changes in the feed.
async fn changes(server: &Server) -> i64 {
    server.figure("SELECT COUNT(*) FROM feed").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_writes_the_same_number_of_changes_for_any_number_of_stores() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let new = json!({"name": "Ani", "phone": "+62811000111"});
    let member = admin.post("/api/members", &new).await.data()["member_id"].as_str().unwrap().to_owned();
    let mut shop = Shop::open(&server, "S001").await;
    let mut written = Vec::new();
    for round in 0..2_u64 {
        let before = changes(&server).await;
        let ids = ["a", "b"].map(|name| format!("evt_{name}_{round}"));
        let records = vec![
            sold_to("S001", round + 1, &member),
            earned("S001", &ids[0], &member, 5),
            earned("S001", &ids[1], "mbr_far", 5),
        ];
        tells(&mut shop, records).await;
        written.push(changes(&server).await - before);
        for number in 2..=6 {
            if round == 0 {
                server.place.add_store(&format!("S00{number}"));
            }
        }
    }
    assert_eq!(written, [2, 2], "one change for each member whose points moved");
    assert_eq!(server.figure("SELECT COUNT(*) FROM feed WHERE kind = 'points' AND store_id <> ''").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_for_one_store_ends_no_other_stores_wait() {
    let server = Server::start().await;
    let (one, two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    let admin = server.admin().await;
    admin.post("/api/products", &json!({"sku": "A", "name": "Thing", "price": 1})).await.data();
    let cursor = head(&two, "prices").await;
    let (waits, pool) = (&server.hub.waits, server.hub.db.pool());
    waits.look(pool).await.unwrap();
    let due = |store: &'static str| {
        ["users", "prices", "members", "rest"].map(|lane| waits.enter(lane, store).unwrap().due())
    };
    let (before, before_two) = (due("S001"), due("S002"));
    let waiting = tokio::spawn(async move {
        let path = format!("/api/sync/pull?lane=prices&wait=60&cursor={cursor}");
        two.speak().get(&path).await.data()["changes"].clone()
    });
    let price = |store: &str| json!({"sku": "A", "store_id": store, "price": 7, "from": "2030-01-01"});
    admin.post("/api/prices", &price("S002")).await.data();
    assert_eq!(waiting.await.unwrap().as_array().unwrap().len(), 1);
    waits.look(pool).await.unwrap();
    assert_eq!(due("S001"), before, "the other store was not woken on any lane");
    assert!(due("S002")[1] > before_two[1]);
    assert_eq!([0, 2, 3].map(|lane| due("S002")[lane]), [0, 2, 3].map(|lane| before_two[lane]));
    // A change for all stores wakes both, on its lane only.
    let cursor = head(&one, "prices").await;
    let waiting = tokio::spawn(async move {
        let path = format!("/api/sync/pull?lane=prices&wait=60&cursor={cursor}");
        one.speak().get(&path).await.data()["changes"].clone()
    });
    admin.post("/api/prices", &price("")).await.data();
    assert_eq!(waiting.await.unwrap().as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn stores_that_wait_hear_of_balances_with_what_of_their_own_is_in_them() {
    let server = Server::start().await;
    let mut shops = Vec::new();
    for number in 1..=4 {
        let mut shop = Shop::open(&server, &format!("S00{number}")).await;
        let id = format!("evt_{number}");
        let record = earned(&shop.id.clone(), &id, "mbr_1", number);
        tells(&mut shop, vec![record]).await;
        shops.push(shop);
    }
    let mut seller = shops.pop().unwrap();
    let cursor = head(&seller, "members").await;
    let mut waiting = Vec::new();
    for shop in shops {
        let path = format!("/api/sync/pull?lane=members&wait=60&cursor={cursor}");
        waiting.push(tokio::spawn(async move { (shop.speak().get(&path).await.data().clone(), shop) }));
    }
    while server.hub.waits.count("members") < waiting.len() {
        tokio::task::yield_now().await;
    }
    for round in 0..5 {
        let record = earned("S004", &format!("evt_more_{round}"), "mbr_1", 10);
        tells(&mut seller, vec![record]).await;
    }
    for poll in waiting {
        let (page, mut shop) = poll.await.unwrap();
        let changes = page["changes"].as_array().unwrap();
        assert_eq!(changes.len(), 1, "of several changes of one balance only the last is sent: {page}");
        let balance = changes[0]["payload"]["balance"].as_i64().unwrap();
        assert!((10..=60).contains(&balance) && balance % 10 == 0, "{page}");
        let includes = json!([{"epoch": shop.chain().epoch, "seq": 1, "hash": shop.chain().hash_at(1)}]);
        assert_eq!((&page["includes"], &page["missing"]), (&includes, &Value::Null), "{page}");
    }
}

/// Two stores sell to the same members in opposite orders, each with points for one half and without for the other.
#[tokio::test(flavor = "multi_thread")]
async fn batches_with_the_same_members_in_opposite_orders_do_not_block_one_another() {
    let server = Server::start().await;
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    for round in 0..8_u64 {
        let member = |number: u64| format!("mbr_{round}_{number}");
        // A figure beyond the limit makes the hub apply the batch record by record.
        let huge = |store: &str, sign: i64| {
            let id = format!("evt_huge_{store}_{round}");
            earned(store, &id, "mbr_huge", sign * ((1 << 53) - 1))
        };
        let of = |store: &str, ahead: bool| {
            let mut records: Vec<String> = (0..24)
                .map(|number| {
                    let id = format!("evt_{store}_{round}_{number}");
                    let member = member(if ahead { number } else { 23 - number });
                    if (number < 12) == ahead {
                        earned(store, &id, &member, 1)
                    } else {
                        sold_to(store, round * 24 + number + 1, &member)
                    }
                })
                .collect();
            if round % 2 == 1 {
                records.push(huge(store, 1));
                records.push(huge(store, 1).replace("evt_huge", "evt_more"));
            }
            records
        };
        let (first, second) = (of("S001", true), of("S002", false));
        let push = |shop: &mut Shop, records: Vec<String>| {
            let from = shop.chain().records.len() + 1;
            records.into_iter().for_each(|record| shop.chain().append(record));
            let (batch, shop) = (shop.batch(from, shop.chains[0].records.len()), shop.clone());
            tokio::spawn(async move { shop.push(&batch).await.status.as_u16() })
        };
        let (first, second) = (push(&mut one, first), push(&mut two, second));
        assert_eq!((first.await.unwrap(), second.await.unwrap()), (200, 200), "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_store_has_the_name_of_head_offices_own_book() {
    let server = Server::start().await;
    let admin = server.admin().await;
    for id in ["HO", "ho"] {
        let refused = admin.post("/api/stores", &json!({"store_id": id, "name": "House"})).await;
        assert_eq!(refused.refusal(), "422 validation_failed", "{id}");
        assert_eq!(refused.body["error"]["details"]["fields"][0]["path"], "store_id");
    }
    admin.post("/api/stores", &json!({"store_id": "HO1", "name": "House"})).await.data();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_is_renamed_and_moves_no_day_that_has_begun() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let change = async |body: Value| admin.patch("/api/stores/S001", &body).await;
    let before = head(&shop, "prices").await;
    let changed =
        change(json!({"timezone": "Asia/Makassar", "address": " Jl. Cikini 1 "})).await.data().clone();
    assert_eq!(
        changed,
        json!({"store_id": "S001", "name": "S001", "address": "Jl. Cikini 1", "timezone": "Asia/Makassar"})
    );
    assert_eq!(head(&shop, "prices").await, before, "stores do not receive changes that they do not show");
    change(json!({"name": "Menteng"})).await.data();
    let down = super::head_office::hears(&shop, "prices", "store").await;
    assert_eq!(down.last().unwrap()["payload"]["name"], "Menteng");
    tells(&mut shop, vec![sold_to("S001", 1, "mbr_1")]).await;
    let refused = change(json!({"timezone": "Asia/Jakarta", "name": "Other"})).await;
    assert_eq!(refused.refusal(), "422 validation_failed");
    assert_eq!(refused.body["error"]["details"]["fields"][0]["path"], "timezone");
    change(json!({"timezone": "Asia/Makassar", "address": ""})).await.data();
    let listed = admin.get("/api/stores").await.data()["items"][0].clone();
    assert_eq!(
        (&listed["name"], &listed["address"]),
        (&json!("Menteng"), &json!(null)),
        "the refused request changed nothing"
    );
    for wrong in [json!({"name": ""}), json!({"timezone": "Mars"}), json!({"address": "a\nb"})] {
        assert_eq!(change(wrong.clone()).await.refusal(), "422 validation_failed", "{wrong}");
    }
    assert_eq!(admin.patch("/api/stores/S9", &json!({"name": "x"})).await.refusal(), "404 not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_overview_counts_what_waits_for_somebody() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    server.place.add_store("S002");
    server.place.add_store("S003");
    let admin = server.admin().await;
    admin.post("/api/stores/S003/disable", &json!({})).await.data();
    shop.chain().append(raw("odd.type", "evt_odd", "1700445994739-00000-S001", &json!({})));
    shop.push(&shop.batch(1, 1)).await.data();
    admin.post("/api/finance/proofs", &json!({})).await.data();
    let seen = admin.get("/api/admin/overview").await.data().clone();
    assert_eq!(seen["stores_by_state"], json!({"new": 1, "active": 1, "disabled": 1}));
    assert_eq!(seen["stores_by_problem"], json!({"disabled": 1, "not_enrolled": 1, "parked": 1}));
    assert_eq!(seen["stores_with_problems_count"], json!(3));
    assert_eq!((&seen["parked_count"], &seen["exceptions_count"]), (&json!(1), &json!(0)));
    assert_eq!(seen["parked_by_code"], json!({"unknown_type": 1}));
    assert_eq!((&seen["last_proof"]["ok"], &seen["last_backup_at"]), (&json!(true), &json!(null)));
    assert_eq!((&seen["settlements_open_count"], &seen["invoices_due_count"]), (&json!(0), &json!(0)));

    // A day to be settled, and two invoices, of which one is approved and due.
    let day =
        json!({"store_id": "S001", "business_date": "2023-12-21", "force": true, "reason": "burnt down"});
    let settlement = admin.post("/api/settlements", &day).await.data()["settlement_id"].clone();
    let supplier = admin.post("/api/suppliers", &json!({"code": "T", "name": "T"})).await.data().clone();
    for (invoice_no, approved) in [("T-1", true), ("T-2", false)] {
        let bill = json!({"supplier_id": supplier["supplier_id"], "invoice_no": invoice_no,
            "invoice_date": "2023-11-01", "lines": [{"account": "6060", "qty": 1, "unit_cost": 50}]});
        let made = admin.post("/api/finance/invoices", &bill).await.data().clone();
        let path = format!("/api/finance/invoices/{}", made["invoice_id"].as_str().unwrap());
        for step in ["match", "approve"].into_iter().filter(|_| approved) {
            admin.post(&format!("{path}/{step}"), &json!({})).await.data();
        }
    }
    let seen = admin.get("/api/admin/overview").await.data().clone();
    assert_eq!((&seen["settlements_open_count"], &seen["invoices_due_count"]), (&json!(1), &json!(1)));
    let path = format!("/api/settlements/{}/approve", settlement.as_str().unwrap());
    admin.post(&path, &json!({})).await.data();
    let seen = admin.get("/api/admin/overview").await.data().clone();
    assert_eq!(seen["settlements_open_count"], json!(0));
}
