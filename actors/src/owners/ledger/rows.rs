//! Rows that the ledger loads when a command needs them, and lets go of again.

use super::State;
use crate::owners::pricing;
use crate::runtime::command::Owner;
use crate::runtime::decide::{Outcome, guarded};
use crate::runtime::failure::Failure;
use crate::runtime::request::RequestContext;
use domain::model::base::ids::{MemberId, MovementId, Sku, TransactionId};
use domain::model::base::refusal::Refusal;
use domain::model::books::ledger::LedgerBook;
use domain::model::hub::stamp::Stamp;
use domain::model::inventory::adjustment::AdjustmentState;
use domain::model::inventory::stock::Stock;
use domain::model::people::audit::AuditEntry;
use domain::model::people::member::MemberState;
use domain::model::people::points::{PointsAccount, PointsReason};
use domain::rules::inventory::stock::StockContext;
use jiff::civil::Date;
use ractor::ActorProcessingErr;
use serde_json::json;

/// Most rows that were loaded for single commands before they are let go.
const LOADED_ROWS_MAX: usize = 10_000;

impl Owner<LedgerBook> {
    /// Loads a member's points, if there are any, and whether the member still earns and redeems.
    pub(super) fn load_points(&mut self, member: Option<&MemberId>) -> Result<(), Failure> {
        let member = self.load_idle(member)?;
        member.map_or(Ok(()), |member| self.load_account(&member))
    }

    /// Loads the points that are kept under an ID, if there are any.
    pub(super) fn load_account(&mut self, member: &MemberId) -> Result<(), Failure> {
        if !self.book.points.contains_key(member)
            && let Some(mut account) = self.storage.members().points(member)?
        {
            self.refresh_offline_allowance(&mut account)?;
            self.book.points.insert(member.clone(), account);
        }
        Ok(())
    }

    /// Loads the returns and the void of a sale, if there are any.
    pub(super) fn load_sale(&mut self, sale: &TransactionId) -> Result<(), Failure> {
        if !self.book.sales.contains_key(sale)
            && let Some(after) = self.storage.sales().sale_after(sale)?
        {
            self.book.sales.insert(sale.clone(), after);
        }
        Ok(())
    }

    /// Creates rows at zero for SKUs that never moved, with the product's cost as the first estimate. Returns their
    /// SKUs.
    pub(super) fn seed<'a>(&mut self, skus: impl Iterator<Item = &'a Sku>) -> Result<Vec<Sku>, Failure> {
        let mut seeds = Vec::new();
        for sku in skus {
            if !self.book.stock.contains_key(sku)
                && let Some(product) = self.storage.products().product(sku)?
            {
                seeds.push(Stock::seed(&product));
            }
        }
        let skus = seeds.iter().map(|seed| seed.sku.clone()).collect();
        self.book.stock.extend(seeds.into_iter().map(|seed| (seed.sku.clone(), seed)));
        Ok(skus)
    }

    /// Notes in the book whether a member has been blocked or merged since the basket was made. Returns the member
    /// that they were merged into, otherwise the same one. An unknown member earns points as the basket states.
    pub(super) fn load_idle(&mut self, id: Option<&MemberId>) -> Result<Option<MemberId>, Failure> {
        let Some(id) = id else { return Ok(None) };
        let found = pricing::member(&self.storage, id)?;
        let now = found.as_ref().map_or_else(|| id.clone(), |member| member.member_id.clone());
        if now == *id {
            self.book.merged.remove(id);
        } else {
            self.book.merged.insert(id.clone(), now.clone());
        }
        if found.is_some_and(|member| member.state != MemberState::Active) {
            self.book.idle.insert(id.clone());
        } else {
            self.book.idle.remove(id);
        }
        Ok(Some(now))
    }

    /// Restores the offline allowance of the points that head office has received since.
    pub(super) fn refresh_offline_allowance(&self, account: &mut PointsAccount) -> Result<(), Failure> {
        if self.book.apart && account.redeemed_apart > 0 {
            let untold = self.storage.members().pending_points(&account.member_id)?;
            let redeemed = untold.iter().filter(|entry| entry.reason == PointsReason::Redeem);
            let redeemed = redeemed.map(|entry| entry.points.saturating_neg()).sum();
            account.redeemed_apart = account.redeemed_apart.min(redeemed);
        }
        Ok(())
    }

    /// Runs a rule with the stock, in which SKUs that never moved have their product's cost.
    pub(super) fn with_stock<'s, T>(
        &mut self,
        skus: impl Iterator<Item = &'s Sku>,
        stamp: &Stamp,
        request: &RequestContext,
        rule: impl FnOnce(&StockContext<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Failure> {
        let seeded = self.seed(skus)?;
        let (now, authorization) = (stamp.now, request.authorization());
        let context = StockContext { now, authorization, rules: &self.rules, book: &self.book };
        let decided = guarded(|| rule(&context));
        self.unseed(&seeded);
        decided
    }

    /// A row that no event wrote would keep the product's cost of today for ever.
    pub(super) fn unseed(&mut self, seeded: &[Sku]) {
        seeded.iter().for_each(|sku| drop(self.book.stock.remove(sku)));
    }

    pub(super) fn movement_ids(&self, count: usize) -> Vec<MovementId> {
        self.stamps.ids("mov_", count)
    }

    /// The outcome with the audit log's entry of a sensitive action on a document.
    pub(super) fn audited(
        &self,
        outcome: Outcome,
        request: &RequestContext,
        action: &str,
        document: &str,
        date: Date,
    ) -> Outcome {
        let noun = action.split('.').next().unwrap_or_default();
        let details = json!({format!("{noun}_id"): document});
        let entry = AuditEntry::new(&request.authorization(), action, outcome.stamp.now, details);
        outcome.audited(&self.stamps, Some(date), entry)
    }
}

impl State {
    /// Lets go of rows that were loaded for one command each, once all that wrote them is in the rows.
    pub(super) async fn trim(&mut self) -> Result<(), ActorProcessingErr> {
        let book = &self.ledger.book;
        let loaded = book.points.len()
            + book.idle.len()
            + book.merged.len()
            + book.sales.len()
            + book.delivery_notes.len()
            + documents(book);
        if loaded > LOADED_ROWS_MAX {
            self.context.storage.barrier().await?;
            self.ledger.book.points.clear();
            self.ledger.book.idle.clear();
            self.ledger.book.merged.clear();
            self.ledger.book.sales.clear();
            self.ledger.book.delivery_notes.clear();
            evict(&mut self.ledger.book);
        }
        Ok(())
    }
}

/// Documents in the book that are over: loaded for one command, or kept until they are in the rows.
fn documents(book: &LedgerBook) -> usize {
    let adjustments = book.adjustments.len();
    adjustments + book.transfers.len() + book.orders.len() + book.reversed_receivings.len()
}

/// Drops finished rows whose commits are all in the rows on disk.
fn evict(book: &mut LedgerBook) {
    book.adjustments.retain(|_, adjustment| adjustment.state == AdjustmentState::Pending);
    book.transfers.retain(|_, transfer| !transfer.settled());
    book.opnames.retain(|_, opname| !opname.state.is_over());
    book.reversed_receivings.clear();
    book.orders.clear();
}
