//! The stock room's commands, and what head office tells it.

use super::{Ask, StoreHandle};
use crate::catalogue::CatalogueMessage;
use crate::failure::{Done, Failure};
use crate::hub_connection::OWNER_DEADLINE;
use crate::ledger::{AdjustmentStep, Goods, LedgerMessage, OpnameStep, TransferStep};
use crate::who::Who;
use domain::adjustment::NewAdjustment;
use domain::ids::{
    AdjustmentId, OpnameId, ReceivingId, SessionId, Sku, SupplierReturnId, TransferId, UserId,
};
use domain::opname::{CountOpname, NewOpname, PostOpname, RecountOpname, Scope};
use domain::product_settings::ChangeProductSettings;
use domain::receiving::NewReceiving;
use domain::refusal::Refusal;
use domain::supplier_return::NewSupplierReturn;
use domain::transfer::{NewTransfer, ReceiveTransfer, ResolveTransfer, Transfer};
use domain::user::{Caller, Role};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Who it was where head office said so.
const HUB: &str = "hub";
/// Products read at once where all are looked at.
const CHUNK: usize = 1_000;

impl StoreHandle {
    /// Takes a supplier's goods into stock, against an order where the command names one.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::receiving::receive_order`].
    pub async fn receive(&self, ask: &Ask, command: NewReceiving) -> Result<Done, Failure> {
        command.check()?;
        let products = self.products(command.lines.iter().map(|line| &line.sku))?;
        let order = command.po_id.as_deref().map(|po_id| self.door.storage.purchase_order(po_id));
        let order = order.transpose()?.flatten();
        let id: ReceivingId = self.door.stamps.id("rcv_");
        self.goods(ask, || Goods::Receive {
            id: id.clone(),
            command: command.clone(),
            order: order.clone().map(Box::new),
            products: products.clone(),
        })
        .await
    }

    /// Takes a receipt back.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::receiving::reverse`].
    pub async fn reverse_receiving(&self, ask: &Ask, id: &ReceivingId) -> Result<Done, Failure> {
        self.goods(ask, || Goods::ReverseReceiving { id: id.clone() }).await
    }

    /// Sends goods back to a supplier.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::supplier_return::give_back`].
    pub async fn give_back(&self, ask: &Ask, command: NewSupplierReturn) -> Result<Done, Failure> {
        let products = self.products(command.lines.iter().map(|line| &line.sku))?;
        let id: SupplierReturnId = self.door.stamps.id("srt_");
        self.goods(ask, || Goods::GiveBack {
            id: id.clone(),
            command: command.clone(),
            products: products.clone(),
        })
        .await
    }

    /// Adjusts stock, or asks a manager to.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::adjustment::adjust`].
    pub async fn adjust(&self, ask: &Ask, command: NewAdjustment) -> Result<Done, Failure> {
        command.check()?;
        let products = self.products(command.lines.iter().map(|line| &line.sku))?;
        let id: AdjustmentId = self.door.stamps.id("adj_");
        self.goods(ask, || Goods::Adjust {
            id: id.clone(),
            command: command.clone(),
            products: products.clone(),
        })
        .await
    }

    /// Posts an adjustment that waits.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::adjustment::approve`].
    pub async fn approve_adjustment(&self, ask: &Ask, id: &AdjustmentId) -> Result<Done, Failure> {
        self.goods(ask, || Goods::Adjustment { id: id.clone(), step: AdjustmentStep::Approve }).await
    }

    /// Rejects an adjustment that waits.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::adjustment::reject`].
    pub async fn reject_adjustment(&self, ask: &Ask, id: &AdjustmentId) -> Result<Done, Failure> {
        self.goods(ask, || Goods::Adjustment { id: id.clone(), step: AdjustmentStep::Reject }).await
    }

    /// Takes a posted adjustment back.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::adjustment::reverse`].
    pub async fn reverse_adjustment(&self, ask: &Ask, id: &AdjustmentId) -> Result<Done, Failure> {
        self.goods(ask, || Goods::Adjustment { id: id.clone(), step: AdjustmentStep::Reverse }).await
    }

    /// Writes a transfer down, and sends it unless it is a draft.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::transfer::create`].
    pub async fn transfer(&self, ask: &Ask, command: NewTransfer) -> Result<Done, Failure> {
        command.check(&self.door.rules.store_id)?;
        let products = self.products(command.lines.iter().map(|line| &line.sku))?;
        let id: TransferId = self.door.stamps.id("trf_");
        self.goods(ask, || Goods::NewTransfer {
            id: id.clone(),
            command: command.clone(),
            products: products.clone(),
        })
        .await
    }

    /// Sends a draft.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::transfer::send`].
    pub async fn send_transfer(&self, ask: &Ask, id: &TransferId) -> Result<Done, Failure> {
        self.goods(ask, || Goods::Transfer { id: id.clone(), step: TransferStep::Send }).await
    }

    /// Takes in what arrived.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::transfer::receive`].
    pub async fn receive_transfer(
        &self,
        ask: &Ask,
        id: &TransferId,
        command: ReceiveTransfer,
    ) -> Result<Done, Failure> {
        let step = || TransferStep::Receive(command.clone());
        self.goods(ask, || Goods::Transfer { id: id.clone(), step: step() }).await
    }

    /// Says what became of missing pieces.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::transfer::resolve`].
    pub async fn resolve_transfer(
        &self,
        ask: &Ask,
        id: &TransferId,
        command: ResolveTransfer,
    ) -> Result<Done, Failure> {
        let step = || TransferStep::Resolve(command.clone());
        self.goods(ask, || Goods::Transfer { id: id.clone(), step: step() }).await
    }

    /// Calls a transfer off.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::transfer::cancel`].
    pub async fn cancel_transfer(&self, ask: &Ask, id: &TransferId) -> Result<Done, Failure> {
        self.goods(ask, || Goods::Transfer { id: id.clone(), step: TransferStep::Cancel }).await
    }

    /// Head office tells of a transfer (kind `transfer` of the feed): the other store's document, in
    /// whatever order they come and however often. Returns when what it means here is durable.
    ///
    /// # Errors
    /// [`Failure::Refused`] for a document that can't be true, by [`domain::transfer::told`]; telling it
    /// again won't help. [`Failure::Unavailable`] and [`Failure::StorageFull`]: tell it again later.
    pub async fn transfer_told(&self, transfer: Transfer) -> Result<(), Failure> {
        let caller = Caller {
            user_id: UserId::from(HUB),
            name: HUB.to_owned(),
            role: Role::Admin,
            store_id: self.door.rules.store_id.clone(),
            session_id: SessionId::from(HUB),
        };
        let (who, transfer) = (Who { caller, approver: None }, Box::new(transfer));
        let (told, done) = oneshot::channel();
        let sent = self.door.ledger.send(LedgerMessage::TellTransfer { transfer, who, told }).await;
        let restarting = || Failure::Unavailable("the ledger is restarting");
        sent.map_err(|_| restarting())?;
        let done = timeout(OWNER_DEADLINE, done).await;
        let late = |_| Failure::Unconfirmed("the ledger does not answer in time");
        done.map_err(late)?.map_err(|_| restarting())?.map(|_| ())
    }

    /// Changes what the store settles about a product: its reorder level, its place.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::product_settings::change`].
    pub async fn settle_product(
        &self,
        ask: &Ask,
        sku: &Sku,
        command: ChangeProductSettings,
    ) -> Result<Done, Failure> {
        self.run(ask, |pending| {
            let (sku, command, who) = (sku.clone(), Box::new(command.clone()), Box::new(ask.who()));
            async move {
                let message = CatalogueMessage::Settle { sku, command, who, pending };
                if let Err(CatalogueMessage::Settle { pending, .. }) = self.door.catalogue.send(message).await
                {
                    pending.fail(Failure::Unavailable("the catalogue is restarting"));
                }
            }
        })
        .await
    }

    /// Starts a count.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::opname::start`], or for a category of no product.
    pub async fn start_count(&self, ask: &Ask, command: NewOpname) -> Result<Done, Failure> {
        command.check()?;
        let named = command.skus.as_deref().unwrap_or_default();
        let products = self.products(named.iter())?;
        let lines_total = self.in_scope(&command).await?;
        if command.scope == Scope::Category && lines_total == 0 {
            return Err(Refusal::field("category", "no product has it").into());
        }
        let id: OpnameId = self.door.stamps.id("opn_");
        self.goods(ask, || Goods::NewOpname {
            id: id.clone(),
            command: command.clone(),
            products: products.clone(),
            lines_total,
        })
        .await
    }

    /// Takes counts.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::opname::count`].
    pub async fn count(&self, ask: &Ask, id: &OpnameId, command: CountOpname) -> Result<Done, Failure> {
        command.check()?;
        let skus: Vec<Sku> = command.counts.iter().map(|count| count.sku.clone()).collect();
        let products = self.products(skus.iter())?;
        let step = || OpnameStep::Count { command: command.clone(), products: products.clone() };
        self.goods(ask, || Goods::Opname { id: id.clone(), step: step() }).await
    }

    /// Closes the counting.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::opname::submit`].
    pub async fn submit_count(&self, ask: &Ask, id: &OpnameId) -> Result<Done, Failure> {
        self.goods(ask, || Goods::Opname { id: id.clone(), step: OpnameStep::Submit }).await
    }

    /// Opens some products again.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::opname::recount`].
    pub async fn recount_opname(
        &self,
        ask: &Ask,
        id: &OpnameId,
        command: RecountOpname,
    ) -> Result<Done, Failure> {
        let step = || OpnameStep::Recount(command.clone());
        self.goods(ask, || Goods::Opname { id: id.clone(), step: step() }).await
    }

    /// Posts a count.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::opname::post`].
    pub async fn post_count(&self, ask: &Ask, id: &OpnameId, command: PostOpname) -> Result<Done, Failure> {
        let step = || OpnameStep::Post(command.clone());
        self.goods(ask, || Goods::Opname { id: id.clone(), step: step() }).await
    }

    /// Gives a count up.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::opname::cancel`].
    pub async fn cancel_count(&self, ask: &Ask, id: &OpnameId) -> Result<Done, Failure> {
        self.goods(ask, || Goods::Opname { id: id.clone(), step: OpnameStep::Cancel }).await
    }

    async fn goods(&self, ask: &Ask, command: impl Fn() -> Goods) -> Result<Done, Failure> {
        self.run(ask, |pending| {
            let (command, who) = (Box::new(command()), ask.who());
            self.to_ledger(LedgerMessage::Goods { command, who, pending })
        })
        .await
    }

    /// How many products a count by category, or of all, is about: those that stock is kept for.
    async fn in_scope(&self, command: &NewOpname) -> Result<u64, Failure> {
        if command.scope == Scope::Skus {
            return Ok(0);
        }
        let (storage, category) = (self.door.storage.clone(), command.category.clone());
        let scan = move || {
            let (mut total, mut after) = (0_u64, None);
            loop {
                let chunk = storage.products(after.as_ref(), CHUNK)?;
                let Some(last) = chunk.last() else { return Ok(total) };
                after = Some(last.sku.clone());
                let of_it = chunk.iter().filter(|product| {
                    product.track_stock && (category.is_none() || product.category == category)
                });
                total = total.saturating_add(of_it.count() as u64);
            }
        };
        tokio::task::spawn_blocking(scan).await.map_err(|error| Failure::Internal(error.to_string()))?
    }
}
