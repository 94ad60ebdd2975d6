//! Files that are made to use a lot of memory: head office refuses or reads them, and its memory use stays low.

use serde_json::json;
use std::time::Duration;
use testkit::hub::Hub;
use testkit::process::peak_mib;

/// Highest memory use of head office, in MiB.
const MEMORY_MIB: u64 = 256;
/// Size of a file: large enough to show memory use that grows with the file, and small enough for an unoptimised build.
const FILE_BYTES: usize = 4 * 1024 * 1024;

/// Returns a statement with one entry that contains this text.
fn entry(inside: &str) -> String {
    format!(
        "<Document><BkToCstmrStmt><Stmt><Ntry><Amt>1</Amt><CdtDbtInd>CRDT</CdtDbtInd><BookgDt><Dt>2026-11-20</Dt>\
         </BookgDt>{inside}</Ntry></Stmt></BkToCstmrStmt></Document>"
    )
}

fn filled(piece: &str) -> String {
    piece.repeat(FILE_BYTES / piece.len())
}

#[test]
fn statements_that_are_made_to_take_memory_do_not() {
    let mut hub = Hub::open();
    hub.start();
    let mut admin = hub.login().patient_for(Duration::from_secs(120));
    let source = json!({"name": "Bank", "kind": "bank", "methods": []});
    let source =
        admin.post("/api/statement-sources", &source).data(201)["source_id"].as_str().unwrap().to_owned();
    let path = format!("/api/statements?source_id={source}");
    let long = "n".repeat(100_000);
    let detail =
        "<TxDtls><RmtInf><Ustrd>a text of some length, which is not kept twice</Ustrd></RmtInf></TxDtls>";
    let within = |text: String| entry(&format!("<NtryDtls>{text}</NtryDtls>"));
    for (what, file) in [
        ("leaves below a long name", entry(&format!("<{long}>{}</{long}>", "<a>x</a>".repeat(30_000)))),
        ("leaves", entry(&filled("<a>x</a>"))),
        ("leaves that are read", entry(&filled("<AddtlNtryInf>x</AddtlNtryInf>"))),
        (
            "names",
            entry(&(0..120_000).map(|number| format!("<{}{number}/>", "n".repeat(50))).collect::<String>()),
        ),
        ("one text", entry(&format!("<AddtlNtryInf>{}</AddtlNtryInf>", filled("x")))),
        ("references", entry(&format!("<AddtlNtryInf>{}</AddtlNtryInf>", filled("&#120;")))),
        ("one name", format!("<{}/>", filled("n"))),
        ("attributes", format!("<a {}/>", filled("b=\"c\" "))),
        ("open elements", filled("<a>")),
        ("transactions", within(filled(detail))),
        ("empty transactions", within(filled("<TxDtls/>"))),
        ("bad entries", format!("<Stmt>{}</Stmt>", filled("<Ntry/>"))),
        ("pending entries", format!("<Stmt>{}</Stmt>", filled("<Ntry><Sts>PDNG</Sts></Ntry>"))),
        ("statements", filled("<Stmt/>")),
        ("balances", format!("<Stmt>{}</Stmt>", filled("<Bal/>"))),
        ("charges", entry(&filled("<Chrgs><Rcrd><Amt>1</Amt></Rcrd></Chrgs>"))),
        (
            "accounts",
            filled(
                "<Stmt><Acct><Id><IBAN>X</IBAN></Id></Acct></Stmt><Stmt><Acct><Id><IBAN>Y</IBAN></Id></Acct></Stmt>",
            ),
        ),
        ("a document type", format!("<!DOCTYPE a [{}]><a/>", filled("<!ENTITY b \"c\">"))),
        ("a comment", format!("<!--{}--><a/>", filled("x"))),
        (
            "wide letters",
            format!("<?xml version=\"1.0\" encoding=\"windows-1252\"?>{}", entry(&filled("\u{80}"))),
        ),
    ] {
        let reply = admin.send("POST", &path, &[("Content-Type", "application/xml")], file.as_bytes());
        assert!([201, 409, 422].contains(&reply.status), "{what}: {}", reply.status);
        let peak = peak_mib(hub.pid());
        assert!(peak < MEMORY_MIB, "{what}: {peak} MiB");
    }
}
