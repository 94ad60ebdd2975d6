//! Warnings of a warehouse about incoming goods, and the exceptions that head office sees.

use super::warehouses::{buyer, made, proven, stock, stocked};
use crate::office::finance_entries::{accountant, text};
use crate::support::server::Server;
use crate::support::shop::Shop;
use crate::sync::shared::tells;
use serde_json::{Value, json};

const RECEIVING: &str = "/api/receiving";
const TRANSFERS: &str = "/api/transfers";
const OPNAME: &str = "/api/opname";

/// Returns code, document and found pieces of each warning.
fn warnings(document: &Value) -> Vec<(Value, Value, Value)> {
    let warnings = document["warnings"].as_array().unwrap();
    let one =
        |warning: &Value| (warning["code"].clone(), warning["document_id"].clone(), warning["found"].clone());
    warnings.iter().map(one).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_warehouse_is_warned_of_goods_that_a_count_found_before_they_came() {
    let server = Server::start().await;
    let admin = server.admin().await;
    stocked(&admin).await;
    made(&admin, "/api/stores", json!({"store_id": "W2", "name": "Other", "kind": "warehouse"})).await;
    let came = |store_id: &str, qty: i64| json!({"store_id": store_id, "lines": [{"sku": "A", "qty": qty, "unit_cost": 100}]});
    assert!(warnings(&made(&admin, RECEIVING, came("W1", 46)).await).is_empty());
    made(&admin, RECEIVING, came("W2", 30)).await;
    let counted = async |qty: i64| {
        let count = made(&admin, OPNAME, json!({"store_id": "W1", "scope": "all"})).await;
        let path = format!("{OPNAME}/{}", text(&count, "opname_id"));
        made(&admin, &format!("{path}/counts"), json!({"counts": [{"sku": "A", "qty": qty}]})).await;
        (path, text(&count, "opname_id"))
    };
    let found = |id: &str, pieces: i64| vec![(json!("counted_before"), json!(id), json!(pieces))];
    let sent = async |qty: i64| {
        let new = json!({"store_id": "W2", "to_store_id": "W1", "lines": [{"sku": "A", "qty": qty}]});
        let transfer = made(&admin, TRANSFERS, new).await;
        assert_eq!(transfer["warnings"], json!([]));
        format!("{TRANSFERS}/{}", text(&transfer, "transfer_id"))
    };
    let whole = |qty: i64| json!({"lines": [{"sku": "A", "qty": qty}]});

    // Warnings about a receipt and a transfer, while the count is open and after it was posted.
    let (path, id) = counted(56).await;
    assert_eq!(warnings(&made(&admin, RECEIVING, came("W1", 11)).await), found(&id, 10));
    let transfer = sent(3).await;
    let received = made(&admin, &format!("{transfer}/receive"), whole(3)).await;
    assert_eq!(warnings(&received), found(&id, 10));
    assert_eq!(admin.get(&transfer).await.data()["warnings"], received["warnings"]);
    made(&admin, &format!("{path}/post"), json!({})).await;
    assert_eq!(stock(&admin, "W1").await.0, 70, "the difference is the one of the count");
    assert_eq!(warnings(&made(&admin, RECEIVING, came("W1", 12)).await), found(&id, 10));
    let transfer = sent(2).await;
    let received = made(&admin, &format!("{transfer}/receive"), whole(2)).await;
    assert_eq!(warnings(&received), found(&id, 10));
    // No warning if nothing arrived, or if a later count found less.
    let transfer = sent(1).await;
    assert!(warnings(&made(&admin, &format!("{transfer}/receive"), whole(0)).await).is_empty());
    let (path, _) = counted(80).await;
    made(&admin, &format!("{path}/post"), json!({})).await;
    assert!(warnings(&made(&admin, RECEIVING, came("W1", 13)).await).is_empty());
    // A barcode typed as a quantity is refused.
    let (path, _) = counted(93).await;
    let barcode = json!({"counts": [{"sku": "A", "qty": 8_991_234_500_188_i64}]});
    assert_eq!(admin.post(&format!("{path}/counts"), &barcode).await.refusal(), "422 validation_failed");
    proven(&server, &accountant(&server).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receipt_that_repeats_another_one_is_an_exception_of_head_office() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let supplier_id = stocked(&admin).await;
    let buyer = buyer(&server, &admin).await;
    let came = |supplier: Option<&str>, note: Option<&str>, qty: i64| {
        json!({"store_id": "W1", "supplier_id": supplier, "delivery_note_no": note,
            "lines": [{"sku": "A", "qty": qty, "unit_cost": 100}]})
    };
    let repeats =
        |other: &Value| vec![(json!("repeats_receipt"), other["receiving_id"].clone(), Value::Null)];
    let exceptions = async || {
        let path = "/api/exceptions?state=open&code=receipt_repeated";
        let found = buyer.get(path).await.data()["items"].clone();
        let ids = found.as_array().unwrap().iter().map(|one| one["details"]["receiving_id"].clone());
        ids.collect::<Vec<Value>>()
    };
    // The same number of another place is a different document.
    let record = crate::sync::records::receiving("S001", "A", 4, "evt_1");
    let mut record: Value = serde_json::from_str(&record).unwrap();
    record["payload"]["receiving"]["delivery_note_no"] = json!("DN-9");
    tells(&mut shop, record.to_string()).await;
    let first = made(&buyer, RECEIVING, came(None, Some("DN9"), 4)).await;
    assert_eq!((warnings(&first), exceptions().await.len()), (vec![], 0));
    // The same number with other goods, and the same goods without a number. A blank number counts as none.
    let number = made(&buyer, RECEIVING, came(None, Some("dn\u{2013}9"), 3)).await;
    assert_eq!(warnings(&number), repeats(&first));
    let goods = made(&buyer, RECEIVING, came(Some(&supplier_id), Some(" "), 3)).await;
    assert_eq!((warnings(&goods), &goods["delivery_note_no"]), (repeats(&number), &Value::Null));
    let mut open = exceptions().await;
    open.sort_by_key(ToString::to_string);
    let mut expected = [number["receiving_id"].clone(), goods["receiving_id"].clone()];
    expected.sort_by_key(ToString::to_string);
    assert_eq!(open, expected);
    // For the same supplier the number decides, whatever its spelling.
    made(&buyer, RECEIVING, came(Some(&supplier_id), Some("SJ-001"), 7)).await;
    for note in ["SJ\u{2013}001", "sj_001", "SJ:001", "SJ\\001", "sj,001", "#SJ001", "\u{200b}SJ001"] {
        let again = buyer.post(RECEIVING, &came(Some(&supplier_id), Some(note), 7)).await;
        assert_eq!(again.refusal(), "409 duplicate", "{note}");
    }
    assert_eq!(exceptions().await.len(), 2);
    proven(&server, &accountant(&server).await).await;
}
