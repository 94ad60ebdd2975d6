//! Rights over HTTP: every cell of the role table is tested with a token of that role.

use crate::contract::operations::Operation;
use std::collections::{BTreeMap, BTreeSet};
use testkit::{Client, Store};

/// The role table, which the unit tests of the routes use too.
const ROUTES_TESTS: &str = include_str!("../../../src/http/routes/tests.rs");

/// The columns of the table, and the user for each.
const COLUMNS: [&str; 4] = ["till-1", "warehouse", "manager", "admin"];

/// Responses that never end. It is enough that they begin.
const STREAMS: [&str; 1] = ["/api/events"];

/// Operation that ends its own session, so it is tested last.
const LOGOUT: &str = "/api/auth/logout";

/// Returns the rows of the table: method, path, a mark for each role, and the mark for requests without a token.
fn table() -> Vec<(String, String, Vec<bool>, char)> {
    let text = ROUTES_TESTS.split_once("const TABLE: &str = \"").unwrap().1.split_once("\";").unwrap().0;
    let rows = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.filter(|row| !row.is_empty())
        .map(|row| {
            assert_eq!(row.len(), 7, "{row:?}");
            let marks = row[2..6].iter().map(|mark| *mark == "x").collect();
            (row[0].to_owned(), row[1].to_owned(), marks, row[6].chars().next().unwrap())
        })
        .collect()
}

#[test]
fn the_table_has_every_documented_operation() {
    let documented: BTreeSet<String> =
        Operation::all().iter().map(|each| format!("{} {}", each.method, each.template)).collect();
    let brace = |segment: &str| match segment.strip_prefix(':') {
        Some(name) => format!("{{{name}}}"),
        None => segment.to_owned(),
    };
    // Pages and their files are not part of the API.
    let is_page =
        |path: &str| ["/admin", "/docs", "/passkeys", "/pos"].contains(&path) || path.starts_with("/ui/");
    let listed: BTreeSet<String> = table()
        .iter()
        .filter(|(_, path, ..)| !is_page(path))
        .map(|(method, path, ..)| {
            format!("{method} {}", path.split('/').map(brace).collect::<Vec<_>>().join("/"))
        })
        .collect();
    assert_eq!(listed, documented);
}

#[test]
fn every_cell_of_the_role_table_holds_over_http() {
    let store = Store::open();
    let mut callers: BTreeMap<&str, Client> =
        COLUMNS.map(|who| (who, store.login(who).keeping_alive())).into();
    let mut rows = table();
    rows.sort_by_key(|(_, path, ..)| path == LOGOUT);
    let mut cells = 0;
    for (method, pattern, marks, open) in rows {
        let filled = pattern.split('/').map(|segment| match segment {
            ":date" => "2020-02-02",
            segment if segment.starts_with(':') => "none",
            segment => segment,
        });
        let path = filled.collect::<Vec<_>>().join("/");
        if STREAMS.contains(&path.as_str()) {
            continue;
        }
        for (who, allowed) in COLUMNS.iter().zip(marks) {
            let (code, text) = ask(callers.get_mut(who).unwrap(), &method, &path);
            // Operations that are open to everybody, or to this machine, need no role.
            let allowed = allowed || open != '-';
            let refused = code == "insufficient_role";
            assert_eq!(refused, !allowed, "{who}: {method} {path}: {text}");
            assert!(!code.contains("token"), "{who}: {method} {path}: {text}");
            cells += 1;
        }
        let (code, text) = ask(&mut store.client(), &method, &path);
        assert_eq!(code == "missing_token", open == '-', "nobody: {method} {path}: {text}");
    }
    assert!(cells >= 4 * 100, "{cells} cells");
}

/// Returns the code of the refusal, or an empty string for a success. The body matches no operation that needs one.
fn ask(client: &mut Client, method: &str, path: &str) -> (String, String) {
    let body = if method == "GET" { "" } else { "{\"no_such_field\": 1}" };
    let reply = client.send(method, path, &[], body.as_bytes());
    let text = reply.text();
    let code = serde_json::from_str::<serde_json::Value>(&text).unwrap_or_default()["error"]["code"].clone();
    (code.as_str().unwrap_or_default().to_owned(), text)
}

#[test]
fn people_of_head_office_have_no_part_in_a_store() {
    let store = Store::open_with("", 0);
    let mut admin = store.login("admin");
    for role in ["ho_finance", "ho_purchasing", "owner", ""] {
        let body = serde_json::json!({"username": "x@s001.example", "name": "X", "role": role, "password": "correct horse battery"});
        admin.post("/api/users", &body).refused(422, "validation_failed");
        let arguments = [
            "user",
            "add",
            "--username",
            "x@s001.example",
            "--name",
            "X",
            "--role",
            role,
            "--password-stdin",
        ];
        assert!(!store.run(&arguments).status.success(), "{role}");
    }
}
