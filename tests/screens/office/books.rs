//! The books and the settlement in the portal: an opening, an entry with several lines, the drill-down, tax, proofs, a
//! month that is not ready; a payment and a line matched by hand and separated again.

use crate::looks::look;
use crate::office::order_to_settlement::{choose, sold};
use crate::office::portal::go;
use crate::screen::Screen;
use jiff::civil::Date;
use serde_json::{Value, json};
use testkit::linked::Linked;
use testkit::wait;

const ADMIN: &str = "admin@hub.example";

/// Enters lines of account and amount; below 0 is credit.
#[track_caller]
fn lines(screen: &mut Screen<()>, lines: &[(&str, i64)]) {
    for (index, (account, amount)) in lines.iter().enumerate() {
        choose(screen, &format!("#account-{index}"), account);
        let side = if *amount > 0 { "debit" } else { "credit" };
        choose(screen, &format!("#{side}-{index}"), &amount.abs().to_string());
    }
}

#[test]
fn books_are_opened_written_proven_and_read_down_to_the_document() {
    let mut shop = Linked::open();
    let sale = sold(&mut shop);
    let Some(mut screen) = Screen::office(&shop.hub) else { return };
    screen.log_in_as(ADMIN);
    screen.sees("page-overview h1");

    go(&mut screen, "#/balance/new", "#account-1");
    lines(&mut screen, &[("1040", 5_000_000), ("3010", -5_000_000)]);
    look(&mut screen, "portal-opening");
    screen.browser.press(".title .primary");
    screen.reads("page-record .title", "Opening");

    go(&mut screen, "#/journal/new", "#memo");
    choose(&mut screen, "#memo", "Stamps");
    lines(&mut screen, &[("6050", 700_000), ("1040", -600_000)]);
    screen.reads("page-entry-form", "100,000 missing on the credit side");
    screen.browser.press(".title .primary");
    screen.reads("page-entry-form", "Debits and credits must be equal");
    choose(&mut screen, "#credit-1", "700000");
    look(&mut screen, "portal-entry-form");
    screen.browser.press(".title .primary");
    screen.reads("page-record .title", "Manual");
    // Links from the account to the entry, and from the sale's entry to its receipt.
    go(&mut screen, "#/balance/1040", "page-record tbody");
    screen.reads("page-record .figures", "4,300,000");
    let cause = sale["transaction_id"].as_str().unwrap();
    go(&mut screen, &format!("#/journal?cause_id={cause}"), "page-records tbody a");
    screen.script("document.querySelector('page-records tbody a').click()");
    screen.sees("page-record .facts-grid");
    screen.script("document.querySelector(`.facts-grid a[href^='#/sales/']`).click()");
    screen.reads("page-record .title", sale["receipt_no"].as_str().unwrap());

    go(&mut screen, "#/proofs", "page-records .figures");
    screen.browser.press(".title .primary");
    screen.reads("#banner", "All checks passed");
    go(&mut screen, "#/exports", "page-records .empty");
    for answer in ["All new entries are exported", "All entries are exported already"] {
        screen.browser.press(".title .primary");
        screen.browser.press("dialog .primary");
        screen.reads("#banner", answer);
    }
    screen.reads("page-records tbody", "CSV");
    look(&mut screen, "portal-exports");
    go(&mut screen, "#/tax", "page-records .figures");
    screen.reads("page-records", "Matches accounts 2030 and 1310");

    by_hand(&mut shop, &mut screen, &sale);
    wait::until("the store has reported everything", || {
        let months = shop.office.get("/api/finance/periods").data(200);
        (months["completeness"]["stores_complete"] == 1).then_some(())
    });
    for (address, page) in [
        ("#/periods", "page-records"),
        ("#/discrepancies", "page-records"),
        ("#/statements", "page-statements"),
    ] {
        go(&mut screen, address, &format!("{page} .complete"));
        screen.reads(&format!("{page} .complete"), "Data from 1 of 1 store");
    }
    screen.is_clean();
}

/// A person matches a line without a payment with a payment without a line, and undoes the match.
fn by_hand(shop: &mut Linked, screen: &mut Screen<()>, sale: &Value) {
    let source = shop.made(
        "/api/statement-sources",
        &json!({"name": "Card bank", "kind": "provider", "methods": ["card"]}),
    );
    let line = json!({"date": sale["business_date"], "reference": "ZZ-9", "gross": 20_000, "fee": 0});
    let file = json!({"source_id": source["source_id"], "lines": [line]});
    let statement = shop.made("/api/statements", &file);
    let statement = statement["statement_id"].as_str().unwrap();
    go(screen, &format!("#/items/new?statement_id={statement}&store_id=S001"), "page-match-form tbody input");
    screen.script("for (const box of document.querySelectorAll('page-match-form tbody input')) box.click()");
    choose(screen, "#reason", "The terminal lost the number");
    screen.browser.press(".title .primary");
    screen.reads("page-match-form", "Choose an account for the difference");
    choose(screen, "#account", "6060");
    look(screen, "portal-match-form");
    screen.browser.press(".title .primary");
    screen.reads("page-record .title", "Match of Card bank");
    let item = shop.office.get("/api/settlement-items?method=card").data(200)["items"][0].clone();
    assert_eq!((&item["state"], &item["document_id"]), (&json!("matched"), &sale["transaction_id"]));
    screen.presses_named(".title .btn", "Undo");
    screen.sees("#f-reason");
    choose(screen, "#f-reason", "It was another payment");
    screen.browser.press("dialog .danger");
    screen.reads("#banner", "Undone");
    wait::until("the payment is open again", || {
        let item = shop.office.get("/api/settlement-items?method=card").data(200)["items"][0].clone();
        (item["state"] == "open").then_some(())
    });
    go(screen, &format!("#/statements/{statement}"), "page-record tbody");
    resolved(shop, screen, &source["source_id"], &sale["business_date"]);
}

/// A line of the day before pays out more than any sale: the page previews the posting of its resolution.
fn resolved(shop: &mut Linked, screen: &mut Screen<()>, source: &Value, today: &Value) {
    let today: Date = today.as_str().unwrap().parse().unwrap();
    let line = json!({"date": today.yesterday().unwrap(), "reference": "ZZ-8", "gross": 31_000, "fee": 0});
    let statement = shop.made("/api/statements", &json!({"source_id": source, "lines": [line]}));
    let statement = statement["statement_id"].as_str().unwrap();
    go(screen, &format!("#/statements/{statement}"), "page-record .acts .btn");
    // The page showed another statement before.
    screen.reads("page-record tbody", "31,000");
    screen.presses_named(".acts .btn", "Resolve");
    screen.sees("#f-resolution");
    choose(screen, "#f-resolution", "post");
    // Without a reason there is no preview, even after a delay.
    screen.script("return new Promise((told) => setTimeout(told, 400))");
    assert_eq!(screen.text("#preview"), "");
    choose(screen, "#f-reason", "A sale of another company's till");
    screen.sees("#preview .problem");
    choose(screen, "#f-account", "6060");
    screen.reads("#preview", "31,000");
    screen.reads("#preview", "6060 Settlement differences");
    look(screen, "portal-resolve");
    let open = |shop: &mut Linked| {
        let path = format!("/api/settlement-exceptions?source_id={}&state=open", source.as_str().unwrap());
        shop.office.get(&path).data(200)["items"].as_array().unwrap().len()
    };
    let before = open(shop);
    assert!(before > 0, "a preview stores nothing");
    screen.browser.press("dialog .primary");
    screen.reads("#banner", "Resolved");
    assert_eq!(open(shop), before - 1);
}
