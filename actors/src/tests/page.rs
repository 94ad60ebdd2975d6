//! A page of the feed with rows of several actors: the commits of the owners are durable before the page and its
//! cursor. Whenever the process dies in between, the page is sent again and no row counts twice.

use crate::commands;
use crate::tests::support::hub::{FakeHub, OnPull, OnPush};
use crate::tests::support::shop::{ask, config, data, open, rules, sell, shop_of};
use crate::{RequestContext, StoreHandle};
use domain::model::base::figures::Money;
use domain::model::base::ids::{MemberId, Sku, TransferId};
use domain::model::inventory::transfer::TransferState;
use domain::model::people::user::Role;
use domain::rules::inventory::receiving::{NewReceiving, NewReceivingLine};
use domain::rules::inventory::transfer::{NewTransfer, NewTransferLine};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use storage::{Options, Storage};

const MEMBER: &str = "mbr_1";
/// Offset of a segment's first frame, and length of a frame's header.
const FIRST_FRAME: usize = 4096;
const HEADER_BYTES: usize = 64;

async fn until(what: &str, mut there: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !there() {
        assert!(Instant::now() < deadline, "never: {what}");
        tokio::task::yield_now().await;
    }
}

fn manager() -> RequestContext {
    let mut ask = ask(9, None);
    Arc::make_mut(&mut ask.caller).role = Role::StoreManager;
    ask
}

fn change(kind: &str, id: &str, payload: &Value) -> Value {
    json!({"cursor": "fed", "kind": kind, "id": id, "version": "1795140000000-00001-hub", "deleted": false,
        "effective_at": null, "payload": payload})
}

/// Returns a page: a member, a balance, a transfer that was received although this store cancelled it, and a product.
fn page(storage: &Storage, transfer_id: &TransferId) -> Vec<Value> {
    let at = "1795140000000-00001-hub";
    let name = json!({"value": "Ani", "at": at, "by": "chg_1"});
    let code = json!({"value": "M-1", "at": at, "by": "chg_2"});
    let member = json!({"member_id": MEMBER, "fields": {"name": name, "code": code}});
    let points = json!({"member_id": MEMBER, "balance": 500});
    let mut transfer = json!(storage.stock_documents().transfer(transfer_id).unwrap().unwrap());
    transfer["state"] = json!("received");
    transfer["cancelled_at"] = Value::Null;
    transfer["received_by"] = json!("usr_there");
    transfer["received_at"] = transfer["sent_at"].clone();
    for line in transfer["lines"].as_array_mut().unwrap() {
        line["received_qty"] = line["qty"].clone();
    }
    let product = storage.products().product(&Sku::from("A")).unwrap().unwrap();
    let product = json!(domain::model::inventory::product::Product { name: "Pear".to_owned(), ..product });
    vec![
        change("member", MEMBER, &member),
        change("points", MEMBER, &points),
        change("transfer", transfer_id.as_str(), &transfer),
        change("product", "A", &product),
    ]
}

/// The state that the page changes.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    member: Option<String>,
    points: Option<i64>,
    transfer: (TransferState, bool),
    stock: (i64, i64),
    movements: usize,
    product: String,
    untaken: usize,
    fed: bool,
}

fn seen(storage: &Storage, transfer_id: &TransferId) -> Seen {
    let (sku, member) = (Sku::from("A"), MemberId::from(MEMBER));
    let transfer = storage.stock_documents().transfer(transfer_id).unwrap().unwrap();
    let stock = storage.stock().stock(&sku).unwrap().unwrap();
    Seen {
        member: storage.members().member(&member).unwrap().map(|member| member.name),
        points: storage.members().points(&member).unwrap().map(|account| account.balance().get()),
        transfer: (transfer.state, transfer.cancel_lost),
        stock: (stock.qty.get(), stock.value.get()),
        movements: storage.stock().movements(&sku, None, 1_000).unwrap().len(),
        product: storage.products().product(&sku).unwrap().unwrap().name,
        untaken: storage.sync().untaken(9).unwrap().len(),
        fed: storage.sync().lane_cursor("rest").unwrap().is_some_and(|(cursor, _)| cursor == "fed"),
    }
}

/// Makes the hub send the feed from its beginning, and waits until the page is applied.
async fn reported(hub: &FakeHub, handle: &StoreHandle, transfer_id: &TransferId) {
    let (forced, given) = (handle.clone(), hub.lock().paged);
    // The answer is not awaited: nothing is acknowledged, so it would come after its deadline.
    tokio::spawn(async move { forced.force_sync(true).await });
    let fed = || hub.lock().paged > given && seen(handle.storage(), transfer_id).fed;
    until("the page is applied", fed).await;
}

/// Copies the journal as a process left it that died after this many commits.
fn cut(from: &Path, to: &Path, commits: u64) {
    fs::create_dir_all(to.join("journal")).unwrap();
    for name in ["store.json", "install.key", "journal/0000000000000001.seg"] {
        fs::copy(from.join(name), to.join(name)).unwrap();
    }
    let segment = to.join("journal/0000000000000001.seg");
    let mut bytes = fs::read(&segment).unwrap();
    let mut offset = FIRST_FRAME;
    for _ in 0..commits {
        assert_eq!(&bytes[offset..offset + 4], b"SRF1");
        let length = u32::from_le_bytes(bytes[offset + 4..offset + 8].try_into().unwrap());
        offset += (HEADER_BYTES + length as usize).next_multiple_of(8);
    }
    bytes[offset..].fill(0);
    fs::write(&segment, bytes).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_counts_once_wherever_the_process_dies_among_its_commits() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = shop_of(config(2), rules(), Some(hub.identity())).await;
    open(&shop, 1).await;
    sell(&shop, 1).await;
    let came = NewReceivingLine {
        sku: Sku::from("A"),
        code: None,
        qty: 10.into(),
        unit_cost: Some(Money::new(600)),
        line_total: None,
        rejected_qty: None,
        note: None,
    };
    let came = NewReceiving { lines: vec![came], ..NewReceiving::default() };
    shop.handle.run(manager(), commands::Receive(came)).await.unwrap();
    let lines = vec![NewTransferLine { sku: Sku::from("A"), code: None, qty: 3.into() }];
    let command = NewTransfer { to_store_id: "S002".into(), lines, note: None, draft: None };
    let sent = shop.handle.run(manager(), commands::CreateTransfer(command)).await.unwrap();
    let id = TransferId(data(&sent.answer)["transfer_id"].as_str().unwrap().to_owned());
    shop.handle.run(manager(), commands::CancelTransfer(id.clone())).await.unwrap();
    let storage = shop.handle.storage().clone();
    until("the hub has everything", || hub.lock().seq == storage.head().seq).await;
    until("the store has the acknowledgement", || {
        storage.outbox().ack_mark().unwrap().seq == storage.head().seq
    })
    .await;
    until("the feed was read", || storage.sync().lane_cursor("rest").unwrap().is_some()).await;
    let (before, lsn) = (seen(&storage, &id), storage.head().lsn);
    // The hub does not take the records that the page causes, because an older copy must not lack records.
    let page = page(&storage, &id);
    let head = storage.head();
    let covered = json!({"epoch": head.epoch, "seq": head.seq, "hash": head.hash});
    (hub.lock().on_push, hub.lock().page, hub.lock().includes) = (OnPush::Hold, page, vec![covered]);
    reported(&hub, &shop.handle, &id).await;
    let after = seen(&storage, &id);
    assert_eq!((after.member.as_deref(), after.points), (Some("Ani"), Some(500)), "{after:?}");
    assert_eq!((after.transfer, after.untaken), ((TransferState::Received, true), 0), "{after:?}");
    assert_eq!((after.stock.0, after.movements), (before.stock.0 - 3, before.movements + 1), "{after:?}");
    assert_eq!(after.product, "Pear");
    let end = storage.head().lsn;
    shop.supervision.stop().await;
    drop((storage, shop.handle));

    let mut halves = Vec::new();
    for commits in lsn..=end {
        let folder = tempfile::tempdir().unwrap();
        cut(&shop.folder.path().join("data"), folder.path(), commits);
        let storage = Storage::open(folder.path(), &Options::default()).unwrap();
        halves.push(seen(&storage, &id));
        let (handle, supervision) = crate::start(storage.clone(), rules(), config(2)).await.unwrap();
        until("the page was applied again", || seen(&storage, &id).fed).await;
        assert_eq!(seen(&storage, &id), after, "cut after commit {commits}");
        // A further repetition from the beginning changes nothing either.
        reported(&hub, &handle, &id).await;
        assert_eq!(seen(&storage, &id), after, "cut after commit {commits}, and sent again");
        supervision.stop().await;
        let report = storage.verify(&mut |_| ()).unwrap();
        assert!(report.clean(), "cut after commit {commits}: {:?}", report.problems);
    }
    // The cuts include relevant ones: an owner had applied its part, and the page was not complete.
    let half = |part: fn(&Seen) -> bool| halves.iter().any(|half| part(half) && !half.fed);
    assert!(half(|half| half.member.is_some()), "{halves:?}");
    assert!(half(|half| half.points == Some(500)), "{halves:?}");
    assert!(half(|half| half.transfer.1), "{halves:?}");
    assert!(half(|half| half.product == "Apple") && !half(|half| half.product == "Pear"), "{halves:?}");
}
