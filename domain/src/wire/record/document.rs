//! The document of a record: what a program reads again when the record arrives at head office.

use super::AnyPayload;
use std::borrow::Cow;

impl AnyPayload {
    /// Type and ID of the document that the record created or changed; that of a day is its date. `None` for records
    /// that belong to no document which can be read by ID.
    pub fn document(&self) -> Option<(&'static str, Cow<'_, str>)> {
        let (kind, id) = match self {
            Self::TransactionPaid(paid) => ("transaction", paid.transaction.transaction_id.as_str()),
            Self::TransactionVoided(voided) => ("transaction", voided.transaction.transaction_id.as_str()),
            Self::TenderCorrected(corrected) => {
                ("transaction", corrected.transaction.transaction_id.as_str())
            }
            Self::ReturnPosted(back) | Self::ReturnVoided(back) => {
                ("return", back.document.return_id.as_str())
            }
            Self::ShiftOpened(record)
            | Self::ShiftMoved(record)
            | Self::ShiftClosed(record)
            | Self::ShiftRecounted(record) => ("shift", record.shift.shift_id.as_str()),
            Self::CashMoved(moved) => ("cash_movement", moved.movement.cash_id.as_str()),
            Self::CashDeposited(deposited) => ("deposit", deposited.deposit.deposit_id.as_str()),
            Self::DaySealed(day) => return Some(("day", day.business_date.to_string().into())),
            Self::DayReopened(day) => return Some(("day", day.business_date.to_string().into())),
            Self::ReceivingPosted(posted) | Self::ReceivingReversed(posted) => {
                ("receiving", posted.receiving.receiving_id.as_str())
            }
            Self::SupplierReturnPosted(posted) => {
                ("supplier_return", posted.document.supplier_return_id.as_str())
            }
            Self::TransferSent(record)
            | Self::TransferReceived(record)
            | Self::TransferCancelled(record)
            | Self::TransferResolved(record) => ("transfer", record.transfer.transfer_id.as_str()),
            Self::AdjustmentPosted(posted) => ("adjustment", posted.adjustment.adjustment_id.as_str()),
            Self::OpnamePosted(posted) => ("opname", posted.opname.opname_id.as_str()),
            Self::MemberChanged(changed) => ("member", changed.id.as_str()),
            Self::PointsAdjusted(adjusted) => ("member", adjusted.entry.member_id.as_str()),
            Self::ProductSettingsChanged(changed) => ("product", changed.id.as_str()),
            Self::SafeOpened(_)
            | Self::ReceiptsSkipped(_)
            | Self::StockMoved(_)
            | Self::UserChanged(_)
            | Self::AuditRecorded(_) => return None,
        };
        Some((kind, Cow::Borrowed(id)))
    }
}
