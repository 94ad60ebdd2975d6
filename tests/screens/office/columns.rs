//! A statement file of an unknown format: its columns are guessed, shown above its first rows, and stored with the
//! source.

use crate::furnished::patch;
use crate::looks::look;
use crate::office::order_to_settlement::chosen;
use crate::office::portal::go;
use crate::screen::Screen;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use testkit::hub::Hub;
use testkit::wait;

/// A bank's file as downloaded: a preamble, a heading, debit and credit in separate columns.
const BANK: &str = "Periode : 18/11/2025 - 20/11/2025\n\nTanggal;Uraian;Debet;Kredit;Saldo\n\
    18/11/2025;SETORAN TUNAI;0,00;2.000.000,00;12.000.000,00\n19/11/2025;BIAYA ADM;15.000,00;0,00;11.985.000,00\n";
/// Script that returns the page's guess about a file, and head office's result with it.
const GUESSED: &str = "const [file, kind, text] = [FILE, KIND, TEXT]; const app = document.querySelector('page-statements').app;\
    const at = [...document.querySelectorAll('script[src]')].map((one) => one.src).find((one) => /portal\\/main/.test(one)).replace('portal/main.js', 'books/');\
    return (async () => { const { begin, formatOf } = await import(`${at}mapper.js`); const bytes = new TextEncoder().encode(text).buffer;\
        const csv = formatOf(begin(bytes, { kind }, null), {});\
        const source = await app.change('POST', '/api/statement-sources', { name: file, kind, methods: [], csv, ...(/paypal|square/.test(file) ? { currency: 'USD' } : {}) });\
        const seen = await app.change('POST', `/api/statements?source_id=${source.source_id}&dry_run=true`, bytes, { type: 'text/csv' }).catch((error) => ({ lines_new: JSON.stringify(error.details ?? error.message) }));\
        await app.change('PATCH', `/api/statement-sources/${source.source_id}`, { state: 'inactive' });\
        return seen.lines_new; })().catch((error) => JSON.stringify(error.details ?? error.message))";
/// Files of banks and providers, each with the number of rows that are recognised without corrections.
const SHAPES: [(&str, &str, i64); 12] = [
    ("adyen-settlement-detail", "provider", 5),
    ("bca-bisnis", "bank", 3),
    ("bca-mutasi", "bank", 3),
    ("bri", "bank", 2),
    ("debit-credit-dash", "bank", 2),
    ("headerless-bank", "bank", 3),
    ("ing-nl", "bank", 2),
    ("mandiri", "bank", 3),
    ("paypal-activity", "provider", 3),
    ("qris-provider-status", "provider", 2),
    ("square-transactions", "provider", 2),
    ("stripe-payout", "provider", 5),
];

#[test]
fn columns_of_a_statement_are_chosen_over_its_first_rows_and_remembered() {
    let hub = Hub::open();
    let mut office = hub.login();
    for (name, kind) in [("Card bank", "provider"), ("Bank of the till", "bank")] {
        let source = json!({"name": name, "kind": kind, "methods": []});
        office.post("/api/statement-sources", &source).data(201);
    }
    let sources = office.get("/api/statement-sources?limit=10").data(200)["items"].clone();
    let bank =
        sources.as_array().unwrap().iter().find(|one| one["kind"] == "bank").unwrap()["source_id"].clone();
    let bank = bank.as_str().unwrap();
    let Some(mut screen) = Screen::office(&hub) else { return };
    screen.log_in_as("admin@hub.example");
    screen.sees("page-overview h1");

    // The link on the bank's page opens the import for that bank.
    go(&mut screen, &format!("#/sources/{bank}"), "page-record .title .btn");
    screen.reads("page-record .title", "Import a statement");
    screen.presses_named(".title .btn", "Import");
    screen.sees("#file");
    assert_eq!(screen.script("return document.querySelector('#source').value"), bank);

    chosen(&mut screen, "mutasi.csv", BANK);
    screen.sees("#mapper");
    let fields = "return [...document.querySelectorAll('#columns select')].map((one) => one.value)";
    assert_eq!(screen.script(fields), json!(["date", "description", "debit", "credit", ""]));
    screen.reads("#columns tbody", "SETORAN TUNAI");
    assert_eq!(
        screen.script("return document.querySelector('#map-date').selectedOptions[0].text"),
        "20/11/2026"
    );
    look(&mut screen, "portal-statement-columns");
    // Without a date column there is no preview. A field moves to the column for which it is selected.
    let choose = |at: u32, field: &str| {
        format!(
            "const one = document.querySelectorAll('#columns select')[{at}]; one.value = '{field}'; one.dispatchEvent(new Event('change'))"
        )
    };
    screen.script(&choose(0, ""));
    screen.reads("#mapper", "Choose the column that holds the day");
    screen.sees("#map-keep:disabled");
    screen.script(&choose(0, "date"));
    screen.sees("#map-keep:enabled");
    screen.browser.press("#map-keep");
    screen.reads("page-statements", "Preview, not saved yet: mutasi.csv");
    screen.reads("page-statements .figures", "1,985,000");
    let kept = office.get(&format!("/api/statement-sources/{bank}")).data(200)["csv"].clone();
    assert_eq!(
        kept["columns"],
        json!({"date": "Tanggal", "description": "Uraian", "debit": "Debet", "credit": "Kredit"})
    );
    assert_eq!(kept["date_format"], "%d/%m/%Y");

    // The next file of the source is read without a dialog, and so is the same file again.
    for _ in 0..2 {
        screen.script("document.querySelector('page-statements').drop()");
        chosen(&mut screen, "mutasi.csv", BANK);
        screen.reads("page-statements", "Preview, not saved yet: mutasi.csv");
        assert_eq!(screen.script("return document.querySelector('#file').value"), "");
        assert_eq!(screen.script("return document.querySelector('#mapper')"), Value::Null);
    }
    // For another source the selected file is checked again.
    screen.script(
        "const box = document.querySelector('#source'); box.value = [...box.options].find((one) => one.text.trim() === 'Card bank').value; box.dispatchEvent(new Event('change'))",
    );
    wait::until("the columns are asked for the other source", || {
        (screen.script("return Boolean(document.querySelector('#mapper'))") == true).then_some(())
    });
    // A bank account can have only one active source.
    for source in sources.as_array().unwrap() {
        let path = format!("/api/statement-sources/{}", source["source_id"].as_str().unwrap());
        patch(&mut office, &path, &json!({"state": "inactive"}));
    }
    shapes(&mut screen);
    screen.is_clean();
}

/// Reads each kind of file by its guessed columns.
#[track_caller]
fn shapes(screen: &mut Screen<()>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("hub/tests/data/statements");
    for (file, kind, lines) in SHAPES {
        let text = String::from_utf8(fs::read(folder.join(format!("{file}.csv"))).unwrap()).unwrap();
        // Dates that are in the past whenever this runs.
        let text = text.replace("2026", "2025").replace("11/26", "11/25");
        let script = GUESSED
            .replace("FILE", &json!(file).to_string())
            .replace("KIND", &json!(kind).to_string())
            .replace("TEXT", &json!(text).to_string());
        assert_eq!(screen.script(&script), json!(lines), "{file}");
    }
}
