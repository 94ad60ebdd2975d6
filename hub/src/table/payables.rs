//! Debts to suppliers, and received goods without an invoice.

pub mod credit_note;
pub mod expected_payment;
pub mod invoice;
pub mod payable_moves;
pub mod supplier_payment;
pub mod uninvoiced;
