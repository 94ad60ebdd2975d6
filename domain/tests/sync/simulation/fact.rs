//! Records: what a till writes, as the exact text that is sent, and their sums.

use domain::model::base::time::UtcMs;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// Types of records.
pub const PAID: &str = "transaction.paid";
pub const VOIDED: &str = "transaction.voided";
pub const CORRECTED: &str = "tender.corrected";
pub const OPENED: &str = "shift.opened";
pub const CLOSED: &str = "shift.closed";
/// A version of records that only an upgraded hub reads.
pub const NEWER: u64 = 9;

/// A parsed record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fact {
    pub id: String,
    pub kind: String,
    pub schema: u64,
    /// The aggregate of the record.
    pub aggregate: Option<String>,
    pub sale: String,
    pub shift: String,
    pub receipt: Option<String>,
    pub amount: i64,
    pub points: i64,
}

thread_local! {
    /// Texts that were parsed already, because each is parsed many times.
    static READ: RefCell<HashMap<String, Rc<Fact>>> = RefCell::default();
}

/// Returns the text of a record.
pub fn text(fact: &Fact, wall: UtcMs) -> String {
    let day = jiff::Timestamp::from_millisecond(wall.0).unwrap().to_zoned(jiff::tz::TimeZone::UTC).date();
    let (mut about, mut payload) = (json!({"business_date": day, "amount": fact.amount}), json!({}));
    match fact.kind.as_str() {
        OPENED | CLOSED => {
            payload["shift"] = json!({"shift_id": fact.shift, "expected_cash": fact.amount});
        }
        _ => {
            about["aggregate"] = json!(format!("transaction:{}", fact.sale));
            payload["transaction"] = json!({
                "transaction_id": fact.sale, "shift_id": fact.shift, "receipt_no": fact.receipt,
                "total": fact.amount,
            });
            payload["points"] = json!(fact.points);
        }
    }
    json!({
        "event_id": fact.id, "type": fact.kind, "schema": fact.schema, "at": "", "occurred_at": wall,
        "about": about, "payload": payload,
    })
    .to_string()
}

/// Parses a record.
pub fn read(text: &str) -> Rc<Fact> {
    READ.with_borrow_mut(|read| {
        if read.len() > 20_000 {
            read.clear();
        }
        read.entry(text.to_owned()).or_insert_with(|| Rc::new(parse(text))).clone()
    })
}

fn parse(text: &str) -> Fact {
    let record: Value = serde_json::from_str(text).unwrap();
    let payload = &record["payload"];
    let (sale, shift) = (&payload["transaction"], &payload["shift"]);
    let of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let kind = of(&record["type"]);
    Fact {
        id: of(&record["event_id"]),
        schema: record["schema"].as_u64().unwrap(),
        aggregate: record["about"]["aggregate"].as_str().map(str::to_owned),
        sale: of(&sale["transaction_id"]),
        shift: of(if sale.is_null() { &shift["shift_id"] } else { &sale["shift_id"] }),
        receipt: sale["receipt_no"].as_str().map(str::to_owned),
        amount: sale["total"].as_i64().or_else(|| shift["expected_cash"].as_i64()).unwrap(),
        points: payload["points"].as_i64().unwrap_or_default(),
        kind,
    }
}

/// Counted events, each with the number of times.
#[derive(Debug, Clone, Default)]
pub struct Books {
    pub events: BTreeMap<String, (Rc<Fact>, u32)>,
}

impl Books {
    pub fn count(&mut self, fact: &Rc<Fact>) {
        self.events.entry(fact.id.clone()).or_insert_with(|| (fact.clone(), 0)).1 += 1;
    }

    pub fn has(&self, id: &str) -> bool {
        self.events.contains_key(id)
    }

    pub fn facts(&self) -> impl Iterator<Item = &Rc<Fact>> {
        self.events.values().map(|(fact, _)| fact)
    }

    /// Returns whether a sale was counted.
    pub fn has_sale(&self, sale: &str) -> bool {
        self.facts().any(|fact| fact.kind == PAID && fact.sale == sale)
    }

    /// Returns the sums without lost sales.
    pub fn sums(&self, lost: &BTreeSet<String>) -> BTreeMap<String, i64> {
        let mut sums = BTreeMap::new();
        for (fact, times) in self.events.values().filter(|(fact, _)| !lost.contains(&fact.id)) {
            let mut add = |what: String, amount: i64| {
                *sums.entry(what).or_default() += amount * i64::from(*times);
            };
            add(format!("count of {}", fact.kind), 1);
            add(format!("total of {}", fact.kind), fact.amount);
            if fact.kind != CLOSED {
                add(format!("cash of {}", fact.shift), fact.amount);
            }
            add("points".to_owned(), fact.points);
        }
        sums
    }
}
