//! Deprecated paths still work, and each answer states since when they are deprecated, when they will be removed and
//! what replaces them.

use serde_json::{Value, json};
use testkit::hub::Hub;
use testkit::{Client, Store, document};

fn every_old_path_names_its_successor(name: &str, mut client: Client) {
    let document = document(name);
    let paths = document["paths"].as_object().unwrap();
    let old = |operations: &Value| operations["post"]["deprecated"] == json!(true);
    let mut found = 0;
    for (path, operations) in paths.iter().filter(|(_, operations)| old(operations)) {
        let reply = client.post(path, &json!({}));
        reply.refused(422, "validation_failed");
        let header = |name: &str| reply.header(name).unwrap_or_default().to_owned();
        assert_eq!(header("deprecation"), "@1795910400", "{path}");
        assert_eq!(header("sunset"), "Tue, 30 Nov 2027 00:00:00 GMT", "{path}");
        let link = header("link");
        let successor =
            link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"successor-version\""));
        let successor = successor.unwrap_or_else(|| panic!("{path}: {link}"));
        assert!(paths.contains_key(successor), "{path}: {successor}");
        assert!(operations["post"]["description"].as_str().unwrap().contains(successor), "{path}");
        assert_eq!(client.post(successor, &json!({})).header("deprecation"), None, "{successor}");
        found += 1;
    }
    assert!(found >= 2, "{name}: {found} old paths");
}

#[test]
fn every_old_path_of_the_store_names_its_successor() {
    every_old_path_names_its_successor("store-router", Store::open_with("", 0).client());
}

#[test]
fn every_old_path_of_head_office_names_its_successor() {
    every_old_path_names_its_successor("cloud-hub", Hub::open().client());
}
