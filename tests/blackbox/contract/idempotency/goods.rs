//! Probes of commands for stock: receiving, returns to suppliers, adjustments, transfers and counts.

use super::attempt::{Attempt, Probe};
use crate::head_office::apply_feed;
use serde_json::{Value, json};
use testkit::Store;
use testkit::goods::{SKU, arrived, coming};

pub const GOODS: &[Probe<Store>] = &[
    Probe {
        operation: "POST /api/products",
        prepare: |store| {
            let new = |price: i64| json!({"sku": "P901", "name": "Probe", "price": price});
            Attempt::new(store.login("manager"), "/api/products", new(1), new(2))
        },
    },
    Probe {
        operation: "PATCH /api/products/{sku}",
        prepare: |store| {
            let priced = |price: i64| json!({"price": price});
            Attempt::new(store.login("manager"), "/api/products/P901", priced(3), priced(4))
        },
    },
    Probe {
        operation: "PATCH /api/admin/settings",
        prepare: |store| {
            let days = |days: u32| json!({"points.restore_days": days});
            Attempt::new(store.login("manager"), "/api/admin/settings", days(11), days(12))
        },
    },
    Probe {
        operation: "POST /api/products/import",
        prepare: |store| {
            let row = |price: &str| format!("sku,name,price\nP902,Probe,{price}\n");
            file(store, "/api/products/import", row)
        },
    },
    Probe {
        operation: "POST /api/stock/opening",
        prepare: |store| {
            let lines = |qty: i64| json!({"lines": [{"sku": "P901", "qty": qty, "unit_cost": 1}]});
            Attempt::new(store.login("manager"), "/api/stock/opening", lines(1), lines(2))
        },
    },
    Probe {
        operation: "POST /api/stock/opening/import",
        prepare: |store| {
            let row = |qty: &str| format!("sku,qty,unit_cost\nP902,{qty},1\n");
            file(store, "/api/stock/opening/import", row)
        },
    },
    Probe {
        operation: "POST /api/receiving/{id}/resubmit",
        prepare: |store| {
            let lines = |cost: i64| json!({"lines": [{"sku": SKU, "qty": 1, "unit_cost": cost}]});
            let made = store.login("manager").post("/api/receiving", &lines(100)).data(201);
            let status = store.login("manager").get("/api/sync/status").data(200);
            let note = json!({"epoch": "1-00000000000000aa", "seq": 1, "event_id": "evt_1", "code": "out_of_bounds",
                "message": "line 1: cost is too high", "parked_at": "2026-11-20T02:06:34.739Z",
                "type": "receiving.posted", "business_date": null, "amount": null,
                "receiving_id": made["receiving_id"], "named_in": status["outbox"]["epoch"]});
            apply_feed(store, &json!({"parked": note}));
            let path = format!("/api/receiving/{}/resubmit", made["receiving_id"].as_str().unwrap());
            Attempt::new(store.login("manager"), &path, lines(10), lines(11))
        },
    },
    Probe {
        operation: "POST /api/receiving/{id}/reverse",
        prepare: |store| {
            let body = json!({"lines": [{"sku": SKU, "qty": 1, "unit_cost": 100}]});
            let made = store.login("manager").post("/api/receiving", &body).data(201);
            step(store, "receiving", &made["receiving_id"], "reverse")
        },
    },
    Probe {
        operation: "PATCH /api/stock/{sku}",
        prepare: |store| {
            let level = |level: i64| json!({"reorder_level": level});
            Attempt::new(store.login("warehouse"), &format!("/api/stock/{SKU}"), level(7), level(8))
        },
    },
    Probe {
        operation: "POST /api/supplier-returns",
        prepare: |store| {
            let back = |qty: i64| json!({"supplier_id": "sup_1", "lines": [{"sku": SKU, "qty": qty}]});
            Attempt::new(store.login("warehouse"), "/api/supplier-returns", back(1), back(2))
        },
    },
    Probe {
        operation: "POST /api/adjustments",
        prepare: |store| {
            Attempt::new(
                store.login("warehouse"),
                "/api/adjustments",
                adjustment_body(1, false),
                adjustment_body(2, false),
            )
        },
    },
    Probe {
        operation: "POST /api/adjustments/{id}/approve",
        prepare: |store| step(store, "adjustments", &create_adjustment(store, true), "approve"),
    },
    Probe {
        operation: "POST /api/adjustments/{id}/reject",
        prepare: |store| step(store, "adjustments", &create_adjustment(store, true), "reject"),
    },
    Probe {
        operation: "POST /api/adjustments/{id}/reverse",
        prepare: |store| step(store, "adjustments", &create_adjustment(store, false), "reverse"),
    },
    Probe {
        operation: "POST /api/transfers",
        prepare: |store| {
            Attempt::new(
                store.login("warehouse"),
                "/api/transfers",
                transfer_body(1, false),
                transfer_body(2, false),
            )
        },
    },
    Probe {
        operation: "POST /api/transfers/{id}/send",
        prepare: |store| step(store, "transfers", &create_transfer(store, true)["transfer_id"], "send"),
    },
    Probe {
        operation: "POST /api/transfers/{id}/receive",
        prepare: |store| {
            apply_feed(store, &json!({"transfer": coming("trf_probe", 5)}));
            let arrived = |qty: i64| json!({"lines": [{"sku": SKU, "qty": qty}]});
            let path = "/api/transfers/trf_probe/receive";
            Attempt::new(store.login("warehouse"), path, arrived(5), arrived(4))
        },
    },
    Probe {
        operation: "POST /api/transfers/{id}/resolve",
        prepare: |store| {
            let sent = create_transfer(store, false);
            apply_feed(store, &json!({"transfer": arrived(&sent, 0)}));
            let lost = |qty: i64| json!({"lines": [{"sku": SKU, "qty": qty, "resolution": "lost"}]});
            let path = format!("/api/transfers/{}/resolve", sent["transfer_id"].as_str().unwrap());
            Attempt::new(store.login("manager"), &path, lost(1), lost(2))
        },
    },
    Probe {
        operation: "POST /api/transfers/{id}/cancel",
        prepare: |store| step(store, "transfers", &create_transfer(store, false)["transfer_id"], "cancel"),
    },
    Probe {
        operation: "POST /api/opname",
        prepare: |store| {
            let skus = |sku: &str| json!({"scope": "skus", "skus": [sku]});
            Attempt::new(store.login("warehouse"), "/api/opname", skus("8990009"), skus("8990010"))
        },
    },
    Probe {
        operation: "POST /api/opname/{id}/counts",
        prepare: |store| {
            let counts = |qty: i64| json!({"counts": [{"sku": "8990004", "qty": qty}]});
            let path = format!("/api/opname/{}/counts", start_count(store, "8990004").as_str().unwrap());
            Attempt::new(store.login("warehouse"), &path, counts(1), counts(2))
        },
    },
    Probe {
        operation: "POST /api/opname/{id}/submit",
        prepare: |store| step(store, "opname", &start_count(store, "8990005"), "submit"),
    },
    Probe {
        operation: "POST /api/opname/{id}/recount",
        prepare: |store| {
            let path = format!("/api/opname/{}", start_count(store, "8990006").as_str().unwrap());
            let mut client = store.login("warehouse");
            let counts = json!({"counts": [{"sku": "8990006", "qty": 1}]});
            client.post(&format!("{path}/counts"), &counts).data(200);
            client.post(&format!("{path}/submit"), &json!({})).data(200);
            let skus = |skus: &[&str]| json!({"skus": skus});
            let (body, other) = (skus(&["8990006"]), skus(&["8990006", "8990007"]));
            Attempt::new(client, &format!("{path}/recount"), body, other)
        },
    },
    Probe {
        operation: "POST /api/opname/{id}/post",
        prepare: |store| step(store, "opname", &start_count(store, "8990007"), "post"),
    },
    Probe {
        operation: "POST /api/opname/{id}/cancel",
        prepare: |store| step(store, "opname", &start_count(store, "8990008"), "cancel"),
    },
];

/// Makes an attempt that uploads a file of one row with a figure.
fn file(store: &Store, path: &str, row: impl Fn(&str) -> String) -> Attempt {
    Attempt {
        client: store.login("manager"),
        path: path.to_owned(),
        media_type: "text/csv",
        refused: row("much"),
        body: row("1"),
        other: row("2"),
    }
}

/// Makes an attempt at a step of a document, by a manager and without fields. The other body differs only by a space.
fn step(store: &Store, noun: &str, id: &Value, step: &str) -> Attempt {
    let path = format!("/api/{noun}/{}/{step}", id.as_str().unwrap());
    Attempt { other: "{ }".to_owned(), ..Attempt::new(store.login("manager"), &path, json!({}), json!({})) }
}

fn adjustment_body(qty: i64, request_approval: bool) -> Value {
    let lines = json!([{"sku": SKU, "qty": qty}]);
    json!({"reason": "found", "lines": lines, "request_approval": request_approval})
}

fn create_adjustment(store: &Store, request_approval: bool) -> Value {
    let made =
        store.login("warehouse").post("/api/adjustments", &adjustment_body(1, request_approval)).data(201);
    made["adjustment_id"].clone()
}

fn transfer_body(qty: i64, draft: bool) -> Value {
    json!({"to_store_id": "S002", "lines": [{"sku": SKU, "qty": qty}], "draft": draft})
}

fn create_transfer(store: &Store, draft: bool) -> Value {
    store.login("warehouse").post("/api/transfers", &transfer_body(3, draft)).data(201)
}

fn start_count(store: &Store, sku: &str) -> Value {
    let body = json!({"scope": "skus", "skus": [sku]});
    store.login("warehouse").post("/api/opname", &body).data(201)["opname_id"].clone()
}
