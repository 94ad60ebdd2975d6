//! The hub's probes of orders, price lists, invoices and payments.

use super::attempt::{Attempt, Probe};
use super::hub_probes::{ordered, received, supplier, switch};
use super::probes::SKU;
use serde_json::{Value, json};
use testkit::hub::Hub;
use testkit::simulated::Shop;

const INVOICES: &str = "/api/finance/invoices";
const PAYMENTS: &str = "/api/finance/payments";
const DAY: &str = "2026-11-02";

pub const PURCHASING: &[Probe<Hub>] = &[
    Probe {
        operation: "POST /api/purchase-orders/{id}/submit",
        prepare: |hub| switch(hub, &format!("{}/submit", ordered(hub, "S100", "SU", &[]))),
    },
    Probe {
        operation: "POST /api/purchase-orders/{id}/reject",
        prepare: |hub| because(hub, &format!("{}/reject", ordered(hub, "S100", "RJ", &["submit"]))),
    },
    Probe {
        operation: "POST /api/purchase-orders/{id}/revise",
        prepare: |hub| {
            let path = format!("{}/revise", ordered(hub, "S100", "RV", &["approve", "send"]));
            let lines = json!([{"line_no": 1, "sku": SKU, "qty": 1, "unit_cost": 4}]);
            let revise = |reason: &str| json!({"revision": 0, "lines": lines, "reason": reason});
            Attempt::new(hub.login(), &path, revise("one"), revise("two"))
        },
    },
    Probe {
        operation: "POST /api/purchase-orders/{id}/lines/{line_no}/close",
        prepare: |hub| because(hub, &format!("{}/lines/1/close", two_lines(hub, "LC"))),
    },
    Probe {
        operation: "POST /api/purchase-orders/{id}/lines/{line_no}/open",
        prepare: |hub| {
            let path = two_lines(hub, "LO");
            hub.login().post(&format!("{path}/lines/1/close"), &json!({"reason": "x"})).data(200);
            because(hub, &format!("{path}/lines/1/open"))
        },
    },
    Probe {
        operation: "POST /api/purchase-orders/suggestions",
        prepare: |hub| {
            let ask = |store: &str| json!({"store_id": store});
            Attempt::new(hub.login(), "/api/purchase-orders/suggestions", ask("S100"), ask("S200"))
        },
    },
    Probe {
        operation: "POST /api/suppliers/{id}/products",
        prepare: |hub| {
            let path = format!("/api/suppliers/{}/products", supplier(hub, "PL"));
            Attempt::new(hub.login(), &path, priced(1), priced(2))
        },
    },
    Probe {
        operation: "PATCH /api/suppliers/{id}/products/{row_id}",
        prepare: |hub| {
            let path = format!("/api/suppliers/{}/products", supplier(hub, "PC"));
            let made = hub.login().post(&path, &priced(3)).data(201);
            let path = format!("{path}/{}", made["row_id"].as_str().unwrap());
            Attempt::new(hub.login(), &path, json!({"unit_cost": 4}), json!({"unit_cost": 5}))
        },
    },
    Probe {
        operation: "POST /api/suppliers/{id}/products/import",
        prepare: |hub| {
            let rows = |cost: &str| format!("sku,unit_cost\n{SKU},{cost}\n");
            Attempt {
                client: hub.login(),
                path: format!("/api/suppliers/{}/products/import", supplier(hub, "PI")),
                media_type: "text/csv",
                refused: rows("much"),
                body: rows("1"),
                other: rows("2"),
            }
        },
    },
    Probe {
        operation: "POST /api/finance/invoices",
        prepare: |hub| {
            let supplier = supplier(hub, "I1");
            Attempt::new(hub.login(), INVOICES, bill(&supplier, "A-1"), bill(&supplier, "A-2"))
        },
    },
    Probe {
        operation: "PATCH /api/finance/invoices/{id}",
        prepare: |hub| {
            let supplier = supplier(hub, "I2");
            let path = billed(hub, &supplier, &[]);
            Attempt::new(hub.login(), &path, bill(&supplier, "B-1"), bill(&supplier, "B-2"))
        },
    },
    Probe {
        operation: "POST /api/finance/invoices/{id}/match",
        prepare: |hub| {
            let supplier = supplier(hub, "I3");
            let path = format!("{}/match", billed(hub, &supplier, &[]));
            Attempt::new(hub.login(), &path, json!({}), json!({"accept": []}))
        },
    },
    Probe {
        operation: "POST /api/finance/invoices/{id}/dispute",
        prepare: |hub| {
            let supplier = supplier(hub, "I4");
            because(hub, &format!("{}/dispute", billed(hub, &supplier, &[])))
        },
    },
    Probe {
        operation: "POST /api/finance/invoices/{id}/approve",
        prepare: |hub| {
            let supplier = supplier(hub, "I5");
            switch(hub, &format!("{}/approve", billed(hub, &supplier, &["match"])))
        },
    },
    Probe {
        operation: "POST /api/finance/invoices/{id}/cancel",
        prepare: |hub| {
            let supplier = supplier(hub, "I6");
            because(hub, &format!("{}/cancel", billed(hub, &supplier, &[])))
        },
    },
    Probe {
        operation: "POST /api/finance/payments",
        prepare: |hub| {
            let supplier = supplier(hub, "P1");
            Attempt::new(hub.login(), PAYMENTS, payment(&supplier, 100), payment(&supplier, 200))
        },
    },
    Probe {
        operation: "POST /api/finance/payments/{id}/allocate",
        prepare: |hub| {
            let supplier = supplier(hub, "P2");
            let invoice = billed(hub, &supplier, &["match", "approve"]);
            let path = format!("{}/allocate", paid(hub, &supplier));
            let some = |amount: i64| {
                let invoice_id = invoice.rsplit('/').next().unwrap();
                json!({"allocations": [{"invoice_id": invoice_id, "amount": amount}]})
            };
            Attempt::new(hub.login(), &path, some(10), some(20))
        },
    },
    Probe {
        operation: "POST /api/finance/payments/{id}/reverse",
        prepare: |hub| {
            let supplier = supplier(hub, "P3");
            because(hub, &format!("{}/reverse", paid(hub, &supplier)))
        },
    },
    Probe {
        operation: "POST /api/finance/credit-notes",
        prepare: |hub| {
            let (supplier, invoice) = owed(hub, "N1");
            let path = "/api/finance/credit-notes";
            Attempt::new(
                hub.login(),
                path,
                credit(&supplier, &invoice, "A"),
                credit(&supplier, &invoice, "B"),
            )
        },
    },
    Probe {
        operation: "POST /api/finance/credit-notes/{id}/approve",
        prepare: |hub| switch(hub, &format!("{}/approve", credited(hub, "N2", &[]).0)),
    },
    Probe {
        operation: "POST /api/finance/credit-notes/{id}/cancel",
        prepare: |hub| because(hub, &format!("{}/cancel", credited(hub, "N3", &[]).0)),
    },
    Probe {
        operation: "POST /api/finance/credit-notes/{id}/apply",
        prepare: |hub| {
            let (path, invoice_id) = credited(hub, "N4", &["approve"]);
            let some = |amount: i64| json!({"allocations": [{"invoice_id": invoice_id, "amount": amount}]});
            Attempt::new(hub.login(), &format!("{path}/apply"), some(1), some(2))
        },
    },
    Probe {
        operation: "POST /api/finance/credit-notes/{id}/confirm",
        prepare: |hub| {
            let path = format!("{}/confirm", went_back(hub));
            let paper = |number: &str| json!({"credit_note_no": number, "date": DAY, "net": 5, "tax": 0});
            Attempt::new(hub.login(), &path, paper("one"), paper("two"))
        },
    },
    Probe {
        operation: "POST /api/finance/uninvoiced/close",
        prepare: |hub| {
            let mut shop = Shop::open(hub, "S500");
            shop.tells("receiving.posted", "evt_r", &received("S500", "po_none"));
            let lines = json!([{"receiving_id": "rcv_1", "line_no": 1}]);
            let close = |reason: &str| json!({"store_id": "S500", "lines": lines, "reason": reason});
            Attempt::new(hub.login(), "/api/finance/uninvoiced/close", close("one"), close("two"))
        },
    },
];

fn because(hub: &Hub, path: &str) -> Attempt {
    Attempt::new(hub.login(), path, json!({"reason": "one"}), json!({"reason": "two"}))
}

/// Creates and sends an order of two lines, and returns its path.
fn two_lines(hub: &Hub, code: &str) -> String {
    let mut client = hub.login();
    let lines = json!([{"sku": SKU, "qty": 1, "unit_cost": 5}, {"sku": SKU, "qty": 1, "unit_cost": 6}]);
    let order = json!({"supplier_id": supplier(hub, code), "store_id": "S100", "lines": lines});
    let made = client.post("/api/purchase-orders", &order).data(201);
    let path = format!("/api/purchase-orders/{}", made["po_id"].as_str().unwrap());
    for step in ["approve", "send"] {
        client.post(&format!("{path}/{step}"), &json!({})).data(200);
    }
    path
}

fn priced(unit_cost: i64) -> Value {
    json!({"sku": SKU, "unit_cost": unit_cost})
}

/// Returns an invoice for an expense, which is not matched with a receipt.
fn bill(supplier_id: &str, invoice_no: &str) -> Value {
    let lines = json!([{"account": "6060", "qty": 1, "unit_cost": 100}]);
    json!({"supplier_id": supplier_id, "invoice_no": invoice_no, "invoice_date": DAY, "lines": lines})
}

/// Creates an invoice, takes it through the steps and returns its path.
fn billed(hub: &Hub, supplier_id: &str, steps: &[&str]) -> String {
    let mut client = hub.login();
    let made = client.post(INVOICES, &bill(supplier_id, "C-1")).data(201);
    let path = format!("{INVOICES}/{}", made["invoice_id"].as_str().unwrap());
    for step in steps {
        client.post(&format!("{path}/{step}"), &json!({})).data(200);
    }
    path
}

fn payment(supplier_id: &str, amount: i64) -> Value {
    json!({"supplier_id": supplier_id, "date": DAY, "account": "1040", "amount": amount})
}

/// Creates a payment that settles nothing yet, and returns its path.
fn paid(hub: &Hub, supplier_id: &str) -> String {
    let made = hub.login().post(PAYMENTS, &payment(supplier_id, 500)).data(201);
    format!("{PAYMENTS}/{}", made["payment_id"].as_str().unwrap())
}

/// Creates a supplier and an invoice in the books.
fn owed(hub: &Hub, code: &str) -> (String, String) {
    let supplier = supplier(hub, code);
    let path = billed(hub, &supplier, &["match", "approve"]);
    (supplier, path.rsplit('/').next().unwrap().to_owned())
}

fn credit(supplier_id: &str, invoice_id: &str, number: &str) -> Value {
    json!({"supplier_id": supplier_id, "credit_note_no": number, "date": DAY, "kind": "price",
        "invoice_id": invoice_id, "lines": [{"net": 9}]})
}

/// Creates a credit note, takes it through the steps, and returns its path and that of its invoice.
fn credited(hub: &Hub, code: &str, steps: &[&str]) -> (String, String) {
    let (supplier, invoice_id) = owed(hub, code);
    let mut client = hub.login();
    let made = client.post("/api/finance/credit-notes", &credit(&supplier, &invoice_id, "C-1")).data(201);
    let path = format!("/api/finance/credit-notes/{}", made["credit_note_id"].as_str().unwrap());
    for step in steps {
        client.post(&format!("{path}/{step}"), &json!({})).data(200);
    }
    (path, invoice_id)
}

/// Returns the path of the credit note that is expected for a piece that was returned after it was billed.
fn went_back(hub: &Hub) -> String {
    let supplier_id = supplier(hub, "N5");
    let mut shop = Shop::open(hub, "S600");
    let mut came = received("S600", "po_none");
    came["receiving"]["supplier_id"] = json!(supplier_id);
    shop.tells("receiving.posted", "evt_r", &came);
    let mut bill = bill(&supplier_id, "D-1");
    bill["lines"] = json!([{"receiving_id": "rcv_1", "receiving_line_no": 1, "store_id": "S600", "qty": 1,
        "unit_cost": 5}]);
    let mut client = hub.login();
    let made = client.post(INVOICES, &bill).data(201);
    for step in ["match", "approve"] {
        client
            .post(&format!("{INVOICES}/{}/{step}", made["invoice_id"].as_str().unwrap()), &json!({}))
            .data(200);
    }
    let line = json!({"line_no": 1, "sku": SKU, "name": "x", "qty": 1, "claim": 5, "stock_cost": 5,
        "balance_after": 0});
    let document = json!({"supplier_return_id": "srt_1", "store_id": "S600", "supplier_id": supplier_id,
        "reference": null, "bucket": "on_hand", "lines": [line], "claim": 5, "stock_cost": 5, "note": null,
        "business_date": "2026-11-20", "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z"});
    shop.tells(
        "supplier_return.posted",
        "evt_s",
        &json!({"business_date": "2026-11-20", "document": document}),
    );
    let listed = client.get(&format!("/api/finance/credit-notes?supplier_id={supplier_id}")).data(200);
    format!("/api/finance/credit-notes/{}", listed["items"][0]["credit_note_id"].as_str().unwrap())
}
