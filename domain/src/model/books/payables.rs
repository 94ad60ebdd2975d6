//! Debts of head office to its suppliers: invoices, credit notes, payments.

mod book_open;
mod credit_note;
mod invoice;
mod supplier_payment;
pub use book_open::BookOpen;
pub use credit_note::{CreditNote, CreditNoteKind, CreditNoteLine, CreditNoteState, ProposedPaper};
pub use invoice::{
    DiscountTerms, Invoice, InvoiceLine, InvoiceState, MatchException, MatchExceptionKind, ReceiptRef,
};
pub use supplier_payment::{Allocation, CreditUse, PaymentPart, PaymentState, SupplierPayment};
