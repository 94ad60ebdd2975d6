//! Events: the facts that local state folds. Each carries the rows as they are **afterwards** (absolute values):
//! applying one never reads, so replaying it twice, or over a newer row that is replayed next, is always right.

use crate::ids::{PaymentId, SessionId, UserId};
use crate::points::{PointsAccount, PointsEntry};
use crate::purchase::{OrderProgress, PurchaseOrder, Supplier};
use crate::register::{Counters, Register};
use crate::returns::{Return, SaleAfter};
use crate::shift::{CashMovement, Shift};
use crate::stock::{Movement, Stock};
use crate::transaction::Transaction;
use crate::user::{Session, User, passkey::Passkey, rotation::Rotation};
use crate::{adjustment::Adjustment, audit::AuditEntry, day::Day, deposit::Deposit, hold::Hold};
use crate::{ledger::DeliveryNote, product::Product, promotion::Promotion, receiving::Receiving};
use serde::{Deserialize, Serialize};

mod parts;
mod place;

pub use place::{AckMark, HubIdentity, Stamp};

/// A stored fact. Stored as JSON inside a frame, so fields may be added with a default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A basket was made, or something of it was paid: `open` or `partially_paid`.
    TransactionOpen {
        /// The transaction as it is now.
        transaction: Box<Transaction>,
        /// Its shift as it is now; present when money moved.
        shift: Option<Box<Shift>>,
    },
    /// A sale was completed.
    TransactionPaid {
        /// The sale.
        transaction: Box<Transaction>,
        /// Its goods going out: one per line of a product that stock is kept for.
        movements: Vec<Movement>,
        /// The stock rows afterwards, one per sku.
        stock: Vec<Stock>,
        /// Its shift afterwards.
        shift: Box<Shift>,
        /// Its register's counters afterwards.
        counters: Counters,
        /// What it did to its member's points.
        points: Vec<PointsEntry>,
        /// The member's points afterwards, where they moved.
        account: Option<Box<PointsAccount>>,
    },
    /// A basket was voided before it was complete.
    TransactionVoided {
        /// The basket, its payments reversed.
        transaction: Box<Transaction>,
        /// What goes back to the customer.
        refunds: Vec<crate::sale::GivenBack>,
        /// Its shift afterwards.
        shift: Box<Shift>,
    },
    /// A sale was voided in its own shift.
    SaleVoided {
        /// The sale, its payments reversed.
        transaction: Box<Transaction>,
        /// What became of it.
        after: Box<SaleAfter>,
        /// What goes back to the customer.
        refunds: Vec<crate::sale::GivenBack>,
        /// Its goods coming back.
        movements: Vec<Movement>,
        /// The stock rows afterwards, one per sku.
        stock: Vec<Stock>,
        /// Its shift afterwards.
        shift: Box<Shift>,
        /// What it did to its member's points.
        points: Vec<PointsEntry>,
        /// The member's points afterwards, where they moved.
        account: Option<Box<PointsAccount>>,
    },
    /// A wrong payment method of a sale was put right.
    TenderCorrected {
        /// The sale with both payments.
        transaction: Box<Transaction>,
        /// The payment that was wrong.
        wrong: PaymentId,
        /// What became of the sale: what each method paid.
        after: Box<SaleAfter>,
        /// Its shift afterwards.
        shift: Box<Shift>,
    },
    /// A basket was put away; it belongs to no shift.
    TransactionHeld {
        /// The hold.
        hold: Box<Hold>,
        /// The basket, held.
        transaction: Box<Transaction>,
    },
    /// A till took a waiting basket.
    HoldRecalled {
        /// The hold, recalled.
        hold: Box<Hold>,
        /// The basket, open in its new shift.
        transaction: Box<Transaction>,
    },
    /// A waiting basket was voided, in no shift: by a person, or because it waited too long.
    HoldVoided {
        /// The hold, voided or expired.
        hold: Box<Hold>,
        /// The basket, voided.
        transaction: Box<Transaction>,
    },
    /// Goods came back and money went back.
    ReturnPosted {
        /// The document.
        document: Box<Return>,
        /// What became of the sale, where there is a receipt.
        after: Option<Box<SaleAfter>>,
        /// Goods going back to the shelf.
        movements: Vec<Movement>,
        /// The stock rows afterwards, one per sku; also of goods kept aside.
        stock: Vec<Stock>,
        /// The shift afterwards.
        shift: Box<Shift>,
        /// Its register's counters afterwards.
        counters: Counters,
        /// What it did to the member's points.
        points: Vec<PointsEntry>,
        /// The member's points afterwards, where they moved.
        account: Option<Box<PointsAccount>>,
    },
    /// A return was voided in its own shift.
    ReturnVoided {
        /// The document, voided.
        document: Box<Return>,
        /// What became of the sale, where there is a receipt.
        after: Option<Box<SaleAfter>>,
        /// Goods going out again.
        movements: Vec<Movement>,
        /// The stock rows afterwards, one per sku.
        stock: Vec<Stock>,
        /// The shift afterwards.
        shift: Box<Shift>,
        /// What it did to the member's points.
        points: Vec<PointsEntry>,
        /// The member's points afterwards, where they moved.
        account: Option<Box<PointsAccount>>,
    },
    /// Cash was put into a drawer or taken out of it without a sale.
    CashMoved {
        /// What moved.
        movement: CashMovement,
        /// The shift afterwards.
        shift: Box<Shift>,
    },
    /// A shift was opened.
    ShiftOpened {
        /// The shift.
        shift: Box<Shift>,
        /// Its register, perhaps new.
        register: Register,
    },
    /// A shift was closed.
    ShiftClosed {
        /// The shift.
        shift: Box<Shift>,
        /// Its register's counters afterwards.
        counters: Counters,
        /// Open transactions that the close voided (`void_open`).
        voided: Vec<Transaction>,
    },
    /// A shift was ended blind.
    ShiftEnded {
        /// The shift.
        shift: Box<Shift>,
    },
    /// A closed shift was counted again.
    ShiftRecounted {
        /// The shift; the new count is its last.
        shift: Box<Shift>,
    },
    /// A till was added or changed.
    RegisterChanged {
        /// The till as it is now.
        register: Register,
    },
    /// A supplier's goods were received.
    ReceivingPosted {
        /// The document.
        receiving: Box<Receiving>,
        /// Its movements, one per line with accepted pieces.
        movements: Vec<Movement>,
        /// The stock rows afterwards, one per sku.
        stock: Vec<Stock>,
    },
    /// The first stock of skus was taken into the books.
    StockOpened {
        /// One movement per sku.
        movements: Vec<Movement>,
        /// The stock rows afterwards, one per sku.
        stock: Vec<Stock>,
    },
    /// A receipt was taken back.
    ReceivingReversed {
        /// The document, reversed.
        receiving: Box<Receiving>,
        /// Its delivery note, which may come again.
        freed: Option<DeliveryNote>,
        /// Its goods going out.
        movements: Vec<Movement>,
        /// The stock rows afterwards, one per sku.
        stock: Vec<Stock>,
    },
    /// The store was restored from a backup: what was open then is read-only from now on, and receipts
    /// are counted anew in the epoch that begins with it.
    Restored {
        /// The shifts that were open, interrupted.
        shifts: Vec<Shift>,
        /// Every register's counters afterwards.
        counters: Vec<Counters>,
    },
    /// Goods went back to a supplier.
    SupplierReturnPosted {
        /// The document.
        document: Box<crate::supplier_return::SupplierReturn>,
        /// Its goods going out.
        movements: Vec<Movement>,
        /// The stock rows afterwards, one per sku.
        stock: Vec<Stock>,
    },
    /// Cash left for the bank.
    CashDeposited {
        /// The deposit.
        deposit: Deposit,
        /// Σ all deposits with this one; none where it was not kept, or came back from head office.
        total: Option<i64>,
    },
    /// A day was sealed: nothing of it will change.
    DaySealed {
        /// The day.
        day: Day,
    },
    /// A sealed day is open again.
    DayReopened {
        /// The day.
        day: crate::day::ReopenedDay,
    },
    /// Somebody said what lies in the safe when the books begin.
    SafeOpened {
        /// The amount, and why.
        opening: crate::deposit::SafeOpening,
    },
    /// An adjustment was asked for, posted, rejected or reversed.
    AdjustmentChanged {
        /// The document as it is now.
        adjustment: Box<Adjustment>,
        /// What this step moved.
        movements: Vec<Movement>,
        /// The stock rows afterwards, one per sku.
        stock: Vec<Stock>,
    },
    /// A transfer was written down, sent, received, cancelled or settled.
    TransferChanged {
        /// The document as it is now.
        transfer: Box<crate::transfer::Transfer>,
        /// What this step moved in this store.
        movements: Vec<Movement>,
        /// The stock rows afterwards, one per sku.
        stock: Vec<Stock>,
    },
    /// A count was started, went on, was posted or cancelled.
    OpnameChanged {
        /// The document as it is now.
        opname: Box<crate::opname::Opname>,
        /// The lines that this step changed.
        lines: Vec<crate::opname::OpnameLine>,
        /// What posting moved.
        movements: Vec<Movement>,
        /// The stock rows afterwards, one per sku that moved.
        stock: Vec<Stock>,
    },
    /// A member's points moved without a sale.
    PointsChanged {
        /// What moved.
        entries: Vec<PointsEntry>,
        /// The member's points afterwards.
        account: Box<PointsAccount>,
    },
    /// A promotion came from head office, or was changed.
    PromotionChanged {
        /// The promotion as it is now.
        promotion: Box<Promotion>,
    },
    /// A promotion was withdrawn.
    PromotionWithdrawn {
        /// Which.
        promotion_id: String,
    },
    /// A supplier came from head office, or was changed.
    SupplierChanged {
        /// The supplier as it is now.
        supplier: Box<Supplier>,
    },
    /// A purchase order for this store came from head office, or was changed.
    PurchaseOrderChanged {
        /// The order as head office has it; what came since is the store's own row.
        order: Box<PurchaseOrder>,
    },
    /// Something of a purchase order came, or went back.
    OrderProgressed {
        /// What came of the order in this store.
        progress: Box<OrderProgress>,
    },
    /// Somebody did something sensitive.
    Audited {
        /// What.
        entry: AuditEntry,
    },
    /// A product was made or changed.
    ProductChanged {
        /// The product as it is now.
        product: Box<Product>,
        /// Words that find it no more.
        lost_words: Vec<String>,
    },
    /// A member was registered, changed, blocked or erased.
    MemberChanged {
        /// The member as it is now; its keys name it.
        member: Box<crate::member::Member>,
        /// Keys that name it no more.
        freed: Vec<crate::member::MemberKey>,
        /// Words that find it no more.
        lost_words: Vec<String>,
    },
    /// A user was made or changed.
    UserChanged {
        /// The user as it is now.
        user: User,
    },
    /// Somebody logged in.
    SessionOpened {
        /// The session.
        session: Session,
        /// Sessions of anybody that had expired by then: they go.
        expired: Vec<SessionId>,
    },
    /// A session's refresh token was spent for the next one.
    SessionRefreshed {
        /// The session as it is now.
        session: Session,
        /// Its living token.
        rotation: Rotation,
    },
    /// A session ended.
    SessionClosed {
        /// Which.
        session_id: SessionId,
    },
    /// A device was registered, or used.
    PasskeySaved {
        /// The device as it is now.
        passkey: Passkey,
    },
    /// A device was removed.
    PasskeyRemoved {
        /// Whose.
        user_id: UserId,
        /// Which.
        credential_id: String,
    },
    /// The store was enrolled at a hub.
    HubEnrolled {
        /// Where and as whom.
        hub: HubIdentity,
    },
    /// A new epoch began: later records have it, with seq from 1.
    EpochOpened {
        /// `<n>-<16 hex>`.
        epoch: String,
    },
    /// The hub acknowledged records.
    RecordsAcknowledged {
        /// The mark as it is now.
        mark: AckMark,
    },
    /// A page of the hub's feed was applied; the changes are events of the same commit.
    FeedApplied {
        /// Where to go on.
        cursor: String,
        /// The hub's time of the page, for "how fresh is this".
        hub_time: crate::time::UtcMs,
    },
    /// Something changed in what the store keeps of its dealings with the hub.
    Sync {
        /// What.
        change: Box<crate::sync::local::Change>,
    },
}
