//! What events have in common: whoever stores or counts them asks for the part, not for the kind.

use super::Event;
use crate::points::{PointsAccount, PointsEntry};
use crate::product::Product;
use crate::returns::SaleAfter;
use crate::shift::Shift;
use crate::stock::{Movement, Stock};

impl Event {
    /// A product as it is now; whoever knows it as it was says which words find it no more.
    pub fn product_changed(product: Product) -> Self {
        Self::ProductChanged { product: Box::new(product), lost_words: Vec::new() }
    }

    /// Goods that moved.
    pub fn movements(&self) -> &[Movement] {
        match self {
            Self::TransactionPaid { movements, .. }
            | Self::SaleVoided { movements, .. }
            | Self::ReturnPosted { movements, .. }
            | Self::ReturnVoided { movements, .. }
            | Self::ReceivingPosted { movements, .. }
            | Self::ReceivingReversed { movements, .. }
            | Self::StockOpened { movements, .. }
            | Self::SupplierReturnPosted { movements, .. }
            | Self::AdjustmentChanged { movements, .. }
            | Self::TransferChanged { movements, .. }
            | Self::OpnameChanged { movements, .. } => movements,
            _ => &[],
        }
    }

    /// Stock rows afterwards.
    pub fn stock(&self) -> &[Stock] {
        match self {
            Self::TransactionPaid { stock, .. }
            | Self::SaleVoided { stock, .. }
            | Self::ReturnPosted { stock, .. }
            | Self::ReturnVoided { stock, .. }
            | Self::ReceivingPosted { stock, .. }
            | Self::ReceivingReversed { stock, .. }
            | Self::StockOpened { stock, .. }
            | Self::SupplierReturnPosted { stock, .. }
            | Self::AdjustmentChanged { stock, .. }
            | Self::TransferChanged { stock, .. }
            | Self::OpnameChanged { stock, .. } => stock,
            _ => &[],
        }
    }

    /// Points that moved.
    pub fn points(&self) -> &[PointsEntry] {
        match self {
            Self::TransactionPaid { points, .. }
            | Self::SaleVoided { points, .. }
            | Self::ReturnPosted { points, .. }
            | Self::ReturnVoided { points, .. } => points,
            Self::PointsChanged { entries, .. } => entries,
            _ => &[],
        }
    }

    /// A member's points afterwards.
    pub fn account(&self) -> Option<&PointsAccount> {
        match self {
            Self::TransactionPaid { account, .. }
            | Self::SaleVoided { account, .. }
            | Self::ReturnPosted { account, .. }
            | Self::ReturnVoided { account, .. } => account.as_deref(),
            Self::PointsChanged { account, .. } => Some(account),
            _ => None,
        }
    }

    /// What became of a sale.
    pub fn sale_after(&self) -> Option<&SaleAfter> {
        match self {
            Self::SaleVoided { after, .. } | Self::TenderCorrected { after, .. } => Some(after),
            Self::ReturnPosted { after, .. } | Self::ReturnVoided { after, .. } => after.as_deref(),
            _ => None,
        }
    }

    /// The shift afterwards.
    pub fn shift(&self) -> Option<&Shift> {
        match self {
            Self::TransactionOpen { shift, .. } => shift.as_deref(),
            Self::TransactionPaid { shift, .. }
            | Self::TransactionVoided { shift, .. }
            | Self::SaleVoided { shift, .. }
            | Self::TenderCorrected { shift, .. }
            | Self::ReturnPosted { shift, .. }
            | Self::ReturnVoided { shift, .. }
            | Self::CashMoved { shift, .. }
            | Self::ShiftOpened { shift, .. }
            | Self::ShiftClosed { shift, .. }
            | Self::ShiftEnded { shift }
            | Self::ShiftRecounted { shift } => Some(shift),
            _ => None,
        }
    }

    /// The document that this is a step of.
    pub fn document_id(&self) -> Option<&str> {
        match self {
            Self::ReturnPosted { document, .. } | Self::ReturnVoided { document, .. } => {
                Some(document.return_id.as_str())
            }
            Self::ReceivingPosted { receiving, .. } | Self::ReceivingReversed { receiving, .. } => {
                Some(receiving.receiving_id.as_str())
            }
            Self::SupplierReturnPosted { document, .. } => Some(document.supplier_return_id.as_str()),
            Self::AdjustmentChanged { adjustment, .. } => Some(adjustment.adjustment_id.as_str()),
            Self::TransferChanged { transfer, .. } => Some(transfer.transfer_id.as_str()),
            Self::OpnameChanged { opname, .. } => Some(opname.opname_id.as_str()),
            _ => None,
        }
    }
}
