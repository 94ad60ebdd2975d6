//! The hub's probes of settlement: sources, statements, matches and approvals.

use super::attempt::{Attempt, Probe};
use jiff::civil::Date;
use serde_json::{Value, json};
use testkit::hub::Hub;
use testkit::simulated::Shop;

const SOURCES: &str = "/api/statement-sources";
const STATEMENTS: &str = "/api/statements";
const SETTLEMENTS: &str = "/api/settlements";
const MATCHES: &str = "/api/settlement-matches";

pub const SETTLEMENT: &[Probe<Hub>] = &[
    Probe {
        operation: "POST /api/statement-sources",
        prepare: |hub| {
            let source = |name: &str| json!({"name": name, "kind": "provider", "methods": [name]});
            Attempt::new(hub.login(), SOURCES, source("one"), source("two"))
        },
    },
    Probe {
        operation: "PATCH /api/statement-sources/{id}",
        prepare: |hub| {
            let days = |days: i64| json!({"window_days": days});
            Attempt::new(hub.login(), &format!("{SOURCES}/src_default"), days(5), days(6))
        },
    },
    Probe {
        operation: "POST /api/statements",
        prepare: |hub| {
            Attempt::new(hub.login(), STATEMENTS, reported("one", "sale"), reported("two", "sale"))
        },
    },
    Probe {
        operation: "POST /api/settlement-exceptions/{id}/resolve",
        prepare: |hub| {
            let mut client = hub.login();
            client.post(STATEMENTS, &reported("a slip", "sale")).data(201);
            let open = client.get("/api/settlement-exceptions?state=open").data(200);
            let id = open["items"][0]["exception_id"].as_str().unwrap();
            let carry = |reason: &str| json!({"resolution": "carry", "reason": reason});
            let path = format!("/api/settlement-exceptions/{id}/resolve");
            Attempt::new(client, &path, carry("one"), carry("two"))
        },
    },
    Probe {
        operation: "POST /api/statements/{id}/approve",
        prepare: |hub| {
            let made = hub.login().post(STATEMENTS, &reported("a fee", "fee")).data(201);
            switch(hub, &format!("{STATEMENTS}/{}/approve", made["statement_id"].as_str().unwrap()))
        },
    },
    Probe {
        operation: "POST /api/statements/{id}/set-aside/{row_id}/take",
        prepare: |hub| {
            let take = |reason: &str| json!({"amount": 12_345, "reason": reason});
            Attempt::new(hub.login(), &set_aside(hub, "take"), take("one"), take("two"))
        },
    },
    Probe {
        operation: "POST /api/statements/{id}/set-aside/{row_id}/dismiss",
        prepare: |hub| {
            let dismiss = |reason: &str| json!({"reason": reason});
            Attempt::new(hub.login(), &set_aside(hub, "dismiss"), dismiss("one"), dismiss("two"))
        },
    },
    Probe {
        operation: "POST /api/settlements",
        prepare: |hub| Attempt::new(hub.login(), SETTLEMENTS, settled(5), settled(6)),
    },
    Probe {
        operation: "POST /api/settlement-matches",
        prepare: |hub| {
            let pair = bag(hub, "S301");
            let because = |reason: &str| {
                json!({"source_id": "src_default", "line_ids": [pair[0]], "item_ids": [pair[1]],
                "reason": reason})
            };
            Attempt::new(hub.login(), MATCHES, because("one"), because("two"))
        },
    },
    Probe {
        operation: "POST /api/settlement-matches/{id}/undo",
        prepare: |hub| {
            let [line_id, item_id] = bag(hub, "S302");
            let body = json!({"source_id": "src_default", "line_ids": [line_id], "item_ids": [item_id],
                "reason": "a probe"});
            let made = hub.login().post(MATCHES, &body).data(201);
            let path = format!("{MATCHES}/{}/undo", made["match_id"].as_str().unwrap());
            Attempt::new(hub.login(), &path, json!({"reason": "one"}), json!({"reason": "two"}))
        },
    },
    Probe {
        operation: "POST /api/settlements/{id}/match",
        prepare: |hub| switch(hub, &format!("{}/match", made(hub, 7))),
    },
    Probe {
        operation: "POST /api/settlements/{id}/statements",
        prepare: |hub| {
            let path = format!("{}/statements", made(hub, 9));
            Attempt::new(hub.login(), &path, reported("three", "sale"), reported("four", "sale"))
        },
    },
    Probe {
        operation: "POST /api/settlements/{id}/approve",
        prepare: |hub| {
            let path = format!("{}/approve", made(hub, 8));
            Attempt::new(hub.login(), &path, json!({"note": "one"}), json!({"note": "two"}))
        },
    },
];

/// Imports a row that can't be read, and returns the path of a decision about it.
fn set_aside(hub: &Hub, what: &str) -> String {
    let file = format!("date,reference,amount\n{0},{what} good,1\n{0},{what} bad,x\n", yesterday());
    let made =
        hub.login().send("POST", STATEMENTS, &[("Content-Type", "text/csv")], file.as_bytes()).data(201);
    let row = &made["rows_set_aside"][0]["row_id"];
    format!(
        "{STATEMENTS}/{}/set-aside/{}/{what}",
        made["statement_id"].as_str().unwrap(),
        row.as_str().unwrap()
    )
}

/// Creates a statement line and the store's bag that it matches.
fn bag(hub: &Hub, store: &'static str) -> [String; 2] {
    let (today, now) = (day(9), edge::clock::now());
    let item_id = format!("dep_{store}");
    let deposit = json!({"deposit_id": item_id, "amount": 4_900, "reverses": null, "reason": null, "bag_no": store,
        "bank_account": "x", "deposited_at": now, "business_date": today, "user_id": "usr_1", "at": now});
    let payload = json!({"business_date": today, "deposit": deposit});
    Shop::open(hub, store).tells("cash.deposited", &format!("evt_{store}"), &payload);
    let mut client = hub.login();
    let made = client.post(STATEMENTS, &reported(store, "sale")).data(201);
    let lines =
        client.get(&format!("{STATEMENTS}/{}/lines", made["statement_id"].as_str().unwrap())).data(200);
    [lines["items"][0]["line_id"].as_str().unwrap().to_owned(), item_id]
}

/// Returns a day of a month that is over and whose books are not locked.
fn day(of: i8) -> Date {
    jiff::civil::date(2020, 3, of)
}

fn yesterday() -> Date {
    let today = edge::clock::now().timestamp().to_zoned(jiff::tz::TimeZone::UTC).date();
    today.yesterday().unwrap()
}

/// Returns a statement line of yesterday.
fn reported(reference: &str, kind: &str) -> Value {
    let yesterday = yesterday();
    let amount = i64::from(kind == "sale") * 5_000;
    let line = json!({"date": yesterday, "reference": reference, "type": kind, "gross": amount, "fee": 100});
    json!({"lines": [line]})
}

fn settled(of: i8) -> Value {
    json!({"store_id": "S100", "business_date": day(of), "force": true, "reason": "a probe"})
}

/// Creates a settlement and returns its path.
fn made(hub: &Hub, of: i8) -> String {
    let made = hub.login().post(SETTLEMENTS, &settled(of)).data(201);
    format!("{SETTLEMENTS}/{}", made["settlement_id"].as_str().unwrap())
}

fn switch(hub: &Hub, path: &str) -> Attempt {
    Attempt { other: "{ }".to_owned(), ..Attempt::new(hub.login(), path, json!({}), json!({})) }
}
