//! Facts, each with its document.

use crate::model::base::event::Event;
use crate::model::base::ids::{PaymentId, SessionId, UserId};
use crate::model::base::time::UtcMs;
use crate::model::books::day::{Day, ReopenedDay};
use crate::model::books::deposit::{Deposit, SafeOpening};
use crate::model::books::ledger::DeliveryNote;
use crate::model::books::register::Register;
use crate::model::books::shift::{CashMovement, Shift};
use crate::model::hub::stamp::{AckMark, HubIdentity};
use crate::model::hub::sync::local::Change;
use crate::model::inventory::adjustment::Adjustment;
use crate::model::inventory::opname::{Opname, OpnameLine};
use crate::model::inventory::product::Product;
use crate::model::inventory::purchase::{PurchaseOrder, Supplier};
use crate::model::inventory::receiving::Receiving;
use crate::model::inventory::supplier_return::SupplierReturn;
use crate::model::inventory::transfer::Transfer;
use crate::model::people::audit::AuditEntry;
use crate::model::people::member::{Member, MemberKey};
use crate::model::people::user::{Passkey, Pin, Rotation, Session, User};
use crate::model::selling::hold::Hold;
use crate::model::selling::payment::ReversedPayment;
use crate::model::selling::promotion::Promotion;
use crate::model::selling::returns::Return;
use crate::model::selling::transaction::Transaction;
use serde::{Deserialize, Serialize};
use std::slice::from_ref;

/// A noun whose documents are listed. The numbers are on the disk: never change one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Noun {
    Return = 1,
    Receiving = 2,
    SupplierReturn = 3,
    Adjustment = 4,
    Transfer = 5,
    Opname = 6,
    Deposit = 7,
    Audit = 8,
}

facts! {
    /// A basket was made, or something of it was paid: `open` or `partially_paid`.
    TransactionOpen {
        /// The transaction as it is now.
        transaction: Transaction,
    }
    /// A sale was completed.
    TransactionPaid {
        /// The sale.
        transaction: Transaction,
    } => finished(it, from_ref(&it.transaction))
    /// A basket was voided before it was complete.
    TransactionVoided {
        /// The basket, its payments reversed.
        transaction: Transaction,
        /// Payments that go back to the customer.
        refunds: Vec<ReversedPayment>,
    } => finished(it, from_ref(&it.transaction))
    /// A sale was voided in its own shift.
    SaleVoided {
        /// The sale, its payments reversed.
        transaction: Transaction,
        /// Payments that go back to the customer.
        refunds: Vec<ReversedPayment>,
    } => finished(it, from_ref(&it.transaction))
    /// A wrong payment method of a sale was put right.
    TenderCorrected {
        /// The sale with both payments.
        transaction: Transaction,
        /// The payment that was wrong.
        wrong: PaymentId,
    } => finished(it, from_ref(&it.transaction))
    /// A basket was put away; it belongs to no shift.
    TransactionHeld {
        /// The hold.
        hold: Hold,
        /// The basket, held.
        transaction: Transaction,
    }
    /// A till took a waiting basket.
    HoldRecalled {
        /// The hold, recalled.
        hold: Hold,
        /// The basket, open in its new shift.
        transaction: Transaction,
    }
    /// A waiting basket was voided, in no shift: by a person, or because it waited too long.
    HoldVoided {
        /// The hold, voided or expired.
        hold: Hold,
        /// The basket, voided.
        transaction: Transaction,
    } => finished(it, from_ref(&it.transaction))
    /// Goods came back and money went back.
    ReturnPosted {
        /// The posted return.
        document: Return,
    } => document(Return, document.return_id)
    /// A return was voided in its own shift.
    ReturnVoided {
        /// The document, voided.
        document: Return,
    } => document(Return, document.return_id)
    /// Cash was put into a drawer or taken out of it without a sale.
    CashMoved {
        /// The cash movement.
        movement: CashMovement,
    }
    /// A shift was opened.
    ShiftOpened {
        /// The opened shift.
        shift: Shift,
    }
    /// A shift was suspended, or moved to other registers.
    ShiftMoved {
        /// The shift, where it stands now.
        shift: Shift,
    }
    /// A shift was closed.
    ShiftClosed {
        /// The closed shift.
        shift: Shift,
        /// Open transactions that the close voided (`void_open`).
        voided: Vec<Transaction>,
    } => finished(it, &it.voided)
    /// A shift was ended blind.
    ShiftEnded {
        /// The ended shift.
        shift: Shift,
    }
    /// A closed shift was counted again.
    ShiftRecounted {
        /// The shift; the new count is its last.
        shift: Shift,
    }
    /// A till was added or changed.
    RegisterChanged {
        /// The till as it is now.
        register: Register,
    }
    /// A supplier's goods were received.
    ReceivingPosted {
        /// The posted receiving document.
        receiving: Receiving,
    } => document(Receiving, receiving.receiving_id)
    /// The first stock of skus was taken into the books.
    StockOpened {}
    /// A receipt was reversed.
    ReceivingReversed {
        /// The document, reversed.
        receiving: Receiving,
        /// Its delivery note, which may come again.
        freed: Option<DeliveryNote>,
    } => document(Receiving, receiving.receiving_id)
    /// The store was restored from a backup: open documents are read-only, receipt numbers restart in the next epoch.
    Restored {}
    /// Goods went back to a supplier.
    SupplierReturnPosted {
        /// The posted supplier return.
        document: SupplierReturn,
    } => document(SupplierReturn, document.supplier_return_id)
    /// Cash left for the bank.
    CashDeposited {
        /// The deposit.
        deposit: Deposit,
    }
    /// A day was sealed: nothing of it will change.
    DaySealed {
        /// The sealed day.
        day: Day,
    }
    /// A sealed day is open again.
    DayReopened {
        /// The reopened day.
        day: ReopenedDay,
    }
    /// A user entered the balance of the safe with which its book begins.
    SafeOpened {
        /// The amount, and why.
        opening: SafeOpening,
    }
    /// An adjustment was asked for, posted, rejected or reversed.
    AdjustmentChanged {
        /// The document as it is now.
        adjustment: Adjustment,
    } => document(Adjustment, adjustment.adjustment_id)
    /// A transfer was created, sent, received, cancelled or settled.
    TransferChanged {
        /// The document as it is now.
        transfer: Transfer,
    } => document(Transfer, transfer.transfer_id)
    /// A count was started, went on, was posted or cancelled.
    OpnameChanged {
        /// The document as it is now.
        opname: Opname,
        /// The lines that this step changed.
        lines: Vec<OpnameLine>,
    } => document(Opname, opname.opname_id)
    /// A member's points moved without a sale.
    PointsMoved {}
    /// A promotion came from head office, or was changed.
    PromotionChanged {
        /// The promotion as it is now.
        promotion: Promotion,
    }
    /// A promotion was withdrawn.
    PromotionWithdrawn {
        /// ID of the withdrawn promotion.
        promotion_id: String,
    }
    /// A supplier came from head office, or was changed.
    SupplierChanged {
        /// The supplier as it is now.
        supplier: Supplier,
    }
    /// A purchase order for this store came from head office, or was changed.
    PurchaseOrderChanged {
        /// The order of head office; receipts since then are the store's own row.
        order: PurchaseOrder,
    }
    /// A user did something sensitive.
    Audited {
        /// The recorded audit entry.
        entry: AuditEntry,
    }
    /// A product was made or changed.
    ProductChanged {
        /// The product as it is now.
        product: Product,
        /// Words that find it no more.
        lost_words: Vec<String>,
    }
    /// A member was registered, changed, blocked or erased.
    MemberChanged {
        /// The member as it is now; its keys name it.
        member: Member,
        /// Keys that name it no more.
        freed: Vec<MemberKey>,
        /// Words that find it no more.
        lost_words: Vec<String>,
    }
    /// A user was made or changed.
    UserChanged {
        /// The user as it is now.
        user: User,
    }
    /// A user logged in.
    SessionOpened {
        /// The session.
        session: Session,
        /// Expired sessions of any user, which are deleted.
        expired: Vec<SessionId>,
    }
    /// A session's refresh token was spent for the next one.
    SessionRefreshed {
        /// The session as it is now.
        session: Session,
        /// Its living token.
        rotation: Rotation,
    }
    /// A session ended.
    SessionClosed {
        /// ID of the closed session.
        session_id: SessionId,
    }
    /// A device was registered, or used.
    PasskeySaved {
        /// The device as it is now.
        passkey: Passkey,
    }
    /// A device was removed.
    PasskeyRemoved {
        /// User whose device was removed.
        user_id: UserId,
        /// Credential ID of the removed device.
        credential_id: String,
    }
    /// The store was enrolled at a hub.
    HubEnrolled {
        /// The hub, and the store's identity there.
        hub: HubIdentity,
    }
    /// A new epoch began: later records have it, with seq from 1.
    EpochOpened {
        /// Name of the epoch, `<n>-<16 hex>`.
        epoch: String,
    }
    /// The hub acknowledged records.
    RecordsAcknowledged {
        /// The mark as it is now.
        mark: AckMark,
    }
    /// A page of the hub's feed was applied; the changes are events of the same commit.
    FeedApplied {
        /// Cursor after the page, from which the next pull continues.
        cursor: String,
        /// The hub's time of the page, for "how fresh is this".
        hub_time: UtcMs,
    }
    /// A change of the store's state of synchronisation.
    SyncChanged {
        /// The change to the synchronisation state.
        change: Change,
    }
    /// A PIN was set, tried or found right.
    PinSaved {
        /// The PIN as it is now.
        pin: Pin,
    }
    /// A PIN was removed.
    PinRemoved {
        /// User whose PIN was removed.
        user_id: UserId,
    }
}

impl Fact {
    /// Transactions that the event finished by voiding them before they were paid.
    pub fn voided(&self) -> &[Transaction] {
        match self {
            Self::TransactionVoided(_) | Self::HoldVoided(_) | Self::ShiftClosed(_) => self.finished(),
            _ => &[],
        }
    }

    /// The shift that this is a step of.
    pub(crate) fn shift(&self) -> Option<&Shift> {
        match self {
            Self::ShiftOpened(it) => Some(&it.shift),
            Self::ShiftMoved(it) => Some(&it.shift),
            Self::ShiftClosed(it) => Some(&it.shift),
            Self::ShiftEnded(it) => Some(&it.shift),
            Self::ShiftRecounted(it) => Some(&it.shift),
            _ => None,
        }
    }
}
