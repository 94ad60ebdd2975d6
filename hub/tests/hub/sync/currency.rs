//! Head office and all of its stores have one currency.

use crate::support::server::{Api, Place, Server};
use crate::support::shop::{Chain, FIRST, Shop};
use cloud_hub::config::Config;
use cloud_hub::state::hub;
use edge::clock;
use edge::keys::SigningKey;
use edge::settings::load;
use serde_json::{Value, json};
use std::sync::Arc;

const SETTINGS: &str = "/api/settings";

async fn in_yen() -> Server {
    Server::on(Place::initialised().await.with_settings("[company]\ncurrency = \"JPY\"\n")).await
}

async fn problems(admin: &Api) -> Value {
    admin.get("/api/stores/S001/status").await.data()["problems"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_in_another_currency_is_refused_until_it_has_that_of_head_office() {
    let server = in_yen().await;
    let admin = server.admin().await;
    let token = server.place.add_store("S001");
    let shop = Shop {
        id: "S001".to_owned(),
        hub_id: server.hub.identity.hub_id.clone(),
        key: Arc::new(SigningKey::generate().unwrap()),
        api: server.api(),
        chains: vec![Chain::new(FIRST)],
    };
    let enrol = async |currency: &str| {
        let body = json!({"enrolment_token": token, "store_id": "S001", "public_key": shop.key.public_key_text(),
            "version": "0.1.0", "currency": currency});
        shop.api.post("/api/sync/enrol", &body).await
    };
    let hello = async |currency: &str| {
        let mut body = shop.hello_body();
        (body["currency"], body["wall_clock"]) = (json!(currency), json!(clock::now()));
        shop.say_hello(&body).await
    };
    let words = "the currency of S001 is IDR, but that of head office is JPY: set store.currency to JPY in the store's \
                 config.toml. A store that has sold in IDR keeps it and belongs to a head office in IDR";
    let refused = enrol("IDR").await;
    assert_eq!(refused.refusal(), "422 validation_failed");
    assert_eq!(refused.body["error"]["message"], words);
    assert_eq!(refused.body["error"]["details"]["fields"][0]["path"], "currency");
    assert_eq!(enrol("JPY").await.data()["n"], 0, "the token can still be used");
    assert_eq!(hello("JPY").await.data()["directive"], "ok");

    // The store's settings were changed later.
    let refused = hello("IDR").await;
    assert_eq!(
        (refused.refusal().as_str(), &refused.body["error"]["message"]),
        ("422 validation_failed", &json!(words))
    );
    let problem = problems(&admin).await[0].clone();
    assert_eq!((&problem["code"], &problem["message"]), (&json!("currency_differs"), &json!(words)));
    assert_eq!(hello("JPY").await.data()["directive"], "ok");
    assert_eq!(problems(&admin).await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_currency_of_head_office_stays_once_there_are_amounts() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let set = async |code: Value| admin.patch(SETTINGS, &json!({"company.currency": code})).await;
    assert_eq!(set(json!("JPY")).await.data()["company.currency"], "JPY", "there are no amounts yet");
    assert_eq!(set(json!(null)).await.data()["company.currency"], "IDR");
    let tea = json!({"sku": "T1", "name": "Tea", "price": 1_500});
    admin.post("/api/products", &tea).await.data();
    let refused = set(json!("JPY")).await;
    assert_eq!(refused.refusal(), "422 validation_failed");
    let stays = "the amounts of this head office are in IDR, and it can change only while there are none: set \
                 company.currency to IDR, or begin a new head office with a database of its own";
    let field = &refused.body["error"]["details"]["fields"][0];
    assert_eq!((&field["path"], &field["problem"]), (&json!("company.currency"), &json!(stays)));
    assert_eq!(admin.get("/api/company").await.data()["currency"], "IDR");

    let place = server.stop().await.with_settings("[company]\ncurrency = \"JPY\"\n");
    let config: Config = load::load(Some(&place.config), Vec::new()).unwrap().config;
    let said = hub::open(&config).await.err().unwrap().to_string();
    assert_eq!(said, format!("company.currency is JPY, but {stays}"));
}
