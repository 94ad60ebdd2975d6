//! Costs of the parts of a sale, each alone: `cargo bench -p bench`. They are for comparing two builds of one part;
//! `cargo xtask bench` measures a whole sale.
#![allow(clippy::unwrap_used, reason = "a benchmark may fail loudly")]

use criterion::{BatchSize, Criterion};
use domain::model::base::answer::Answer;
use domain::model::base::command_print::CommandPrint;
use domain::model::base::event::{Event, Fact};
use domain::model::base::ids::{SessionId, StoreId, UserId};
use domain::model::hub::stamp::Stamp;
use domain::model::people::user::{FieldTimes, Role, User};
use domain::model::selling::transaction::Transaction;
use domain::rules::selling::sale::CreateSale;
use domain::wire::record;
use edge::keys::SigningKey;
use edge::tokens::{Keys, TokenKind};
use serde_json::{from_slice, json, to_vec};
use std::hint::black_box;
use storage::{Commit, Keyed, Options, Storage};
use testkit::shop::{NOW, Shop, item, open};

/// Three lines, paid in cash.
fn sell(shop: &mut Shop) -> Transaction {
    shop.sell(vec![item("a", 2, 2_000), item("b", 1, 3_000), item("wrap", 1, 500)]).unwrap()
}

/// The event of a sale, and its record.
fn sold(shop: &mut Shop) -> (Event, String) {
    let sale = sell(shop);
    let event = shop.events.last().unwrap().clone();
    let stamp = Stamp {
        now: NOW,
        at: format!("{:013}-00000-S001", NOW.0),
        event_id: format!("evt_{}", sale.transaction_id.as_str()).into(),
    };
    let Fact::TransactionPaid(paid) = &event.fact else { unreachable!("a sale was paid") };
    let record = record::transaction_paid(&stamp, &paid.transaction, &event.rows.movements, &[]);
    (event, record)
}

/// The rules: a basket is created and paid, and both owners apply the events.
fn decide(criterion: &mut Criterion) {
    let shop = open();
    criterion.bench_function("decide", |b| {
        b.iter_batched_ref(|| shop.clone(), |shop| black_box(sell(shop)), BatchSize::SmallInput);
    });
}

/// The text of an event in the journal, and the record that head office gets.
fn encode(criterion: &mut Criterion) {
    let (event, _) = sold(&mut open());
    criterion.bench_function("encode/event", |b| b.iter(|| to_vec(black_box(&event)).unwrap()));
    let shop = open();
    criterion.bench_function("encode/record", |b| {
        b.iter_batched_ref(|| shop.clone(), |shop| sold(shop).1, BatchSize::SmallInput);
    });
}

/// A till's requests and answers.
fn json(criterion: &mut Criterion) {
    let body = json!({"items": [{"sku": "a", "qty": 2, "price": 2_000}, {"sku": "b", "qty": 1, "price": 3_000},
        {"sku": "wrap", "qty": 1, "price": 500}]});
    let body = to_vec(&body).unwrap();
    criterion.bench_function("json/in", |b| b.iter(|| from_slice::<CreateSale>(black_box(&body)).unwrap()));
    let sale = sell(&mut open());
    criterion.bench_function("json/out", |b| b.iter(|| Answer::ok(black_box(&sale))));
}

/// A commit of its own: written, on the disk, applied to the rows, answered.
fn append(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    Storage::init(folder.path(), &StoreId::from("S001"), "1-0123456789abcdef").unwrap();
    let storage = Storage::open(folder.path(), &Options { min_free_bytes: 0, ..Options::default() }).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (mut shop, mut made) = (open(), 0_u64);
    let mut commit = || {
        let (event, record) = sold(&mut shop);
        shop.events.clear();
        made += 1;
        let mut key = [0; 32];
        key.iter_mut().zip(made.to_be_bytes()).for_each(|(to, byte)| *to = byte);
        let keyed =
            Some(Keyed { key, command: CommandPrint::kept("7".repeat(64)), answer: Answer::ok(&made) });
        Commit { events: vec![event], records: vec![record], keyed, at: NOW, hlc: None }
    };
    criterion.bench_function("append and apply, one fdatasync", |b| {
        b.iter_batched(
            &mut commit,
            |commit| runtime.block_on(storage.commit(commit)).unwrap(),
            BatchSize::PerIteration,
        );
    });
    storage.close().unwrap();
}

/// A token that was not seen before, and one that was.
fn token(criterion: &mut Criterion) {
    let keys = Keys::new(SigningKey::generate().unwrap(), "store-router:S001");
    let user = User {
        user_id: UserId::from("usr_1"),
        username: "ani".to_owned(),
        name: "Ani".to_owned(),
        role: Role::Cashier,
        store_id: "S001".into(),
        password_hash: None,
        times: FieldTimes::default(),
        token_version: 1,
        disabled: false,
        created_at: NOW,
        updated_at: NOW,
    };
    let issue = || keys.issue_access(&user, &SessionId::from("ses_1"), NOW).unwrap().token;
    let check = |token: &str| keys.verify(token, TokenKind::Access, NOW).unwrap();
    criterion.bench_function("token/new", |b| {
        b.iter_batched_ref(issue, |token| check(token), BatchSize::SmallInput);
    });
    let token = issue();
    criterion.bench_function("token/seen", |b| b.iter(|| check(black_box(&token))));
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for part in [decide, encode, json, append, token] {
        part(&mut criterion);
    }
    criterion.final_summary();
}
