//! Effort of a cashier's daily tasks: keys and taps, counted in the page and compared with the best of other products.
//! `docs/screens/effort.md` has the results; `EFFORT=write` writes it.

use crate::layout::touches;
use crate::screen::{ENTER, F6, Screen};
use crate::till::ways::{
    DELETE, TAB, close_by_keys, close_by_touch, discount_by_keys, discount_by_touch, exchange_by_keys,
    exchange_by_touch, five_by_keys, five_by_touch, line, member_by_keys, member_by_touch, one_more,
    open_by_keys, open_by_touch, paid, pay, pay_out_by_keys, pay_out_by_touch, presses, price_by_keys,
    price_by_touch, recall_by_keys, recall_by_touch, reprint, return_by_keys, return_by_touch, scanned, sold,
    split_by_keys, split_by_touch, taken_off, two_lines, void_by_keys, void_by_touch,
};
use serde_json::json;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use testkit::Store;

const PAGE: &str = "docs/screens/effort.md";
const WRITES: &str = "EFFORT";
/// Script that counts a person's keys and taps. Digits are not counted, because every product needs them.
const COUNTS: &str = "window.effort = 0;\
    addEventListener('keydown', ({key}) => { effort += /^(\\d|Shift|Control)$/.test(key) ? 0 : 1; }, {capture: true});\
    addEventListener('click', ({target, detail}) => {\
        effort += detail && !/^\\d+$/.test(target.closest('button')?.innerText ?? '') ? 1 : 0; }, {capture: true})";
/// Additional presses, compared with other products, up to which a task counts as level.
const LEVEL: u64 = 1;
/// Highest number of tasks that may be behind.
const BEHIND_MAX: usize = 2;

/// Fewest presses in another product, by the study in `docs/screens/effort.md`, or `None` for as many as here.
type Best = Option<u64>;
type Act = fn(&mut Screen);
/// A task: its name, the effort in the best other product and its name, the preparation, and the task by keyboard and
/// by touch.
type Task = (&'static str, Best, &'static str, Act, Act, Act);

const TASKS: [Task; 20] = [
    ("open a shift, counted", None, "the same", |_| {}, open_by_keys, open_by_touch),
    ("one scan, cash exact", Some(3), "Square", scanned, |s| pay(s, "e"), |s| paid(s, &[".offers .btn"])),
    (
        "cash with change",
        Some(3),
        "Square",
        scanned,
        |s| pay(s, "50000"),
        |s| paid(s, &[".offers .btn:nth-child(2)"]),
    ),
    ("card", Some(3), "most", scanned, |s| pay(s, "k"), |s| paid(s, &[".methods .btn:nth-child(2)"])),
    ("split: card and cash", Some(8), "Shopify", scanned, split_by_keys, split_by_touch),
    ("one more", Some(1), "most", scanned, one_more, |s| line(s, &[".steps .btn:last-child"])),
    ("quantity 5", Some(1), "most", scanned, five_by_keys, five_by_touch),
    (
        "line off",
        Some(2),
        "most",
        two_lines,
        |s| s.presses(DELETE),
        |s| line(s, &[".opened > .btn:last-child"]),
    ),
    (
        "line put back",
        Some(2),
        "most",
        taken_off,
        |s| presses(s, &[TAB, ENTER]),
        |s| s.browser.press("#banner-act"),
    ),
    ("discount of 10 %", Some(2), "most", scanned, discount_by_keys, discount_by_touch),
    ("member by phone", None, "the same", scanned, member_by_keys, member_by_touch),
    ("hold", Some(2), "most", scanned, |s| s.presses(F6), |s| s.browser.press(".acts button:nth-child(1)")),
    ("recall", Some(2), "most", |_| {}, recall_by_keys, recall_by_touch),
    ("void the sale", Some(2), "most", |_| {}, void_by_keys, void_by_touch),
    ("return with receipt", Some(5), "Shopify", sold, return_by_keys, return_by_touch),
    (
        "exchange, the rest by card",
        Some(8),
        "its return and its payment",
        sold,
        exchange_by_keys,
        exchange_by_touch,
    ),
    ("price check by scan", Some(1), "Odoo, Lightspeed", |_| {}, price_by_keys, price_by_touch),
    ("print the last receipt again", Some(2), "most", sold, reprint, |s| s.browser.press(".last .link")),
    ("pay out", Some(3), "most", |_| {}, pay_out_by_keys, pay_out_by_touch),
    ("close a shift, counted", None, "the same", |_| {}, close_by_keys, close_by_touch),
];

// ---- counting

/// Script that clears the state between tasks. Held sales stay.
const CLEARS: &str = "return (async () => { const app = examine.app(); if (app.dialog.isOpen) app.dialog.close(null); if (app.page === 'open') return;\
    const at = document.querySelector('#variance'); if (at) { await app.current.firstElementChild.done(); return; }\
    await app.show('sell'); app.current.firstElementChild.opened = -1; await app.basket.settled(); const {sale} = app.basket; if (sale) { await app.command({url: `/api/pos/transactions/${sale.transaction_id}/void`,\
    body: {reason: app.reasons.voids[0]}, label: 'Void sale'}); app.basket.clear(); app.focusPage(); } await examine.quiet(); })()";

/// Returns the effort of each task.
#[track_caller]
fn counted(screen: &mut Screen, is_by_touch: bool) -> Vec<u64> {
    TASKS
        .iter()
        .map(|(name, _, _, before, by_keys, by_touch)| {
            before(screen);
            screen.script("effort = 0; return null");
            if is_by_touch {
                by_touch(screen)
            } else {
                by_keys(screen)
            }
            let effort = screen.script("return effort").as_u64().unwrap();
            println!("{name}: {effort}");
            if *name != "hold" && *name != "recall" {
                screen.script(CLEARS);
            }
            effort
        })
        .collect()
}

fn verdict(here: u64, best: Best) -> &'static str {
    match best {
        Some(best) if here < best => "ahead",
        Some(best) if here > 2 * best + LEVEL => "far behind",
        Some(best) if here > best + LEVEL => "behind",
        _ => "level",
    }
}

fn table(keys: &[u64], taps: &[u64]) -> (String, usize, usize) {
    let mut rows = String::new();
    let (mut behind, mut far) = (0, 0);
    for ((name, best, product, ..), (keys, taps)) in TASKS.iter().zip(keys.iter().zip(taps)) {
        let both = [verdict(*keys, *best), verdict(*taps, *best)];
        far += usize::from(both.contains(&"far behind"));
        behind += usize::from(both.contains(&"behind"));
        let elsewhere = best.map_or_else(|| (*product).to_owned(), |best| format!("{best} ({product})"));
        writeln!(rows, "| {name} | {keys} | {taps} | {elsewhere} | {} | {} |", both[0], both[1]).unwrap();
    }
    (rows, behind, far)
}

#[test]
fn no_task_of_a_cashier_is_far_behind_the_best_of_other_products() {
    let store = Store::open_with("pricing.discount_limit_bp = 5000\napproval.pay_out_value = 100000\n", 1);
    let siti = json!({"name": "Siti Aminah", "phone": "081298765432"});
    store.login("manager").post("/api/members", &siti).data(201);
    let Some(mut screen) = Screen::open(store) else { return };
    screen.log_in("till-1");
    screen.sees("#float");
    screen.script(COUNTS);
    let keys = counted(&mut screen, false);
    touches(&mut screen);
    let metrics = json!({"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false});
    screen.browser.devtools("Emulation.setDeviceMetricsOverride", &metrics);
    screen.sees("#by-notes");
    let taps = counted(&mut screen, true);
    let (rows, behind, far) = table(&keys, &taps);
    println!("{rows}");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = fs::read_to_string(&file).unwrap();
    let (before, rest) = page.split_once("|---|---|---|---|---|---|\n").unwrap();
    let (old, after) = rest.split_once("\n\n").unwrap();
    if std::env::var_os(WRITES).is_some() {
        fs::write(&file, format!("{before}|---|---|---|---|---|---|\n{rows}\n{after}")).unwrap();
    } else {
        assert_eq!(format!("{old}\n"), rows, "{PAGE} has different figures");
    }
    assert!(far == 0 && behind <= BEHIND_MAX, "{far} far behind, {behind} behind:\n{rows}");
    screen.is_clean();
}
