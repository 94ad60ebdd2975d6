//! Matches that a person makes, undoes and makes again; the books and `verify` agree.

use crate::office::finance::tells;
use crate::office::settlement::items::balance;
use crate::office::settlement::resolved::{exception, reported};
use crate::office::settlement::story::{
    added, approved, card_source, day, on, paid, posted, sealed, settlement,
};
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use crate::sync::kinds::{moved_cash, record};
use crate::sync::records::{DAY, NOON, shift_closed};
use serde_json::{Value, json};

/// Asserts that the lists of settlement agree with the balances of their accounts.
pub async fn proved(api: &Api) {
    let proofs = api.post("/api/finance/proofs", &json!({})).await.data()["proofs"].clone();
    for name in ["clearing", "on_the_way", "entries"] {
        let proof = proofs.as_array().unwrap().iter().find(|proof| proof["name"] == name).unwrap();
        assert_eq!(proof["ok"], true, "{proof}");
    }
}

async fn ids(api: &Api, path: &str, id: &str) -> Vec<String> {
    let items = api.get(path).await.data()["items"].clone();
    items.as_array().unwrap().iter().map(|item| item[id].as_str().unwrap().to_owned()).collect()
}

/// Makes a match for a source of cards, and undoes it.
pub async fn change(source: &str, shop: &mut Shop, admin: &Api) {
    tells(shop, vec![paid("S001", 18, 900, ("card", 700, ""))]).await;
    let line = json!([{"date": day(20), "reference": "X-8888", "gross": 600, "fee": 0}]);
    let statement = reported(admin, source, line).await["statement_id"].as_str().unwrap().to_owned();
    let line_ids = ids(admin, &format!("/api/statements/{statement}/lines"), "line_id").await;
    let body = json!({"source_id": source, "line_ids": line_ids, "item_ids": ["pay_900"],
        "difference_account": "6060", "reason": "the amount was cut"});
    let made = admin.post("/api/settlement-matches", &body).await.data().clone();
    let path = format!("/api/settlement-matches/{}/undo", made["match_id"].as_str().unwrap());
    admin.post(&path, &json!({"reason": "a slip"})).await.data();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_matches_takes_it_back_and_matches_again() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    tells(&mut shop, vec![paid("S001", 18, 3, ("card", 83_250, "C-1003")), sealed("S001", 18)]).await;
    let source = card_source(&admin).await;
    let line = json!([{"date": day(20), "reference": "X-7777", "gross": 80_000, "fee": 1_200}]);
    let statement = reported(&admin, &source, line).await["statement_id"].as_str().unwrap().to_owned();
    let missing = exception(&admin, "missing_at_provider").await;
    let lines = format!("/api/statements/{statement}/lines");
    let line_ids = ids(&admin, &format!("{lines}?state=excepted"), "line_id").await;
    let of_day = settlement(&admin, "S001", 18).await;
    let id = of_day["settlement_id"].as_str().unwrap();
    let items = format!("/api/settlements/{id}/items");
    let item_ids = ids(&admin, &format!("{items}?state=open"), "item_id").await;
    for (query, expected) in [("method=card", item_ids.as_slice()), ("method=gopay", &[])] {
        assert_eq!(ids(&admin, &format!("{items}?{query}"), "item_id").await, expected, "{query}");
    }
    let all = |query: String| {
        let (admin, path) = (admin.clone(), format!("/api/settlement-items?{query}"));
        async move { ids(&admin, &path, "item_id").await }
    };
    assert_eq!(all(format!("settlement_date={}", day(18))).await, item_ids);
    assert!(all(format!("settlement_date={}", day(17))).await.is_empty());
    assert_eq!(all("older_than_days=1".to_owned()).await, item_ids);
    assert!(all("older_than_days=3650".to_owned()).await.is_empty());
    assert_eq!(admin.get(&items).await.data()["completeness"]["stores_expected"], 1);
    assert_eq!((line_ids.len(), item_ids.as_slice()), (1, ["pay_3".to_owned()].as_slice()));

    let mut body = json!({"source_id": source, "line_ids": line_ids, "item_ids": item_ids, "reason": "the amount was cut"});
    let refused = admin.post("/api/settlement-matches", &body).await;
    assert_eq!(
        refused.body["error"]["details"]["fields"][0]["path"], "difference_account",
        "{:?}",
        refused.body
    );
    body["difference_account"] = json!("1110");
    assert_eq!(admin.post("/api/settlement-matches", &body).await.refusal(), "422 validation_failed");
    body["difference_account"] = json!("6060");
    let made = admin.post("/api/settlement-matches", &body).await.data().clone();
    assert_eq!((&made["rule"], &made["state"]), (&json!("by_hand"), &json!("matched")));
    let figures = json!([made["gross"], made["fee"], made["net"], made["difference"]]);
    assert_eq!(figures, json!([83_250, 1_200, 78_800, 3_250]));
    assert_eq!(settlement(&admin, "S001", 18).await["state"], "reconciled");
    assert_eq!(admin.get(&format!("/api/statements/{statement}")).await.data()["state"], "reconciled");
    assert_eq!(admin.post("/api/settlement-matches", &body).await.refusal(), "409 invalid_state");
    proved(&admin).await;

    let path = format!("/api/settlement-matches/{}", made["match_id"].as_str().unwrap());
    let undone = admin.post(&format!("{path}/undo"), &json!({"reason": "a slip"})).await.data().clone();
    assert_eq!((&undone["state"], &undone["line_ids"]), (&json!("undone"), &made["line_ids"]));
    assert_eq!(admin.get(&path).await.data(), &undone);
    let again = admin.post(&format!("{path}/undo"), &json!({"reason": "a slip"})).await;
    assert_eq!(again.refusal(), "409 invalid_state");
    assert_eq!(ids(&admin, &format!("{lines}?state=unmatched"), "line_id").await, line_ids);
    assert_eq!(ids(&admin, &format!("{items}?state=open"), "item_id").await, item_ids);
    admin.post(&format!("/api/settlements/{id}/match"), &json!({})).await.data();
    let missing_again = exception(&admin, "missing_at_provider").await;
    assert_eq!(missing_again["exception_id"], missing["exception_id"]);
    assert!(server.place.run(&["verify"], "").status.success());

    // The same by resolving the exception about the missing payment.
    let path = format!("/api/settlement-exceptions/{}/resolve", missing["exception_id"].as_str().unwrap());
    let mut said = json!({"resolution": "match", "reason": "the amount was cut", "account": "6060"});
    assert_eq!(admin.post(&path, &said).await.refusal(), "422 validation_failed");
    said["match"] = json!({"line_ids": line_ids});
    assert_eq!(admin.post(&path, &said).await.data()["resolution"], "match");
    assert_eq!(approved(&admin, "S001", 18).await["state"], "approved");
    assert_eq!(posted(&admin, "S001").await, ["1040 78800, 1110 -83250, 6030 1200, 6060 3250"]);
    let match_id = ids(&admin, &lines, "match_id").await.remove(0);
    let late =
        admin.post(&format!("/api/settlement-matches/{match_id}/undo"), &json!({"reason": "late"})).await;
    assert_eq!(late.refusal(), "409 invalid_state");
    proved(&admin).await;

    // `verify` finds a slice that differs from the sum of its items.
    let sql = "UPDATE match_slices SET gross = gross + 1, net = net + 1";
    sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    let done = server.place.run(&["verify"], "");
    let said = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(!done.status.success() && said.contains("a slice differs from the sum of its items"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_settlement_has_the_days_cash_and_says_whether_it_is_whole() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let reported = vec![
        on("S001", 18, &moved_cash("csh_in", "pay_in", 500)),
        on("S001", 18, &shift_closed("S001", "shf_1", "evt_close")),
        sealed("S001", 18),
    ];
    assert_eq!(tells(&mut shop, reported).await["parked"], json!([]));
    let day = settlement(&admin, "S001", 18).await;
    let shift = json!({"shift_id": "shf_1", "register_id": "main", "expected": 51_110, "counted": 51_000,
        "variance": -110});
    let cash: Value = json!({"shifts": [shift], "expected": 51_110, "counted": 51_000, "variance": -110,
        "pay_in": 500, "pay_out": 0, "drops": 0, "deposits": 0});
    assert_eq!(day["cash"], cash);
    assert_eq!(day["completeness"]["stores_expected"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn bags_that_a_person_matches_are_posted_once_whatever_lines_have_them() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    for (of, id, amount) in [(17, "dep_1", 30_000), (18, "dep_2", 20_000)] {
        let deposit = json!({"deposit_id": id, "amount": amount, "reverses": null, "reason": null, "bag_no": id,
            "bank_account": "x", "deposited_at": NOON, "business_date": DAY, "user_id": "usr_1", "at": NOON});
        let bag = record(
            "cash.deposited",
            &format!("evt_{id}"),
            &json!({"business_date": DAY, "deposit": deposit}),
        );
        tells(&mut shop, vec![on("S001", of, &bag)]).await;
    }
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let line =
        |reference: &str, amount: i64| json!({"date": day(20), "reference": reference, "amount": amount});
    let reported = reported(&admin, &bank, json!([line("CASH 1", 25_000), line("CASH 2", 24_000)])).await;
    let statement = format!("/api/statements/{}", reported["statement_id"].as_str().unwrap());
    let line_ids = ids(&admin, &format!("{statement}/lines"), "line_id").await;
    let body = json!({"source_id": bank, "line_ids": line_ids, "item_ids": ["dep_1", "dep_2"],
        "difference_account": "6010", "reason": "counted together"});
    let made = admin.post("/api/settlement-matches", &body).await.data().clone();
    assert_eq!((&made["rule"], &made["difference"]), (&json!("deposit"), &json!(1_000)));
    assert_eq!(admin.post(&format!("{statement}/approve"), &json!({})).await.data()["state"], "approved");
    // Each deposit shows the bank's count: its share of the shortfall.
    let bags = admin.get("/api/deposits?state=banked").await.data().clone();
    assert_eq!(bags["completeness"]["stores_expected"], json!(1), "of all days: {bags}");
    let bags = bags["items"].clone();
    let bag = |bag: &Value| {
        json!([bag["deposit_id"], bag["state"], bag["banked"], bag["difference"], bag["statement_line"]])
    };
    let bags: Vec<Value> = bags.as_array().unwrap().iter().map(bag).collect();
    let first = line_ids.iter().min().unwrap();
    assert_eq!(
        bags,
        [json!(["dep_2", "banked", 19_600, 400, first]), json!(["dep_1", "banked", 29_400, 600, first])]
    );
    let path = format!("/api/reports/cash?from={}&to={}", day(17), day(18));
    let cash = admin.get(&path).await.data().clone();
    let banked = |row: &Value| row["banked"].as_i64().unwrap();
    let by_day: Vec<i64> = cash["items"].as_array().unwrap().iter().map(banked).collect();
    assert_eq!((by_day, banked(&cash["totals"])), (vec![29_400, 19_600], 49_000));
    let accounts = ["1030", "1040", "6010"];
    let mut balances = Vec::new();
    for account in accounts {
        balances.push(balance(&server, account).await);
    }
    assert_eq!(balances, [0, 49_000, 1_000]);
    proved(&admin).await;
    assert!(server.place.run(&["verify"], "").status.success());
}
