//! Rows of a provider's file that are not lines: the preview lists them and asks what the file does not state, and each
//! row is accepted or dismissed on the statement's page.

use crate::looks::look;
use crate::office::order_to_settlement::{choose, chosen};
use crate::office::portal::go;
use crate::screen::Screen;
use serde_json::json;
use testkit::linked::Linked;

/// Rows that the mocked answer of head office contains, in addition to its own.
const ANSWERS: &str = "window.rows = [\
    {row_id: 'row_1', row_no: 3, reason: 'invalid', field: 'amount', problem: 'is no figure', date: '2026-11-20', reference: 'C-1004', description: '', amount: null, text: '20/11/2026;C-1004;12,34,5', repeats: null, state: 'open', line_id: null, decision: null},\
    {row_id: 'row_2', row_no: 4, reason: 'pending', field: null, problem: 'is not booked yet', date: null, reference: '', description: 'ADM', amount: -15000, text: 'PEND,ADM,15000,DB', repeats: null, state: 'noted', line_id: null, decision: null},\
    {row_id: 'row_3', row_no: 5, reason: 'repeat', field: null, problem: 'tells of the same money as a known line', date: '2026-11-20', reference: 'C-1', description: '', amount: 500, text: 'C-1,500', repeats: 'sln_1', state: 'open', line_id: null, decision: null}];\
    window.sent = []; const real = window.fetch; const counted = {invalid: 1, pending: 1, repeat: 1};\
    const answer = (status, data) => new Response(JSON.stringify(status < 300 ? {success: true, data} : {success: false, error: data}), {status, headers: {'Content-Type': 'application/json'}});\
    window.fetch = async (url, how) => { const [at] = String(url).split('?');\
        if (how.method !== 'GET') sent.push([how.method, String(url), typeof how.body === 'string' ? JSON.parse(how.body) : null]);\
        if (/set-aside$/.test(at)) return answer(200, {items: rows, next_cursor: null});\
        const decided = /set-aside\\/(row_\\d)\\/(take|dismiss)$/.exec(at);\
        if (decided) { const row = rows.find((one) => one.row_id === decided[1]); Object.assign(row, {state: decided[2] === 'take' ? 'taken' : 'dismissed', decision: JSON.parse(how.body).reason}); return answer(200, row); }\
        if (/dry_run/.test(url) && !window.refusedOnce) { window.refusedOnce = true; return answer(422, {code: 'validation_failed', message: 'no', details: {fields: [{path: 'csv.decimal', problem: 'must say how figures are written'}]}}); }\
        const own = await real(String(url).replace(/&?accept_repeats=true/, ''), how); if (!/api\\/statements(\\?.*dry_run|\\/stm_[^/]+$)/.test(url)) return own;\
        const {data} = await own.json(); const repeated = /accept_repeats/.test(url);\
        return answer(200, {...data, set_aside: counted, set_aside_open: rows.filter(({state}) => state === 'open').length, balance_difference: null, rows_set_aside: repeated ? rows.slice(0, 2) : rows, repeats: repeated ? [] : [rows[2]]}); }";

#[test]
fn rows_that_are_no_lines_are_listed_and_decided() {
    let mut shop = Linked::open();
    let source = json!({"name": "Card bank", "kind": "provider", "methods": ["card"], "lag_days": 0});
    let source = shop.made("/api/statement-sources", &source);
    let Some(mut screen) = Screen::office(&shop.hub) else { return };
    screen.log_in_as("admin@hub.example");
    screen.sees("page-overview h1");
    go(&mut screen, "#/statements", "#file");
    let id = source["source_id"].as_str().unwrap();
    choose(&mut screen, "#source", id);
    screen.script(ANSWERS);
    chosen(&mut screen, "card.csv", "date,reference,amount,fee\n2026-11-20,C-1003,700,0\n");
    // An ambiguous format is asked for and stored with the source.
    screen.reads("#marks", "Amount format");
    look(&mut screen, "portal-statement-asks");
    screen.presses_named("#marks button", "1,234.50");
    screen.reads("#set-aside", "Set aside: 3");
    screen.reads("#set-aside", "Unreadable");
    screen.reads("#set-aside", "12,34,5");
    let csv = shop.office.get(&format!("/api/statement-sources/{id}")).data(200)["csv"].clone();
    assert_eq!(csv["decimal"], ".");
    look(&mut screen, "portal-statement-set-aside");
    // A row that repeats a known payment is accepted if a person states that it is another payment.
    screen.browser.press("#repeats");
    screen.reads("#set-aside", "Set aside: 2");
    assert_eq!(screen.script("return document.querySelector('#repeats').checked"), json!(true));
    screen.browser.press("page-statements .pad .primary");
    screen.reads("page-record", "Set aside: 3, to decide on: 2");
    assert_eq!(
        screen.script("return sent.filter(([, url]) => /accept_repeats=true/.test(url)).length"),
        json!(2)
    );
    look(&mut screen, "portal-statement-rows");
    screen.presses_named(".acts .btn", "Add as line");
    screen.sees("#f-amount");
    choose(&mut screen, "#f-amount", "12345");
    choose(&mut screen, "#f-reason", "the slip says so");
    screen.browser.press("dialog .primary");
    screen.reads("page-record", "to decide on: 1");
    let taken = screen.script("return sent.at(-1)");
    assert!(taken[1].as_str().unwrap().ends_with("/set-aside/row_1/take"), "{taken}");
    assert_eq!(
        taken[2],
        json!({"date": "2026-11-20", "reference": "C-1004", "reason": "the slip says so", "amount": 12_345})
    );
    screen.presses_named(".acts .btn", "Dismiss");
    screen.sees("dialog #f-reason");
    choose(&mut screen, "#f-reason", "paid twice by mistake");
    screen.browser.press("dialog .primary");
    screen.reads("page-record", "to decide on: 0");
    screen.reads("page-record", "paid twice by mistake");
    screen.is_clean();
}
