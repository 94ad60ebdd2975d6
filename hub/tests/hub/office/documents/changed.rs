//! `updated_from`: each change of a document shows it again after what was read before, in the order of the changes.

use crate::office::administration::points::{moved, night};
use crate::office::documents::filters::{back, shift as reported_shift, sold};
use crate::office::finance::shift;
use crate::office::finance_entries::text;
use crate::office::products::HEADER;
use crate::office::purchasing::payables::{INVOICES, PAYMENTS, bill, came, supplier};
use crate::office::settlement::shift_figures::interrupted;
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use crate::sync::kinds::{effect, raw, record, return_record, voided};
use crate::sync::records::{DAY, NOON, Sale};
use crate::sync::shared::tells;
use domain::model::base::time::UtcMs;
use jiff::civil::date;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A program that follows a list.
struct Reader {
    api: Api,
    list: &'static str,
    /// Field with the ID of a row.
    id: &'static str,
    /// ID and time of each row that was read.
    known: BTreeSet<(String, String)>,
    /// The last change that was read.
    from: String,
}

impl Reader {
    fn of(api: &Api, list: &'static str, id: &'static str) -> Self {
        let from = "1970-01-01T00:00:00.000Z".to_owned();
        Self { api: api.clone(), list, id, known: BTreeSet::new(), from }
    }

    async fn page(&self, query: &str) -> Value {
        self.api.get(&format!("{}?{query}", self.list)).await.data().clone()
    }

    fn ids(&self, page: &Value) -> Vec<String> {
        page["items"].as_array().unwrap().iter().map(|item| text(item, self.id)).collect()
    }

    /// Returns the rows that changed since the last call, read in pages of one.
    async fn news(&mut self) -> Vec<String> {
        let (from, mut cursor, mut times, mut new) =
            (self.from.clone(), String::new(), Vec::new(), Vec::new());
        loop {
            let page = self.page(&format!("updated_from={from}&limit=1{cursor}")).await;
            for item in page["items"].as_array().unwrap() {
                // The time of a member's change is that of its store.
                let time = if self.list == "/api/members" { "changed_at" } else { "updated_at" };
                let (id, at) = (text(item, self.id), text(item, time));
                times.push(at.clone());
                if self.known.insert((id.clone(), at)) {
                    new.push(id);
                }
            }
            let Some(next) = page["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert!(times.is_sorted() && times.iter().all(|at| *at >= from), "{from}: {times:?}");
        if let Some(last) = times.pop() {
            self.bounds(&last).await;
            self.from = last;
        }
        new
    }

    /// The last change is in the list from its own time on, and not a millisecond later.
    async fn bounds(&self, last: &str) {
        let at: UtcMs = serde_json::from_value(json!(last)).unwrap();
        let after = text(&json!({"at": UtcMs(at.0 + 1)}), "at");
        assert_ne!(self.ids(&self.page(&format!("updated_from={last}")).await), [""; 0], "{}", self.list);
        assert_eq!(self.ids(&self.page(&format!("updated_from={after}")).await), [""; 0], "{}", self.list);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sale_is_read_again_when_it_is_voided_corrected_or_taken_back() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    let mut sales = Reader::of(&admin, "/api/transactions", "transaction_id");
    let mut returns = Reader::of(&admin, "/api/returns", "return_id");
    for number in [3, 1, 2] {
        tells(&mut one, sold("S001", number, |_| {})).await;
    }
    assert_eq!(sales.news().await, ["trx_S001_3", "trx_S001_1", "trx_S001_2"]);
    tells(&mut one, voided(2, 1)).await;
    assert_eq!(sales.news().await, ["trx_S001_2"]);
    let sale = Sale { store: "S001", number: 3, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
    let mut corrected = serde_json::to_value(sale.transaction()).unwrap();
    let mut right = corrected["payments"][0].clone();
    corrected["payments"][0]["state"] = json!("reversed");
    (right["payment_id"], right["method"]) = (json!("pay_right"), json!("card"));
    corrected["payments"].as_array_mut().unwrap().push(right);
    let payload =
        json!({"business_date": DAY, "transaction": corrected, "wrong": "pay_3", "right": ["pay_right"]});
    tells(&mut one, record("tender.corrected", "evt_t", &payload)).await;
    assert_eq!(sales.news().await, ["trx_S001_3"]);
    assert!(returns.news().await.is_empty());
    for (kind, state, sign) in [("return.posted", "posted", 1), ("return.voided", "voided", -1)] {
        tells(&mut one, return_record(kind, &format!("evt_{state}"), state, sign)).await;
        assert_eq!(
            (sales.news().await, returns.news().await),
            (vec!["trx_S001_1".into()], vec!["ret_1".into()])
        );
        let shown = admin.get("/api/transactions/trx_S001_1").await.data().clone();
        assert_eq!((&shown["updated_at"], shown["refunded"] == json!(0)), (&json!(sales.from), sign < 0));
        assert_eq!(admin.get("/api/returns/ret_1").await.data()["updated_at"], returns.from);
    }
    // Another store knows the receipt alone.
    let mut elsewhere: Value = serde_json::from_str(&back("evt_8", DAY, Value::Null, &["restock"])).unwrap();
    let document = &mut elsewhere["payload"]["document"];
    document["store_id"] = json!("S002");
    document["origin_receipt_no"] = json!("S001-main-00000003");
    tells(&mut two, elsewhere.to_string()).await;
    assert_eq!((sales.news().await, returns.news().await), (vec!["trx_S001_3".into()], vec!["ret_8".into()]));
    // A record that waits shows nothing; applied later, it is new then.
    let mut early: Value = serde_json::from_str(&voided(9, 1)).unwrap();
    early["payload"]["transaction"]["receipt_no"] = json!("S001-main-00000009");
    let waits = tells(&mut one, early.to_string()).await;
    assert_eq!((waits["parked"].as_array().unwrap().len(), sales.news().await.len()), (1, 0));
    tells(&mut one, sold("S001", 9, |_| {})).await;
    assert_eq!(sales.news().await, ["trx_S001_9"]);
    assert_eq!(admin.get("/api/transactions/trx_S001_9").await.data()["state"], "voided");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_changes_lose_no_sale_that_changes_between_them() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    for number in 1..=4 {
        tells(&mut shop, sold("S001", number, |_| {})).await;
    }
    let admin = server.admin().await;
    let sales = Reader::of(&admin, "/api/transactions", "transaction_id");
    let (mut found, mut cursor, mut changes) = (Vec::new(), String::new(), vec![3, 1]);
    loop {
        let page = sales.page(&format!("updated_from={}&limit=1{cursor}", sales.from)).await;
        found.extend(sales.ids(&page));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
        // One that was read, and one that was not.
        if let Some(number) = changes.pop() {
            tells(&mut shop, voided(number, 1)).await;
        }
    }
    assert_eq!(found, ["trx_S001_1", "trx_S001_2", "trx_S001_4", "trx_S001_1", "trx_S001_3"]);
    let first = sales.page(&format!("updated_from={}&limit=1", sales.from)).await;
    let other = format!("/api/transactions?limit=1&cursor={}", text(&first, "next_cursor"));
    assert_eq!(
        admin.get(&other).await.refusal(),
        "400 invalid_cursor",
        "the other order has its own cursors"
    );
    assert_eq!(admin.get("/api/transactions?updated_from=2026-11-20").await.refusal(), "400 invalid_query");
    let filtered =
        async |filters: &str| sales.ids(&sales.page(&format!("updated_from={}&{filters}", sales.from)).await);
    assert_eq!(filtered("state=voided").await, ["trx_S001_1", "trx_S001_3"]);
    assert_eq!(filtered("sku=A&method=cash&to=2023-11-20&store_id=S001").await.len(), 4);
    assert_eq!(filtered("from=2023-11-21").await.len(), 0);
    assert_eq!(filtered("store_id=S002").await.len(), 0);
    assert_eq!(filtered("receipt_no=S001-main-00000002").await, ["trx_S001_2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shift_is_read_again_when_it_is_closed_recounted_or_counted_at_head_office() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shifts = Reader::of(&admin, "/api/shifts", "shift_id");
    let mut shop = interrupted(&server, "S001").await;
    assert_eq!(shifts.news().await, ["shf_1"]);
    let open = admin.get("/api/exceptions?state=open").await.data()["items"][0].clone();
    let path = format!("/api/exceptions/{}/settle", text(&open, "exception_id"));
    admin.post(&path, &json!({"note": "found", "counted_cash": 51_000})).await.data();
    assert_eq!(shifts.news().await, ["shf_1"]);
    tells(&mut shop, reported_shift("S001", "shf_2", DAY, None)).await;
    assert_eq!(shifts.news().await, ["shf_2"]);
    tells(&mut shop, reported_shift("S001", "shf_2", DAY, Some(0))).await;
    assert_eq!(shifts.news().await, ["shf_2"]);
    let recounted = shift("shift.recounted", "evt_recount").replace("shf_1", "shf_2");
    tells(&mut shop, recounted).await;
    assert_eq!(shifts.news().await, ["shf_2"]);
    let shown = admin.get("/api/shifts/shf_2").await.data().clone();
    assert_eq!(shown["updated_at"], shifts.from);
    let filtered =
        shifts.page(&format!("updated_from={}&store_id=S001&from={DAY}&to={DAY}", shifts.from)).await;
    assert_eq!(shifts.ids(&filtered), ["shf_2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_product_is_read_again_when_it_is_changed_or_imported_with_a_difference() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut products = Reader::of(&admin, "/api/products", "sku");
    for sku in ["B", "A", "C"] {
        admin.post("/api/products", &json!({"sku": sku, "name": "Thing", "price": 1000})).await.data();
    }
    assert_eq!(products.news().await, ["B", "A", "C"]);
    admin.patch("/api/products/B", &json!({"price": 1100})).await.data();
    assert_eq!(products.news().await, ["B"]);
    assert_eq!(admin.get("/api/products/B").await.data()["updated_at"], products.from);
    let csv = format!("{HEADER}\nA,Thing,1000,,,,,\nC,Other thing,1000,,,,,\n");
    admin.csv("/api/products/import", &csv).await.data();
    assert_eq!(products.news().await, ["C"]);
    let items = json!({"items": [{"sku": "A", "name": "Renamed"}]});
    admin.post("/api/products/batch", &items).await.data();
    assert_eq!(products.news().await, ["A"]);
    let page = products.page(&format!("updated_from={}&q=renamed", products.from)).await;
    assert_eq!(products.ids(&page), ["A"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_is_read_again_when_a_store_changes_it_or_its_points_and_when_it_is_merged_or_erased() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let mut members = Reader::of(&admin, "/api/members", "member_id");
    let mut ids = Vec::new();
    for (name, phone) in [("Ani", "0811 2345 6701"), ("Anie", "0811 2345 6702"), ("Budi", "0811 2345 6703")] {
        let made = admin.post("/api/members", &json!({"name": name, "phone": phone})).await.data().clone();
        ids.push(text(&made, "member_id"));
    }
    let [ani, anie, budi] = <[String; 3]>::try_from(ids).unwrap();
    assert_eq!(members.news().await, [ani.clone(), anie.clone(), budi.clone()]);
    let path = format!("/api/members/{ani}");
    admin.patch(&path, &json!({"name": "Ani S."})).await.data();
    assert_eq!(members.news().await, [ani.as_str()]);
    // Its store's clock is years behind.
    let at = format!("{:013}-00000-S001", NOON.0);
    let fields = json!({"birth_date": {"value": "1990-02-03", "at": at, "base": ""}});
    tells(&mut shop, raw("member.changed", "evt_c", &at, &json!({"id": budi, "fields": fields}))).await;
    assert_eq!(members.news().await, [budi.as_str()]);
    let (before, last) = (date(2025, 5, 1), date(2025, 6, 30));
    tells(&mut shop, moved("evt_1", (&budi, before), ("adjust", 50), Some(last))).await;
    assert_eq!(members.news().await, [budi.as_str()]);
    admin.post(&format!("/api/members/{anie}/merge"), &json!({"into": ani})).await.data();
    assert_eq!(members.news().await, [ani.as_str()], "the merged one is no longer listed");
    tells(&mut shop, moved("evt_2", (&anie, before), ("adjust", 40), None)).await;
    assert_eq!(members.news().await, [ani.as_str()], "points of the merged one are its points");
    night(&server, last.tomorrow().unwrap()).await;
    assert_eq!(members.news().await, [budi.as_str()], "expired points");
    admin.post(&format!("{path}/erase"), &json!({"reason": "asked for"})).await.data();
    assert_eq!(members.news().await, [ani]);
    let page = members.page(&format!("updated_from={}&state=active", members.from)).await;
    assert!(members.ids(&page).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_and_invoices_are_read_again_after_each_step_also_of_a_store() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    admin.post("/api/products", &json!({"sku": "A", "name": "Thing", "price": 2000})).await.data();
    let supplier_id = supplier(&admin, "TEA").await;
    let mut orders = Reader::of(&admin, "/api/purchase-orders", "po_id");
    let mut invoices = Reader::of(&admin, "/api/finance/invoices", "invoice_id");
    let new = json!({"supplier_id": supplier_id, "store_id": "S001",
        "lines": [{"sku": "A", "qty": 10, "unit_cost": 1_000}]});
    let (one, two) =
        (admin.post("/api/purchase-orders", &new).await, admin.post("/api/purchase-orders", &new).await);
    let (one, two) = (text(one.data(), "po_id"), text(two.data(), "po_id"));
    assert_eq!(orders.news().await, [one.clone(), two.clone()]);
    let path = format!("/api/purchase-orders/{one}");
    admin.patch(&path, &json!({"note": "soon"})).await.data();
    assert_eq!(orders.news().await, [one.as_str()]);
    for step in ["approve", "send"] {
        admin.post(&format!("{path}/{step}"), &json!({})).await.data();
        assert_eq!(orders.news().await, [one.as_str()], "{step}");
    }
    let mut receipt = came(&supplier_id, "evt_1", 4);
    receipt["payload"]["receiving"]["po_id"] = json!(one);
    tells(&mut shop, receipt.to_string()).await;
    assert_eq!(orders.news().await, [one.as_str()], "received");
    assert!(invoices.news().await.is_empty());
    let made = admin.post(INVOICES, &bill(&supplier_id, "T-1", "rcv_evt_1", 4)).await.data().clone();
    let first = text(&made, "invoice_id");
    assert_eq!(invoices.news().await, [first.as_str()]);
    admin.post(&format!("{INVOICES}/{first}/match"), &json!({})).await.data();
    assert_eq!(
        (invoices.news().await, orders.news().await),
        (vec![first.clone()], vec![one.clone()]),
        "matched"
    );
    // Goods that are billed go back.
    let mut reversed = receipt.clone();
    (reversed["type"], reversed["event_id"]) = (json!("receiving.reversed"), json!("evt_2"));
    reversed["payload"]["receiving"]["state"] = json!("reversed");
    reversed["payload"]["lines"] = json!([effect(1, -4, -4_000)]);
    tells(&mut shop, reversed.to_string()).await;
    assert_eq!(
        (invoices.news().await, orders.news().await),
        (vec![first.clone()], vec![one.clone()]),
        "reversed"
    );
    let shown = admin.get(&format!("{INVOICES}/{first}")).await.data().clone();
    assert_eq!((&shown["state"], &shown["updated_at"]), (&json!("disputed"), &json!(invoices.from)));
    assert_eq!(admin.get(&path).await.data()["updated_at"], orders.from);
    let step = format!("{INVOICES}/{first}/cancel");
    admin.post(&step, &json!({"reason": "wrong"})).await.data();
    assert_eq!(invoices.news().await, [first.as_str()]);
    let expense = json!({"supplier_id": supplier_id, "invoice_no": "E-1", "invoice_date": DAY,
        "lines": [{"account": "6060", "store_id": "S001", "qty": 1, "unit_cost": 500}]});
    let owed = text(admin.post(INVOICES, &expense).await.data(), "invoice_id");
    for step in ["match", "approve"] {
        assert_eq!(invoices.news().await, [owed.as_str()], "before {step}");
        admin.post(&format!("{INVOICES}/{owed}/{step}"), &json!({})).await.data();
    }
    assert_eq!(invoices.news().await, [owed.as_str()]);
    let payment = json!({"supplier_id": supplier_id, "date": DAY, "account": "1040", "amount": 100,
        "allocations": [{"invoice_id": owed, "amount": 100}]});
    let paid = text(admin.post(PAYMENTS, &payment).await.data(), "payment_id");
    assert_eq!(invoices.news().await, [owed.as_str()]);
    admin.post(&format!("{PAYMENTS}/{paid}/reverse"), &json!({"reason": "returned"})).await.data();
    assert_eq!(invoices.news().await, [owed.as_str()]);
    let filters = format!("supplier_id={supplier_id}&store_id=S001");
    let page = invoices
        .page(&format!("updated_from={}&{filters}&from={DAY}&due_to=2030-01-01", invoices.from))
        .await;
    assert_eq!(invoices.ids(&page), [owed]);
    let page = orders.page(&format!("updated_from=1970-01-01T00:00:00Z&{filters}&state=draft&sku=A")).await;
    assert_eq!(orders.ids(&page), [two]);
    // Its store has heard that it was cancelled.
    let cancelled = text(admin.post("/api/purchase-orders", &new).await.data(), "po_id");
    let path = format!("/api/purchase-orders/{cancelled}");
    for step in ["approve", "send"] {
        admin.post(&format!("{path}/{step}"), &json!({})).await.data();
    }
    admin.post(&format!("{path}/cancel"), &json!({"reason": "too late"})).await.data();
    assert_eq!(orders.news().await, [cancelled.as_str()]);
    let mut cursor = String::new();
    for _ in 0..2 {
        let page = shop.speak().get(&format!("/api/sync/pull?lane=rest{cursor}")).await.data().clone();
        cursor = format!("&cursor={}", text(&page, "next_cursor"));
    }
    assert_eq!(admin.get(&path).await.data()["cancel_final"], true);
    assert_eq!(orders.news().await, [cancelled]);
}
