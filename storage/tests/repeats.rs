//! The text of a sale is in its event, its record and its answer. A frame stores it once and returns all of them.

use crate::shop::{EPOCH, folder, open};
use domain::model::base::answer::Answer;
use domain::model::base::command_print::CommandPrint;
use domain::model::base::event::{Event, Fact, Rows};
use domain::model::hub::stamp::Stamp;
use domain::model::people::user::Role;
use domain::model::selling::transaction::{Scan, Transaction};
use domain::rules::selling::transaction::answer;
use domain::wire::record;
use domain::wire::sale_text::SaleText;
use storage::{Commit, Keyed, verify};
use testkit::shop::{self, NOW, item, pay_by};

/// Returns a basket and its sale, with a scanned line.
fn events() -> Vec<Event> {
    let mut shop = shop::open();
    let id = shop
        .create(&shop::basket(vec![item("a", 2, 2_000), item("wrap", 1, 500), item("b", 1, 3_000)]))
        .unwrap();
    let due = shop.shift.open[&id].amount_due;
    shop.pay(&id, &pay_by("cash", due.get())).unwrap().unwrap();
    let mut events = shop.events;
    for event in &mut events {
        let sale = match &mut event.fact {
            Fact::TransactionOpen(it) => &mut it.transaction,
            Fact::TransactionPaid(it) => &mut it.transaction,
            _ => continue,
        };
        sale.scans.push(Scan { line_no: 2, code: "8991234567890".to_owned(), pack_qty: 6.into() });
        sale.note = Some("a \"note\", {with} marks".to_owned());
    }
    events
}

fn sale(event: &Event) -> Option<&Transaction> {
    match &event.fact {
        Fact::TransactionOpen(it) => Some(&it.transaction),
        Fact::TransactionPaid(it) => Some(&it.transaction),
        _ => None,
    }
}

fn record_of(event: &Event, sale: &Transaction) -> Option<String> {
    let stamp = Stamp { now: NOW, at: "1795140394739-00000-S001".to_owned(), event_id: "evt_1".into() };
    let Rows { movements, points, .. } = &event.rows;
    let paid = matches!(event.fact, Fact::TransactionPaid(_));
    paid.then(|| record::transaction_paid(&stamp, sale, movements, points))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_with_repetitions_left_out_is_restored_completely() {
    let folder = folder();
    let storage = open(folder.path());
    let mut records: Vec<String> = Vec::new();
    let mut answers: Vec<([u8; 32], Answer)> = Vec::new();
    for (number, event) in (0_u8..).zip(events()) {
        let Some(sale) = sale(&event).cloned() else {
            let commit = Commit { events: vec![event], records: Vec::new(), keyed: None, at: NOW, hlc: None };
            storage.commit(commit).await.unwrap();
            continue;
        };
        let text = SaleText::of(&sale);
        let (key, answer) = ([number; 32], answer(false, &sale, &text, Role::StoreManager));
        let record = record_of(&event, &sale);
        let keyed =
            Some(Keyed { key, command: CommandPrint::kept("body=07".to_owned()), answer: answer.clone() });
        let texts = record.iter().cloned().collect();
        let commit = Commit { events: vec![event], records: texts, keyed, at: NOW, hlc: None };
        let before = storage.stats().journal_bytes;
        let (done, heard) = std::sync::mpsc::channel();
        storage
            .submit_ready(commit.ready_with(Some(&text)).unwrap(), move |_| done.send(()).unwrap())
            .unwrap();
        heard.recv().unwrap();
        let written = storage.stats().journal_bytes - before;
        assert!(written < answer.body.len() as u64, "{written} bytes");
        answers.push((key, answer));
        records.extend(record);
    }
    storage.close().unwrap();
    assert_eq!((answers.len(), records.len()), (2, 1));
    let storage = open(folder.path());
    for (key, answer) in &answers {
        assert_eq!(storage.log().answer(key).unwrap().unwrap().answer, *answer);
    }
    let (_, reported) = storage.outbox().records(EPOCH, 0, 10, 1 << 20).unwrap();
    assert_eq!(
        reported.iter().map(|reported| &reported.record).collect::<Vec<_>>(),
        records.iter().collect::<Vec<_>>()
    );
    storage.close().unwrap();
    assert!(verify(folder.path(), &mut |_| ()).unwrap().clean());
}
