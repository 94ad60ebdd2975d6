//! Products and receipts that a till finds and prints, and copies that are marked as such.

use serde_json::json;
use testkit::Client;
use testkit::counter::{Counter, basket, text};

#[test]
fn a_receipt_is_printed_once_and_copies_say_so() {
    let mut counter = Counter::open();
    let sold = counter.sale(&[("8990001", 2), ("8990003", 1)], &[], "cash");
    let path = format!("/api/pos/receipts/{}", text(&sold, "receipt_no"));
    let data = counter.till.get(&path).data(200);
    assert_eq!((&data["kind"], &data["return"]), (&json!("sale"), &json!(null)));
    assert_eq!(data["transaction"]["total"], sold["total"]);

    // Reading a receipt is not a print, however often it is done.
    let read = |counter: &mut Counter, form: &str| counter.till.send("GET", &path, &[("Accept", form)], b"");
    for form in ["text/plain", "text/html", "text/plain"] {
        assert!(!read(&mut counter, form).text().contains("COPY"), "{form}");
    }
    // Of concurrent prints one is the original.
    let prints = format!("{path}/prints");
    let print = |till: &mut Client| till.send("POST", &prints, &[("Accept", "text/plain")], b"{}");
    let tills: Vec<Client> = (0..8).map(|_| counter.store.login("till-1")).collect();
    let all: Vec<_> = std::thread::scope(|scope| {
        let all: Vec<_> = tills.into_iter().map(|mut till| scope.spawn(move || print(&mut till))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let (copies, originals): (Vec<_>, Vec<_>) = all.iter().partition(|one| one.text().contains("COPY"));
    assert_eq!((copies.len(), originals.len()), (7, 1), "{all:?}");
    let first = originals[0];
    assert_eq!(first.status, 200);
    assert!(first.header("content-type").is_some_and(|kind| kind.starts_with("text/plain")));
    assert!(first.text().lines().all(|line| line.chars().count() <= 42), "{}", first.text());
    assert!(first.text().contains(&text(&sold, "receipt_no")) && !first.text().contains("COPY"));
    assert!(print(&mut counter.till).text().contains("COPY"));
    assert!(read(&mut counter, "text/plain").text().contains("COPY"));
    let page = read(&mut counter, "text/html");
    assert!(page.text().contains("COPY") && page.text().contains("<html"), "{}", page.text());
    counter.till.get("/api/pos/receipts/S001-till-1-99999999").refused(404, "not_found");
}

#[test]
fn a_customers_paper_is_in_words_and_a_gift_receipt_has_no_prices() {
    let mut counter = Counter::open();
    let basket = json!({"items": [{"sku": "8990001", "qty": 2, "discount": 100}], "discount": 50,
        "discount_reason": "short_dated"});
    let made = counter.till.post("/api/pos/transactions", &basket).data(201);
    let pay = format!("/api/pos/transactions/{}/pay", text(&made, "transaction_id"));
    let sold =
        counter.till.post(&pay, &json!({"method": "bank_transfer", "amount": made["total"]})).data(200);
    let path = format!("/api/pos/receipts/{}", text(&sold, "receipt_no"));
    let mut plain = |query: &str| {
        let answer = counter.till.send("GET", &format!("{path}{query}"), &[("Accept", "text/plain")], b"");
        answer.text()
    };
    let gift = plain("?gift=true");
    assert!(gift.contains("GIFT RECEIPT") && gift.contains(&text(&sold, "receipt_no")), "{gift}");
    assert!(!gift.contains("TOTAL") && !gift.contains("2,000"), "{gift}");
    let paper = plain("");
    assert!(!paper.contains("COPY"), "a gift receipt does not count as a print of this receipt: {paper}");
    let lines: Vec<_> = paper.lines().collect();
    assert!(lines.iter().any(|line| line.starts_with("Bank transfer ")), "{paper}");
    assert!(lines.iter().any(|line| line.starts_with("Tax 11 % ")), "{paper}");
    // The receipt does not show the reason of a discount, and shows its parts as one.
    assert!(!paper.contains("short_dated"), "{paper}");
    let off = lines.iter().filter(|line| line.trim_start().starts_with("discount"));
    assert_eq!(off.collect::<Vec<_>>(), [&format!("{:<38}{:>4}", "  discount", "-150").as_str()], "{paper}");
    let total = lines.iter().position(|line| line.starts_with("TOTAL IDR")).unwrap();
    assert_eq!((lines[total - 1], lines[total + 1]), ("=".repeat(42).as_str(), "=".repeat(42).as_str()));
}

#[test]
fn products_are_found_by_the_beginning_of_any_word_and_by_code() {
    let mut counter = Counter::open();
    let all = counter.till.get("/api/pos/products?limit=500").data(200);
    let one = all["items"][0].clone();
    let read = counter.till.get(&format!("/api/pos/products/{}", text(&one, "sku"))).data(200);
    assert_eq!((&read["sku"], &read["price"], &read["on_hand"]), (&one["sku"], &one["price"], &json!(100)));
    let name = text(&one, "name");
    let word = name.split(' ').next_back().unwrap().to_lowercase();
    let found = counter.till.get(&format!("/api/pos/products?q={word}")).data(200);
    let skus: Vec<_> = found["items"].as_array().unwrap().iter().map(|item| item["sku"].clone()).collect();
    assert!(skus.contains(&one["sku"]), "{word}: {found}");
    let none = counter.till.get("/api/pos/products?q=zzzz").data(200);
    assert_eq!((&none["items"], &none["next_cursor"]), (&json!([]), &json!(null)));
    assert_eq!(counter.till.get("/api/pos/products?barcode=nope").data(200)["items"], json!([]));
    counter.till.get("/api/pos/products/nope").refused(404, "not_found");
}

#[test]
fn transactions_are_listed_by_what_people_ask_for() {
    let mut counter = Counter::open();
    let sold = counter.sale(&[("8990001", 1)], &[], "card");
    let open = counter.till.post("/api/pos/transactions", &basket(&[("8990002", 1)])).data(201);
    let by_receipt = format!("/api/pos/transactions?receipt_no={}", text(&sold, "receipt_no"));
    let found = counter.till.get(&by_receipt).data(200);
    assert_eq!(found["items"][0]["transaction_id"], sold["transaction_id"]);
    let day = text(&sold, "business_date");
    let of_day = format!("/api/pos/transactions?from={day}&to={day}&state=paid");
    let found = counter.manager.get(&of_day).data(200);
    assert_eq!(found["items"].as_array().unwrap().len(), 1, "{found}");
    // A manager without a shift sees the whole store. A period may have only one of its dates.
    for query in
        ["?state=paid".to_owned(), format!("?from={day}&state=paid"), format!("?to={day}&state=paid")]
    {
        let found = counter.manager.get(&format!("/api/pos/transactions{query}")).data(200);
        assert_eq!(found["items"][0]["transaction_id"], sold["transaction_id"], "{query}: {found}");
    }
    let none = counter.manager.get("/api/pos/transactions?to=2001-01-01&state=paid").data(200);
    assert_eq!(none["items"], json!([]));
    counter.store.login("till-2").get("/api/pos/transactions").refused(404, "not_found");
    let found = counter.till.get("/api/pos/transactions?state=open").data(200);
    assert_eq!(found["items"][0]["transaction_id"], open["transaction_id"]);
}
