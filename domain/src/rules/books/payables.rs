//! Debts to suppliers (docs/arithmetic.md#postings): the pieces that an invoice may bill, its postings in each book,
//! and its settlement by payments and credit notes.

mod ageing;
mod book_sums;
mod credit;
mod invoice_figures;
mod invoice_step;
mod match_line;
mod number;
mod order_lines;
mod payment;
mod posting;
mod receipt_value;
mod supplier_return;
mod three_way;
pub use ageing::{AgeBucket, Ageing, bucket};
pub use book_sums::BookSums;
pub use credit::{apply_credit, confirm_difference, credit_books, credit_posting};
pub use invoice_figures::{FigureLimits, check_lines, figures};
pub use invoice_step::InvoiceStep;
pub use match_line::{BilledLine, LineMatch, Tolerance, match_line};
pub use number::number_key;
pub use order_lines::on_order_lines;
pub use payment::{Documents, NewPayment, PaymentPlan, allocate, discount_allowed, plan, take_back};
pub use posting::{invoice_books, invoice_posting};
pub use receipt_value::{OpenReceipt, Part};
pub use supplier_return::{BilledPart, PlacedReturn, ReturnPlace, place_return};
pub use three_way::{Accepted, LineTotal, MatchContext, Matched, ReceiptLine, three_way};
