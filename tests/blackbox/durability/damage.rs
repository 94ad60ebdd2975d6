//! Damaged files: a damaged index is rebuilt without visible effect; a damaged journal is refused, and the position of
//! the damage is reported.

use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use testkit::audit;
use testkit::dice::Random;
use testkit::journal::{self, HEADER_BYTES};
use testkit::process;
use testkit::store::{PRODUCTS, Store};
use testkit::till::{Sold, Till};
use testkit::wait;

/// Pieces of every product at the start.
const RECEIVED: i64 = 10_000;
/// Sales before the damage.
const SALES: usize = 30;
/// Space left in a segment: room for some sales, but fewer than [`SALES`].
const ROOM_LEFT_BYTES: u64 = 16 * 1024;
/// Number of consecutive damaged frames. A sale has a few frames.
const DAMAGED_FRAMES: usize = 4;
/// Number of bytes of the engine's file that are damaged, one after the other.
const ROW_FLIPS: usize = 8;

/// Returns a stopped store with some sales.
fn sold_and_stopped(random: &mut Random) -> (Store, Till, Value) {
    let mut store = Store::open_with("", 1);
    store.receive_all(RECEIVED);
    let mut till = Till::open(&store, 1, random);
    for _ in 0..SALES {
        till.sell();
    }
    let answers = answers(&store, &till);
    store.stop();
    (store, till, answers)
}

/// Returns the store's answers to the requests of a till, a manager and head office.
#[track_caller]
fn answers(store: &Store, till: &Till) -> Value {
    let mut manager = store.login("manager");
    let shift = &till.shift_id;
    let stock = audit::items(&mut manager, "/api/stock");
    let movements: Vec<_> = PRODUCTS
        .iter()
        .map(|(sku, _)| audit::items(&mut manager, &format!("/api/stock/{sku}/movements")))
        .collect();
    let sales = audit::items(&mut manager, &format!("/api/pos/transactions?shift_id={shift}&state=paid"));
    let summary = manager.get(&format!("/api/shifts/{shift}/summary")).data(200);
    let by_receipt: Vec<_> = (till.sold.iter().step_by(7))
        .map(|Sold { receipt_no, transaction_id, .. }| {
            let listed =
                audit::items(&mut manager, &format!("/api/pos/transactions?receipt_no={receipt_no}"));
            (listed, manager.get(&format!("/api/pos/transactions/{transaction_id}")).data(200))
        })
        .collect();
    let outbox = manager.get("/api/sync/status").data(200)["outbox"].clone();
    let outbox = json!([outbox["last_seq"], outbox["head_hash"], outbox["epoch"], outbox["pending"]]);
    json!([stock, movements, sales, summary, by_receipt, outbox])
}

/// Starts the damaged store and asserts that the damage has no visible effect, including on retries.
#[track_caller]
fn nobody_notices(store: &mut Store, till: &mut Till, before: &Value) {
    store.start();
    assert_eq!(&answers(store, till), before, "a different answer than before the damage");
    for sale in till.sold.clone().iter().step_by(10) {
        let again = till.pay_again(sale);
        assert!(again.body == sale.pay_answer, "{}: {}", sale.receipt_no, again.text());
        assert_eq!(again.header("idempotency-replayed"), Some("true"), "{}", sale.receipt_no);
    }
    till.hang_up();
    store.stop();
}

#[test]
fn a_damaged_engine_is_rebuilt() {
    let mut random = Random::announced("rows");
    let (mut store, mut till, before) = sold_and_stopped(&mut random);
    let rows = store.data().join("rows");
    let engine = rows.join("db");
    let rebuilt = |store: &Store| store.log().lines().filter(|line| line.contains("rebuil")).count();
    for _ in 0..ROW_FLIPS {
        let bytes = fs::read(&engine).unwrap();
        let used: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != 0).collect();
        journal::flip(&engine, used[random.below(used.len() as u64) as usize]);
        nobody_notices(&mut store, &mut till, &before);
    }
    let flips_seen = rebuilt(&store);
    println!("rows: {ROW_FLIPS} flipped bits, {flips_seen} lines about a rebuild");
    let whole = fs::read(&engine).unwrap();
    for (how, damaged) in [
        ("halved", whole[..whole.len() / 2].to_vec()),
        ("zeroed", vec![0; whole.len()]),
        ("random", random.bytes(whole.len())),
        ("emptied", Vec::new()),
    ] {
        fs::write(&engine, damaged).unwrap();
        let seen = rebuilt(&store);
        nobody_notices(&mut store, &mut till, &before);
        // The engine's file is longer than its contents, so the first half may contain all of them.
        let reported = how == "halved" || rebuilt(&store) > seen;
        assert!(reported, "{how}: the log does not report a rebuild:\n{}", store.log());
    }
    fs::remove_dir_all(&rows).unwrap();
    nobody_notices(&mut store, &mut till, &before);
    store.verify();
}

#[test]
fn a_damaged_segment_index_is_remade() {
    let mut random = Random::announced("index");
    let mut store = Store::open_with("", 1);
    store.receive_all(RECEIVED);
    let mut till = Till::open(&store, 1, &mut random);
    for _ in 0..SALES {
        till.sell();
    }
    fill_a_segment(&mut store, &mut till);
    for _ in 0..3 {
        till.sell();
    }
    let before = answers(&store, &till);
    store.stop();
    let index = journal::files(store.data(), "idx").remove(0);
    let whole = fs::read(&index).unwrap();
    let middle = whole.len() / 2;
    let last = whole.len() - 1;
    for at in [0, 9, middle, last, random.below(whole.len() as u64) as usize] {
        journal::flip(&index, at);
        println!("index: bit flipped at {at} of {}", whole.len());
        nobody_notices(&mut store, &mut till, &before);
        assert!(fs::read(&index).unwrap() == whole, "the index was not rebuilt (byte {at})");
    }
    for damaged in [whole[..middle].to_vec(), Vec::new(), vec![0; whole.len()]] {
        fs::write(&index, damaged).unwrap();
        nobody_notices(&mut store, &mut till, &before);
    }
    fs::remove_file(&index).unwrap();
    nobody_notices(&mut store, &mut till, &before);
    store.verify();
    sealed_damage_is_named(&store, &mut random);
    a_damaged_sale_leaves_the_rest_of_its_day(&mut store, &mut till);
}

/// Removes the space behind the last frame, and sells until the segment is sealed and has its index.
#[track_caller]
fn fill_a_segment(store: &mut Store, till: &mut Till) {
    store.stop();
    let segment = journal::files(store.data(), "seg").remove(0);
    let file = fs::OpenOptions::new().write(true).open(&segment).unwrap();
    file.set_len(journal::end(&segment) as u64 + ROOM_LEFT_BYTES).unwrap();
    store.start();
    for _ in 0..SALES {
        till.sell();
    }
    wait::until("the segment has its index", || {
        (!journal::files(store.data(), "idx").is_empty()).then_some(())
    });
}

/// Damage in a sealed segment: `verify` reports the file and the position.
#[track_caller]
fn sealed_damage_is_named(store: &Store, random: &mut Random) {
    let segment = journal::files(store.data(), "seg").remove(0);
    let frames = journal::frames(&segment);
    let frame = frames[random.below(frames.len() as u64) as usize];
    journal::flip(&segment, frame.offset + HEADER_BYTES + frame.body_bytes / 2);
    let output = store.run(&["verify"]);
    let said = process::said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    names(&said, &segment, frame.offset);
}

/// Sales of a sealed segment can't be read: each is reported, the day's report counts them, and the store continues
/// selling.
#[track_caller]
fn a_damaged_sale_leaves_the_rest_of_its_day(store: &mut Store, till: &mut Till) {
    let segment = journal::files(store.data(), "seg").remove(0);
    let frames = journal::frames(&segment);
    for frame in frames.iter().skip(frames.len() / 2).take(DAMAGED_FRAMES) {
        journal::flip(&segment, frame.offset + HEADER_BYTES + frame.body_bytes / 3);
    }
    store.start();
    till.sell();
    let mut manager = store.login("manager");
    let (mut damaged, mut day) = (0, String::new());
    for Sold { transaction_id, .. } in &till.sold {
        let answer = manager.get(&format!("/api/pos/transactions/{transaction_id}"));
        if answer.status == 200 {
            day = answer.data(200)["business_date"].as_str().unwrap().to_owned();
        } else {
            answer.refused(500, "damaged");
            damaged += 1;
        }
    }
    assert!((1..=DAMAGED_FRAMES + 1).contains(&damaged), "{damaged} sales can't be read");
    let report = manager.get(&format!("/api/reports/daily?date={day}")).data(200);
    assert_eq!(report["unreadable"], json!(damaged), "{report}");
    let of_hours =
        report["by_hour"].as_array().unwrap().iter().map(|hour| hour["sales_count"].as_u64().unwrap());
    assert_eq!(of_hours.sum::<u64>() as usize, till.sold.len() - damaged, "{report}");
}

#[track_caller]
fn names(said: &str, file: &std::path::Path, offset: usize) {
    let file = file.file_name().unwrap().to_str().unwrap();
    assert!(said.contains(file), "{file} is not named: {said}");
    assert!(said.contains(&format!("offset {offset}")), "offset {offset} is not named: {said}");
}

#[test]
fn a_damaged_journal_is_refused_with_its_place() {
    let mut random = Random::announced("journal");
    let (mut store, mut till, before) = sold_and_stopped(&mut random);
    let segment = journal::files(store.data(), "seg").pop().unwrap();
    let frames = journal::frames(&segment);
    let last_group = frames.last().unwrap().group;
    let settled: Vec<_> = frames.iter().filter(|frame| frame.group < last_group).collect();
    assert!(settled.len() > SALES, "{frames:?}");
    for _ in 0..5 {
        let frame = settled[random.below(settled.len() as u64) as usize];
        let at = frame.offset + random.below((HEADER_BYTES + frame.body_bytes) as u64) as usize;
        println!("journal: bit flipped at {at}, in the frame at {}", frame.offset);
        journal::flip(&segment, at);
        for arguments in [&["serve"][..], &["user", "list"]] {
            let output = store.run(arguments);
            let said = process::said(&output);
            assert_eq!(output.status.code(), Some(74), "{arguments:?}: {said}");
            names(&said, &segment, frame.offset);
            assert!(said.contains("backup"), "the message does not say what to do: {said}");
        }
        let output = store.run(&["verify"]);
        let said = process::said(&output);
        assert!(matches!(output.status.code(), Some(1 | 74)), "{:?} {said}", output.status);
        names(&said, &segment, frame.offset);
        // The refusal changed nothing: once the bit is flipped back, the store starts.
        journal::flip(&segment, at);
    }
    nobody_notices(&mut store, &mut till, &before);
    store.verify();
}

#[test]
fn a_lost_journal_is_refused() {
    let mut random = Random::announced("lost");
    let (mut store, mut till, before) = sold_and_stopped(&mut random);
    let segment = journal::files(store.data(), "seg").pop().unwrap();
    let whole = fs::read(&segment).unwrap();
    let (first, end) = (journal::frames(&segment)[3].offset, journal::end(&segment));
    // The tail is zeroed, so the journal has less than was known to be durable.
    journal::overwrite(&segment, first, &vec![0; end - first]);
    let (code, said) = store.refuses_to_start();
    assert_eq!(code, 74, "{said}");
    assert!(said.contains("journal"), "{said}");
    fs::remove_file(&segment).unwrap();
    let (code, said) = store.refuses_to_start();
    assert_eq!(code, 74, "{said}");
    fs::write(&segment, whole).unwrap();
    fs::set_permissions(&segment, fs::Permissions::from_mode(0o600)).unwrap();
    nobody_notices(&mut store, &mut till, &before);
}

#[test]
fn a_torn_tail_was_never_answered() {
    let mut random = Random::announced("tail");
    let (mut store, mut till, before) = sold_and_stopped(&mut random);
    let segment = journal::files(store.data(), "seg").pop().unwrap();
    let frames = journal::frames(&segment);
    let sample = frames.last().unwrap();
    let whole = fs::read(&segment).unwrap();
    let frame = &whole[sample.offset..sample.offset + HEADER_BYTES + sample.body_bytes];
    for cut in [1, 4, HEADER_BYTES - 1, HEADER_BYTES, HEADER_BYTES + 1, frame.len() / 2] {
        journal::overwrite(&segment, journal::end(&segment), &frame[..cut]);
        nobody_notices(&mut store, &mut till, &before);
    }
    let noise = random.bytes(3_000);
    journal::overwrite(&segment, journal::end(&segment), &noise);
    nobody_notices(&mut store, &mut till, &before);
    // The store continues to sell and overwrites the tail that it cut off.
    store.start();
    till.sell();
    store.stop();
    store.verify();
}
