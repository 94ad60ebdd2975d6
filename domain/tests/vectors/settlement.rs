//! The rules of settlement, called by vectors.

use super::rules::{int, list, text};
use domain::model::base::figures::{BasisPoints, Money};
use domain::model::base::time::UtcMs;
use domain::rules::books::posting::plan::CARD;
use domain::rules::books::settlement::import::{TextLine, new_lines, occurrences};
use domain::rules::books::settlement::{
    Before, FeeOnRefunds, ItemKind, LineKind, OpenItem, OpenLine, SourceKind, Terms, match_nets,
    match_references,
};
use jiff::civil::Date;
use serde_json::{Value, json};

/// Default number of days after a payment within which its line comes.
const WINDOW_DAYS: i32 = 4;

fn date(given: &Value) -> Date {
    given["date"].as_str().unwrap().parse().unwrap()
}

fn reference(given: &Value) -> String {
    given["reference"].as_str().unwrap_or_default().to_owned()
}

fn items(given: &Value) -> Vec<OpenItem> {
    let item = |item: &Value| {
        let amount = int(item, "amount");
        OpenItem {
            item_id: text(item, "item_id").to_owned(),
            store_id: text(item, "store_id").to_owned(),
            kind: if amount < 0 { ItemKind::Refund } else { ItemKind::Payment },
            method: "card".to_owned(),
            account: CARD,
            business_date: date(item),
            settlement_date: date(item),
            occurred_at: UtcMs(0),
            amount: amount.into(),
            reference: Some(reference(item)),
            contra_of: None,
        }
    };
    list(given, "items").iter().map(item).collect()
}

fn line(given: &Value) -> OpenLine {
    OpenLine {
        line_id: given["line_no"].as_i64().unwrap_or(1).to_string(),
        date: date(given),
        line_no: given["line_no"].as_i64().unwrap_or(1),
        kind: LineKind::Sale,
        reference: reference(given),
        description: String::new(),
        store_id: None,
        unknown_store: false,
        gross: given["gross"].as_i64().map(Money::new),
        fee: None,
        net: given["net"].as_i64().map(Money::new),
        batch: None,
    }
}

fn terms(source: &Value) -> Terms {
    let window_days = source["window_days"].as_i64().map_or(WINDOW_DAYS, |days| days.try_into().unwrap());
    Terms {
        kind: SourceKind::Provider,
        fee_rate_bp: source["fee_rate_bp"].as_i64().map(BasisPoints::new),
        fee_fixed: source["fee_fixed"].as_i64().unwrap_or(0).into(),
        fee_tolerance: source["fee_tolerance"].as_i64().unwrap_or(0).into(),
        fee_on_refunds: FeeOnRefunds::Kept,
        window_days,
        lag_days: 1,
    }
}

/// Matches one line with whole days of stores.
pub fn net_match(given: &Value) -> Value {
    let (lines, items) = ([line(&given["line"])], items(given));
    let found = match_nets(&terms(&given["source"]), &lines, &items);
    match (found.matches.as_slice(), found.raised.as_slice()) {
        ([], []) => json!({"result": "none"}),
        ([], [raised]) => json!({"result": raised.kind}),
        ([made], []) => {
            let slice = |slice: &domain::rules::books::settlement::Slice| {
                let day = slice.settlement_date;
                json!([slice.store_id, day, slice.gross, slice.fee, slice.difference, slice.net])
            };
            let mut items: Vec<&str> = made.items.iter().map(|item| item.item_id.as_str()).collect();
            items.sort_unstable();
            let slices: Vec<Value> = made.slices().iter().map(slice).collect();
            json!({"items": items, "gross": made.gross, "fee": made.fee, "difference": made.difference,
                "slices": slices})
        }
        other => panic!("{other:?}"),
    }
}

/// Returns each line with its items and its result.
pub fn reference_match(given: &Value) -> Value {
    let lines: Vec<OpenLine> = list(given, "lines").iter().map(line).collect();
    let items = items(given);
    let found = match_references(&terms(&Value::Null), &lines, &items, &Before::default());
    let said = |line: &OpenLine| {
        let made = found.matches.iter().find(|made| made.lines.contains(&line));
        let raised = found.raised.iter().find(|raised| raised.line_ids.contains(&line.line_id));
        let items = made.map(|made| made.items.iter().map(|item| item.item_id.clone()).collect::<Vec<_>>());
        let name = raised.map(|raised| raised.kind.name()).or(made.map(|made| made.rule.name()));
        json!([line.line_no, items.unwrap_or_default(), name])
    };
    json!({"result": lines.iter().map(said).collect::<Vec<_>>()})
}

/// Returns which rows of a file are new.
pub fn import(given: &Value) -> Value {
    let reported = |field: &str| {
        let rows: Vec<(Date, String, i64)> = serde_json::from_value(given[field].clone()).unwrap();
        let line = |(date, reference, net): (Date, String, i64)| TextLine {
            date,
            reference,
            other_references: Vec::new(),
            description: String::new(),
            kind: LineKind::Other,
            batch: None,
            store_ref: None,
            gross: None,
            fee: None,
            net: Some(net.into()),
        };
        occurrences(rows.into_iter().map(|row| line(row).fingerprint("src_1")))
    };
    let (known, file) = (reported("known").into_iter().collect(), reported("file"));
    let new = new_lines(&file, &known);
    json!({"new": new, "known": file.len() - new.len()})
}
