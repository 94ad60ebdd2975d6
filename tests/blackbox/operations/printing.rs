//! Printers of the tills: paper, the drawer, and sales that wait for neither.

use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::OpenOptionsExt;
use std::process::Command;
use testkit::counter::{Counter, SALES, basket, text};
use testkit::{Client, wait};

const PULSE: &[u8] = b"\x1bp\x00\x19\xfa";
const CUT: &[u8] = b"\x1dV";

fn has(paper: &[u8], part: &[u8]) -> bool {
    paper.windows(part.len()).any(|window| window == part)
}

/// Returns the next output of the printer.
#[track_caller]
fn paper(printer: &TcpListener) -> Vec<u8> {
    let mut bytes = Vec::new();
    printer.accept().unwrap().0.read_to_end(&mut bytes).unwrap();
    bytes
}

fn prints(receipt_no: &str) -> String {
    format!("/api/pos/receipts/{receipt_no}/prints")
}

/// Returns a job once it has ended.
#[track_caller]
fn ended(till: &mut Client, job: &Value) -> Value {
    let path = format!("/api/print-jobs/{}", text(job, "job_id"));
    wait::until("the job has ended", || {
        let job = till.get(&path).data(200);
        (!["waiting", "printing"].contains(&job["state"].as_str()?)).then_some(job)
    })
}

#[test]
fn the_store_prints_on_the_tills_own_printer_and_opens_its_drawer() {
    let printer = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = printer.local_addr().unwrap();
    let settings = format!("printing.printers = [\"till-1={place}\"]\nprinting.columns = 32\n");
    let mut counter = Counter::open_with(&settings);
    let reported = counter.till.get("/api/pos/settings").data(200);
    assert_eq!(
        reported["printing"],
        json!({"characters": 32, "auto_print": false, "register_ids": ["till-1"]})
    );
    // Without a request for paper only the drawer pulse is sent.
    let sold = counter.sale(&[("8990001", 1)], &[], "cash");
    let pulse = paper(&printer);
    assert!(has(&pulse, PULSE) && !has(&pulse, CUT), "{pulse:?}");

    let number = text(&sold, "receipt_no");
    let job = counter.till.post(&prints(&number), &json!({})).data(200);
    assert_eq!((&job["register_id"], &job["problem"]), (&json!("till-1"), &Value::Null));
    let first = paper(&printer);
    assert!(has(&first, number.as_bytes()) && has(&first, CUT) && !has(&first, PULSE), "{first:?}");
    assert!(!has(&first, b"COPY") && has(&first, &format!("{:<26}{:>6}", "TOTAL IDR", "2,220").into_bytes()));
    assert_eq!(ended(&mut counter.till, &job)["state"], json!("printed"));
    counter.till.post(&prints(&number), &json!({})).data(200);
    assert!(has(&paper(&printer), b"*** COPY ***"));

    // A card payment opens no drawer, so the next output is the report.
    counter.sale(&[("8990001", 1)], &[], "card");
    let shift = counter.shift_id.clone();
    counter.till.post(&format!("/api/shifts/{shift}/prints"), &json!({})).data(200);
    assert!(has(&paper(&printer), b"X REPORT"));
    let opens = json!({"type": "no_sale", "reason": "change"});
    counter.till.post(&format!("/api/shifts/{shift}/cash-movements"), &opens).data(201);
    assert!(has(&paper(&printer), PULSE));

    let (mut other, _) = counter.second();
    other.post(&prints(&number), &json!({})).refused(404, "not_found");
    counter.till.get("/api/print-jobs/job_0_0").refused(404, "not_found");
    counter.till.post(&prints("S001-till-1-00009999"), &json!({})).refused(404, "not_found");
    drop(printer);
    let job = counter.till.post(&prints(&number), &json!({})).data(200);
    let failed = ended(&mut counter.till, &job);
    assert_eq!(
        (&failed["state"], &failed["problem"]),
        (&json!("failed"), &json!("the printer is off or not there"))
    );
}

#[test]
fn paper_speaks_the_shops_language() {
    let mut counter = Counter::open_with("printing.language = \"id\"\nprinting.auto_print = true\n");
    assert_eq!(counter.till.get("/api/pos/settings").data(200)["printing"]["auto_print"], json!(true));
    let sold = counter.sale(&[("8990001", 1)], &[], "cash");
    let mut printed = |path: &str| counter.till.send("GET", path, &[("Accept", "text/plain")], b"").text();
    let receipt = printed(&format!("/api/pos/receipts/{}", text(&sold, "receipt_no")));
    for line in ["Struk S001-", "Kasir ", "PPN ", "Tunai ", " 2.220"] {
        assert!(receipt.contains(line), "{line} is not in {receipt}");
    }
    let report = printed(&format!("/api/shifts/{}/report", counter.shift_id.clone()));
    for line in ["LAPORAN X ", "terbuka", "Mesin kasir ", "Tunai, pembayaran 1 ", "Seharusnya "] {
        assert!(report.contains(line), "{line} is not in {report}");
    }
    for english in ["Receipt", "Cashier", "Register", "Change", "Sales", "Expected"] {
        assert!(!receipt.contains(english) && !report.contains(english), "{english}: {receipt}{report}");
    }
}

#[test]
fn a_printer_that_hangs_holds_nobody_up() {
    let folder = tempfile::tempdir().unwrap();
    let device = folder.path().join("lp0");
    assert!(Command::new("mkfifo").arg(&device).status().unwrap().success());
    // A reader has the device open and reads nothing: its buffer is full.
    let mut reads = OpenOptions::new();
    let _reads = reads.read(true).custom_flags(0o4000).open(&device).unwrap();
    let mut fills = OpenOptions::new().write(true).custom_flags(0o4000).open(&device).unwrap();
    while fills.write(&[0; 4096]).is_ok() {}
    let place = device.display();
    let settings = format!("printing.printers = [\"till-1={place}\"]\nprinting.timeout = \"60s\"\n");
    let mut counter = Counter::open_with(&settings);
    let sold = counter.sale(&[("8990001", 1)], &[], "cash");
    let number = text(&sold, "receipt_no");
    // The drawer pulse hangs. The queue is short, and jobs that exceed it fail at once.
    let jobs: Vec<Value> =
        (0..40).map(|_| counter.till.post(&prints(&number), &json!({})).data(200)).collect();
    let full =
        jobs.iter().filter(|job| job["problem"] == json!("too many jobs wait for this printer")).count();
    assert!((7..=9).contains(&full), "{full} of {jobs:?}");
    assert_eq!(jobs[0]["state"], json!("waiting"));
    let made = counter.till.post(SALES, &basket(&[("8990002", 1)])).data(201);
    let paid = json!({"payments": [{"method": "cash", "amount": made["total"]}]});
    let path = format!("{SALES}/{}/pay", text(&made, "transaction_id"));
    assert_eq!(counter.till.post(&path, &paid).data(200)["state"], json!("paid"));
    // The daemon ends without waiting for the printer.
    counter.store.stop();
}
