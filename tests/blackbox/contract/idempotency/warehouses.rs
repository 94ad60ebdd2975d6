//! The hub's probes of warehouses.

use super::attempt::{Attempt, Probe};
use super::hub_probes::{supplier, switch};
use super::probes::SKU;
use serde_json::{Value, json};
use testkit::hub::Hub;

const STORE: &str = "W100";

pub const WAREHOUSES: &[Probe<Hub>] = &[
    Probe {
        operation: "POST /api/receiving",
        prepare: |hub| {
            filled(hub);
            Attempt::new(hub.login(), "/api/receiving", receipt(1), receipt(2))
        },
    },
    Probe {
        operation: "POST /api/receiving/{id}/reverse",
        prepare: |hub| {
            let path = made(hub, "/api/receiving", &receipt(1), "receiving_id");
            switch(hub, &format!("{path}/reverse"))
        },
    },
    Probe {
        operation: "POST /api/supplier-returns",
        prepare: |hub| {
            filled(hub);
            let supplier_id = supplier(hub, "WR");
            let back = |qty: i64| json!({"store_id": STORE, "supplier_id": supplier_id, "lines": lines(qty)});
            Attempt::new(hub.login(), "/api/supplier-returns", back(1), back(2))
        },
    },
    Probe {
        operation: "POST /api/transfers",
        prepare: |hub| {
            filled(hub);
            Attempt::new(hub.login(), "/api/transfers", transfer(1, false), transfer(2, false))
        },
    },
    Probe {
        operation: "POST /api/transfers/{id}/send",
        prepare: |hub| switch(hub, &format!("{}/send", sent(hub, true))),
    },
    Probe {
        operation: "POST /api/transfers/{id}/cancel",
        prepare: |hub| switch(hub, &format!("{}/cancel", sent(hub, false))),
    },
    Probe {
        operation: "POST /api/transfers/{id}/receive",
        prepare: |hub| {
            let path = format!("{}/receive", sent(hub, false));
            Attempt::new(hub.login(), &path, json!({"lines": lines(1)}), json!({"lines": lines(2)}))
        },
    },
    Probe {
        operation: "POST /api/transfers/{id}/resolve",
        prepare: |hub| {
            let path = sent(hub, false);
            hub.login().post(&format!("{path}/receive"), &json!({"lines": []})).data(200);
            let part = |qty: i64| json!({"lines": [{"sku": SKU, "qty": qty, "resolution": "lost"}]});
            Attempt::new(hub.login(), &format!("{path}/resolve"), part(1), part(2))
        },
    },
    Probe {
        operation: "POST /api/adjustments",
        prepare: |hub| {
            filled(hub);
            Attempt::new(hub.login(), "/api/adjustments", loss(1, false), loss(2, false))
        },
    },
    Probe {
        operation: "POST /api/adjustments/{id}/approve",
        prepare: |hub| switch(hub, &format!("{}/approve", adjusted(hub, true))),
    },
    Probe {
        operation: "POST /api/adjustments/{id}/reject",
        prepare: |hub| switch(hub, &format!("{}/reject", adjusted(hub, true))),
    },
    Probe {
        operation: "POST /api/adjustments/{id}/reverse",
        prepare: |hub| switch(hub, &format!("{}/reverse", adjusted(hub, false))),
    },
    Probe {
        operation: "POST /api/opname",
        prepare: |hub| {
            filled(hub);
            let new = |note: &str| json!({"store_id": STORE, "scope": "skus", "skus": [SKU], "note": note});
            Attempt::new(hub.login(), "/api/opname", new("one"), new("two"))
        },
    },
    Probe {
        operation: "POST /api/opname/{id}/counts",
        prepare: |hub| {
            let path = format!("{}/counts", counting(hub, &[]));
            Attempt::new(hub.login(), &path, counts(1), counts(2))
        },
    },
    Probe {
        operation: "POST /api/opname/{id}/submit",
        prepare: |hub| switch(hub, &format!("{}/submit", counting(hub, &["counts"]))),
    },
    Probe {
        operation: "POST /api/opname/{id}/recount",
        prepare: |hub| {
            let path = format!("{}/recount", counting(hub, &["counts", "submit"]));
            Attempt::new(hub.login(), &path, json!({"skus": [SKU]}), json!({"skus": ["other"]}))
        },
    },
    Probe {
        operation: "POST /api/opname/{id}/post",
        prepare: |hub| {
            let path = format!("{}/post", counting(hub, &["counts"]));
            Attempt::new(hub.login(), &path, json!({}), json!({"accept": true}))
        },
    },
    Probe {
        operation: "POST /api/opname/{id}/cancel",
        prepare: |hub| switch(hub, &format!("{}/cancel", counting(hub, &[]))),
    },
];

/// Puts goods into the warehouse, and creates it first if it does not exist.
fn filled(hub: &Hub) {
    for store_id in [STORE, "W200"] {
        // The warehouse exists already, except on the first call.
        hub.login().post("/api/stores", &json!({"store_id": store_id, "kind": "warehouse"}));
    }
    hub.login().post("/api/receiving", &receipt(100)).data(201);
}

fn lines(qty: i64) -> Value {
    json!([{"sku": SKU, "qty": qty}])
}

fn receipt(qty: i64) -> Value {
    json!({"store_id": STORE, "lines": [{"sku": SKU, "qty": qty, "unit_cost": 5}]})
}

fn transfer(qty: i64, draft: bool) -> Value {
    json!({"store_id": STORE, "to_store_id": "W200", "lines": lines(qty), "draft": draft})
}

fn loss(qty: i64, waits: bool) -> Value {
    json!({"store_id": STORE, "reason": "loss", "lines": lines(-qty), "request_approval": waits})
}

fn counts(qty: i64) -> Value {
    json!({"counts": lines(qty)})
}

/// Creates a document and returns its path.
fn made(hub: &Hub, path: &str, body: &Value, id: &str) -> String {
    filled(hub);
    let made = hub.login().post(path, body).data(201);
    format!("{path}/{}", made[id].as_str().unwrap())
}

fn sent(hub: &Hub, draft: bool) -> String {
    made(hub, "/api/transfers", &transfer(3, draft), "transfer_id")
}

fn adjusted(hub: &Hub, waits: bool) -> String {
    made(hub, "/api/adjustments", &loss(1, waits), "adjustment_id")
}

/// Creates a count, takes it through the steps and returns its path. Earlier counts are cancelled.
fn counting(hub: &Hub, steps: &[&str]) -> String {
    let mut client = hub.login();
    for state in ["counting", "review"] {
        let open = client.get(&format!("/api/opname?state={state}")).data(200);
        for opname in open["items"].as_array().unwrap() {
            let path = format!("/api/opname/{}/cancel", opname["opname_id"].as_str().unwrap());
            client.post(&path, &json!({})).data(200);
        }
    }
    let new = json!({"store_id": STORE, "scope": "skus", "skus": [SKU]});
    let path = made(hub, "/api/opname", &new, "opname_id");
    for step in steps {
        let body = if *step == "counts" { counts(7) } else { json!({}) };
        client.post(&format!("{path}/{step}"), &body).data(200);
    }
    path
}
