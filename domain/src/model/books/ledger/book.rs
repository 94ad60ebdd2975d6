//! The ledger's memory.

use crate::model::base::figures::Points;
use crate::model::base::ids::{
    AdjustmentId, HoldId, MemberId, OpnameId, ReceivingId, RegisterId, ShiftId, Sku, TransactionId,
    TransferId, UserId,
};
use crate::model::books::deposit::Safe;
use crate::model::books::ledger::{DeliveryNote, OpenShiftEntry};
use crate::model::books::register::Register;
use crate::model::inventory::adjustment::Adjustment;
use crate::model::inventory::opname::{Opname, OpnameLine};
use crate::model::inventory::purchase::{OrderProgress, PurchaseOrder};
use crate::model::inventory::stock::Stock;
use crate::model::inventory::transfer::Transfer;
use crate::model::inventory::write_off::WrittenOff;
use crate::model::people::points::PointsAccount;
use crate::model::selling::hold::Hold;
use crate::model::selling::returns::SaleAfter;
use crate::model::selling::transaction::Transaction;
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A waiting hold with its basket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldBasket {
    pub hold: Hold,
    pub basket: Transaction,
}

/// Stock, points, holds, the registry of open shifts, tills, and documents that are under way.
///
/// The book always has all `shifts`, `registers`, `holds` and counts that are not over. Of the other rows it has at
/// least those that the current command names: the owner of the book loads them on demand, and may drop one once
/// every event that wrote it is durable and applied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LedgerBook {
    /// Stock by sku.
    pub stock: HashMap<Sku, Stock>,
    /// Points by member. A member without an entry never had points.
    pub points: HashMap<MemberId, PointsAccount>,
    /// Points that unfinished sales were paid with: whose, and how many.
    pub reserved_points: BTreeMap<TransactionId, ReservedPoints>,
    /// State of paid sales after the sale. A sale without an entry is as it was sold.
    pub sales: HashMap<TransactionId, SaleAfter>,
    /// Holds that are waiting.
    pub holds: BTreeMap<HoldId, HeldBasket>,
    /// Number of shifts that are not closed.
    pub shifts: HashMap<ShiftId, OpenShiftEntry>,
    /// Days with shifts that are not sealed, and reopened days. The value is the date after which the day is sealed
    /// automatically.
    pub days: BTreeMap<Date, Date>,
    /// Sealed days, and whether each was sealed automatically.
    pub sealed: BTreeMap<Date, bool>,
    pub registers: BTreeMap<RegisterId, Register>,
    /// Receiving documents by delivery note.
    pub delivery_notes: BTreeMap<DeliveryNote, ReceivingId>,
    /// Receipts that were reversed.
    pub reversed_receivings: BTreeSet<ReceivingId>,
    /// Adjustments that wait for approval or were decided on.
    pub adjustments: BTreeMap<AdjustmentId, Adjustment>,
    pub transfers: BTreeMap<TransferId, Transfer>,
    pub opnames: BTreeMap<OpnameId, Opname>,
    /// Counted lines of the counts that are not over.
    pub counted: BTreeMap<(OpnameId, Sku), OpnameLine>,
    /// Receiving progress of purchase orders. An order without an entry is as head office has it.
    pub orders: BTreeMap<String, OrderProgress>,
    /// What people have written off without an approval on their last day of it: one row for each person.
    pub written_off: BTreeMap<UserId, WrittenOff>,
    /// Balance of the safe.
    pub safe: Safe,
    /// Head office is away: redeeming points has an allowance.
    pub apart: bool,
    /// Members of the command at hand that are merged into another one: points are that one's.
    pub merged: BTreeMap<MemberId, MemberId>,
    /// Members of the command at hand that are blocked or gone: they neither earn nor redeem.
    pub idle: BTreeSet<MemberId>,
}

/// Points that an unfinished sale was paid with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReservedPoints {
    pub member_id: MemberId,
    pub points: Points,
}

impl LedgerBook {
    /// The row of a sku; one that is not there starts at zero.
    pub(crate) fn row(&self, sku: &Sku) -> Stock {
        let empty = || Stock { sku: sku.clone(), ..Stock::default() };
        self.stock.get(sku).cloned().unwrap_or_else(empty)
    }

    /// State of a sale after it was paid.
    pub(crate) fn after(&self, sale: &Transaction) -> SaleAfter {
        self.sales.get(&sale.transaction_id).cloned().unwrap_or_else(|| SaleAfter::from_sale(sale))
    }

    /// A member's points; for a merged member, those of the member that it was merged into.
    pub(crate) fn account(&self, member: &MemberId) -> PointsAccount {
        let member = self.merged.get(member).unwrap_or(member);
        self.points.get(member).cloned().unwrap_or_else(|| PointsAccount::new(member.clone()))
    }

    /// Notes the points that an unfinished sale was paid with.
    pub fn reserve_points(&mut self, sale: &Transaction) {
        match &sale.member_id {
            Some(member) if sale.points_redeemed > 0 => {
                let reserved = ReservedPoints { member_id: member.clone(), points: sale.points_redeemed };
                self.reserved_points.insert(sale.transaction_id.clone(), reserved);
            }
            _ => drop(self.reserved_points.remove(&sale.transaction_id)),
        }
    }

    /// Points of a member that unfinished sales hold, but for `own`.
    pub(crate) fn reserved_by_others(&self, member: &MemberId, own: Option<&TransactionId>) -> Points {
        let others = self.reserved_points.iter().filter(|(id, _)| Some(*id) != own);
        others.filter(|(_, held)| held.member_id == *member).map(|(_, held)| held.points).sum()
    }

    /// Receiving progress of an order.
    pub(crate) fn progress(&self, order: &PurchaseOrder) -> OrderProgress {
        self.orders.get(&order.po_id).cloned().unwrap_or_else(|| OrderProgress::of(order))
    }

    /// A book of the rows alone that settling `sale` looks at.
    pub(crate) fn part(&self, sale: &Transaction) -> Self {
        let stock = sale.items.iter().filter_map(|line| self.stock.get(&line.sku));
        let merged = sale.member_id.iter().filter_map(|member| self.merged.get_key_value(member));
        let member = sale.member_id.iter().map(|member| self.merged.get(member).unwrap_or(member));
        let points = member.filter_map(|member| self.points.get(member));
        Self {
            stock: stock.map(|row| (row.sku.clone(), row.clone())).collect(),
            points: points.map(|row| (row.member_id.clone(), row.clone())).collect(),
            reserved_points: self.reserved_points.clone(),
            apart: self.apart,
            merged: merged.map(|(id, into)| (id.clone(), into.clone())).collect(),
            idle: sale.member_id.iter().filter(|id| self.idle.contains(*id)).cloned().collect(),
            ..Self::default()
        }
    }
}
