//! The portal of a company whose currency has decimals: amounts are typed, shown and stored as cents.

use crate::office::order_to_settlement::choose;
use crate::office::portal::go;
use crate::screen::Screen;
use serde_json::json;
use testkit::hub::Hub;

const ADMIN: &str = "admin@hub.example";

#[test]
fn head_office_in_euros_types_and_shows_cents() {
    let hub = Hub::open_with("[company]\ncurrency = \"EUR\"\n");
    let Some(mut screen) = Screen::office(&hub) else { return };
    screen.log_in_as(ADMIN);
    screen.sees("page-overview h1");
    go(&mut screen, "#/balance/new", "#account-1");
    for (field, typed) in
        [("#account-0", "1040"), ("#debit-0", "125050"), ("#account-1", "3010"), ("#credit-1", "1250.50")]
    {
        choose(&mut screen, field, typed);
    }
    // The decimal separator moves with each digit; a typed separator changes nothing.
    assert_eq!(screen.script("return document.querySelector('#debit-0').value"), "1,250.50");
    assert_eq!(screen.script("return document.querySelector('#credit-1').value"), "1,250.50");
    screen.browser.press(".title .primary");
    screen.reads("page-record .title", "Opening");
    let mut office = hub.login();
    let entry = office.get("/api/finance/journal").data(200)["items"][0].clone();
    assert_eq!(entry["total"], json!(125_050));

    go(&mut screen, "#/journal/new", "#memo");
    choose(&mut screen, "#memo", "Stamps");
    for (field, typed) in
        [("#account-0", "6050"), ("#debit-0", "705"), ("#account-1", "1040"), ("#credit-1", "700")]
    {
        choose(&mut screen, field, typed);
    }
    screen.reads("page-entry-form", "0.05 missing on the credit side");
    choose(&mut screen, "#credit-1", "705");
    screen.browser.press(".title .primary");
    screen.reads("page-record .title", "Manual");
    go(&mut screen, "#/balance/1040", "page-record tbody");
    screen.reads("page-record .figures", "1,243.45");
    go(&mut screen, "#/balance", "page-records tbody");
    screen.reads("page-records tbody", "1,243.45");
    screen.is_clean();
}
