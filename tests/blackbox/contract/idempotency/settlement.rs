//! The hub's probes of settlement: sources, statements, matches and approvals.

use super::attempt::{Attempt, Probe};
use jiff::civil::Date;
use serde_json::{Value, json};
use testkit::hub::Hub;

const SOURCES: &str = "/api/statement-sources";
const STATEMENTS: &str = "/api/statements";
const SETTLEMENTS: &str = "/api/settlements";

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
        prepare: |hub| Attempt::new(hub.login(), STATEMENTS, told("one", "sale"), told("two", "sale")),
    },
    Probe {
        operation: "POST /api/settlement-exceptions/{id}/resolve",
        prepare: |hub| {
            let mut client = hub.login();
            client.post(STATEMENTS, &told("a slip", "sale")).data(201);
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
            let made = hub.login().post(STATEMENTS, &told("a fee", "fee")).data(201);
            switch(hub, &format!("{STATEMENTS}/{}/approve", made["statement_id"].as_str().unwrap()))
        },
    },
    Probe {
        operation: "POST /api/settlements",
        prepare: |hub| Attempt::new(hub.login(), SETTLEMENTS, settled(5), settled(6)),
    },
    Probe {
        operation: "POST /api/settlements/{id}/match",
        prepare: |hub| switch(hub, &format!("{}/match", made(hub, 7))),
    },
    Probe {
        operation: "POST /api/settlements/{id}/approve",
        prepare: |hub| {
            let path = format!("{}/approve", made(hub, 8));
            Attempt::new(hub.login(), &path, json!({"note": "one"}), json!({"note": "two"}))
        },
    },
];

/// A day of a month that is over, whose books nobody has locked.
fn day(of: i8) -> Date {
    jiff::civil::date(2020, 3, of)
}

/// A line of yesterday.
fn told(reference: &str, kind: &str) -> Value {
    let today = edge::clock::now().timestamp().to_zoned(jiff::tz::TimeZone::UTC).date();
    let yesterday = today.yesterday().unwrap();
    let amount = i64::from(kind == "sale") * 5_000;
    let line = json!({"date": yesterday, "reference": reference, "type": kind, "gross": amount, "fee": 100});
    json!({"lines": [line]})
}

fn settled(of: i8) -> Value {
    json!({"store_id": "S100", "business_date": day(of), "force": true, "reason": "a probe"})
}

/// The path of a settlement.
fn made(hub: &Hub, of: i8) -> String {
    let made = hub.login().post(SETTLEMENTS, &settled(of)).data(201);
    format!("{SETTLEMENTS}/{}", made["settlement_id"].as_str().unwrap())
}

fn switch(hub: &Hub, path: &str) -> Attempt {
    Attempt { other: "{ }".to_owned(), ..Attempt::new(hub.login(), path, json!({}), json!({})) }
}
