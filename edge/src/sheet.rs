//! Files of other programs: bytes become text, text becomes rows, cells become figures and days.
//!
//! Statements, catalogues, price lists, stock and members are all read by this module, so that one cell means the same
//! in each of them. Reading a column of figures takes two passes: [`FigureColumn::see`] looks at each cell, and
//! [`FigureColumn::decide`] then returns which mark begins a fraction in the whole column.

mod cell;
pub mod code;
mod column;
mod columns;
mod currency;
mod day;
mod figure;
mod import_file;
mod month;
mod rows;
mod sign_words;
mod table;
mod text;
mod time;

pub use crate::csv::unmarked;
pub use cell::{is_nothing, plain};
pub use column::{FigureColumn, FigureReading};
pub use columns::Columns;
pub use currency::{currency_code, may_be_currency};
pub use day::{DayReader, NoDay};
pub use figure::{Decimal, Figure, NoFigure, Written};
pub use import_file::ImportFile;
pub use month::{is_month, period_in_words};
pub use rows::{BLANK_ROWS_MAX, COLUMNS_MAX, Row, RowError, Rows};
pub use sign_words::{Direction, SignWords, WORD_BYTES_MAX, WORDS_MAX};
pub use table::{Cells, Layout, PROBLEMS_MAX, Problems, RowProblem, Table, encoding};
pub use text::{Encoding, Undecodable, decode};
pub use time::zone;
