//! The rules of the books, called by vectors.

use super::rules::refused;
use domain::rules::books::locked_days::LockedDays;
use domain::rules::books::posting::{Entry, Fact, Row, TrialBalance, post};
use jiff::civil::Date;
use serde_json::{Map, Value, json};

fn rows(entry: &Entry) -> Value {
    let row = |row: &Row| json!([row.account, row.debit, row.credit]);
    json!(entry.rows.iter().map(row).collect::<Vec<_>>())
}

/// Returns the date of an entry; the vector has the locked days of one book.
pub fn entry_date(given: &Value) -> Value {
    let mut days = LockedDays::default();
    let locked: Vec<(String, Date)> = serde_json::from_value(given["locked"].clone()).unwrap();
    locked
        .into_iter()
        .filter(|(book, _)| given["store_id"] == *book)
        .for_each(|(_, day)| days.lock((day, day)));
    let day: Date = serde_json::from_value(given["business_date"].clone()).unwrap();
    let entry_date = days.first_open(day);
    json!({"entry_date": entry_date, "reference_date": (entry_date != day).then_some(day)})
}

pub fn posting(given: &Value) -> Value {
    let fact: Fact = serde_json::from_value(given.clone()).unwrap_or_else(|e| panic!("{given}: {e}"));
    match post(&fact) {
        Err(refusal) => refused(&refusal),
        Ok(posted) => match posted.there {
            None => json!({"lines": rows(&posted.here)}),
            Some(there) => json!({"sender": rows(&posted.here), "receiver": rows(&there)}),
        },
    }
}

pub fn ledger(given: &Value) -> Value {
    let mut balance = TrialBalance::default();
    let facts: Vec<Fact> = serde_json::from_value(given["events"].clone()).unwrap();
    for fact in &facts {
        let posted = post(fact).unwrap();
        balance.add(&posted.here);
        if let Some(there) = &posted.there {
            balance.add(there);
        }
    }
    let (mut debit, mut credit, mut sum) = (Map::new(), Map::new(), 0);
    for row in balance.rows().unwrap() {
        let account = String::from(row.account);
        sum += row.debit.get();
        let (side, amount) = if row.debit > 0 { (&mut debit, row.debit) } else { (&mut credit, row.credit) };
        side.insert(account, json!(amount));
    }
    json!({"debit": debit, "credit": credit, "sum": sum})
}
