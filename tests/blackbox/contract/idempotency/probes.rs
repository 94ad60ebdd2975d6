//! One probe for each operation that changes data: a request that succeeds, and a different one under the same key.

use super::attempt::{self, Attempt, Probe};
use serde_json::{Value, json};
use std::sync::Mutex;
use testkit::{Client, Store, store::PASSWORD};

pub const SKU: &str = "8990001";
const PRICE: i64 = 2_000;

/// The first device of the cashier of till 2.
static DEVICE: Mutex<Option<String>> = Mutex::new(None);

pub const STORE: &[Probe<Store>] = &[
    Probe {
        operation: "POST /api/auth/webauthn/register/finish",
        prepare: |store| Attempt::new_device(store.login("till-2"), PASSWORD, store.port(), &DEVICE),
    },
    Probe {
        operation: "DELETE /api/auth/webauthn/credentials/{id}",
        prepare: |store| {
            let device = DEVICE.lock().unwrap().clone().unwrap();
            let path = format!("/api/auth/webauthn/credentials/{device}");
            let client = store.login("till-2");
            Attempt { other: "{ }".to_owned(), ..Attempt::new(client, &path, json!({}), json!({})) }
        },
    },
    Probe {
        operation: "POST /api/shifts/open",
        prepare: |store| {
            let body = json!({"register_id": "probe", "opening_float": 1000});
            let other = json!({"register_id": "probe", "opening_float": 2000});
            Attempt::new(store.login("till-1"), "/api/shifts/open", body, other)
        },
    },
    Probe {
        operation: "POST /api/receiving",
        prepare: |store| {
            let lines = |qty: i64| json!({"lines": [{"sku": SKU, "qty": qty, "unit_cost": 100}]});
            Attempt::new(store.login("warehouse"), "/api/receiving", lines(5), lines(6))
        },
    },
    Probe {
        operation: "POST /api/pos/transactions",
        prepare: |store| {
            let items = |qty: i64| json!({"items": [{"sku": SKU, "qty": qty, "price": PRICE}]});
            Attempt::new(store.login("till-1"), "/api/pos/transactions", items(1), items(2))
        },
    },
    // The same with payments, a whole sale; by another person, whose keys are their own.
    Probe {
        operation: "POST /api/pos/transactions",
        prepare: |store| {
            let shift = store.login("till-1").get("/api/shifts/current").data(200)["shift_id"].clone();
            let whole = |qty: i64| {
                let payments = json!([{"method": "card", "amount": qty * (PRICE + PRICE * 11 / 100)}]);
                let items = json!([{"sku": SKU, "qty": qty, "price": PRICE}]);
                json!({"items": items, "payments": payments, "shift_id": shift})
            };
            Attempt::new(store.login("manager"), "/api/pos/transactions", whole(1), whole(2))
        },
    },
    Probe {
        operation: "POST /api/pos/transactions/{id}/pay",
        prepare: |store| {
            let (client, id, due) = basket(store);
            let pay = |tendered: i64| json!({"method": "cash", "amount": due, "tendered": tendered});
            let path = format!("/api/pos/transactions/{id}/pay");
            Attempt::new(client, &path, pay(due), pay(due + 1))
        },
    },
    Probe {
        operation: "PATCH /api/pos/transactions/{id}",
        prepare: |store| {
            let (client, id, _) = basket(store);
            let note = |text: &str| json!({"note": text});
            Attempt::new(client, &format!("/api/pos/transactions/{id}"), note("one bag"), note("two bags"))
        },
    },
    Probe {
        operation: "POST /api/pos/transactions/{id}/lines",
        prepare: |store| {
            let (client, id, _) = basket(store);
            let scan = |qty: i64| json!({"sku": SKU, "qty": qty});
            Attempt::new(client, &format!("/api/pos/transactions/{id}/lines"), scan(1), scan(2))
        },
    },
    Probe {
        operation: "PATCH /api/pos/transactions/{id}/lines/{line_no}",
        prepare: |store| {
            let (client, id, _) = basket(store);
            let pieces = |qty: i64| json!({"qty": qty});
            Attempt::new(client, &format!("/api/pos/transactions/{id}/lines/1"), pieces(3), pieces(4))
        },
    },
    Probe {
        operation: "DELETE /api/pos/transactions/{id}/lines/{line_no}",
        prepare: |store| {
            let (mut client, line) = (store.login("till-1"), json!({"sku": SKU, "qty": 1}));
            let made = client.post("/api/pos/transactions", &json!({"items": [line, line]})).data(201);
            let path = format!("/api/pos/transactions/{}/lines", made["transaction_id"].as_str().unwrap());
            Attempt::new(client, &format!("{path}/2"), because("twice"), because("other"))
        },
    },
    Probe {
        operation: "POST /api/pos/transactions/{id}/void",
        prepare: |store| {
            let (client, id, _) = basket(store);
            let path = format!("/api/pos/transactions/{id}/void");
            Attempt::new(client, &path, because("left"), because("came back"))
        },
    },
    Probe {
        operation: "POST /api/pos/transactions/{id}/payments/{payment_id}/reverse",
        prepare: |store| {
            let (mut client, id, due) = basket(store);
            let path = format!("/api/pos/transactions/{id}");
            let part = client.post(&format!("{path}/pay"), &json!({"method": "card", "amount": due - 1}));
            let payment = part.data(200)["payments"][0]["payment_id"].as_str().unwrap().to_owned();
            let path = format!("{path}/payments/{payment}/reverse");
            Attempt::new(store.login("manager"), &path, because("declined"), because("other"))
        },
    },
    Probe {
        operation: "POST /api/pos/transactions/{id}/correct-tender",
        prepare: |store| {
            let sold = sold(store);
            let path =
                format!("/api/pos/transactions/{}/correct-tender", sold["transaction_id"].as_str().unwrap());
            let correct = |method: &str| {
                let payments = json!([{"method": method, "amount": sold["total"]}]);
                json!({"payment_id": sold["payments"][0]["payment_id"], "payments": payments, "reason": "keyed"})
            };
            Attempt::new(store.login("manager"), &path, correct("card"), correct("qris"))
        },
    },
    Probe {
        operation: "POST /api/pos/holds",
        prepare: |store| {
            let items = |qty: i64| json!({"items": [{"sku": SKU, "qty": qty, "price": PRICE}]});
            Attempt::new(store.login("till-1"), "/api/pos/holds", items(1), items(2))
        },
    },
    Probe {
        operation: "POST /api/pos/holds/{id}/recall",
        prepare: |store| {
            let mut client = store.login("till-1");
            let body = json!({"items": [{"sku": SKU, "qty": 1, "price": PRICE}]});
            let hold = client.post("/api/pos/holds", &body).data(201)["hold_id"].as_str().unwrap().to_owned();
            let path = format!("/api/pos/holds/{hold}/recall");
            Attempt { other: "{ }".to_owned(), ..Attempt::new(client, &path, json!({}), json!({})) }
        },
    },
    Probe {
        operation: "POST /api/pos/returns",
        prepare: |store| {
            let sold = sold(store);
            let back = |reason: &str| json!({"transaction_id": sold["transaction_id"], "items": [{"sku": SKU, "qty": 1, "reason": reason}]});
            Attempt::new(store.login("till-1"), "/api/pos/returns", back("torn"), back("wet"))
        },
    },
    Probe {
        operation: "POST /api/pos/returns/{id}/void",
        prepare: |store| {
            let sold = sold(store);
            let body = json!({"transaction_id": sold["transaction_id"], "items": [{"sku": SKU, "qty": 1}]});
            let back = store.login("till-1").post("/api/pos/returns", &body).data(201);
            let path = format!("/api/pos/returns/{}/void", back["return_id"].as_str().unwrap());
            Attempt::new(store.login("manager"), &path, because("wrong receipt"), because("other"))
        },
    },
    Probe {
        operation: "POST /api/shifts/{id}/cash-movements",
        prepare: |store| {
            let (client, path) = own_shift(store);
            let moves = |amount: i64| json!({"type": "pay_in", "amount": amount, "reason": "probe"});
            Attempt::new(client, &format!("{path}/cash-movements"), moves(1), moves(2))
        },
    },
    Probe {
        operation: "POST /api/shifts/{id}/registers",
        prepare: |store| {
            let (mut client, path) = own_shift(store);
            let here = client.get(&path).data(200)["register_id"].clone();
            let stands = |registers: Value| json!({"register_ids": registers});
            Attempt::new(client, &format!("{path}/registers"), stands(json!([here])), stands(json!([])))
        },
    },
    Probe {
        operation: "POST /api/registers",
        prepare: |store| {
            let named = |name: &str| json!({"register_id": "probed", "name": name});
            Attempt::new(store.login("manager"), "/api/registers", named("A"), named("B"))
        },
    },
    Probe {
        operation: "PATCH /api/registers/{id}",
        prepare: |store| {
            let named = |name: &str| json!({"name": name});
            Attempt::new(store.login("manager"), "/api/registers/probed", named("C"), named("D"))
        },
    },
    Probe {
        operation: "PUT /api/pos/quick-keys",
        prepare: |store| {
            let keys = |label: &str| json!({"items": [{"sku": SKU, "label": label}]});
            let path = "/api/pos/quick-keys?register_id=probed";
            Attempt::new(store.login("manager"), path, keys("A"), keys("B"))
        },
    },
    Probe {
        operation: "POST /api/deposits",
        prepare: |store| {
            let found = json!({"amount": 1_000_000, "reason": "probe"});
            store.login("manager").post("/api/safe/opening", &found).data(200);
            let bag = |bag: &str| json!({"amount": 1, "bag_no": bag, "bank_account": "probe"});
            Attempt::new(store.login("manager"), "/api/deposits", bag("1"), bag("2"))
        },
    },
    Probe {
        operation: "POST /api/deposits/{id}/reverse",
        prepare: |store| {
            let mut client = store.login("manager");
            let bag = json!({"amount": 2, "bag_no": "3", "bank_account": "probe"});
            let made = client.post("/api/deposits", &bag).data(201);
            let path = format!("/api/deposits/{}/reverse", made["deposit_id"].as_str().unwrap());
            Attempt::new(client, &path, json!({"reason": "a"}), json!({"reason": "b"}))
        },
    },
    Probe {
        operation: "POST /api/safe/opening",
        prepare: |store| {
            let found = |amount: i64| json!({"amount": amount, "reason": "probe"});
            Attempt::new(store.login("manager"), "/api/safe/opening", found(1_000_000), found(1_000_001))
        },
    },
    Probe {
        operation: "POST /api/shifts/{id}/cash-movements/{cash_id}/reverse",
        prepare: |store| {
            let mut client = store.login("manager");
            let shift = store.login("till-1").get("/api/shifts/current").data(200);
            let path = format!("/api/shifts/{}/cash-movements", shift["shift_id"].as_str().unwrap());
            let wrong = json!({"type": "pay_in", "amount": 7, "reason": "probe"});
            let made = client.post(&path, &wrong).data(201);
            let path = format!("{path}/{}/reverse", made["cash_id"].as_str().unwrap());
            Attempt::new(client, &path, json!({"reason": "a"}), json!({"reason": "b"}))
        },
    },
    Probe {
        operation: "POST /api/days/{date}/seal",
        prepare: |store| {
            let path = "/api/days/2020-01-01/seal";
            let attempt = Attempt::new(store.login("manager"), path, json!({}), json!({}));
            Attempt { other: "{ }".to_owned(), ..attempt }
        },
    },
    Probe {
        operation: "POST /api/days/{date}/unseal",
        prepare: |store| {
            store.login("manager").post("/api/days/2020-01-02/seal", &json!({})).data(200);
            let why = |reason: &str| json!({"reason": reason});
            Attempt::new(store.login("admin"), "/api/days/2020-01-02/unseal", why("a"), why("b"))
        },
    },
    Probe {
        operation: "POST /api/shifts/{id}/close",
        prepare: |store| {
            let mut client = store.login("till-1");
            let id = client.get("/api/shifts/current").data(200)["shift_id"].as_str().unwrap().to_owned();
            attempt::voided(store, &id);
            let counted = |cash: i64| json!({"counted_cash": cash, "void_open": true});
            Attempt::new(client, &format!("/api/shifts/{id}/close"), counted(1000), counted(2000))
        },
    },
    Probe {
        operation: "POST /api/members",
        prepare: |store| {
            let named = |name: &str| json!({"name": name, "phone": "0812 0000 001"});
            Attempt::new(store.login("till-1"), "/api/members", named("A"), named("B"))
        },
    },
    Probe {
        operation: "PATCH /api/members/{id}",
        prepare: |store| {
            let (client, path) = member(store);
            Attempt::new(client, &path, json!({"name": "C"}), json!({"name": "D"}))
        },
    },
    Probe {
        operation: "POST /api/members/{id}/points/adjust",
        prepare: |store| {
            let (client, path) = member(store);
            let give = |points: i64| json!({"points": points, "reason": "probe"});
            Attempt::new(client, &format!("{path}/points/adjust"), give(5), give(6))
        },
    },
    Probe {
        operation: "POST /api/members/{id}/erase",
        prepare: |store| {
            let (client, path) = member(store);
            let attempt = Attempt::new(client, &format!("{path}/erase"), json!({}), json!({}));
            Attempt { other: "{ }".to_owned(), ..attempt }
        },
    },
    Probe {
        operation: "POST /api/shifts/{id}/recounts",
        prepare: |store| {
            let mut client = store.login("manager");
            let closed = client.get("/api/shifts?state=closed").data(200);
            let path = format!("/api/shifts/{}/recounts", closed["items"][0]["shift_id"].as_str().unwrap());
            let counted = |cash: i64| json!({"counted_cash": cash, "reason": "probe"});
            Attempt::new(client, &path, counted(1), counted(2))
        },
    },
    Probe {
        operation: "POST /api/shifts/{id}/end",
        prepare: |store| {
            let mut client = store.login("till-1");
            let opened = client.post("/api/shifts/open", &json!({"register_id": "probe-2"})).data(201);
            let path = format!("/api/shifts/{}/end", opened["shift_id"].as_str().unwrap());
            let attempt = Attempt::new(client, &path, json!({}), json!({}));
            Attempt { other: "{ }".to_owned(), ..attempt }
        },
    },
];

/// Creates a member and logs in the person who may change it.
fn member(store: &Store) -> (Client, String) {
    let mut client = store.login("manager");
    let found = client.get("/api/members/search?phone=08120000001").data(200);
    let id = found["items"][0]["member_id"].as_str().unwrap();
    (client, format!("/api/members/{id}"))
}

/// Opens the till's shift and logs in its cashier.
fn own_shift(store: &Store) -> (Client, String) {
    let mut client = store.login("till-1");
    let shift = client.get("/api/shifts/current").data(200);
    let path = format!("/api/shifts/{}", shift["shift_id"].as_str().unwrap());
    (client, path)
}

/// Creates a basket in the till's open shift, ready to be paid, and returns the amount due.
fn basket(store: &Store) -> (Client, String, i64) {
    let mut client = store.login("till-1");
    let body = json!({"items": [{"sku": SKU, "qty": 1, "price": PRICE}]});
    let made = client.post("/api/pos/transactions", &body).data(201);
    let due = made["amount_due"].as_i64().unwrap();
    (client, made["transaction_id"].as_str().unwrap().to_owned(), due)
}

fn because(reason: &str) -> Value {
    json!({"reason": reason})
}

/// Sells one piece for cash.
fn sold(store: &Store) -> Value {
    let (mut client, id, due) = basket(store);
    let path = format!("/api/pos/transactions/{id}/pay");
    client.post(&path, &json!({"method": "cash", "amount": due})).data(200)
}
