//! A store that is nothing but a key and a chain of records.

use crate::rest::{Api, text};
use anyhow::bail;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::simulated::Chain;

const HUB_ID: &str = "HQ";
/// Most of a batch.
const BATCH_EVENTS: usize = 250;
const BATCH_BYTES: usize = 900_000;
/// Seconds that a poll waits.
const WAIT_S: u64 = 55;
/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(300);
const DAY: &str = "2023-11-20";
const NOON: &str = "2023-11-20T02:06:34.739Z";

#[derive(Clone)]
pub struct Store {
    client: Client,
    base: String,
    chain: Chain,
    /// Sales so far.
    sold: u64,
}

impl Store {
    /// Added by head office, enrolled, greeted.
    pub async fn enrol(api: &Api, base: &str, id: &str) -> anyhow::Result<Self> {
        let added = api.post("/api/stores", &format!("store-{id}"), &json!({"store_id": id})).await?;
        let client = Client::builder().timeout(PATIENCE).build()?;
        let store = Self { client, base: base.to_owned(), chain: Chain::new(id), sold: 0 };
        let enrol = store.chain.enrolment(&added);
        data(store.client.post(format!("{base}/api/sync/enrol")).json(&enrol)).await?;
        store.post("/api/sync/hello", &store.chain.hello(true)).await?;
        Ok(store)
    }

    /// Connects it to another process of its hub from now on.
    pub fn speak_to(&mut self, base: &str) {
        base.clone_into(&mut self.base);
    }

    /// Sells to these members and hands it in, in one batch.
    pub async fn push<'a>(&mut self, members: impl Iterator<Item = &'a str>) -> anyhow::Result<()> {
        let mut sales = Vec::new();
        for member in members {
            self.sold += 1;
            sales.push(sale(&self.chain.id, self.sold, member).to_string());
        }
        self.push_records(sales).await
    }

    /// Hands these records in, in batches that the hub takes.
    pub async fn hand_in(&mut self, records: &[Value]) -> anyhow::Result<()> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        for record in records.iter().map(Value::to_string) {
            if batch.len() == BATCH_EVENTS || bytes + record.len() > BATCH_BYTES {
                self.push_records(std::mem::take(&mut batch)).await?;
                bytes = 0;
            }
            bytes += record.len();
            batch.push(record);
        }
        self.push_records(batch).await
    }

    async fn push_records(&mut self, records: Vec<String>) -> anyhow::Result<()> {
        let push = self.chain.push(records);
        let answer = self.post("/api/sync/push", &push).await?;
        match answer.get("parked").and_then(Value::as_array) {
            Some(parked) if parked.is_empty() => Ok(()),
            _ => bail!("a batch was not accepted completely: {answer}"),
        }
    }

    /// Present end of a lane.
    pub async fn end_of(&self, lane: &str) -> anyhow::Result<String> {
        let mut cursor = String::new();
        loop {
            let page = self.get(&format!("/api/sync/pull?lane={lane}&limit=500&wait=0{cursor}")).await?;
            let next = text(&page, "next_cursor")?;
            if page.get("more") == Some(&Value::Bool(false)) {
                return Ok(next);
            }
            cursor = format!("&cursor={next}");
        }
    }

    /// Waits for changes after a cursor.
    pub async fn wait(&self, lane: &str, cursor: &str) -> anyhow::Result<Value> {
        self.get(&format!("/api/sync/pull?lane={lane}&limit=500&wait={WAIT_S}&cursor={cursor}")).await
    }

    async fn get(&self, path: &str) -> anyhow::Result<Value> {
        data(self.signed(self.client.get(format!("{}{path}", self.base)))).await
    }

    async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        data(self.signed(self.client.post(format!("{}{path}", self.base))).json(body)).await
    }

    fn signed(&self, request: RequestBuilder) -> RequestBuilder {
        request.bearer_auth(self.chain.token(HUB_ID))
    }
}

async fn data(request: RequestBuilder) -> anyhow::Result<Value> {
    let answer = request.send().await?;
    let status = answer.status();
    let mut whole: Value = serde_json::from_slice(&answer.bytes().await?)?;
    if !status.is_success() {
        bail!("{status}: {whole}");
    }
    Ok(whole.get_mut("data").map(Value::take).unwrap_or_default())
}

/// A sale of one piece to a member, who earns a point.
fn sale(store: &str, number: u64, member: &str) -> Value {
    let (transaction, shift) = (format!("trx_{store}_{number}"), format!("shf_{store}"));
    let earned = json!({"entry_id": format!("pts_{store}_{number}"), "member_id": member, "points": 1,
        "reason": "earn", "reference_id": transaction, "balance_after": 1, "lots": [], "business_date": DAY,
        "user_id": "usr_1", "at": NOON});
    let item = json!({"line_no": 1, "sku": "A", "name": "Thing", "qty": 1, "price": 1000, "list_price": 1000,
        "discounts": [], "discount": 0, "tax_rate_bp": 1100, "tax_code": null, "tax": 110, "total": 1110,
        "price_override": false, "returned_qty": 0, "track_stock": true, "cost": 10});
    let payment = json!({"payment_id": format!("pay_{number}"), "method": "cash", "amount": 1110, "tendered": 1110,
        "change": 0, "rounding": 0, "reference": null, "state": "accepted", "origin": null, "paid_at": NOON});
    let sold = json!({"transaction_id": transaction, "receipt_no": format!("{store}-main-{number:08}"),
        "state": "paid", "business_date": DAY, "occurred_at": NOON, "store_id": store, "register_id": "main",
        "shift_id": shift, "cashier_id": "usr_1", "member_id": member, "items": [item],
        "prices_include_tax": false, "subtotal": 1000, "discount": 0, "tax": 110, "rounding": 0, "total": 1110,
        "points_earned": 1, "points_redeemed": 0, "scans": [], "earn_per": 0, "multiplier_bp": 0, "points_expire": null, "points_lots": [],
        "payments": [payment], "amount_paid": 1110, "amount_due": 0,
        "cash_due": 0, "change": 0, "refunded": 0, "flags": [], "created_at": NOON, "paid_at": NOON,
        "voided_at": null, "void_reason": null, "note": null});
    let line = json!({"line_no": 1, "balance_after": 0, "cost": -10, "correction": 0, "qty": -1});
    json!({"event_id": format!("evt_{store}_{number}"), "type": "transaction.paid", "schema": 1,
        "at": format!("1700445994739-00000-{store}"), "occurred_at": NOON,
        "about": {"aggregate": format!("transaction:{transaction}"), "members": [member], "business_date": DAY, "amount": 1110},
        "payload": {"business_date": DAY, "transaction": sold, "lines": [line], "points": [earned]}})
}
