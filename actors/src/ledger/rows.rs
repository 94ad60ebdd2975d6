//! Rows that the ledger loads when a command needs them, and lets go of again.

use super::{State, goods};
use crate::failure::Failure;
use domain::ids::{MemberId, Sku, TransactionId};
use domain::stock::Stock;
use ractor::ActorProcessingErr;

/// Most rows that were loaded for single commands before they are let go.
const LOADED_ROWS_MAX: usize = 10_000;

/// Returns of one sale of another store that are looked at: more than it has pieces is not to be had.
const OWN_RETURNS_MAX: usize = 10_000;

impl State {
    /// Loads a member's points, if there are any, and whether the member still earns and redeems.
    pub(super) fn load_points(&mut self, member: Option<&MemberId>) -> Result<(), Failure> {
        let member = self.load_idle(member)?;
        member.map_or(Ok(()), |member| self.load_account(&member))
    }

    /// Loads the points that are kept under an id, if there are any.
    pub(super) fn load_account(&mut self, member: &MemberId) -> Result<(), Failure> {
        if !self.book.points.contains_key(member)
            && let Some(mut account) = self.door.storage.points(member)?
        {
            self.tell_apart(&mut account)?;
            self.book.points.insert(member.clone(), account);
        }
        Ok(())
    }

    /// Loads what became of a sale, if anything did.
    pub(super) fn load_sale(&mut self, sale: &TransactionId) -> Result<(), Failure> {
        if !self.book.sales.contains_key(sale)
            && let Some(mut after) = self.door.storage.sale_after(sale)?
        {
            let storage = &self.door.storage;
            if !after.returned.is_empty() && storage.transaction(sale)?.is_none() {
                // Of another store's sale an older version counted in what others took; that is told anew.
                let mut own = Vec::new();
                for (_, posted) in storage.returns_of(sale, OWN_RETURNS_MAX)?.into_iter().rev() {
                    own.extend(storage.posted_return(&posted.return_id)?);
                }
                after.own_pieces(&own);
            }
            self.book.sales.insert(sale.clone(), after);
        }
        Ok(())
    }

    /// Lets go of rows that were loaded for one command each, once all that wrote them is in the rows.
    pub(super) async fn trim(&mut self) -> Result<(), ActorProcessingErr> {
        let book = &self.book;
        let loaded = book.points.len()
            + book.idle.len()
            + book.merged.len()
            + book.sales.len()
            + book.delivery_notes.len()
            + goods::loaded(book);
        if loaded > LOADED_ROWS_MAX {
            self.door.storage.barrier().await?;
            self.book.points.clear();
            self.book.idle.clear();
            self.book.merged.clear();
            self.book.sales.clear();
            self.book.delivery_notes.clear();
            goods::let_go(&mut self.book);
        }
        Ok(())
    }

    /// Gives skus that never moved a row at zero, with the product's cost as first estimate; says which.
    pub(super) fn seed<'a>(&mut self, skus: impl Iterator<Item = &'a Sku>) -> Result<Vec<Sku>, Failure> {
        let mut seeds = Vec::new();
        for sku in skus {
            if !self.book.stock.contains_key(sku)
                && let Some(product) = self.door.storage.product(sku)?
            {
                seeds.push(Stock::seed(&product));
            }
        }
        let skus = seeds.iter().map(|seed| seed.sku.clone()).collect();
        self.book.stock.extend(seeds.into_iter().map(|seed| (seed.sku.clone(), seed)));
        Ok(skus)
    }
}
