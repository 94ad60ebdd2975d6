//! Nobody approves their own document: a user who changed its lines, amounts or supplier is an author.

use crate::office::finance_entries::text;
use crate::office::purchasing::payables::{INVOICES, came, five_back, supplier, tells};
use crate::support::server::{Answer, Api, PASSWORD, Place, Server};
use crate::support::shop::Shop;
use crate::sync::records::DAY;
use serde_json::{Value, json};

const ORDERS: &str = "/api/purchase-orders";

/// Starts a hub with four eyes, with three users of each role beside its administrator.
async fn strict() -> (Server, [Api; 3], [Api; 3]) {
    let place = Place::initialised().await;
    let config = std::fs::read_to_string(&place.config).unwrap();
    let set = "\n[purchasing]\nfour_eyes = true\n\n[finance]\nfour_eyes = true\n";
    std::fs::write(&place.config, config + set).unwrap();
    let server = Server::on(place).await;
    let admin = server.admin().await;
    let mut people = Vec::new();
    for role in ["ho_purchasing", "ho_finance"] {
        for number in 1..=3 {
            let name = format!("{role}{number}");
            let person = json!({"username": name, "name": name, "role": role, "password": PASSWORD});
            admin.post("/api/users", &person).await.data();
            people.push(server.api().login(&name, PASSWORD).await);
        }
    }
    let mut people = people.into_iter();
    let buyers = std::array::from_fn(|_| people.next().unwrap());
    (server, buyers, std::array::from_fn(|_| people.next().unwrap()))
}

async fn step(api: &Api, path: &str, step: &str) -> Answer {
    api.post(&format!("{path}/{step}"), &json!({"reason": "r"})).await
}

async fn approve(api: &Api, path: &str) -> Answer {
    api.post(&format!("{path}/approve"), &json!({})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_editor_of_an_order_does_not_approve_it() {
    let (server, [ann, ben, cem], _) = strict().await;
    let _shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    admin.post("/api/products", &json!({"sku": "A", "name": "Tea", "price": 20})).await.data();
    let (tea, rice) = (supplier(&admin, "TEA").await, supplier(&admin, "RICE").await);
    let new =
        json!({"supplier_id": tea, "store_id": "S001", "lines": [{"sku": "A", "qty": 1, "unit_cost": 100}]});
    let draft = async || {
        let made = ann.post(ORDERS, &new).await.data().clone();
        format!("{ORDERS}/{}", text(&made, "po_id"))
    };
    let larger = json!({"lines": [{"sku": "A", "qty": 9_999, "unit_cost": 77_777}]});
    for change in [&larger, &json!({"supplier_id": rice})] {
        let path = draft().await;
        let changed = ben.patch(&path, change).await.data().clone();
        assert_eq!(changed["writers"].as_array().unwrap().len(), 1);
        // Later changes by somebody else do not make the writer a valid approver.
        cem.patch(&path, &json!({"note": "soon", "expected_at": "2999-01-01"})).await.data();
        for wrote in [&ann, &ben] {
            assert_eq!(approve(wrote, &path).await.refusal(), "403 approval_required", "{change}");
        }
        assert_eq!(approve(&cem, &path).await.data()["state"], "approved", "a note is not a change of lines");
    }
    let path = draft().await;
    ben.patch(&path, &json!({"note": "soon"})).await.data();
    approve(&ben, &path).await.data();
    ann.post(&format!("{path}/send"), &json!({})).await.data();
    let revise = |revision: u32, qty: i64| json!({"revision": revision, "reason": "more", "lines": [{"line_no": 1, "sku": "A", "qty": qty, "unit_cost": 100}]});
    // A revision to a higher total needs the approval of another person.
    for (proposer, others) in [(&ben, [&ann, &ben]), (&ann, [&ann, &ann])] {
        let revision = u32::try_from(admin.get(&path).await.data()["revision"].as_u64().unwrap()).unwrap();
        let before = admin.get(&path).await.data()["total"].clone();
        let qty = 10 * i64::from(revision + 2);
        let waiting = proposer.post(&format!("{path}/revise"), &revise(revision, qty)).await.data().clone();
        assert_eq!((&waiting["total"], &waiting["revision"]), (&before, &json!(revision)));
        assert_eq!(waiting["proposed"]["total"], json!(qty * 100));
        for wrote in others {
            assert_eq!(approve(wrote, &path).await.refusal(), "403 approval_required");
        }
        let revised = approve(&cem, &path).await.data().clone();
        assert_eq!((&revised["total"], &revised["proposed"]), (&json!(qty * 100), &Value::Null));
        assert_eq!(revised["revision"], json!(revision + 1));
    }
    ben.post(&format!("{path}/revise"), &revise(2, 500)).await.data();
    let given_back = step(&ben, &path, "reject").await.data().clone();
    assert_eq!((&given_back["proposed"], &given_back["state"]), (&Value::Null, &json!("sent")));
    assert_eq!(approve(&cem, &path).await.refusal(), "409 invalid_state");
    // A lower total needs no approval.
    assert_eq!(ann.post(&format!("{path}/revise"), &revise(2, 5)).await.data()["total"], 500);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_editor_of_an_invoice_does_not_approve_it() {
    let (server, _, [ann, ben, cem]) = strict().await;
    let admin = server.admin().await;
    let (tea, rice) = (supplier(&admin, "TEA").await, supplier(&admin, "RICE").await);
    let line = |cost: i64| json!([{"account": "6060", "qty": 1, "unit_cost": cost}]);
    for (number, change) in
        [json!({"lines": line(99_000_000)}), json!({"supplier_id": rice}), json!({"rounding": 50})]
            .into_iter()
            .enumerate()
    {
        let bill = json!({"supplier_id": tea, "invoice_no": format!("T-{number}"), "invoice_date": DAY, "lines": line(1_000)});
        let made = ann.post(INVOICES, &bill).await.data().clone();
        let path = format!("{INVOICES}/{}", text(&made, "invoice_id"));
        ben.patch(&path, &change).await.data();
        cem.patch(&path, &json!({"note": "looked at"})).await.data();
        step(&cem, &path, "match").await;
        cem.post(&format!("{path}/match"), &json!({})).await.data();
        for wrote in [&ann, &ben] {
            assert_eq!(approve(wrote, &path).await.refusal(), "403 approval_required", "{change}");
        }
        approve(&cem, &path).await.data();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credit_note_that_says_something_else_takes_two() {
    let (server, _, [ann, ben, _]) = strict().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let tea = supplier(&admin, "TEA").await;
    tells(&mut shop, &came(&tea, "evt_1", 10)).await;
    let bill = crate::office::purchasing::payables::bill(&tea, "T-1", "rcv_evt_1", 10);
    let made = ann.post(INVOICES, &bill).await.data().clone();
    let path = format!("{INVOICES}/{}", text(&made, "invoice_id"));
    ann.post(&format!("{path}/match"), &json!({})).await.data();
    approve(&ben, &path).await.data();
    tells(&mut shop, &five_back(&tea)).await;
    let note = ann.get("/api/finance/credit-notes?state=expected").await.data()["items"][0].clone();
    let confirm = format!("/api/finance/credit-notes/{}/confirm", text(&note, "credit_note_id"));
    let paper = |net: i64| json!({"credit_note_no": "C-1", "date": DAY, "net": net, "tax": 0});
    let waiting = ann.post(&confirm, &paper(1)).await.data().clone();
    assert_eq!((&waiting["state"], &waiting["total"]), (&json!("expected"), &note["total"]));
    assert_eq!(waiting["proposed"]["net"], 1);
    assert_eq!(ann.post(&confirm, &paper(1)).await.refusal(), "403 approval_required");
    let other = ben.post(&confirm, &paper(2)).await.data().clone();
    assert_eq!(other["proposed"]["net"], 2, "the two do not agree");
    let agreed = ann.post(&confirm, &paper(2)).await.data().clone();
    assert_eq!((&agreed["state"], &agreed["total"]), (&json!("approved"), &json!(2)));
    assert_eq!(agreed["proposed"], Value::Null);
}
