//! Statements of banks and payment providers as lines: CSV of any shape, CAMT.053 and JSON. A row that can't be read is
//! set aside with its reason, and the others are kept. Nothing here reads a database.

mod account_no;
mod amount;
mod balances;
pub mod camt;
mod columns;
pub mod csv_reader;
mod fees;
pub mod format;
mod found_columns;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
mod kinds;
pub mod line;
mod pattern;
mod preamble;
mod row;
mod row_checks;
mod row_figures;
mod row_signs;
mod running_balance;
mod section;
pub mod set_aside;
mod signs;
mod statuses;
mod survey;
mod whose;
