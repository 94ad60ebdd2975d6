//! The hub's probes of administration: head office's own settings and those of its stores.

use super::attempt::{Attempt, Probe};
use super::hub_probes::switch;
use serde_json::{Value, json};
use testkit::hub::Hub;

pub const ADMINISTRATION: &[Probe<Hub>] = &[
    Probe {
        operation: "PATCH /api/settings",
        prepare: |hub| {
            let days = |days: i64| json!({"purchasing.rate_days": days});
            Attempt::new(hub.login(), "/api/settings", days(20), days(30))
        },
    },
    Probe {
        operation: "PATCH /api/stores/{id}/settings",
        prepare: |hub| {
            let days = |days: i64| json!({"returns.window_days": days});
            Attempt::new(hub.login(), "/api/stores/S100/settings", days(20), days(30))
        },
    },
    Probe {
        operation: "PATCH /api/registers/{store_id}/{register_id}",
        prepare: |hub| Attempt::new(hub.login(), "/api/registers/S100/till-1", named("one"), named("two")),
    },
    Probe {
        operation: "PATCH /api/webhooks/{webhook_id}",
        prepare: |hub| Attempt::new(hub.login(), &webhook(hub), named("one"), named("two")),
    },
    Probe {
        operation: "POST /api/webhooks/{webhook_id}/pause",
        prepare: |hub| switch(hub, &format!("{}/pause", webhook(hub))),
    },
    Probe {
        operation: "POST /api/webhooks/{webhook_id}/resume",
        prepare: |hub| switch(hub, &format!("{}/resume", webhook(hub))),
    },
    Probe {
        operation: "POST /api/webhooks/{webhook_id}/replay",
        prepare: |hub| {
            let after = |after_no: i64| json!({"after_no": after_no});
            Attempt::new(hub.login(), &format!("{}/replay", webhook(hub)), after(0), after(1))
        },
    },
    Probe { operation: "DELETE /api/webhooks/{webhook_id}", prepare: |hub| switch(hub, &webhook(hub)) },
    Probe {
        operation: "POST /api/members/{id}/erase",
        prepare: |hub| {
            let new = json!({"name": "x", "phone": "08119876004"});
            let made = hub.login().post("/api/members", &new).data(201);
            let path = format!("/api/members/{}/erase", made["member_id"].as_str().unwrap());
            Attempt::new(hub.login(), &path, json!({"reason": "one"}), json!({"reason": "two"}))
        },
    },
    Probe {
        operation: "POST /api/categories",
        prepare: |hub| adds(hub, "categories", &json!({"code": "PROBE"})),
    },
    Probe {
        operation: "PATCH /api/categories/{code}",
        prepare: |hub| changes(hub, "categories", &json!({"code": "PATCHED"}), "PATCHED"),
    },
    Probe { operation: "POST /api/tax-codes", prepare: |hub| adds(hub, "tax-codes", &tax_code("PROBE")) },
    Probe {
        operation: "PATCH /api/tax-codes/{tax_code}",
        prepare: |hub| changes(hub, "tax-codes", &tax_code("PATCHED"), "PATCHED"),
    },
    Probe { operation: "POST /api/tiers", prepare: |hub| adds(hub, "tiers", &tier("probe")) },
    Probe {
        operation: "PATCH /api/tiers/{tier}",
        prepare: |hub| changes(hub, "tiers", &tier("patched"), "patched"),
    },
    Probe { operation: "POST /api/reasons", prepare: |hub| adds(hub, "reasons", &reason("probe")) },
    Probe {
        operation: "PATCH /api/reasons/{list}/{code}",
        prepare: |hub| changes(hub, "reasons", &reason("patched"), "cash/patched"),
    },
    Probe {
        operation: "POST /api/payment-methods",
        prepare: |hub| adds(hub, "payment-methods", &json!({"method": "probe"})),
    },
    Probe {
        operation: "PATCH /api/payment-methods/{method}",
        prepare: |hub| changes(hub, "payment-methods", &json!({"method": "patched", "name": "x"}), "patched"),
    },
];

fn named(name: &str) -> Value {
    json!({"name": name})
}

fn tax_code(code: &str) -> Value {
    json!({"tax_code": code, "name": "x", "rate_bp": 1100, "kind": "standard"})
}

fn tier(tier: &str) -> Value {
    json!({"tier": tier, "name": "x", "multiplier_bp": 15_000})
}

fn reason(code: &str) -> Value {
    json!({"list": "cash", "code": code, "name": "x"})
}

fn adds(hub: &Hub, list: &str, entry: &Value) -> Attempt {
    let called = |name: &str| {
        let mut entry = entry.clone();
        entry["name"] = json!(name);
        entry
    };
    Attempt::new(hub.login(), &format!("/api/{list}"), called("one"), called("two"))
}

fn changes(hub: &Hub, list: &str, entry: &Value, key: &str) -> Attempt {
    hub.login().post(&format!("/api/{list}"), entry).data(201);
    Attempt::new(hub.login(), &format!("/api/{list}/{key}"), named("one"), named("two"))
}

/// Creates a webhook with a target that does not exist, and returns its path.
fn webhook(hub: &Hub) -> String {
    let new = json!({"name": "probe", "url": "https://localhost/"});
    let made = hub.login().post("/api/webhooks", &new).data(201);
    format!("/api/webhooks/{}", made["webhook_id"].as_str().unwrap())
}
