//! A day of a shop in each kind of currency, alone and with head office: the figures are the same integers, and
//! documents and files have the decimals of the currency.

use serde_json::{Value, json};
use testkit::counter::{Counter, SALES, number, text};
use testkit::hub::Hub;
use testkit::{Client, Store, ends, wait};

/// Currency codes, each with its number of decimals.
const CURRENCIES: [(&str, u32); 3] = [("EUR", 2), ("JPY", 0), ("KWD", 3)];

/// Formats an amount as documents and files do, independently of the program.
fn shown(amount: i64, decimals: u32) -> String {
    let (sign, units) = (if amount < 0 { "-" } else { "" }, 10_i64.pow(decimals));
    let (whole, rest) = (amount.abs() / units, amount.abs() % units);
    match decimals {
        0 => format!("{sign}{whole}"),
        places => format!("{sign}{whole}.{rest:0>width$}", width = places as usize),
    }
}

/// Formats an amount with commas as thousands separators.
fn grouped(amount: i64, decimals: u32) -> String {
    let text = shown(amount, decimals);
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let digits = whole.trim_start_matches('-').len();
    if !(4..=6).contains(&digits) {
        return text;
    }
    let (thousands, hundreds) = whole.split_at(whole.len() - 3);
    format!("{thousands},{hundreds}{rest}")
}

#[track_caller]
fn file(client: &mut Client, path: &str, text: &str) -> Value {
    client.send("POST", path, &[("Content-Type", "text/csv")], text.as_bytes()).data(200)
}

#[track_caller]
fn plain(client: &mut Client, path: &str, accept: &str) -> String {
    let answer = client.send("GET", path, &[("Accept", accept)], b"");
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.text()
}

/// Asserts that a line of the document begins with this label and ends with this figure.
#[track_caller]
fn has_line(paper: &str, label: &str, figure: &str) {
    let fits = |line: &str| line.trim_start().starts_with(label) && line.ends_with(&format!(" {figure}"));
    assert!(paper.lines().any(fits), "{label} {figure}: {paper}");
}

/// Opens a shop with one product at a price of 1,250 units and a cost of 700, and a shift with a float of 10,000.
fn shop(code: &str, decimals: u32) -> Counter {
    let settings = format!(
        "store.currency = \"{code}\"\ntax.default_rate_bp = 1900\npayments.cash_rounding = 5\n\
         payments.denominations = [10000, 5000, 5]\n"
    );
    let store = Store::open_with(&settings, 1);
    let mut manager = store.login("manager");
    let price = format!("sku,name,price,tax_rate_bp\nT1,Tea,{},1900\n", shown(1_250, decimals));
    file(&mut manager, "/api/products/import", &price);
    let stock = format!("sku,qty,unit_cost\nT1,10,{}\n", shown(700, decimals));
    file(&mut manager, "/api/stock/opening/import", &stock);
    let mut till = store.login("till-1").at_register("till-1");
    let shift = till.post("/api/shifts/open", &json!({"opening_float": 10_000})).data(201);
    Counter { store, till, manager, shift_id: text(&shift, "shift_id") }
}

#[test]
fn a_day_has_the_same_integers_in_each_currency_and_is_shown_with_its_decimals() {
    for (code, decimals) in CURRENCIES {
        let mut counter = shop(code, decimals);
        assert_eq!(counter.till.get("/api/pos/settings").data(200)["currency_exponent"], json!(decimals));
        // 3 × 1,250 = 3,750, the tax of 19 % on top is 712.5, and cash is rounded to 5.
        let made = counter.till.post(SALES, &json!({"items": [{"sku": "T1", "qty": 3}]})).data(201);
        let cash = json!({"method": "cash", "amount": 4_463, "tendered": 5_000});
        let sold = counter.act(&made, "pay", &cash).data(200);
        let figures = ["subtotal", "tax", "total", "rounding", "change"].map(|name| number(&sold, name));
        assert_eq!(figures, [3_750, 713, 4_463, 2, 535], "{code}");
        let receipt = format!("/api/pos/receipts/{}", text(&sold, "receipt_no"));
        let paper = plain(&mut counter.till, &receipt, "text/plain");
        let money = |amount| grouped(amount, decimals);
        has_line(&paper, &format!("3 x {}", money(1_250)), &money(3_750));
        for (label, amount) in [("Tax 19 %", 713), ("Cash", 5_000), ("Rounding", 2), ("Change", 535)] {
            has_line(&paper, label, &money(amount));
        }
        has_line(&paper, &format!("TOTAL {code}"), &money(4_463));
        // Seven pieces are left, each at 700.
        let stock = plain(&mut counter.manager, "/api/reports/stock", "text/csv");
        let tea = stock.lines().find(|line| line.starts_with("T1,")).unwrap();
        assert!(
            tea.contains(&format!(",{},{},", shown(700, decimals), shown(4_900, decimals))),
            "{code}: {stock}"
        );

        // One piece is returned: 1,250 and its share of the tax, in cash rounded to 5.
        let items = json!([{"sku": "T1", "qty": 1, "reason": "torn"}]);
        let back = json!({"transaction_id": sold["transaction_id"], "items": items});
        let back = counter.till.post("/api/pos/returns", &back).data(201);
        let paid = number(&back, "refund_total") + number(&back, "rounding");
        assert_eq!((number(&back, "refund_total"), paid), (1_487, 1_485), "{code}");

        // The drawer has 5 less than expected.
        let expected = 10_000 + 4_465 - paid;
        let counted = json!({"counted_cash": expected - 5});
        let path = format!("/api/shifts/{}/close", counter.shift_id);
        let closed = counter.till.post(&path, &counted).data(200)["shift"].clone();
        assert_eq!((number(&closed, "expected_cash"), number(&closed, "variance")), (expected, -5), "{code}");
        let z = format!("/api/shifts/{}/report", counter.shift_id);
        let z = plain(&mut counter.manager, &z, "text/plain");
        has_line(&z, "Sales", "1");
        has_line(&z, "Items", "3");
        for (label, amount) in
            [("Total", 4_463), ("Opening float", 10_000), ("Expected", expected), ("Variance", -5)]
        {
            has_line(&z, label, &money(amount));
        }

        // Files for the accountant, with the decimal separator of the spreadsheet that expects this column separator.
        let day = text(&closed, "business_date");
        let sales = format!("/api/reports/sales?from={day}&to={day}&group_by=day");
        let table = plain(&mut counter.manager, &sales, "text/csv");
        let row: Vec<&str> = table.lines().nth(1).unwrap().split(',').collect();
        assert_eq!(row[..3], [day.as_str(), "1", "3"], "{code}: {table}");
        assert!(row.contains(&shown(4_463, decimals).as_str()), "{code}: {table}");
        let daily =
            plain(&mut counter.manager, &format!("/api/reports/daily?date={day}&separator=;"), "text/csv");
        let cells: Vec<&str> = daily.lines().nth(1).unwrap().split(';').collect();
        assert_eq!(cells.last(), Some(&shown(-5, decimals).replace('.', ",").as_str()), "{code}: {daily}");
    }
}

#[test]
fn a_currency_is_one_of_iso_4217() {
    let mut store = Store::prepare("", 0);
    store.set("store.currency = \"EUB\"\n");
    let output = store.run(&["config", "check"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("must be a code of ISO 4217"), "{said}");
}

#[test]
fn a_store_and_its_head_office_count_in_one_currency() {
    for (code, decimals) in CURRENCIES {
        let hub = Hub::open_with(&format!("[company]\ncurrency = \"{code}\"\n"));
        let mut store = Store::prepare("", 1);
        let (token, url) = (hub.add_store(), format!("http://{}", hub.address()));
        let refused = store.run(&["enrol", "--hub", &url, "--token", &token]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        let why =
            format!("the currency of S001 is IDR, but that of head office is {code}: set store.currency");
        assert!(refused.status.code() == Some(1) && said.contains(&why), "{said}");
        store.set(&format!("store.currency = \"{code}\"\ntax.default_rate_bp = 0\n"));
        let enrolled = store.run(&["enrol", "--hub", &url, "--token", &token]);
        assert!(enrolled.status.success(), "{}", String::from_utf8_lossy(&enrolled.stderr));
        store.start();

        // Head office reads a catalogue with decimals, the store sells at its prices, and head office reports the sale.
        let mut office = hub.login();
        let price = format!("sku,name,price\nT1,Tea,{}\n", shown(1_250, decimals));
        file(&mut office, "/api/products/import", &price);
        let (mut till, mut manager) = (store.login("till-1").at_register("till-1"), store.login("manager"));
        wait::until("the price arrives", || {
            let reply = manager.get("/api/pos/products/T1");
            (reply.status == 200 && reply.data(200)["price"] == json!(1_250)).then_some(())
        });
        till.post("/api/shifts/open", &json!({"opening_float": 0})).data(201);
        let made = till.post(SALES, &json!({"items": [{"sku": "T1", "qty": 3}]})).data(201);
        let path = format!("{SALES}/{}/pay", text(&made, "transaction_id"));
        till.post(&path, &json!({"method": "cash", "amount": 3_750, "tendered": 3_750})).data(200);
        ends::synced(&mut manager);
        let day = manager.get("/api/pos/settings").data(200)["business_date"].as_str().unwrap().to_owned();
        let report = format!("/api/reports/sales?from={day}&to={day}&group_by=store");
        let table = plain(&mut office, &report, "text/csv");
        let sold = format!("S001,1,3,{},", shown(3_750, decimals));
        assert!(table.lines().any(|line| line.starts_with(&sold)), "{code}: {table}");
    }
}
