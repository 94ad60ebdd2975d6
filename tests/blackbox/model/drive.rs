//! The real store and the model: each step runs in both, and the results must be the same.

use super::book::{Basket, Book, Payment, Shift};
use super::counter::nth;
use super::step::{How, Line, Step, TILLS};
use serde_json::{Value, json};
use testkit::store::PRODUCTS;
use testkit::{Client, Reply, Store, audit};

pub(super) const SALES: &str = "/api/pos/transactions";

/// A payment that was answered, to be repeated later.
struct Paid {
    till: usize,
    path: String,
    key: String,
    body: Value,
    answer: Vec<u8>,
}

/// A running store, its users, and the state that they should see.
pub struct Shop {
    store: Store,
    pub(super) tills: Vec<Client>,
    pub(super) manager: Client,
    pub(super) book: Book,
    paid: Vec<Paid>,
    keys: usize,
}

impl Shop {
    pub fn open() -> Self {
        let store = Store::open_with("", TILLS);
        let client = |n: usize| store.login(&format!("till-{n}")).at_register(&format!("till-{n}"));
        let tills = (1..=TILLS).map(client).collect();
        let manager = store.login("manager");
        Self { store, tills, manager, book: Book::default(), paid: Vec::new(), keys: 0 }
    }

    pub fn take(&mut self, step: &Step) {
        match step {
            Step::Open { till, float } => self.open_shift(*till, *float),
            Step::Basket { till, lines, discount, member } => self.basket(*till, lines, *discount, *member),
            Step::Pay { basket, how } => self.pay(*basket, how),
            Step::Again { payment } => self.again(*payment),
            Step::Receive { product, qty } => self.receive(*product, *qty),
            Step::Join => self.join(),
            Step::Adjust { member, points } => self.adjust(*member, *points),
            Step::Close { till, off, void_open } => self.close_shift(*till, *off, *void_open),
            Step::Change { basket, lines, discount } => self.change(*basket, lines, *discount),
            Step::VoidBasket { basket } => self.void_basket(*basket),
            Step::VoidSale { sale } => self.void_sale(*sale),
            Step::Return { sale, till, lines, percent } => self.bring_back(*sale, *till, *lines, *percent),
            Step::VoidReturn { back } => self.void_back(*back),
            Step::Cash { till, kind, amount } => self.cash(*till, *kind, *amount),
            Step::Correct { product, qty } => self.correct(*product, *qty),
            Step::Block { member } => self.block(*member),
            Step::Hold { basket } => self.hold(*basket),
            Step::Recall { hold, till } => self.recall(*hold, *till),
            Step::Crash => self.again_up(Store::kill9),
            Step::Restart => self.again_up(Store::stop),
        }
    }

    fn open_shift(&mut self, till: usize, float: i64) {
        let reply = self.tills[till].post("/api/shifts/open", &json!({"opening_float": float}));
        if let Some(shift) = &self.book.tills[till].shift {
            assert_eq!(reply.refused(409, "shift_already_open")["shift_id"], json!(shift.id));
            return;
        }
        let id = text(&reply.data(201), "shift_id");
        self.book.tills[till].shift = Some(Shift { id, float, ..Shift::default() });
    }

    fn again_up(&mut self, down: fn(&mut Store)) {
        down(&mut self.store);
        self.store.start();
        self.look();
    }

    /// Prices a basket of these lines in the model, and returns it with the fields of the request.
    fn priced(till: usize, lines: &[Line], discount: i64) -> (Basket, Value) {
        let priced: Vec<(usize, i64, i64)> = lines
            .iter()
            .map(|line| {
                let product = line.product % PRODUCTS.len();
                (product, line.qty, line.qty * PRODUCTS[product].1 * line.off_percent / 100)
            })
            .collect();
        let left: i64 = priced.iter().map(|(product, qty, off)| qty * PRODUCTS[*product].1 - off).sum();
        let discount = discount.min(left / 2);
        let items: Vec<Value> = priced
            .iter()
            .map(|&(product, qty, off)| {
                let (sku, price) = PRODUCTS[product];
                json!({"sku": sku, "qty": qty, "price": price, "discount": off})
            })
            .collect();
        (Basket::priced(till, &priced, discount), json!({"items": items, "discount": discount}))
    }

    fn basket(&mut self, till: usize, lines: &[Line], discount: i64, member: Option<usize>) {
        let (mut basket, mut body) = Self::priced(till, lines, discount);
        basket.member = member.and_then(|n| nth(n, self.book.members.len()));
        basket.earns = self.book.active(basket.member);
        if let Some(member) = basket.member {
            body["member_id"] = json!(self.book.members[member].id);
        }
        let reply = self.tills[till].post(SALES, &body);
        if self.book.tills[till].shift.is_none() {
            reply.refused(409, "no_open_shift");
            return;
        }
        let made = reply.data(201);
        same(&made, &figures(&basket));
        basket.id = text(&made, "transaction_id");
        self.book.baskets.push(basket);
    }

    /// Replaces the lines of an open basket.
    fn change(&mut self, n: usize, lines: &[Line], discount: i64) {
        let Some(place) = nth(n, self.book.baskets.len()) else { return };
        let old = self.book.baskets[place].clone();
        let (new, body) = Self::priced(old.till, lines, discount);
        let (path, body) = (format!("{SALES}/{}", old.id), body.to_string());
        let reply = self.tills[old.till].send("PATCH", &path, &[], body.as_bytes());
        if old.paid > 0 {
            reply.refused(409, "invalid_state");
            return;
        }
        let earns = self.book.active(old.member);
        let new = Basket { id: old.id, member: old.member, earns, ..new };
        same(&reply.data(200), &figures(&new));
        self.book.baskets[place] = new;
    }

    fn pay(&mut self, place: usize, how: &How) {
        if self.book.baskets.is_empty() {
            return;
        }
        let place = place % self.book.baskets.len();
        let basket = self.book.baskets[place].clone();
        let due = basket.due();
        let (payments, change): (Vec<Payment>, i64) = match *how {
            How::Card => (vec![("card", due)], 0),
            How::Cash { over } => (vec![("cash", due)], over),
            How::Part { percent } => (vec![("cash", (due * percent / 100).max(1))], 0),
            How::Points { points } => {
                let points = points.min(due);
                (vec![("points", points), ("card", due - points)], 0)
            }
            How::TooMuch => (vec![("card", due + 1)], 0),
        };
        let payments: Vec<Payment> = payments.into_iter().filter(|(_, amount)| *amount > 0).collect();
        let (reply, paid) = self.send(&basket, &payments, change);
        let by_points = payments.iter().find(|(method, _)| *method == "points").map(|(_, amount)| *amount);
        match (how, by_points, basket.member) {
            (How::TooMuch, ..) => drop(reply.refused(422, "payment_mismatch")),
            // The payment uses points, but there is no member, or the member is blocked.
            (_, Some(_), member) if !self.book.active(member) => reply.invalid_field("payments[0].method"),
            (_, Some(points), Some(member)) if points > self.book.members[member].points => {
                let details = reply.refused(409, "insufficient_points");
                assert_eq!(details["balance"], json!(self.book.members[member].points));
            }
            _ => {
                let answer = reply.data(200);
                let state = match self.book.pay(place, &payments) {
                    None => {
                        same(&answer, &[("/receipt_no", json!(null))]);
                        "partially_paid"
                    }
                    Some((receipt, earned)) => {
                        let figures = [("/receipt_no", json!(receipt)), ("/points_earned", json!(earned))];
                        same(&answer, &figures);
                        "paid"
                    }
                };
                let settled: i64 = payments.iter().map(|(_, amount)| amount).sum();
                same(
                    &answer,
                    &[
                        ("/state", json!(state)),
                        ("/amount_paid", json!(basket.paid + settled)),
                        ("/amount_due", json!(due - settled)),
                        ("/change", json!(change)),
                    ],
                );
                self.paid.push(paid);
            }
        }
    }

    fn send(&mut self, basket: &Basket, payments: &[Payment], change: i64) -> (Reply, Paid) {
        let sent: Vec<Value> = payments
            .iter()
            .map(|&(method, amount)| match method {
                "cash" => json!({"method": method, "amount": amount, "tendered": amount + change}),
                _ => json!({"method": method, "amount": amount}),
            })
            .collect();
        self.keys += 1;
        let (key, body) = (format!("key-{}", self.keys), json!({"payments": sent}));
        let path = format!("{SALES}/{}/pay", basket.id);
        let reply = self.tills[basket.till].post_keyed(&path, &key, &body);
        let answer = reply.body.clone();
        (reply, Paid { till: basket.till, path, key, body, answer })
    }

    fn again(&mut self, place: usize) {
        if self.paid.is_empty() {
            return;
        }
        let Paid { till, path, key, body, answer } = &self.paid[place % self.paid.len()];
        let reply = self.tills[*till].post_keyed(path, key, body);
        assert_eq!(reply.header("idempotency-replayed"), Some("true"), "{}", reply.text());
        assert!(reply.body == *answer, "a different answer: {}", reply.text());
    }

    fn close_shift(&mut self, till: usize, off: i64, void_open: bool) {
        let (unfinished, partly_paid) = self.book.unfinished(till);
        let register = &mut self.book.tills[till];
        let Some(shift) = &mut register.shift else { return };
        let counted = (shift.expected() + off).max(0);
        let path = format!("/api/shifts/{}/close", shift.id);
        let reply = self.tills[till].post(&path, &json!({"counted_cash": counted, "void_open": void_open}));
        if partly_paid || (!unfinished.is_empty() && !void_open) {
            reply.refused(409, "shift_has_open_transactions");
            return;
        }
        let answer = reply.data(200);
        let of_till = self.book.baskets.iter().filter(|basket| basket.till == till);
        of_till.for_each(|basket| shift.void(basket));
        register.closes += 1;
        same(&answer, &shift.summary());
        same(
            &answer,
            &[
                ("/shift/state", json!("closed")),
                ("/shift/variance", json!(counted - shift.expected())),
                ("/shift/z_no", json!(register.closes)),
            ],
        );
        register.shift = None;
        self.book.baskets.retain(|basket| basket.till != till);
    }

    /// Asserts that everything the store shows equals the model.
    fn look(&mut self) {
        for (client, till) in self.tills.iter_mut().zip(&self.book.tills) {
            let reply = client.get("/api/shifts/current");
            let Some(shift) = &till.shift else {
                reply.refused(404, "not_found");
                continue;
            };
            assert_eq!(reply.data(200)["shift_id"], json!(shift.id));
            let summary = client.get(&format!("/api/shifts/{}/summary", shift.id)).data(200);
            same(&summary, &shift.summary());
        }
        for basket in &self.book.baskets {
            let shown = self.manager.get(&format!("{SALES}/{}", basket.id)).data(200);
            let state = if basket.paid > 0 { "partially_paid" } else { "open" };
            same(&shown, &[("/state", json!(state)), ("/amount_due", json!(basket.due()))]);
        }
        for (sku, _) in PRODUCTS {
            let on_hand = self.manager.get(&format!("/api/stock/{sku}")).data(200)["on_hand"].clone();
            assert_eq!(on_hand, json!(self.book.stock.get(sku).unwrap_or(&0)), "{sku}");
        }
        for member in &self.book.members {
            let points = self.manager.get(&format!("/api/members/{}/points?limit=500", member.id)).data(200);
            assert_eq!(points["balance"], json!(member.points), "{points}");
            let entries = points["entries"].as_array().unwrap().iter();
            let sum: i64 = entries.map(|entry| entry["points"].as_i64().unwrap()).sum();
            assert_eq!(sum, member.points, "a balance is the sum of its entries: {points}");
        }
    }

    /// Runs the final check, which also covers every stock movement and the data folder.
    pub fn close_down(mut self) {
        self.look();
        for (sku, _) in PRODUCTS {
            let movements = audit::items(&mut self.manager, &format!("/api/stock/{sku}/movements"));
            let sum: i64 = movements.iter().map(|movement| movement["qty"].as_i64().unwrap()).sum();
            assert_eq!(sum, *self.book.stock.get(sku).unwrap_or(&0), "{sku}: the sum of its movements");
        }
        self.store.stop();
        self.store.verify();
    }
}

pub(super) fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_else(|| panic!("no {name}: {value}")).to_owned()
}

/// Returns the figures of an open basket.
fn figures(basket: &Basket) -> Vec<(&'static str, Value)> {
    vec![
        ("/subtotal", json!(basket.gross)),
        ("/discount", json!(basket.discount)),
        ("/tax", json!(basket.tax)),
        ("/total", json!(basket.total)),
        ("/amount_due", json!(basket.total)),
        ("/points_earned", json!(basket.earning(0))),
        ("/state", json!("open")),
    ]
}

/// Asserts that each figure has its value at its JSON pointer.
#[track_caller]
pub(super) fn same(shown: &Value, figures: &[(&str, Value)]) {
    for (pointer, expected) in figures {
        let found = shown.pointer(pointer).unwrap_or(&Value::Null);
        assert_eq!(found, expected, "{pointer}: {shown}");
    }
}
