//! Whatever requests are accepted, every proof succeeds and a month can be closed.

use super::{MAPPINGS, failed, opened, own, pay_out, sale, withdraw};
use crate::office::finance::{adjustment, tells};
use crate::office::finance_entries::{entry, text};
use crate::office::settlement::story::{added, card_source, day, on};
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A pseudo-random generator with the same numbers in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
}

/// A hub, a store and a person who sends random requests.
struct Anybody {
    server: Server,
    admin: Api,
    shop: Shop,
    dice: Dice,
    step: u64,
    sources: Vec<String>,
    supplier: String,
    /// How often each request was accepted.
    taken: BTreeMap<&'static str, u32>,
}

const OWN: [(&str, &str); 5] =
    [("1041", "asset"), ("1136", "asset"), ("1137", "asset"), ("2136", "liability"), ("6136", "expense")];
const PLAN: [&str; 18] = [
    "1010", "1020", "1030", "1040", "1110", "1120", "1140", "1150", "1210", "1290", "2010", "2020", "2030",
    "2040", "3010", "4010", "6050", "6060",
];
const METHODS: [&str; 4] = ["card", "qris", "voucher", "ovo"];

impl Anybody {
    async fn begin(seed: u64) -> Self {
        let server = Server::start().await;
        let admin = server.admin().await;
        let mut shop = Shop::open(&server, "S001").await;
        for (account, kind) in OWN {
            own(&admin, account, kind).await;
        }
        let early = entry("2023-11-10", &[("", "1040", 1_000), ("", "7010", -1_000)]);
        admin.post("/api/finance/journal", &early).await.data();
        tells(&mut shop, vec![opened()]).await;
        let supplier = admin.post("/api/suppliers", &json!({"code": "TEA", "name": "Tea"})).await;
        let supplier = text(supplier.data(), "supplier_id");
        let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
        let sources = vec![bank, card_source(&admin).await];
        Self { server, admin, shop, dice: Dice(seed), step: 0, sources, supplier, taken: BTreeMap::new() }
    }

    fn account(&mut self) -> String {
        match self.dice.below(2) {
            0 => self.dice.of(&OWN).0.to_owned(),
            _ => self.dice.of(&PLAN).to_owned(),
        }
    }

    fn day(&mut self) -> String {
        day(17 + i8::try_from(self.dice.below(4)).unwrap()).to_string()
    }

    async fn asks(&mut self, what: &'static str, path: &str, body: &Value) -> Option<Value> {
        let answer = self.admin.post(path, body).await;
        assert!(!answer.status.is_server_error(), "{what}: {}", answer.body);
        let taken = answer.status.is_success();
        *self.taken.entry(what).or_default() += u32::from(taken);
        taken.then(|| answer.data().clone())
    }

    async fn maps(&mut self) {
        let (account, from) = (self.account(), self.day());
        let (of, key) = match self.dice.below(8) {
            0 => ("cash_reason", self.dice.of(&["rent", "taxi"])),
            1 => ("bank_text", self.dice.of(&["parkir", "edc"])),
            2 => ("adjustment_reason", "theft"),
            _ => ("method", self.dice.of(&METHODS)),
        };
        let body = json!({"of": of, "key": key, "account": account, "from": from});
        self.asks(of, MAPPINGS, &body).await;
    }

    async fn withdraws(&mut self) {
        let all = self.admin.get(MAPPINGS).await.data()["items"].as_array().unwrap().clone();
        if !all.is_empty() {
            let mapping = self.dice.of(&all);
            let answer = withdraw(&self.admin, &mapping).await;
            *self.taken.entry("withdraw").or_default() += u32::from(answer.status.is_success());
        }
    }

    async fn writes(&mut self) {
        let (account, date) = (self.account(), self.day());
        let written = entry(&date, &[("S001", &account, 30), ("", "1040", -30)]);
        let made = self.asks("hand", "/api/finance/journal", &written).await;
        if let Some(made) = made
            && self.dice.below(3) == 0
        {
            let path = format!("/api/finance/journal/{}/reverse", text(&made, "entry_id"));
            self.asks("reverse", &path, &json!({"reason": "a slip"})).await;
        }
    }

    async fn opens(&mut self) {
        let (account, date, method) = (self.account(), self.day(), self.dice.of(&METHODS));
        let item = json!({"method": method, "business_date": date, "amount": 90, "reference": "O-1"});
        let body = json!({"store_id": "S001", "date": date, "lines": [{"account": account, "debit": 40}], "items": [item]});
        if let Some(made) = self.asks("opening", "/api/finance/opening", &body).await
            && self.dice.below(2) == 0
        {
            let path = format!("/api/finance/journal/{}/reverse", text(&made, "entry_id"));
            self.asks("opening back", &path, &json!({"reason": "a slip"})).await;
        }
    }

    async fn tells(&mut self) {
        let (number, code) = (self.step, self.dice.of(&["rent", "taxi", "supplier"]));
        let record = match self.dice.below(5) {
            0 => pay_out(&format!("csh_{number}"), code, 500),
            1 => on("S001", 18, &adjustment(&format!("evt_theft_{number}"), "posted", -250)),
            _ => sale(number, self.dice.of(&METHODS), 1_000 + i64::try_from(number).unwrap()),
        };
        assert_eq!(tells(&mut self.shop, vec![record]).await["parked"], json!([]));
    }

    async fn adds_source(&mut self) {
        let (account, kind) = (self.account(), self.dice.of(&["bank", "provider"]));
        let methods = if kind == "bank" { json!([]) } else { json!([self.dice.of(&METHODS)]) };
        let body = json!({"name": format!("Source {}", self.step), "kind": kind, "methods": methods, "account": account});
        if let Some(made) = self.asks("source", "/api/statement-sources", &body).await {
            self.sources.push(text(&made, "source_id"));
        }
    }

    async fn imports(&mut self) {
        let source = self.dice.of(&self.sources.clone());
        let known = self.dice.below(usize::try_from(self.step).unwrap().max(1));
        let reference = match self.dice.below(4) {
            0 => format!("PARKIR {}", self.step),
            1 => format!("EDC {}", self.step),
            _ => format!("R-{known:04}"),
        };
        let amount = 1_000 + i64::try_from(known).unwrap() - if self.dice.below(3) == 0 { 9 } else { 0 };
        let line = json!([{"date": day(19), "reference": reference, "amount": amount}]);
        let Some(made) =
            self.asks("import", "/api/statements", &json!({"source_id": source, "lines": line})).await
        else {
            return;
        };
        self.resolves().await;
        let path = format!("/api/statements/{}/approve", text(&made, "statement_id"));
        self.asks("statement", &path, &json!({})).await;
    }

    async fn resolves(&mut self) {
        let open = self.admin.get("/api/settlement-exceptions?state=open").await.data()["items"].clone();
        for one in open.as_array().unwrap() {
            let path = format!("/api/settlement-exceptions/{}/resolve", text(one, "exception_id"));
            let account = self.account();
            for resolution in ["post", "accept", "write_off", "carry"] {
                let body = json!({"resolution": resolution, "account": account, "reason": "r"});
                if self.dice.below(3) > 0 && self.asks("resolve", &path, &body).await.is_some() {
                    break;
                }
            }
        }
    }

    async fn approves_days(&mut self) {
        let listed = self.admin.get("/api/settlements?state=reconciled").await.data()["items"].clone();
        for one in listed.as_array().unwrap() {
            let path = format!("/api/settlements/{}/approve", text(one, "settlement_id"));
            self.asks("settlement", &path, &json!({})).await;
        }
    }

    async fn owes(&mut self) {
        let (account, date) = (self.account(), self.day());
        let invoice = json!({"supplier_id": self.supplier, "invoice_no": format!("T-{}", self.step), "invoice_date": date,
            "lines": [{"account": account, "qty": 1, "unit_cost": 100}]});
        if let Some(made) = self.asks("invoice", "/api/finance/invoices", &invoice).await {
            let path = format!("/api/finance/invoices/{}/match", text(&made, "invoice_id"));
            self.asks("match", &path, &json!({})).await;
        }
        let matched = self.admin.get("/api/finance/invoices?state=matched").await.data()["items"].clone();
        let matched = matched.as_array().unwrap().clone();
        if !matched.is_empty() && self.dice.below(2) == 0 {
            let path =
                format!("/api/finance/invoices/{}/approve", text(&self.dice.of(&matched), "invoice_id"));
            self.asks("approve", &path, &json!({})).await;
        }
    }

    async fn pays(&mut self) {
        let (account, date) = (self.account(), self.day());
        let mut body = json!({"supplier_id": self.supplier, "date": date, "account": account, "amount": 10});
        if account == "1020" {
            body["store_id"] = json!("S001");
        }
        self.asks("payment", "/api/finance/payments", &body).await;
    }

    async fn step(&mut self) {
        self.step += 1;
        match self.dice.below(14) {
            0..=2 => self.maps().await,
            3 => self.withdraws().await,
            4 => self.writes().await,
            5 => self.opens().await,
            6..=8 => self.tells().await,
            9 => self.adds_source().await,
            10 => self.imports().await,
            11 => self.owes().await,
            12 => self.pays().await,
            _ => self.approves_days().await,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_proof_holds_and_a_month_can_be_closed_after_random_requests() {
    let mut taken: BTreeMap<&'static str, u32> = BTreeMap::new();
    for seed in [0x9e37_79b9_7f4a_7c15, 0x2545_f491_4f6c_dd1d] {
        let mut anybody = Anybody::begin(seed).await;
        for step in 0..150 {
            anybody.step().await;
            if step % 30 == 29 {
                assert_eq!(failed(&anybody.admin).await, Vec::<String>::new(), "seed {seed:#x}, step {step}");
            }
        }
        let close = json!({"force": true, "reason": "the year is over"});
        let closed = anybody.admin.post("/api/finance/periods/2023-11/close", &close).await;
        assert_eq!(closed.data()["state"], "closed", "seed {seed:#x}");
        assert!(anybody.server.place.run(&["verify"], "").status.success(), "seed {seed:#x}");
        for (what, count) in anybody.taken {
            *taken.entry(what).or_default() += count;
        }
    }
    let never: Vec<_> = taken.iter().filter(|(_, count)| **count == 0).collect();
    assert!(never.is_empty(), "{never:?} of {taken:?}");
}
