//! The hub's probes of entries that people make in the books.

use super::attempt::{Attempt, Probe};
use serde_json::{Value, json};
use testkit::hub::Hub;

const JOURNAL: &str = "/api/finance/journal";
/// Day in a month that is over.
const DAY: &str = "2020-02-03";

pub const BOOKS: &[Probe<Hub>] = &[
    Probe {
        operation: "POST /api/finance/accounts",
        prepare: |hub| {
            let account = |number: &str| json!({"account": number, "name": "Probe", "type": "expense"});
            Attempt::new(hub.login(), "/api/finance/accounts", account("6901"), account("6902"))
        },
    },
    Probe {
        operation: "PATCH /api/finance/accounts/{account}",
        prepare: |hub| {
            let name = |name: &str| json!({"name": name});
            Attempt::new(hub.login(), "/api/finance/accounts/6901", name("One"), name("Two"))
        },
    },
    Probe {
        operation: "POST /api/finance/mappings",
        prepare: |hub| {
            let mapping =
                |key: &str| json!({"of": "cash_reason", "key": key, "account": "6901", "from": DAY});
            Attempt::new(hub.login(), "/api/finance/mappings", mapping("one"), mapping("two"))
        },
    },
    Probe {
        operation: "DELETE /api/finance/mappings/{id}",
        prepare: |hub| {
            let mut client = hub.login();
            let mapping = json!({"of": "cash_reason", "key": "gone", "account": "6901", "from": DAY});
            let made = client.post("/api/finance/mappings", &mapping).data(201);
            let path = format!("/api/finance/mappings/{}", made["mapping_id"].as_str().unwrap());
            Attempt { other: "{ }".to_owned(), ..Attempt::new(client, &path, json!({}), json!({})) }
        },
    },
    Probe {
        operation: "POST /api/finance/journal",
        prepare: |hub| Attempt::new(hub.login(), JOURNAL, entry("one"), entry("two")),
    },
    Probe {
        operation: "POST /api/finance/journal/{entry_id}/reverse",
        prepare: |hub| {
            let mut client = hub.login();
            let made = client.post(JOURNAL, &entry("a slip")).data(201);
            let path = format!("{JOURNAL}/{}/reverse", made["entry_id"].as_str().unwrap());
            Attempt::new(client, &path, because("one"), because("two"))
        },
    },
    Probe {
        operation: "POST /api/finance/exports",
        prepare: |hub| {
            let lines = |most: i64| json!({"format": "csv", "lines_max": most});
            Attempt::new(hub.login(), "/api/finance/exports", lines(100), lines(200))
        },
    },
    Probe {
        operation: "POST /api/finance/opening",
        prepare: |hub| {
            let opening = |amount: i64| json!({"store_id": "", "date": DAY, "lines": [{"account": "1040", "debit": amount}]});
            Attempt::new(hub.login(), "/api/finance/opening", opening(100), opening(200))
        },
    },
    Probe {
        operation: "POST /api/finance/proofs",
        prepare: |hub| {
            let attempt = Attempt::new(hub.login(), "/api/finance/proofs", json!({}), json!({}));
            Attempt { other: "{ }".to_owned(), ..attempt }
        },
    },
    Probe {
        operation: "POST /api/finance/days/{date}/lock",
        prepare: |hub| {
            let lock = |reason: &str| json!({"store_ids": [""], "reason": reason});
            Attempt::new(hub.login(), "/api/finance/days/2020-02-10/lock", lock("one"), lock("two"))
        },
    },
    Probe {
        operation: "POST /api/finance/days/{date}/unlock",
        prepare: |hub| {
            Attempt::new(hub.login(), "/api/finance/days/2020-02-10/unlock", because("one"), because("two"))
        },
    },
    Probe {
        operation: "POST /api/finance/periods/{month}/close",
        prepare: |hub| {
            let close = |reason: &str| json!({"force": true, "reason": reason});
            Attempt::new(hub.login(), "/api/finance/periods/2020-02/close", close("one"), close("two"))
        },
    },
    Probe {
        operation: "POST /api/finance/periods/{month}/reopen",
        prepare: |hub| {
            Attempt::new(hub.login(), "/api/finance/periods/2020-02/reopen", because("one"), because("two"))
        },
    },
];

fn entry(memo: &str) -> Value {
    let lines = json!([{"account": "6050", "debit": 5}, {"account": "1040", "credit": 5}]);
    json!({"date": DAY, "memo": memo, "lines": lines})
}

fn because(reason: &str) -> Value {
    json!({"reason": reason})
}
