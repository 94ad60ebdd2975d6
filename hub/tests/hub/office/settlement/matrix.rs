//! Every type of exception with each of its resolutions: the preview equals the posting.

use crate::office::finance::tells;
use crate::office::settlement::matches::proved;
use crate::office::settlement::resolved::{exception, reported};
use crate::office::settlement::shift_figures::closed;
use crate::office::settlement::story::{added, card_source, day, on, paid, sealed, settlement};
use crate::support::server::{Api, Server, stderr};
use crate::support::shop::Shop;
use crate::sync::kinds::record;
use crate::sync::records::{DAY, NOON};
use domain::rules::books::settlement::exception::{ExceptionKind, Resolution};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Type, resolution, account, and the posting: book (`S`: the case's store, `-`: head office), day, whether it waits
/// for an approval, and its lines, credit below 0.
const ROWS: [[&str; 4]; 38] = [
    ["missing_at_provider", "carry", "", ""],
    ["missing_at_provider", "write_off", "", "S today now: 1110 -10000, 6060 10000"],
    ["missing_at_provider", "write_off", "6050", "S today now: 1110 -10000, 6050 10000"],
    ["missing_at_provider", "match", "6060", "S 20 waits: 1040 9750, 1110 -10000, 6030 150, 6060 100"],
    ["missing_in_store", "carry", "", ""],
    ["missing_in_store", "post", "7010", "- 20 now: 1040 4900, 7010 -4900"],
    ["missing_in_store", "match", "6010", "S 20 waits: 1030 -5000, 1040 4900, 6010 100"],
    ["not_a_payment", "carry", "", ""],
    ["not_a_payment", "post", "7010", "- 20 now: 1040 -5000, 7010 5000"],
    ["not_a_payment", "ignore", "", ""],
    ["amount_differs", "accept", "", "S 19 waits: 1040 8865, 1110 -10000, 6030 135, 6060 1000"],
    ["amount_differs", "accept", "6050", "S 19 waits: 1040 8865, 1110 -10000, 6030 135, 6050 1000"],
    ["amount_differs", "carry", "", "S 19 waits: 1040 8865, 1110 -9000, 6030 135"],
    ["duplicate", "ignore", "", ""],
    ["duplicate", "post", "7010", "- 20 now: 1040 9850, 7010 -9850"],
    ["fee_differs", "accept", "", "S 19 waits: 1040 9700, 1110 -10000, 6030 300"],
    ["fee_differs", "dispute", "", "S 19 waits: 1040 9700, 1110 -9850, 6030 150"],
    ["chargeback", "accept", "", "S 20 now: 1040 -10000, 6060 10000"],
    ["chargeback", "contest", "", ""],
    ["unknown_store", "match", "", "S 19 waits: 1040 9850, 1110 -10000, 6030 150"],
    ["unknown_store", "store_id", "", "S 19 waits: 1040 9850, 1110 -10000, 6030 150"],
    ["unknown_store", "post", "7010", "- 19 now: 1040 9850, 7010 -9850"],
    ["unknown_store", "ignore", "", ""],
    ["unknown_store", "carry", "", ""],
    ["payout_differs", "accept", "", "- 20 now: 1040 -850, 6060 850"],
    ["payout_differs", "accept", "6050", "- 20 now: 1040 -850, 6050 850"],
    ["deposit_differs", "accept", "", "S 20 waits: 1030 -5000, 1040 4900, 6010 100"],
    ["deposit_differs", "accept", "6060", "S 20 waits: 1030 -5000, 1040 4900, 6060 100"],
    ["deposit_missing", "carry", "", ""],
    ["deposit_missing", "write_off", "", "S today now: 1030 -5000, 6010 5000"],
    ["deposit_missing", "write_off", "6060", "S today now: 1030 -5000, 6060 5000"],
    ["balance_differs", "accept", "", ""],
    ["shift_differs", "accept", "", ""],
    // The last type: two payments fit, and one or both stay open.
    ["ambiguous", "match", "", "S 19 waits: 1040 9850, 1110 -10000, 6030 150"],
    ["ambiguous", "store_id", "", "S 19 waits: 1040 9850, 1110 -10000, 6030 150"],
    ["ambiguous", "post", "7010", "S 19 now: 1040 9850, 7010 -9850"],
    ["ambiguous", "ignore", "", ""],
    // The terminal stays known, and no later case uses it.
    ["ambiguous", "carry", "", ""],
];

/// One row, with its own store and numbers.
struct Case<'a> {
    server: &'a Server,
    admin: &'a Api,
    cards: &'a str,
    bank: &'a str,
    number: u64,
    shop: Shop,
    store: String,
}

impl Case<'_> {
    fn reference(&self) -> String {
        format!("C-{:04}", self.number)
    }

    fn sale(&self, store: &str, of: i8, beside: u64, reference: &str) -> String {
        paid(store, of, self.number + beside, ("card", 10_000, reference))
    }

    /// Pushes a sale of the 18th and seals its day.
    async fn sold(&mut self) {
        let sale = self.sale(&self.store, 18, 0, &self.reference());
        tells(&mut self.shop, vec![sale, sealed(&self.store, 18)]).await;
    }

    async fn bagged(&mut self, of: i8) {
        let (id, bag_no) = (format!("dep_{}", self.number), format!("B-{:04}", self.number));
        let deposit = json!({"deposit_id": id, "amount": 5_000, "reverses": null, "reason": null, "bag_no": bag_no,
            "bank_account": "x", "deposited_at": NOON, "business_date": DAY, "user_id": "usr_1", "at": NOON});
        let bag = record(
            "cash.deposited",
            &format!("evt_{id}"),
            &json!({"business_date": DAY, "deposit": deposit}),
        );
        tells(&mut self.shop, vec![on(&self.store, of, &bag)]).await;
    }

    /// Reports a line of the provider for the sale, with further fields.
    async fn reports(&self, of: i8, [gross, fee]: [i64; 2], beside: Value) -> Value {
        let mut line = json!({"date": day(of), "reference": self.reference(), "gross": gross, "fee": fee});
        line.as_object_mut().unwrap().extend(beside.as_object().cloned().unwrap_or_default());
        reported(self.admin, self.cards, json!([line])).await
    }

    async fn banks(&self, text: &str, amount: i64) -> Value {
        let reference = format!("{text}{:04}", self.number);
        reported(self.admin, self.bank, json!([{"date": day(20), "reference": reference, "amount": amount}]))
            .await
    }

    /// Reports a later line of the provider, so that the 18th counts as reported.
    async fn goes_on(&self) {
        self.reports(20, [-7, 0], json!({"reference": format!("FEE {}", self.number), "type": "fee"})).await;
    }

    /// Makes the exception, and returns the further fields of its resolution.
    async fn happens(&mut self, kind: &str, resolution: &str) -> Value {
        let item = json!({"match": {"item_ids": [format!("pay_{}", self.number)]}});
        match kind {
            "missing_at_provider" => {
                self.sold().await;
                self.goes_on().await;
                if resolution == "match" {
                    let cut = json!({"reference": format!("ZZZZ-{}", self.number)});
                    let statement = self.reports(20, [9_900, 150], cut).await["statement_id"].clone();
                    let path = format!("/api/statements/{}/lines", statement.as_str().unwrap());
                    let line = self.admin.get(&path).await.data()["items"][0]["line_id"].clone();
                    return json!({"match": {"line_ids": [line]}});
                }
            }
            "missing_in_store" => {
                self.bagged(20).await;
                self.banks("WHO KNOWS ", 4_900).await;
                if resolution == "match" {
                    return json!({"match": {"item_ids": [format!("dep_{}", self.number)]}});
                }
            }
            "not_a_payment" => {
                let beside = json!({"reference": format!("RSV {}", self.number), "type": "reserve"});
                self.reports(20, [-5_000, 0], beside).await;
            }
            "shift_differs" => {
                tells(&mut self.shop, vec![closed(&self.store, 1_000, 0), sealed(&self.store, 18)]).await;
            }
            "balance_differs" => {
                for (opening, text) in [(0, "PARKIR A"), (100, "PARKIR B")] {
                    let line = json!({"date": day(20), "reference": text, "amount": -5});
                    let body = json!({"source_id": self.bank, "opening_balance": opening, "closing_balance": opening - 5, "lines": [line]});
                    self.admin.post("/api/statements", &body).await.data();
                }
            }
            "deposit_missing" => {
                self.bagged(17).await;
                self.banks("PARKIR ", -5).await;
            }
            "deposit_differs" => {
                self.bagged(19).await;
                self.banks("SETOR B-", 4_900).await;
            }
            "payout_differs" => {
                self.sold().await;
                self.reports(19, [10_000, 150], json!({"batch": format!("77{:04}", self.number)})).await;
                self.banks("PAYOUT 77", 9_000).await;
            }
            "ambiguous" => {
                let (name, reference) = (format!("T-{}", self.number), json!({"reference": ""}));
                let refs = json!({"store_refs": [{"ref": name, "store_id": self.store}]});
                self.admin.patch(&format!("/api/statement-sources/{}", self.cards), &refs).await.data();
                let both = [(17, 500), (18, 0)];
                for (of, beside) in both {
                    let sale = self.sale(&self.store, of, beside, "");
                    tells(&mut self.shop, vec![sale, sealed(&self.store, of)]).await;
                }
                let mut line = reference;
                line["store_ref"] = json!(name);
                self.reports(19, [10_000, 150], line).await;
                if resolution == "store_id" {
                    // The terminal belongs to another store by now.
                    self.store = format!("O{:03}", self.number);
                    self.shop = Shop::open(self.server, &self.store).await;
                    let sale = self.sale(&self.store, 18, 700, "");
                    tells(&mut self.shop, vec![sale, sealed(&self.store, 18)]).await;
                    return json!({"store_id": self.store});
                }
                return if resolution == "match" { item } else { json!({}) };
            }
            _ => {
                self.sold().await;
                let (figures, beside) = match kind {
                    "amount_differs" => ([9_000, 135], Value::Null),
                    "fee_differs" => ([10_000, 300], Value::Null),
                    "unknown_store" => ([10_000, 150], json!({"store_ref": format!("U-{}", self.number)})),
                    _ => ([10_000, 150], Value::Null),
                };
                self.reports(19, figures, beside).await;
                match kind {
                    "duplicate" => drop(self.reports(20, [10_000, 150], Value::Null).await),
                    "chargeback" => drop(self.reports(20, [-10_000, 0], Value::Null).await),
                    "unknown_store" if resolution == "store_id" => return json!({"store_id": self.store}),
                    "unknown_store" => return item,
                    _ => {}
                }
            }
        }
        json!({})
    }

    /// Returns an entry in the notation of the rows.
    fn words(&self, entry: &Value, when: &str) -> String {
        let book = match entry["store_id"].as_str().unwrap() {
            "" => "-",
            store if store == self.store => "S",
            other => other,
        };
        let date = entry["entry_date"].as_str().unwrap();
        let known = [19, 20].into_iter().find(|of| day(*of).to_string() == date).map(|of| of.to_string());
        let line = |line: &Value| {
            let amount = line["debit"].as_i64().unwrap() - line["credit"].as_i64().unwrap();
            format!("{} {amount}", line["account"].as_str().unwrap())
        };
        let lines: Vec<String> = entry["lines"].as_array().unwrap().iter().map(line).collect();
        format!("{book} {} {when}: {}", known.unwrap_or_else(|| "today".to_owned()), lines.join(", "))
    }

    /// Returns the entry in the books: made at once, or with the approval of its settlement or statement.
    async fn entered(&self, done: &Value, waits: bool) -> String {
        if let Some(entry_id) = done["entry_id"].as_str() {
            let entry = self.admin.get(&format!("/api/finance/journal/{entry_id}")).await;
            return self.words(entry.data(), "now");
        }
        if !waits {
            return String::new();
        }
        let (path, kind) = match done["source_id"].as_str() {
            Some(source) if source == self.bank => {
                (format!("/api/statements/{}/approve", done["statement_id"].as_str().unwrap()), "bank")
            }
            _ => {
                let id = settlement(self.admin, &self.store, 18).await["settlement_id"].clone();
                (format!("/api/settlements/{}/approve", id.as_str().unwrap()), "settlement")
            }
        };
        assert_eq!(self.admin.post(&path, &json!({})).await.data()["state"], "approved");
        let path = format!("/api/finance/journal?store_id={}&kind={kind}", self.store);
        let entries = self.admin.get(&path).await.data()["items"].as_array().unwrap().clone();
        assert_eq!(entries.len(), 1, "{entries:?}");
        let path = format!("/api/finance/journal/{}", entries[0]["entry_id"].as_str().unwrap());
        self.words(self.admin.get(&path).await.data(), "waits")
    }

    async fn is(&mut self, [kind, resolution, account, posting]: [&str; 4]) {
        let mut said = self.happens(kind, resolution).await;
        (said["resolution"], said["reason"]) = (json!(resolution), json!("a person knows"));
        if !account.is_empty() {
            said["account"] = json!(account);
        }
        let found = exception(self.admin, kind).await;
        let path = format!("/api/settlement-exceptions/{}/resolve", found["exception_id"].as_str().unwrap());
        let has = ExceptionKind::parse(kind).unwrap().resolutions();
        for other in Resolution::ALL.iter().filter(|other| !has.contains(other)) {
            let odd = json!({"resolution": other, "reason": "x"});
            assert_eq!(
                self.admin.post(&path, &odd).await.refusal(),
                "422 validation_failed",
                "{kind} {other:?}"
            );
        }
        // A fee has a fixed account, and a resolution without a posting has none.
        if posting.is_empty() || kind == "fee_differs" {
            let mut odd = said.clone();
            odd["account"] = json!("6050");
            assert_eq!(
                self.admin.post(&path, &odd).await.refusal(),
                "422 validation_failed",
                "{kind} {resolution}"
            );
        }
        const KEPT: &str = "SELECT (SELECT COUNT(*) FROM journal) + (SELECT COUNT(*) FROM own_audit)";
        let (key, kept) = (format!("key-{}", self.number), self.server.figure(KEPT).await);
        let shown = self.admin.keyed(&format!("{path}?preview=true"), &key, &said).await.data().clone();
        let row = format!("{kind} {resolution} {account}");
        let entries: Vec<String> = shown["posting"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| self.words(entry, if entry["waits"] == true { "waits" } else { "now" }))
            .collect();
        assert_eq!(entries.join("; "), posting, "{row}");
        assert_eq!(exception(self.admin, kind).await, found, "{row}: a preview stores nothing");
        assert_eq!(self.server.figure(KEPT).await, kept, "{row}");
        let done = self.admin.keyed(&path, &key, &said).await;
        assert!(!done.replayed, "{row}");
        let mut pair = [shown, done.data().clone()];
        assert_eq!(pair[1]["posting"], json!([]));
        assert_eq!(self.entered(&pair[1], posting.contains("waits")).await, posting, "{row}");
        for one in &mut pair {
            for own in ["entry_id", "resolved_at", "posting"] {
                one.as_object_mut().unwrap().remove(own);
            }
        }
        assert_eq!(pair[0], pair[1], "{row}");
        assert_eq!((&pair[1]["state"], &pair[1]["resolution"]), (&json!("resolved"), &json!(resolution)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_resolution_posts_what_it_was_shown_to_post() {
    let all = ExceptionKind::ALL.iter();
    let pairs = all.flat_map(|kind| kind.resolutions().iter().map(|one| (kind.name(), one.name())));
    assert_eq!(ROWS.iter().map(|row| (row[0], row[1])).collect::<BTreeSet<_>>(), pairs.collect());
    let server = Server::start().await;
    let admin = server.admin().await;
    let cards = card_source(&admin).await;
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let parking = json!({"of": "bank_text", "key": "parkir", "account": "6050", "from": day(18)});
    admin.post("/api/finance/mappings", &parking).await.data();
    for (number, row) in (1..).zip(ROWS) {
        let store = format!("S{number:03}");
        let shop = Shop::open(&server, &store).await;
        let mut case =
            Case { server: &server, admin: &admin, cards: &cards, bank: &bank, number, shop, store };
        case.is(row).await;
    }
    // Carried, contested and disputed exceptions are not opened again, although each statement matches everything
    // again.
    let open = admin.get("/api/settlement-exceptions?state=open").await.data()["items"].clone();
    let open = open.as_array().unwrap().iter().map(|one| format!("{} {}", one["store_id"], one["type"]));
    // Payments to which no line was assigned are still missing.
    let left = ["S022", "S023", "S024", "S034", "S035", "S036", "S037", "S038"];
    let left = left.map(|store| format!("\"{store}\" \"missing_at_provider\""));
    assert_eq!(open.collect::<BTreeSet<_>>(), BTreeSet::from(left));
    proved(&admin).await;
    let done = server.place.run(&["verify"], "");
    assert!(done.status.success(), "{}", stderr(&done));
}
