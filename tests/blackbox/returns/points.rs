//! Points in returns: earned points are deducted and redeemed points are given back to their lots. Further rules: the
//! age of the sale, and a void that finds too few points to take back.

use domain::model::base::event::fact;
use domain::model::hub::sync::local::{Change, LinkRow};
use edge::clock;
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::sync::mpsc;
use storage::{Commit, Options, Storage};
use testkit::counter::{Counter, SALES, approved, number, text};
use testkit::{Client, Store, wait};

const RETURNS: &str = "/api/pos/returns";

/// A till with a member.
struct Bench {
    counter: Counter,
    member: String,
}

impl Bench {
    #[track_caller]
    fn open(extra: &str) -> Self {
        let mut counter = Counter::open_with(extra);
        let joined = counter.till.post("/api/members", &json!({"name": "Siti", "phone": "081234567890"}));
        let member = text(&joined.data(201), "member_id");
        Self { counter, member }
    }

    #[track_caller]
    fn adjust(&mut self, points: i64) {
        let path = format!("/api/members/{}/points/adjust", self.member);
        self.counter.manager.post(&path, &json!({"points": points, "reason": "test"})).data(200);
    }

    #[track_caller]
    fn points(&mut self) -> Value {
        self.counter.manager.get(&format!("/api/members/{}/points", self.member)).data(200)
    }

    fn balance(&mut self) -> i64 {
        number(&self.points(), "balance")
    }

    /// Sells four pieces for 111,000: `points` of it by points, the rest by card.
    #[track_caller]
    fn sale(&mut self, points: i64) -> Value {
        let items = json!([{"sku": "8990007", "qty": 4, "price": 25_000}]);
        let made =
            self.counter.till.post(SALES, &json!({"items": items, "member_id": self.member})).data(201);
        assert_eq!(made["total"], json!(111_000));
        let payments =
            json!([{"method": "points", "amount": points}, {"method": "card", "amount": 111_000 - points}]);
        self.counter.act(&made, "pay", &json!({"payments": payments})).data(200)
    }

    fn back(&mut self, sale: &Value, qty: i64) -> testkit::Reply {
        let items = json!([{"sku": "8990007", "qty": qty}]);
        self.counter.till.post(RETURNS, &json!({"transaction_id": sale["transaction_id"], "items": items}))
    }

    fn void(&mut self, returned: &Value) -> testkit::Reply {
        let path = format!("{RETURNS}/{}/void", text(returned, "return_id"));
        self.counter.till.post(&path, &approved(json!({"reason": "wrong receipt"})))
    }
}

#[test]
fn points_go_back_in_proportion_and_all_of_them_in_the_end() {
    let mut bench = Bench::open("");
    bench.adjust(11_000);
    let sale = bench.sale(11_000);
    assert_eq!((&sale["points_redeemed"], &sale["points_earned"]), (&json!(11_000), &json!(100)));
    assert_eq!(bench.balance(), 100);
    // Each quarter is 27,750, of which 2,750 were paid by points. The rest would have earned 75, 50, 25 and 0.
    let (mut balance, mut last) = (100, String::new());
    for left in [75, 50, 25, 0] {
        let returned = bench.back(&sale, 1).data(201);
        assert_eq!(returned["points_reversed"], json!(25), "{returned}");
        last = text(&returned, "receipt_no");
        let refunds = returned["refunds"].as_array().unwrap();
        let parts: Vec<_> =
            refunds.iter().map(|part| (text(part, "method"), number(part, "amount"))).collect();
        assert_eq!(parts, [("points".to_owned(), 2_750), ("card".to_owned(), 25_000)], "{returned}");
        balance += 2_750 - 25;
        assert_eq!(bench.balance(), balance, "{left} of the earned points stay");
    }
    assert_eq!(bench.balance(), 11_000, "the balance from before the sale");
    // Returns are found by member, by their own receipt, and by that of the sale.
    let found = |bench: &mut Bench, query: &str| {
        let found = bench.counter.manager.get(&format!("{RETURNS}?{query}")).data(200);
        found["items"].as_array().unwrap().len()
    };
    for (query, count) in [
        (format!("member_id={}", bench.member), 4),
        ("member_id=mbr_x".to_owned(), 0),
        (format!("receipt_no={}", text(&sale, "receipt_no")), 4),
        (format!("receipt_no={last}"), 1),
        ("receipt_no=none".to_owned(), 0),
    ] {
        assert_eq!(found(&mut bench, &query), count, "{query}");
    }
    let shown = bench.points();
    assert_eq!((&shown["lifetime_earned"], &shown["lifetime_redeemed"]), (&json!(0), &json!(0)), "{shown}");
    let reasons: Vec<_> =
        shown["entries"].as_array().unwrap().iter().map(|entry| text(entry, "reason")).collect();
    assert_eq!(reasons[..2], ["give_back", "reverse"], "{shown}");
    bench.counter.store.kill9();
    bench.counter.store.start();
    assert_eq!(bench.balance(), 11_000);
    bench.counter.store.stop();
    bench.counter.store.verify();
}

#[test]
fn spent_points_become_a_debt_and_a_void_needs_the_restored_points() {
    let mut bench = Bench::open("");
    bench.adjust(11_000);
    let sale = bench.sale(11_000);
    let returned = bench.back(&sale, 4).data(201);
    assert_eq!(bench.balance(), 11_000);
    // The points that the return gave back have been spent, so its void can't take them back.
    bench.adjust(-10_999);
    let details = bench.void(&returned).refused(409, "insufficient_points");
    assert_eq!((&details["balance"], &details["requested"]), (&json!(1), &json!(11_000)), "{details}");
    assert_eq!(bench.counter.read(&sale)["refunded"], json!(111_000), "nothing changed");
    bench.adjust(10_999);
    bench.void(&returned).data(200);
    assert_eq!(bench.balance(), 100, "the balance from after the sale");
    bench.adjust(-100);
    // The return deducts the points that the sale earned, even if they have been spent.
    bench.back(&sale, 1).data(201);
    assert_eq!(bench.balance(), 2_750 - 25);
    bench.counter.store.stop();
    bench.counter.store.verify();
}

#[test]
fn goods_that_are_sold_again_do_not_go_out_by_a_void() {
    let mut bench = Bench::open("stock.negative = \"reject\"");
    bench.adjust(4);
    let sale = bench.sale(4);
    let returned = bench.back(&sale, 4).data(201);
    let all = json!({"items": [{"sku": "8990007", "qty": 98, "price": 25_000}]});
    let made = bench.counter.till.post(SALES, &all).data(201);
    bench.counter.act(&made, "pay", &json!({"method": "card", "amount": made["total"]})).data(200);
    let details = bench.void(&returned).refused(409, "insufficient_stock");
    assert_eq!(details["items"], json!([{"sku": "8990007", "on_hand": 2, "requested": 4}]));
    assert_eq!(bench.counter.on_hand("8990007"), 2);
    bench.counter.store.receive_all(2);
    bench.void(&returned).data(200);
    assert_eq!(bench.counter.on_hand("8990007"), 0);
}

/// Two settings whose business dates at one moment differ by more than a day.
const EARLY: &str = "store.timezone = \"Pacific/Pago_Pago\"\nstore.day_start = \"23:59\"\n";
const LATE: &str = "store.timezone = \"Pacific/Kiritimati\"\n";

/// Removes the recorded time zone from a stopped store. A shop's zone never changes; here a change simulates days that
/// pass.
#[track_caller]
pub fn forget_zone(store: &Store) {
    let storage = Storage::open(store.data(), &Options::default()).unwrap();
    let standing = LinkRow { terms: None, ..storage.sync().standing().unwrap() };
    let events = vec![fact::SyncChanged { change: Change::Standing { standing } }.into()];
    let commit = Commit { events, records: Vec::new(), keyed: None, at: clock::now(), hlc: None };
    let (done, durable) = mpsc::channel();
    storage.submit(commit, move |_| done.send(()).unwrap()).unwrap();
    durable.recv().unwrap();
    storage.close().unwrap();
    // This process creates readable files, but the daemon accepts its rows only if they are private to their owner.
    for file in fs::read_dir(store.data().join("rows")).unwrap() {
        let path = file.unwrap().path();
        let mode = if path.is_dir() { 0o700 } else { 0o600 };
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
}

/// Simulates two or three days that pass, and opens a new shift at the till.
#[track_caller]
fn days_later(counter: &mut Counter, more: &str) {
    counter.close();
    counter.store.stop();
    forget_zone(&counter.store);
    counter.store.set(&format!("{LATE}{more}"));
    counter.store.start();
    let again = |store: &Store, who: &str| -> Client { store.login(who) };
    counter.till = again(&counter.store, "till-1").at_register("till-1");
    counter.manager = again(&counter.store, "manager");
    counter.shift_id = text(&counter.till.post("/api/shifts/open", &json!({})).data(201), "shift_id");
}

#[test]
fn an_expired_lot_lives_again_for_a_while() {
    let lives = "points.expire_after = \"24h\"\npoints.restore_days = 30\n";
    let mut bench = Bench::open(&format!("{EARLY}{lives}"));
    bench.adjust(500);
    let sale = bench.sale(400);
    days_later(&mut bench.counter, lives);
    // The other hundred points, and those that the sale earned, have expired.
    wait::until("the rest of the lot expires", || (bench.balance() == 0).then_some(()));
    let returned = bench.back(&sale, 4).data(201);
    let earned = number(&sale, "points_earned");
    assert_eq!(returned["points_reversed"], json!(earned), "{returned}");
    assert_eq!(bench.balance(), 400 - earned, "the redeemed points are back, less the earned ones");
    // The points can be redeemed, which would not work with an expired lot.
    let path = format!("/api/members/{}/points", bench.member);
    let usable = 400 - earned;
    bench.sale(usable);
    assert_eq!(bench.counter.manager.get(&path).data(200)["lifetime_redeemed"], json!(usable));
}

#[test]
fn an_old_sale_comes_back_by_a_managers_word() {
    let mut counter = Counter::open_with(&format!("{EARLY}returns.window_days = 1\n"));
    let sold = counter.sale(&[("8990001", 2)], &[], "cash");
    let body = json!({"transaction_id": sold["transaction_id"], "items": [{"sku": "8990001", "qty": 1}]});
    counter.till.post(RETURNS, &body).data(201);
    days_later(&mut counter, "returns.window_days = 1\n");
    counter.till.post(RETURNS, &body).refused(403, "approval_required");
    let late = counter.till.post(RETURNS, &approved(body.clone())).data(201);
    assert!(late["approved_by"].is_string(), "{late}");
    assert_ne!(
        late["business_date"], sold["business_date"],
        "the return counts for the day on which it is made"
    );
    let audit = counter.manager.get("/api/audit?action=return.posted").data(200);
    assert_eq!(audit["items"][0]["approved_by"], late["approved_by"], "{audit}");
    // Within a longer window no approval is needed.
    let mut wide = Counter::open_with(&format!("{EARLY}returns.window_days = 30\n"));
    let sold = wide.sale(&[("8990001", 2)], &[], "cash");
    days_later(&mut wide, "returns.window_days = 30\n");
    // The drawer needs cash for the refund.
    wide.sale(&[("8990001", 2)], &[], "cash");
    let body = json!({"transaction_id": sold["transaction_id"], "items": [{"sku": "8990001", "qty": 1}]});
    wide.till.post(RETURNS, &body).data(201);
}
