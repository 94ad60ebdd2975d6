//! Settings of a store and changes of its tills by head office are sent only to that store.

use crate::office::administration::settings::paths;
use crate::office::audit::tells;
use crate::office::head_office::hears;
use crate::support::server::Server;
use crate::support::shop::Shop;
use crate::sync::records::shift_closed;
use serde_json::{Value, json};

const SETTINGS: &str = "/api/stores/S001/settings";

#[tokio::test(flavor = "multi_thread")]
async fn a_stores_settings_go_down_as_one_record_with_the_last_word_of_each() {
    let server = Server::start().await;
    let (one, two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    let admin = server.admin().await;
    let none = admin.get(SETTINGS).await.data().clone();
    assert!(none.as_object().unwrap().len() == 28 && none.as_object().unwrap().values().all(Value::is_null));

    let set = json!({"returns.window_days": 14, "shifts.blind": true, "tiers": {"gold": 15_000}});
    admin.patch(SETTINGS, &set).await.data();
    let set =
        admin.patch(SETTINGS, &json!({"returns.window_days": 7, "shifts.blind": null})).await.data().clone();
    assert_eq!((&set["returns.window_days"], &set["shifts.blind"]), (&json!(7), &json!(null)));
    assert_eq!(admin.get(SETTINGS).await.data(), &set);
    let down = hears(&one, "prices", "settings").await;
    let last = down.last().unwrap();
    assert_eq!(last["id"], "store");
    let fields = last["payload"]["fields"].as_object().unwrap();
    let values: Value = fields.iter().map(|(name, field)| (name.clone(), field["value"].clone())).collect();
    assert_eq!(values, json!({"returns.window_days": 7, "tiers": {"gold": 15_000}}));
    assert!(fields["returns.window_days"]["at"].as_str() > fields["tiers"]["at"].as_str());
    assert!(last["version"].as_str() >= fields["returns.window_days"]["at"].as_str());
    assert_eq!(hears(&two, "prices", "settings").await, Vec::<Value>::new());
    let before = down.len();
    admin.patch(SETTINGS, &json!({"returns.window_days": 7, "pricing.override": null})).await.data();
    assert_eq!(hears(&one, "prices", "settings").await.len(), before, "a change without effect is not sent");

    let wrong = json!({"returns.window_days": -1, "shifts.blind": "yes", "tax.default_rate_bp": 10_001,
        "payments.methods": ["card"], "points.redeem_value": 5, "http.listen": "x", "stock.negative": "reject"});
    let expected = [
        "http.listen",
        "payments.methods",
        "points.redeem_value",
        "returns.window_days",
        "shifts.blind",
        "tax.default_rate_bp",
    ];
    assert_eq!(paths(&admin.patch(SETTINGS, &wrong).await), expected);
    assert_eq!(admin.get(SETTINGS).await.data(), &set, "the refused request changed nothing");
    for path in ["/api/stores/S9/settings"] {
        assert_eq!(admin.get(path).await.refusal(), "404 not_found");
        assert_eq!(admin.patch(path, &json!({"shifts.blind": true})).await.refusal(), "404 not_found");
    }
    assert!(server.place.run(&["verify"], "").status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn tills_that_sold_and_tills_that_were_named_are_one_list() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let path = "/api/registers/S001/till-2";
    let named = admin.patch(path, &json!({"name": " Back "})).await.data().clone();
    let till = |name: &str, state: &str| json!({"store_id": "S001", "register_id": "till-2", "name": name, "state": state});
    assert_eq!(named, till("Back", "active"));
    let off = admin.patch(path, &json!({"state": "disabled"})).await.data().clone();
    assert_eq!(off, till("Back", "disabled"));
    let down = hears(&shop, "prices", "register").await;
    assert_eq!(
        (down.last().unwrap()["id"].clone(), down.last().unwrap()["payload"].clone()),
        (json!("till-2"), json!({"register_id": "till-2", "name": "Back", "disabled": true}))
    );
    tells(&mut shop, shift_closed("S001", "shf_1", "evt_z")).await;
    let listed = async |query: &str| admin.get(&format!("/api/registers?{query}")).await.data().clone();
    let all = listed("store_id=S001").await["items"].clone();
    let unnamed = json!({"store_id": "S001", "register_id": "main", "name": null, "state": "active"});
    assert_eq!(all, json!([unnamed, off]));
    let first = listed("limit=1").await;
    let second = listed(&format!("limit=1&cursor={}", first["next_cursor"].as_str().unwrap())).await;
    assert_eq!((&first["items"][0], &second["items"][0]), (&unnamed, &off));
    assert_eq!(listed("store_id=S9").await["items"], json!([]));
    assert_eq!(paths(&admin.patch(path, &json!({"name": " "})).await), ["name"]);
    assert_eq!(
        paths(&admin.patch("/api/registers/S001/a%20b", &json!({"name": "x"})).await),
        ["register_id"]
    );
    assert_eq!(
        admin.patch("/api/registers/S9/till-1", &json!({"name": "x"})).await.refusal(),
        "404 not_found"
    );
}
