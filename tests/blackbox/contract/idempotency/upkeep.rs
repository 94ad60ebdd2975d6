//! Probes of the store's administration and of its users.

use super::attempt::{Attempt, Probe};
use crate::head_office::apply_feed;
use serde_json::json;
use testkit::{Client, Store, store::PASSWORD};

pub const UPKEEP: &[Probe<Store>] = &[
    Probe {
        operation: "POST /api/sync/force",
        prepare: |store| {
            let full = |full: bool| json!({"full": full});
            Attempt::new(store.login("manager"), "/api/sync/force", full(false), full(true))
        },
    },
    Probe {
        operation: "POST /api/conflicts/{id}/restore",
        prepare: |store| {
            let member = json!({"name": "Siti", "phone": "0811-2233-4455"});
            let member = store.login("manager").post("/api/members", &member).data(201);
            let conflict = json!({"conflict_id": "cfl_probe", "resource": "member", "id": member["member_id"],
                "winner": "hub", "lost_fields": {"name": "Sitti"}, "kept_fields": {"name": "Siti"},
                "resolved_at": "2026-11-20T02:06:34.739Z"});
            apply_feed(store, &json!({"conflict": conflict}));
            let path = "/api/conflicts/cfl_probe/restore";
            let attempt = Attempt::new(store.login("manager"), path, json!({}), json!({}));
            Attempt { other: "{ }".to_owned(), ..attempt }
        },
    },
    Probe {
        operation: "POST /api/admin/actors/{name}/restart",
        prepare: |store| {
            let path = "/api/admin/actors/catalogue/restart";
            let attempt = Attempt::new(store.login("admin"), path, json!({}), json!({}));
            Attempt { other: "{ }".to_owned(), ..attempt }
        },
    },
    Probe {
        operation: "POST /api/admin/backup",
        prepare: |store| {
            let keys = |keys: bool| json!({"keys": keys});
            Attempt::new(store.login("admin"), "/api/admin/backup", keys(false), keys(true))
        },
    },
    Probe {
        operation: "POST /api/admin/verify",
        prepare: |store| {
            let attempt = Attempt::new(store.login("manager"), "/api/admin/verify", json!({}), json!({}));
            Attempt { other: "{ }".to_owned(), ..attempt }
        },
    },
    Probe {
        operation: "POST /api/users",
        prepare: |store| {
            let new = |name: &str| json!({"username": "probe@s001.example", "name": name, "role": "cashier"});
            Attempt::new(store.login("manager"), "/api/users", new("A"), new("B"))
        },
    },
    Probe {
        operation: "PATCH /api/users/{id}",
        prepare: |store| {
            let (client, path) = cashier(store);
            Attempt::new(client, &path, json!({"name": "C"}), json!({"name": "D"}))
        },
    },
    Probe {
        operation: "POST /api/users/{id}/revoke-tokens",
        prepare: |store| {
            let (client, path) = cashier(store);
            let attempt = Attempt::new(client, &format!("{path}/revoke-tokens"), json!({}), json!({}));
            Attempt { other: "{ }".to_owned(), ..attempt }
        },
    },
    Probe {
        operation: "DELETE /api/users/{id}/devices/{credential_id}",
        prepare: |store| {
            let name = "device@s001.example";
            let person = json!({"username": name, "name": "D", "role": "cashier", "password": PASSWORD});
            let mut manager = store.login("manager");
            let made = manager.post("/api/users", &person).data(201);
            let device = Attempt::registered(store.login("device"), PASSWORD, store.port());
            let path = format!("/api/users/{}/devices/{device}", made["id"].as_str().unwrap());
            Attempt { other: "{ }".to_owned(), ..Attempt::new(manager, &path, json!({}), json!({})) }
        },
    },
    Probe {
        operation: "POST /api/auth/password",
        prepare: |store| {
            let change = |new: &str| json!({"current_password": PASSWORD, "new_password": new});
            let path = "/api/auth/password";
            Attempt::new(store.login("till-2"), path, change("a better horse"), change("another horse"))
        },
    },
];

/// Returns a cashier's path in the users API, and a client that may change the cashier.
fn cashier(store: &Store) -> (Client, String) {
    let mut client = store.login("manager");
    let users = client.get("/api/users").data(200);
    let id = users["items"][0]["id"].as_str().unwrap();
    (client, format!("/api/users/{id}"))
}
