//! The daily proof: figures of each business day, the result of comparing them, and the days that are due, so that
//! finding them needs no scan of the history.

use super::sync_rows::put;
use crate::rows::RowOp;
use crate::rows::codec::encode;
use crate::rows::table::Table;
use domain::model::hub::sync::local::Change;
use jiff::civil::Date;
use sled::IVec;

pub const TALLY: &str = "tally";
pub const FIGURES: &str = "figures\0";
pub const DAY: &str = "day\0";
pub const PROVING: &str = "proving";

/// The operations of a change of days, appended.
pub fn ops(change: &Change, out: &mut Vec<RowOp>) -> Result<(), String> {
    match change {
        Change::Tally { tally } => put(Table::Sync.key(TALLY), tally, out)?,
        Change::Figures { day } => {
            put(Table::Sync.key(&format!("{FIGURES}{}", day.business_date)), day, out)?;
            due(day.business_date, out);
        }
        Change::Day { proof } => {
            put(Table::Sync.key(&format!("{DAY}{}", proof.business_date)), proof, out)?;
            let due = if proof.clean() { None } else { Some(IVec::default()) };
            out.push(RowOp { key: Table::DueDay.key(&proof.business_date), value: due });
            let since = proof.since.filter(|_| proof.result == "difference");
            let since = since.map(|since| encode(&since)).transpose()?;
            out.push(RowOp { key: Table::DifferingDay.key(&proof.business_date), value: since });
        }
        Change::Proving { proving, days } => {
            put(Table::Sync.key(PROVING), proving, out)?;
            days.iter().for_each(|day| due(*day, out));
        }
        Change::Proven { day } => {
            out.push(RowOp { key: Table::DueDay.key(&day.to_string()), value: None });
        }
        _ => {}
    }
    Ok(())
}

fn due(day: Date, out: &mut Vec<RowOp>) {
    out.push(RowOp { key: Table::DueDay.key(&day.to_string()), value: Some(IVec::default()) });
}
