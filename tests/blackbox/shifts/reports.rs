//! The store's reports: grouped by any key they add up to the sales, and head office's reports agree.

mod book;

use book::{Book, FIGURES, ROUNDED, Row, figures, live, sell, shown};
use serde_json::{Value, json};
use testkit::counter::{Counter, number, text};
use testkit::hub::Hub;
use testkit::{Client, Store, wait};

/// Groupings, each with the name of its key.
const GROUPINGS: [(&str, &str); 7] = [
    ("day", "business_date"),
    ("hour", "hour"),
    ("store", "store_id"),
    ("cashier", "cashier_id"),
    ("sku", "sku"),
    ("category", "category"),
    ("method", "method"),
];

#[track_caller]
fn report(client: &mut Client, day: &str, group_by: &str) -> Value {
    client.get(&format!("/api/reports/sales?from={day}&to={day}&group_by={group_by}")).data(200)
}

#[track_caller]
fn csv(client: &mut Client, path: &str) -> Vec<Vec<String>> {
    let reply = client.send("GET", path, &[("Accept", "text/csv")], b"");
    assert_eq!(
        (reply.status, reply.header("content-type")),
        (200, Some("text/csv; charset=utf-8")),
        "{}",
        reply.text()
    );
    let text = reply.text();
    let text =
        text.strip_prefix('\u{feff}').expect("a byte-order mark, by which spreadsheets recognise UTF-8");
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn every_grouping_is_the_sum_of_what_was_sold() {
    let (mut counter, mut book) = (Counter::open_with(ROUNDED), Book::default());
    let (mut other, shift) = live(&mut counter, &mut book);
    let day = text(&counter.summary()["shift"], "business_date");
    let day_row = &book.rows("day")[0].1;
    for (group_by, key) in GROUPINGS {
        let report = report(&mut counter.manager, &day, group_by);
        assert_eq!(shown(&report, key), book.rows(group_by), "{group_by}");
        assert_eq!(&figures(&report["totals"]), day_row, "each document counts once, grouped by {group_by}");
        assert_eq!((&report["group_by"], &report["shifts_open"]), (&json!(group_by), &json!(2)));
        let path = format!("/api/reports/sales?from={day}&to={day}&group_by={group_by}");
        let table = csv(&mut counter.manager, &path);
        let columns = &table[0][1..=FIGURES.len()];
        assert_eq!((table[0][0].as_str(), columns), (key, &FIGURES.map(str::to_owned)[..]));
        let rows: Vec<(String, Row)> = table[1..]
            .iter()
            .map(|row| (row[0].clone(), std::array::from_fn(|place| row[place + 1].parse().ok())))
            .collect();
        assert_eq!(rows, book.rows(group_by), "{group_by} as a table");
    }

    // The day's report has its shifts: an open one, and closed ones with a count each.
    let daily = |manager: &mut Client| manager.get(&format!("/api/reports/daily?date={day}")).data(200);
    check_daily(&daily(&mut counter.manager), &mut counter.manager, day_row);
    counter.close();
    other.post(&format!("/api/shifts/{shift}/close"), &json!({"counted_cash": 77})).data(200);
    let seen = daily(&mut counter.manager);
    check_daily(&seen, &mut counter.manager, day_row);
    assert_eq!((&seen["shifts_open"], &seen["drawers"]["counted"]), (&json!(0), &json!(77)));
    let expected = number(&seen["drawers"], "expected");
    assert_eq!(number(&seen["drawers"], "variance"), 77 - expected);
    let table = csv(&mut counter.manager, &format!("/api/reports/daily?date={day}"));
    let totals = table[0].iter().position(|name| name == "net_total").unwrap();
    let sum: i64 = table[1..].iter().map(|row| row[totals].parse::<i64>().unwrap()).sum();
    assert_eq!((table.len(), Some(sum)), (3, day_row[10]));
    let today = counter.manager.get("/api/reports/daily").data(200);
    assert_eq!(today["business_date"], json!(day));
}

/// Compares a day with the summaries (X or Z) of its shifts, and with the book.
#[track_caller]
fn check_daily(daily: &Value, manager: &mut Client, day_row: &Row) {
    assert_eq!(&figures(&daily["totals"]), day_row);
    let mut sums = [0; FIGURES.len() - 1];
    let mut expected = 0;
    for shift in daily["shifts"].as_array().unwrap() {
        let path = format!("/api/shifts/{}/summary", text(shift, "shift_id"));
        let summary = manager.get(&path).data(200);
        sums = std::array::from_fn(|place| sums[place] + number(&summary, FIGURES[place]));
        assert_eq!(shift["cash"], summary["cash"]);
        expected += number(&summary["cash"], "expected");
        for method in summary["by_method"].as_array().unwrap() {
            let whole = daily["by_method"].as_array().unwrap().iter();
            let whole: Vec<_> = whole.filter(|row| row["method"] == method["method"]).collect();
            assert_eq!(whole.len(), 1, "{method}");
        }
    }
    assert_eq!(
        (sums.map(Some).as_slice(), number(&daily["drawers"], "expected")),
        (&day_row[..10], expected)
    );
    for part in ["by_hour", "by_cashier"] {
        let rows = daily[part].as_array().unwrap();
        let net: i64 = rows.iter().map(|row| number(row, "net_total")).sum();
        assert_eq!(Some(net), day_row[10], "{part}");
    }
}

#[test]
fn head_office_says_the_same_after_sync() {
    let hub = Hub::open();
    let mut store = Store::prepare(ROUNDED, 2);
    hub.enrol(&store);
    store.start();
    let (mut counter, mut book) = (Counter::at(store), Book::default());
    live(&mut counter, &mut book);
    let day = text(&counter.summary()["shift"], "business_date");
    wait::until("the hub has everything", || {
        counter.manager.post("/api/sync/force", &json!({})).data(200);
        let status = counter.manager.get("/api/sync/status").data(200);
        (status["outbox"]["pending"] == json!(0)).then_some(())
    });
    let mut office = hub.login();
    for (group_by, key) in GROUPINGS {
        let here = report(&mut counter.manager, &day, group_by);
        let there = report(&mut office, &day, group_by);
        assert_eq!((&here["items"], &here["totals"]), (&there["items"], &there["totals"]), "{group_by}");
        assert_eq!(shown(&there, key), book.rows(group_by), "{group_by}");
    }
}

#[test]
fn a_shift_over_midnight_counts_for_the_day_it_was_opened_on() {
    // The business dates of these settings differ by one, so the same shift sells on two dates.
    let mut store = Store::open_with("store.day_start = \"23:59\"", 2);
    let mut till = store.login("till-1").at_register("till-1");
    let day = text(&till.post("/api/shifts/open", &json!({})).data(201), "business_date");
    sell(&mut till, "8990001", "cash", 2_220);
    store.stop();
    store.set("store.day_start = \"00:00\"");
    store.start();
    let late = sell(&mut till, "8990001", "card", 2_220);
    assert_eq!(late["business_date"], json!(day));
    let body = json!({"transaction_id": late["transaction_id"], "items": [{"sku": "8990001", "qty": 1}]});
    till.post("/api/pos/returns", &body).data(201);
    let mut next = store.login("till-2").at_register("till-2");
    let today = text(&next.post("/api/shifts/open", &json!({})).data(201), "business_date");
    assert!(today > day, "{today} {day}");
    sell(&mut next, "8990002", "cash", 3_330);
    let mut manager = store.login("manager");
    for (group_by, _) in GROUPINGS {
        let net = |report: &Value| {
            let rows = report["items"].as_array().unwrap();
            rows.iter().map(|row| number(row, "net_total")).sum::<i64>()
        };
        assert_eq!(net(&report(&mut manager, &day, group_by)), 2_220, "{group_by}");
        assert_eq!(net(&report(&mut manager, &today, group_by)), 3_330, "{group_by}");
        let both = format!("/api/reports/sales?from={day}&to={today}&group_by={group_by}");
        assert_eq!(net(&manager.get(&both).data(200)), 5_550, "{group_by}");
    }
    let hours = report(&mut manager, &day, "hour");
    assert!(text(&hours["items"][0], "hour").starts_with(&today), "hours are in local time: {hours}");
    let daily = manager.get(&format!("/api/reports/daily?date={day}")).data(200);
    assert_eq!((&daily["totals"]["net_total"], &daily["totals"]["sales_count"]), (&json!(2_220), &json!(2)));
}

#[test]
fn stock_is_reported_page_by_page_with_totals_and_as_a_table() {
    let mut counter = Counter::open();
    counter.sale(&[("8990001", 97)], &[], "cash");
    counter.sale(&[("8990005", 103)], &[], "cash");
    let sold = counter.sale(&[("8990002", 1)], &[], "cash");
    let body = json!({"transaction_id": sold["transaction_id"],
        "items": [{"sku": "8990002", "qty": 1, "disposition": "damaged"}]});
    counter.till.post("/api/pos/returns", &body).data(201);
    let (mut rows, mut path) = (Vec::new(), "/api/reports/stock?limit=5".to_owned());
    let mut totals = Vec::new();
    loop {
        let page = counter.manager.get(&path).data(200);
        totals.push(page["totals"].clone());
        rows.extend(page["items"].as_array().unwrap().clone());
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/api/reports/stock?limit=5&cursor={cursor}");
    }
    assert_eq!((rows.len(), totals.len(), totals[1].is_null()), (12, 3, true));
    let sum = |name: &str| rows.iter().map(|row| number(row, name)).sum::<i64>();
    for name in ["on_hand", "value", "damaged", "damaged_value"] {
        assert_eq!(number(&totals[0], name), sum(name), "{name}");
    }
    assert_eq!(sum("on_hand"), 12 * 100 - 97 - 103 - 1);
    for row in &rows {
        let sku = text(row, "sku");
        assert_eq!(
            (number(row, "on_hand"), number(row, "value")),
            (counter.on_hand(&sku), counter.value(&sku))
        );
    }
    assert_eq!((&totals[0]["products_count"], &totals[0]["negative_count"]), (&json!(12), &json!(1)));
    assert_eq!((&totals[0]["below_reorder_count"], &totals[0]["damaged"]), (&json!(2), &json!(1)));
    let table = csv(&mut counter.manager, "/api/reports/stock");
    let column = table[0].iter().position(|name| name == "value").unwrap();
    let value: i64 = table[1..].iter().map(|row| row[column].parse::<i64>().unwrap()).sum();
    assert_eq!((table.len(), value), (13, sum("value")));
    let none = counter.manager.get("/api/reports/stock?category=tea").data(200);
    assert_eq!((&none["items"], &none["totals"]["products_count"]), (&json!([]), &json!(0)));
}

#[test]
fn products_without_a_category_have_a_row_whose_category_is_null() {
    let mut counter = Counter::open();
    let path = "/api/products/8990001";
    counter.store.login("admin").send("PATCH", path, &[], br#"{"category": null}"#).data(200);
    counter.sale(&[("8990001", 1)], &[], "cash");
    let day = text(&counter.summary()["shift"], "business_date");
    let rows = report(&mut counter.manager, &day, "category")["items"].clone();
    assert_eq!((rows.as_array().unwrap().len(), &rows[0]["category"]), (1, &Value::Null), "{rows}");
}

#[test]
fn reports_have_limits_and_are_for_managers() {
    let counter = Counter::open();
    for who in ["till-1", "warehouse"] {
        let mut client = counter.store.login(who);
        for path in ["daily", "sales?from=2026-11-20&to=2026-11-20", "stock"] {
            client.get(&format!("/api/reports/{path}")).refused(403, "insufficient_role");
        }
    }
    let mut admin = counter.store.login("admin");
    for query in [
        "",
        "from=2026-11-20",
        "from=x&to=y",
        "from=2026-11-21&to=2026-11-20",
        "from=2025-01-01&to=2026-01-02",
        "from=2026-11-20&to=2026-11-20&group_by=moon",
        "from=2026-11-20&to=2026-11-20&page=2",
    ] {
        admin.get(&format!("/api/reports/sales?{query}")).refused(400, "invalid_query");
    }
    let year = admin.get("/api/reports/sales?from=2024-01-01&to=2024-12-31&group_by=sku").data(200);
    assert_eq!((&year["items"], &year["totals"]["total"]), (&json!([]), &json!(0)));
    admin.get("/api/reports/daily?date=today").refused(400, "invalid_query");
    admin.get("/api/reports/stock?cursor=x").refused(400, "invalid_cursor");
    let empty = admin.get("/api/reports/daily?date=2001-01-01").data(200);
    assert_eq!((&empty["shifts"], &empty["totals"]["total"]), (&json!([]), &json!(0)));
}
