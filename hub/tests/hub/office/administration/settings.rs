//! Settings of head office: a new value applies from the next request on, in every process, and overrides the file.

use crate::office::finance_entries::accountant;
use crate::support::server::{Answer, Place, Server};
use edge::settings::load;
use serde_json::{Value, json};

const SETTINGS: &str = "/api/settings";

/// Returns the keys that a refusal names.
pub fn paths(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.refusal(), "422 validation_failed", "{}", answer.body);
    let fields = answer.body["error"]["details"]["fields"].as_array().unwrap();
    fields.iter().map(|field| field["path"].as_str().unwrap().to_owned()).collect()
}

fn entry(amount: i64) -> Value {
    json!({"date": "2020-02-03", "memo": "rent", "lines": [{"account": "6050", "debit": amount},
        {"account": "1040", "credit": amount}]})
}

async fn redeemed(server: &Server) -> i64 {
    server.figure("SELECT redemption_bp FROM points_pool").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_setting_applies_at_once_in_every_process_and_overrides_the_file() {
    let place = Place::initialised().await;
    let file = std::fs::read_to_string(&place.config).unwrap();
    std::fs::write(&place.config, file + "[finance]\nmanual_limit = 1000\n").unwrap();
    let server = Server::on(place).await;
    let other = Server::on(server.place.beside(&server.place.folder.path().join("data"))).await;
    let (admin, finance) = (server.admin().await, accountant(&server).await);
    let there = finance.at(other.address);
    let limit = async || admin.get(SETTINGS).await.data()["finance.manual_limit"].clone();
    assert_eq!(limit().await, json!(1000), "the value of the file");
    assert_eq!(there.post("/api/finance/journal", &entry(1001)).await.refusal(), "403 approval_required");

    let set = json!({"finance.manual_limit": 5000, "purchasing.four_eyes": true,
        "finance.points_redemption_bp": 5000});
    let settings = admin.patch(SETTINGS, &set).await.data().clone();
    assert_eq!(
        (&settings["purchasing.four_eyes"], &settings["finance.manual_limit"]),
        (&json!(true), &json!(5000))
    );
    assert_eq!((settings.as_object().unwrap().len(), &settings["purchasing.rate_days"]), (21, &json!(28)));
    let sources = there.get("/api/settings/sources").await;
    assert_eq!(sources.refusal(), "403 insufficient_role", "the value set by an administrator");
    let sources = admin.get("/api/settings/sources").await.data().clone();
    let reported = ["finance.manual_limit", "purchasing.four_eyes", "purchasing.rate_days"];
    assert_eq!(
        reported.map(|name| sources[name].clone()),
        ["administrator", "administrator", "file"].map(Value::from)
    );
    there.post("/api/finance/journal", &entry(1001)).await.data();
    assert_eq!(there.post("/api/finance/journal", &entry(5001)).await.refusal(), "403 approval_required");
    assert_eq!(redeemed(&server).await, 5000, "the new rate values the points");
    let audit = admin.get("/api/audit?action=settings.changed").await.data()["items"][0]["details"].clone();
    let before = json!({"finance.manual_limit": 1000, "purchasing.four_eyes": false,
        "finance.points_redemption_bp": 8000});
    assert_eq!(audit, json!({"before": before, "after": set}), "the audit log has the change");

    // All or nothing: the refusal lists each wrong key.
    let wrong = json!({"finance.manual_limit": -1, "finance.four_eyes": "yes", "purchasing.rate_days": 0,
        "purchasing.lead_days": 4_294_967_296_i64, "finance.points_policy": "deferral", "http.listen": "x",
        "settlement.carry_days": 1.5, "purchasing.accept_limit": 7});
    let refused = paths(&admin.patch(SETTINGS, &wrong).await);
    let expected = [
        "finance.four_eyes",
        "finance.manual_limit",
        "finance.points_policy",
        "http.listen",
        "purchasing.lead_days",
        "purchasing.rate_days",
        "settlement.carry_days",
    ];
    assert_eq!(refused, expected);
    assert_eq!(admin.get(SETTINGS).await.data(), &settings, "the refused request changed nothing");
    assert_eq!(finance.patch(SETTINGS, &json!({})).await.refusal(), "403 insufficient_role");

    // The settings survive a restart. After a reset the file's value applies.
    other.stop().await;
    let server = Server::on(server.stop().await).await;
    let admin = server.admin().await;
    assert_eq!((admin.get(SETTINGS).await.data(), redeemed(&server).await), (&settings, 5000));
    let back = json!({"finance.manual_limit": null, "finance.points_redemption_bp": null});
    let settings = admin.patch(SETTINGS, &back).await.data().clone();
    assert_eq!((&settings["finance.manual_limit"], redeemed(&server).await), (&json!(1000), 8000));
    assert_eq!(settings["purchasing.four_eyes"], json!(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn buyers_and_settlers_go_by_what_is_set() {
    let server = Server::start().await;
    let admin = server.admin().await;
    server.place.add_store("S001");
    admin.post("/api/products", &json!({"sku": "A", "name": "Thing", "price": 1000})).await.data();
    let supplier = admin.post("/api/suppliers", &json!({"code": "T", "name": "T"})).await.data().clone();
    let order = json!({"supplier_id": supplier["supplier_id"], "store_id": "S001",
        "lines": [{"sku": "A", "qty": 10, "unit_cost": 90}]});
    let approve = async |api: &crate::support::server::Api| {
        let made = api.post("/api/purchase-orders", &order).await.data()["po_id"].clone();
        api.post(&format!("/api/purchase-orders/{}/approve", made.as_str().unwrap()), &json!({})).await
    };
    let user =
        ["user", "add", "--username", "pur", "--name", "Pur", "--role", "ho_purchasing", "--password-stdin"];
    assert!(server.place.run(&user, "another-horse-9\n").status.success());
    let buyer = server.api().login("pur", "another-horse-9").await;
    approve(&buyer).await.data();
    admin.patch(SETTINGS, &json!({"purchasing.approval_limit": 899})).await.data();
    assert_eq!(approve(&buyer).await.refusal(), "403 approval_required");
    admin.patch(SETTINGS, &json!({"purchasing.approval_limit": null})).await.data();
    approve(&buyer).await.data();
    // Buyers see the company for which they order, as an administrator entered it.
    let company = json!({"company.name": "PT Toko", "company.address": "Jl. Sudirman 1\nJakarta"});
    admin.patch(SETTINGS, &company).await.data();
    let seen = json!({"name": "PT Toko", "address": "Jl. Sudirman 1\nJakarta", "tax_number": "", "currency": "IDR", "currency_exponent": 0});
    assert_eq!(buyer.get("/api/company").await.data(), &seen);
    let wrong = json!({"company.currency": "rupiah", "company.name": "a\nb", "company.tax_number": 5});
    let expected = ["company.currency", "company.name", "company.tax_number"];
    assert_eq!(paths(&admin.patch(SETTINGS, &wrong).await), expected);
    // The currency can't change, because there are products with prices in rupiah.
    for code in ["EUR", "KWD", "JPY", "ABC"] {
        let wrong = json!({"company.currency": code});
        assert_eq!(paths(&admin.patch(SETTINGS, &wrong).await), ["company.currency"], "{code}");
    }
    let config: cloud_hub::config::Config =
        load::load(Some(&server.place.config), Vec::new()).unwrap().config;
    assert_eq!(config.settlement.carry_days, 30);
}
