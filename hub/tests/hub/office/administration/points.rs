//! Points expire only at head office: once, even if two processes run at the same time, and points redeemed in time
//! count.

use crate::office::finance::tells;
use crate::office::head_office::hears;
use crate::support::server::{Api, Place, Server, stderr, stdout};
use crate::support::shop::Shop;
use crate::sync::kinds::raw;
use cloud_hub::night::jobs;
use domain::model::base::time::UtcMs;
use jiff::civil::{Date, date};
use serde_json::{Value, json};

/// A date so early that nothing is in the future of the hub's clock.
const LAST: Date = date(2025, 6, 30);

async fn server(policy: &str) -> Server {
    let place = Place::initialised().await;
    let text = std::fs::read_to_string(&place.config).unwrap();
    std::fs::write(&place.config, format!("{text}[finance]\npoints_policy = \"{policy}\"\n")).unwrap();
    Server::on(place).await
}

/// Returns a record of points that moved without a sale, with a lot that expires on a day.
pub fn moved(
    event_id: &str,
    (member, day): (&str, Date),
    (reason, points): (&str, i64),
    last: Option<Date>,
) -> String {
    let at = day.at(12, 0, 0, 0).in_tz("Asia/Jakarta").unwrap().timestamp().as_millisecond();
    let lots = match last {
        Some(last) => json!([{"lot_id": event_id, "points": points.abs(), "expires": last}]),
        None => json!([]),
    };
    let entry = json!({"entry_id": format!("{event_id}:{reason}"), "member_id": member, "points": points,
        "reason": reason, "reference_id": event_id, "balance_after": 0, "lots": lots, "business_date": day,
        "user_id": "usr_1", "at": UtcMs(at)});
    let payload = json!({"business_date": day, "entry": entry, "reason": "given"});
    raw("points.adjusted", event_id, &format!("{at:013}-00000-S001"), &payload)
}

/// Runs the nightly jobs before a day, and returns the names of those that ran.
pub async fn night(server: &Server, day: Date) -> Vec<&'static str> {
    let local = day.at(23, 59, 0, 0).to_zoned(server.hub.zone.clone()).unwrap();
    jobs::run(&server.hub, UtcMs(local.timestamp().as_millisecond())).await
}

async fn member(admin: &Api, name: &str, phone: &str) -> String {
    let made = admin.post("/api/members", &json!({"name": name, "phone": phone})).await.data().clone();
    made["member_id"].as_str().unwrap().to_owned()
}

async fn balance(admin: &Api, id: &str) -> i64 {
    admin.get(&format!("/api/members/{id}")).await.data()["points_balance"].as_i64().unwrap()
}

/// Returns `[points, balance_after, whether a store reported it]` of each entry, newest first.
async fn history(admin: &Api, id: &str) -> Value {
    let page = admin.get(&format!("/api/members/{id}/points")).await;
    let items = page.data()["items"].as_array().unwrap().clone();
    items
        .iter()
        .map(|item| json!([item["points"], item["balance_after"], item["store_id"].is_string()]))
        .collect()
}

/// Returns the amounts of head office's own entries of expiry: `[entry date, debit of 2040, of 4040, of 6040]`.
async fn entries(admin: &Api) -> Vec<Value> {
    let journal = admin.get("/api/finance/journal?limit=500").await.data().clone();
    let mut found = Vec::new();
    for entry in journal["items"].as_array().unwrap().iter().filter(|entry| entry["store_id"] == "") {
        let path = format!("/api/finance/journal/{}", entry["entry_id"].as_str().unwrap());
        let whole = admin.get(&path).await.data().clone();
        assert_eq!(whole["source"]["entry"]["reason"], "expire", "{whole}");
        let moved = ["2040", "4040", "6040"].map(|account| {
            let line = whole["lines"].as_array().unwrap().iter().find(|line| line["account"] == account);
            line.map_or(0, |line| line["debit"].as_i64().unwrap() - line["credit"].as_i64().unwrap())
        });
        found.push(json!([whole["entry_date"], moved]));
    }
    found.reverse();
    found
}

fn verified(server: &Server) {
    let done = server.place.run(&["verify"], "");
    assert!(done.status.success(), "{}{}", stdout(&done), stderr(&done));
}

/// Returns the balance of a member that a store receives.
async fn heard(shop: &Shop, id: &str) -> i64 {
    let reported = hears(shop, "members", "points").await;
    let reported = reported.iter().rfind(|change| change["payload"]["member_id"] == id).unwrap();
    reported["payload"]["balance"].as_i64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn points_past_their_date_die_once_and_others_stay() {
    for (policy, released, left) in
        [("expense", [50, 0, -50], [-20, 0, 20]), ("deferral", [40, -40, 0], [-16, 16, 0])]
    {
        let server = server(policy).await;
        let admin = server.admin().await;
        let mut one = Shop::open(&server, "S001").await;
        let mut two = Shop::open(&server, "S002").await;
        let (ani, budi) =
            (member(&admin, "Ani", "0811 2345 6701").await, member(&admin, "Budi", "0811 2345 6702").await);
        let (before, after) = (date(2025, 5, 1), LAST.tomorrow().unwrap());
        let later = Some(date(2025, 12, 31));
        let given = vec![
            moved("evt_1", (&ani, before), ("adjust", 50), Some(LAST)),
            moved("evt_2", (&ani, before), ("adjust", 100), later),
            moved("evt_3", (&budi, before), ("adjust", 30), None),
        ];
        assert_eq!(tells(&mut one, given).await["parked"], json!([]));

        // The points are valid through the last day. Then two processes run the job at the same time, and again.
        assert_eq!(night(&server, LAST).await, ["settlement", "points", "proofs"]);
        assert_eq!(balance(&admin, &ani).await, 150);
        let (first, second) = tokio::join!(night(&server, after), night(&server, after));
        assert_eq!([first, second].concat().iter().filter(|name| **name == "points").count(), 1);
        sqlx::query("DELETE FROM jobs").execute(server.hub.db.pool()).await.unwrap();
        // Even if the check runs again, a completed expiry is not repeated.
        sqlx::query("UPDATE points SET look_after = '2025-01-01'")
            .execute(server.hub.db.pool())
            .await
            .unwrap();
        assert!(night(&server, after).await.contains(&"points"));
        assert_eq!((balance(&admin, &ani).await, balance(&admin, &budi).await), (100, 30));
        assert_eq!(
            (heard(&one, &ani).await, heard(&two, &ani).await),
            (100, 100),
            "stores receive the balance"
        );
        assert_eq!(
            entries(&admin).await,
            [json!([after, released])],
            "{policy}: posted once, in head office's own book"
        );
        assert_eq!(history(&admin, &ani).await, json!([[-50, 100, false], [100, 150, true], [50, 50, true]]));
        verified(&server);

        // An offline store reports that it redeemed some points in time, and some later.
        let reported = vec![
            moved("evt_4", (&ani, LAST), ("redeem", -20), None),
            moved("evt_5", (&ani, after), ("redeem", -30), None),
        ];
        assert_eq!(tells(&mut two, reported).await["parked"], json!([]));
        assert_eq!(balance(&admin, &ani).await, 50, "both redemptions count as reported");
        let next = after.tomorrow().unwrap();
        night(&server, next).await;
        assert_eq!(balance(&admin, &ani).await, 70, "points redeemed in time had not expired");
        let posted = entries(&admin).await;
        assert_eq!(posted, [json!([after, released]), json!([next, left])], "{policy}");
        let liability = admin.get("/api/reports/points-liability?as_of=2025-07-31").await.data().clone();
        let month = |name: &str| liability["items"].as_array().unwrap().last().unwrap()[name].clone();
        assert_eq!((month("month"), month("expired")), (json!("2025-07"), json!(30)), "{liability}");
        let proofs = admin.post("/api/finance/proofs", &json!({})).await.data().clone();
        assert_eq!(proofs["ok"], true, "{proofs}");
        verified(&server);

        // With a clock that is ahead all points expire. With the right clock they are back.
        night(&server, date(2026, 1, 1)).await;
        assert_eq!(balance(&admin, &ani).await, 0);
        night(&server, next.tomorrow().unwrap()).await;
        assert_eq!(balance(&admin, &ani).await, 70);
        verified(&server);

        // `verify` finds an entry of head office that differs from the posted one.
        let sql = "UPDATE points_entries SET points = points - 1 WHERE store_id = '' AND points < 0";
        sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
        let done = server.place.run(&["verify"], "");
        let reported = stdout(&done) + &stderr(&done);
        assert!(!done.status.success() && reported.contains(&format!("points {ani} is")), "{reported}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_who_are_one_lose_what_both_had_and_an_overdraft_is_for_a_person() {
    let server = server("expense").await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let (ani, anie) =
        (member(&admin, "Ani", "0811 2345 6701").await, member(&admin, "Anie", "0811 2345 6702").await);
    let (before, after) = (date(2025, 5, 1), LAST.tomorrow().unwrap());
    let given = vec![
        moved("evt_1", (&ani, before), ("adjust", 50), Some(LAST)),
        moved("evt_2", (&anie, before), ("adjust", 40), Some(LAST)),
        moved("evt_3", (&anie, before), ("redeem", -30), None),
    ];
    assert_eq!(tells(&mut shop, given).await["parked"], json!([]));
    admin.post(&format!("/api/members/{anie}/merge"), &json!({"into": ani})).await.data();
    night(&server, after).await;
    assert_eq!(balance(&admin, &ani).await, 0);
    assert_eq!(history(&admin, &anie).await[0], json!([-60, 0, false]), "found by either ID");
    // The store had not received the expiry and redeemed the points afterwards. The redemption stands.
    let reported = vec![moved("evt_4", (&ani, after), ("redeem", -10), None)];
    assert_eq!(tells(&mut shop, reported).await["parked"], json!([]));
    night(&server, after.tomorrow().unwrap()).await;
    assert_eq!(balance(&admin, &ani).await, -10);
    let open = admin.get("/api/exceptions?state=open").await.data().clone();
    assert!(
        open["items"].as_array().unwrap().iter().any(|found| found["code"] == "points_overdrawn"),
        "{open}"
    );
    let page = admin.get(&format!("/api/members/{ani}/points?limit=2")).await.data().clone();
    let rest = format!("/api/members/{ani}/points?limit=5&cursor={}", page["next_cursor"].as_str().unwrap());
    let left: Vec<_> = admin.get(&rest).await.data()["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["balance_after"].clone())
        .collect();
    assert_eq!(left.len(), 3, "all pages together");
    assert_eq!(admin.get("/api/members/mbr_none/points").await.refusal(), "404 not_found");
    verified(&server);
}
