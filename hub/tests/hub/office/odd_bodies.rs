//! Input that JSON allows but nobody means: U+0000 in any string, and a repeated key, at every documented operation.

use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use reqwest::Method;
use serde_json::{Value, json};
use std::path::Path;

/// Strings of a push that are stored unchanged.
const RAW: &str = "record";

fn document() -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi/cloud-hub.json");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// Returns every operation: method, path, description.
fn operations(document: &Value) -> Vec<(Method, String, &Value)> {
    let mut all = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            all.push((method.to_uppercase().parse().unwrap(), path.clone(), operation));
        }
    }
    assert!(all.len() > 40, "the document is incomplete: {}", all.len());
    all
}

/// Returns a copy of the value for each of its strings, with U+0000 in it, and the key of that string.
fn with_nul(value: &Value, key: &str) -> Vec<(String, Value)> {
    match value {
        Value::String(text) => vec![(key.to_owned(), Value::String(format!("{text}\0")))],
        Value::Array(items) => (0..items.len())
            .flat_map(|at| {
                let put = move |changed: Value| {
                    let mut items = items.clone();
                    items[at] = changed;
                    Value::Array(items)
                };
                with_nul(&items[at], key).into_iter().map(move |(key, changed)| (key, put(changed)))
            })
            .collect(),
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, field)| {
                let put = move |changed: Value| {
                    let mut fields = fields.clone();
                    fields.insert(name.clone(), changed);
                    Value::Object(fields)
                };
                with_nul(field, name).into_iter().map(move |(key, changed)| (key, put(changed)))
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Returns a text of the value for each of its objects, with that object's first key repeated.
fn with_repeated(value: &Value) -> Vec<String> {
    let text = value.to_string();
    let mut all = Vec::new();
    for (at, _) in text.match_indices("{\"") {
        let key = text[at + 2..].split('"').next().unwrap();
        all.push(format!("{}{{\"{key}\":null,{}", &text[..at], &text[at + 1..]));
    }
    all
}

/// Returns a copy of the value for each of its numbers, with a fraction in its place, and the path of that number.
fn with_fraction(value: &Value, path: &str) -> Vec<(String, Value)> {
    match value {
        Value::Number(_) => vec![(path.to_owned(), json!(1.5))],
        Value::Array(items) => (0..items.len())
            .flat_map(|at| {
                let found = with_fraction(&items[at], &format!("{path}[{at}]"));
                found.into_iter().map(move |(path, changed)| {
                    let mut items = items.clone();
                    items[at] = changed;
                    (path, Value::Array(items))
                })
            })
            .collect(),
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, field)| {
                let dot = if path.is_empty() { "" } else { "." };
                let found = with_fraction(field, &format!("{path}{dot}{name}"));
                found.into_iter().map(move |(path, changed)| {
                    let mut fields = fields.clone();
                    fields.insert(name.clone(), changed);
                    (path, Value::Object(fields))
                })
            })
            .collect(),
        _ => Vec::new(),
    }
}

async fn of(api: &Api, method: &Method, path: &str, body: &Value) -> (u16, String) {
    let answer = api.send(method.clone(), path, body).await;
    (answer.status.as_u16(), answer.refusal())
}

#[tokio::test(flavor = "multi_thread")]
async fn u0000_is_refused_wherever_it_stands() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let (mut fields, mut places) = (0, 0);
    let document = document();
    for (method, template, operation) in operations(&document) {
        let speaks = template.starts_with("/api/sync/") && template != "/api/sync/enrol";
        // A store's token is valid for one request.
        let api = || if speaks { shop.speak() } else { admin.clone() };
        let path = template.replace("{date}", "2020-02-02").replace(['{', '}'], "");
        let example = &operation["requestBody"]["content"]["application/json"]["example"];
        for (key, body) in with_nul(example, "") {
            let (status, refusal) = of(&api(), &method, &path, &body).await;
            if key == RAW && path.ends_with("/push") {
                assert!(status < 500, "{method} {path} {body}: {refusal}");
                continue;
            }
            assert!(refusal == "422 validation_failed" || status == 403, "{method} {path} {body}: {refusal}");
            fields += 1;
        }
        let get = |path: String| {
            let (api, method) = (api(), method.clone());
            async move { (of(&api, &method, &path, example).await, path) }
        };
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        for parameter in parameters.filter(|parameter| parameter["in"] == "query") {
            let name = parameter["name"].as_str().unwrap();
            // U+0000 in the value, in the name, and inside a cursor.
            for query in [format!("{name}=a%00"), format!("{name}%00=a"), "cursor=Ilx1MDAwMCI".to_owned()] {
                let ((status, refusal), path) = get(format!("{path}?{query}")).await;
                assert!((400..500).contains(&status), "{method} {path}: {refusal}");
                places += 1;
            }
        }
        if template.contains('{') {
            let path = template.replace('{', "%00").replace('}', "");
            let ((_, refusal), path) = get(path).await;
            assert_eq!(refusal, "404 path_not_found", "{method} {path}");
            places += 1;
        }
    }
    assert!(fields > 60 && places > 60, "{fields} fields, {places} places");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_number_is_named_by_its_path() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut named = 0;
    let document = document();
    for (method, template, operation) in operations(&document) {
        // A batch answers each of its items, a store's token is valid for one request, and a setting is refused as a
        // whole.
        if ["/batch", "/settings"].iter().any(|end| template.ends_with(end))
            || template.starts_with("/api/sync/")
        {
            continue;
        }
        let path = template.replace("{date}", "2020-02-02").replace(['{', '}'], "");
        let example = &operation["requestBody"]["content"]["application/json"]["example"];
        for (field, body) in with_fraction(example, "") {
            let answer = admin.send(method.clone(), &path, &body).await;
            let refused = &answer.body["error"]["details"]["fields"][0]["path"];
            assert_eq!(refused, field.as_str(), "{method} {path} {body}: {}", answer.body);
            named += 1;
        }
    }
    assert!(named > 60, "{named}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_that_holds_u0000_is_none_of_ours() {
    let server = Server::start().await;
    let admin = server.admin().await;
    // ["\u0000","\u0000"], [1,"\u0000"], "\u0000"
    for cursor in ["WyJcdTAwMDAiLCJcdTAwMDAiXQ", "WzEsIlx1MDAwMCJd", "Ilx1MDAwMCI"] {
        for list in ["stores", "products", "members", "users", "exceptions", "parked", "prices", "suppliers"]
        {
            let answer = admin.get(&format!("/api/{list}?cursor={cursor}")).await;
            assert!(answer.status.is_client_error(), "{list} {cursor}: {}", answer.refusal());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_stands_twice_is_refused_wherever_it_stands() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let mut refused = 0;
    let document = document();
    for (method, template, operation) in operations(&document) {
        let example = &operation["requestBody"]["content"]["application/json"]["example"];
        let speaks = template.starts_with("/api/sync/") && template != "/api/sync/enrol";
        let api = || if speaks { shop.speak() } else { admin.clone() };
        let path = template.replace(['{', '}'], "");
        for body in with_repeated(example) {
            let answer = api().raw(method.clone(), &path, &body).await;
            let refusal = answer.refusal();
            assert!(
                refusal == "400 invalid_json" || answer.status == 403,
                "{method} {path} {body}: {refusal}"
            );
            if answer.status == 400 {
                let message = answer.body["error"]["message"].as_str().unwrap();
                assert!(message.contains("appears twice"), "{message}");
                refused += 1;
            }
        }
    }
    assert!(refused > 20, "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_with_a_key_twice_is_parked_and_the_key_named() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    shop.sell(1);
    let good = shop.chain().records.pop().unwrap().1;
    let twice = good.replacen("\"total\":", "\"total\":1,\"total\":", 1);
    assert_ne!(good, twice);
    shop.chain().append(twice);
    let parked = shop.push(&shop.batch(1, 1)).await.data()["parked"].clone();
    assert_eq!(parked[0]["code"], "invalid_envelope");
    assert!(parked[0]["message"].as_str().unwrap().contains("\"total\" appears twice"), "{parked}");
    assert_eq!(server.figure("SELECT COUNT(*) FROM sales").await, 0);
}
