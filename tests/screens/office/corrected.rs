//! A delivery that head office could not post: corrected in Store Admin, and shown as replaced in the portal.

use crate::screen::Screen;
use serde_json::{Value, json};
use testkit::audit::items;
use testkit::goods::{OTHER, stock, text, unpostable};
use testkit::linked::Linked;
use testkit::wait;

const ADMIN: &str = "admin@hub.example";

#[test]
fn a_manager_corrects_a_delivery_that_head_office_could_not_post() {
    let mut shop = Linked::open();
    let before = stock(&mut shop.manager, OTHER);
    let old = unpostable(&mut shop.manager, &mut shop.till);
    shop.synced();
    shop.seen("it is listed", "/api/parked", |list| list["items"][0]["may_correct"] == true);
    let Some(mut screen) = Screen::of(&shop.store, "/admin") else { return };
    screen.log_in("manager");
    screen.sees("nav");
    screen.script("location.hash = '#/sync'");
    screen.reads("page-sync sync-parked", "Head office could not post these documents");
    screen.reads("page-sync sync-parked", "If a figure of the delivery is wrong, correct it here");
    screen.script("document.querySelector('sync-parked tbody a').click()");
    screen.reads("page-receive h1", "Correct a delivery");
    screen.reads("page-receive #correction", "stock changes only by the difference");
    assert_eq!(screen.script("return document.querySelector('#old-reference').value"), "REF-7");
    // What each piece costs is changed in three lines; all else is as it was.
    for sku in [OTHER, "8990003", "8990004"] {
        screen.script(&format!(
            "const box = document.querySelector('#cost-{sku}'); box.value = '1000';\
             box.dispatchEvent(new Event('input')); box.dispatchEvent(new Event('change'))"
        ));
    }
    screen.presses_named("page-receive footer .btn", "Send again");
    screen.reads("#banner", "4 lines received");
    let posted = items(&mut shop.manager, "/api/receiving");
    let new =
        posted.iter().find(|one| one["resubmits"] == old["receiving_id"]).expect("a corrected delivery");
    assert_eq!(
        (&new["reference"], &new["note"], &new["lines"][0]["cost"]),
        (&json!("REF-7"), &json!("by lorry"), &json!(1_000_000))
    );
    assert_eq!(stock(&mut shop.manager, OTHER), (before.0 + 10, before.1 + 10_000));
    shop.synced();
    wait::until("head office has no record on hold", || {
        items(&mut shop.office, "/api/parked").is_empty().then_some(())
    });
    screen.is_clean();
    in_the_portal(&shop, new);
}

/// The portal shows what the old record was replaced by.
#[track_caller]
fn in_the_portal(shop: &Linked, new: &Value) {
    let Some(mut screen) = Screen::office(&shop.hub) else { return };
    screen.log_in_as(ADMIN);
    screen.sees("page-overview h1");
    screen.script("location.hash = '#/parked?replaced=true'");
    screen.reads("page-records .records", "Replaced by");
    screen.reads("page-records .records", &text(new, "receiving_id"));
    screen.script("document.querySelector(`page-records .records a[href^='#/receipts']`).click()");
    screen.sees("page-record .facts-grid");
    screen.is_clean();
}
