//! `supplier_payments`: money that went to suppliers, as documents.

use crate::db::document::{Table, encode, table};
use crate::db::insert;
use crate::row;
use domain::model::base::figures::Money;
use domain::model::books::payables::{PaymentState, SupplierPayment};
use sqlx::{AnyConnection, Error};

/// Table of the documents.
pub const TABLE: Table = table!("supplier_payments", "payment_id");

pub async fn put(connection: &mut AnyConnection, payment: &SupplierPayment) -> Result<(), Error> {
    let row = row! {
        payment_id: payment.payment_id.as_str(), supplier_id: payment.supplier_id.as_str(),
        payment_date: payment.date.to_string(), state: payment.state.name(),
        unallocated: if payment.state == PaymentState::Posted { payment.unallocated } else { Money::ZERO },
        document: encode(payment)?,
    };
    insert::replace(connection, "supplier_payments", &["payment_id"], vec![row]).await
}
