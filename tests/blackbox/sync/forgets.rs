//! A store deletes records that head office keeps permanently. Head office, restored from an older backup, reports the
//! records that it will never get back, and continues.

use super::trade::everything;
use super::{QUICK, status};
use serde_json::json;
use testkit::dice::Random;
use testkit::ends::settled;
use testkit::hub::Hub;
use testkit::store::Store;
use testkit::till::Till;
use testkit::wait;

#[test]
fn records_that_neither_store_nor_hub_has_are_a_named_hole() {
    let mut hub = Hub::open();
    let mut store = Store::prepare(&format!("{QUICK}sync.retain_days = 0\n"), 1);
    hub.enrol(&store);
    hub.kill9();
    let copy = hub.copy_database();
    hub.start();
    store.start();
    let mut random = Random::announced("forgets");
    let mut till = Till::open(&store, 1, &mut random);
    everything(&store, 1);
    settled(&hub, &store);
    let forgot = |store: &Store| store.log().contains("older records are no longer kept");
    let mut manager = store.login("manager");
    manager.post("/api/sync/force", &json!({})).data(200);
    assert!(!forgot(&store), "the store must keep records that no backup of head office has");
    // Both backups that are kept have the records.
    hub.backup();
    hub.backup();
    wait::until("the store deletes the records", || {
        manager.post("/api/sync/force", &json!({})).data(200);
        forgot(&store).then_some(())
    });

    hub.kill9();
    hub.put_database(&copy);
    hub.start();
    let reported = settled(&hub, &store);
    let hole = reported["holes"][0].clone();
    assert_eq!(
        (&hole["from_seq"], reported["holes"].as_array().unwrap().len()),
        (&json!(1), 1),
        "{reported}"
    );
    assert_eq!(hole["epoch"], reported["heads"][0]["epoch"], "{reported}");
    let alarmed = |reported: &serde_json::Value| {
        reported["problems"].as_array().unwrap().iter().any(|problem| problem["code"] == "hole")
    };
    assert!(alarmed(&reported), "{reported}");
    let day = till.shift(&mut manager)["business_date"].as_str().unwrap().to_owned();
    let path = format!("/api/reports/sales?from={day}&to={day}&group_by=day");
    let report = hub.login().get(&path).data(200);
    let incomplete = report["completeness"].clone();
    let incomplete = if incomplete.is_null() { report.clone() } else { incomplete };
    assert_eq!(incomplete["missing"][0]["store_id"], json!(store.id()), "{report}");
    till.sell();
    settled(&hub, &store);
    assert!(alarmed(&status(&hub)), "only a person can clear the problem");
    store.stop();
    store.verify();
}
