//! Actions of people in the small shop other than selling, as the shells run them.

use crate::shop::{Shop, ani, boss};
use domain::model::base::figures::Money;
use domain::model::base::ids::*;
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::books::shift::CashKind;
use domain::model::hub::stamp::Stamp;
use domain::model::inventory::adjustment::AdjustmentReason;
use domain::model::inventory::opname::Scope;
use domain::model::inventory::stock::StockPlace;
use domain::model::inventory::transfer::Transfer;
use domain::model::people::authorization::Authorization;
use domain::model::people::user::Principal;
use domain::model::selling::payment::ReversedPayment;
use domain::model::selling::returns::{Return, TakenBack};
use domain::model::selling::transaction::Transaction;
use domain::rules::books::ledger;
use domain::rules::books::shift;
use domain::rules::books::shift::MoveCash;
use domain::rules::inventory::adjustment;
use domain::rules::inventory::adjustment::{NewAdjustment, NewAdjustmentLine};
use domain::rules::inventory::opname;
use domain::rules::inventory::opname::{Count, CountOpname, NewOpname, PostOpname};
use domain::rules::inventory::transfer;
use domain::rules::inventory::transfer::{NewTransfer, NewTransferLine};
use domain::rules::people::member;
use domain::rules::people::member::NewMember;
use domain::rules::selling::hold;
use domain::rules::selling::hold::{Change, HeldBasket, HoldSale};
use domain::rules::selling::payment::NewPayment;
use domain::rules::selling::returns;
use domain::rules::selling::returns::{NewRefund, NewReturn, NewReturnItem, ReturnDraft, ReturnIds};
use domain::rules::selling::sale;
use domain::rules::selling::sale::{ChangeSale, CorrectTender, VoidSale};

pub fn why(reason: &str) -> VoidSale {
    VoidSale { reason: reason.to_owned() }
}

pub fn back(sku: &str, qty: i64) -> NewReturnItem {
    NewReturnItem { sku: sku.into(), qty: qty.into(), ..NewReturnItem::default() }
}

pub fn by(method: &str, amount: i64) -> NewRefund {
    NewRefund { method: method.to_owned(), amount: Money::new(amount), transaction_id: None, reference: None }
}

/// Returns the sale as it was completed, or as its last correction left it.
pub fn sale_of(shop: &Shop, id: &TransactionId) -> Transaction {
    let mut finished = shop.events.iter().rev().flat_map(|event| event.fact.finished());
    let found = finished.find(|sale| sale.transaction_id == *id && sale.receipt_no.is_some()).cloned();
    found.unwrap_or_else(|| panic!("{id} was not paid"))
}

impl Shop {
    pub fn ids<T: From<String>>(&mut self, prefix: &str, count: usize) -> Vec<T> {
        (0..count).map(|_| T::from(self.next(prefix))).collect()
    }

    pub fn stamp(&mut self) -> Stamp {
        let event_id = EventId(self.next("evt_"));
        Stamp { now: self.now, at: format!("{:013}-{:05}-S001", self.now.0, self.events.len()), event_id }
    }

    pub fn join(&mut self, name: &str, phone: &str) -> Result<MemberId, Refusal> {
        let id = MemberId(self.next("mbr_"));
        let cmd = NewMember { name: name.to_owned(), phone: Some(phone.to_owned()), ..NewMember::default() };
        let stamp = self.stamp();
        let event = member::register(
            &cmd,
            id.clone(),
            &stamp,
            &Authorization::unapproved(&ani()),
            &self.rules,
            &self.members,
        )?;
        self.commit(event);
        Ok(id)
    }

    pub fn hold(&mut self, id: &TransactionId) -> Result<HoldId, Refusal> {
        self.hold_as(&ani(), id)
    }

    pub fn hold_as(&mut self, who: &Principal, id: &TransactionId) -> Result<HoldId, Refusal> {
        let cmd = HoldSale { basket: HeldBasket::Open(id.clone()), note: None };
        let hold = HoldId(self.next("hld_"));
        let new = TransactionId(self.next("trx_"));
        self.ledger.may_hold()?;
        let event = hold::take(&cmd, hold.clone(), new, &self.till(who, None))?;
        self.commit(event);
        Ok(hold)
    }

    pub fn recall(&mut self, id: &HoldId) -> Result<Vec<Change>, Refusal> {
        self.recall_as(id, hold::RecallHold::default())
    }

    pub fn recall_as(&mut self, id: &HoldId, cmd: hold::RecallHold) -> Result<Vec<Change>, Refusal> {
        let who = ani();
        let authorization = Authorization::unapproved(&who);
        let draft = hold::draft_recall(id.clone(), cmd, self.now, &authorization, &self.rules, &self.shift)?;
        let member = self.ledger.holds.get(id).and_then(|held| held.basket.member_id.clone());
        let pricing = self.pricing(member.as_ref());
        let recalled = hold::recall(draft, self.now, &authorization, &pricing, &self.rules, &self.ledger)?;
        self.commit(recalled.event);
        Ok(recalled.changes)
    }

    pub fn change(&mut self, id: &TransactionId, cmd: &ChangeSale) -> Result<Vec<String>, Refusal> {
        let own = self.shift.open.get(id).and_then(|basket| basket.member_id.clone());
        let member = cmd.member_id.as_ref().or(own.as_ref());
        let changed = sale::change(cmd, id, &self.till(&ani(), member))?;
        self.commit(changed.event);
        Ok(changed.removed.iter().map(|line| format!("{} {}", line.qty, line.sku)).collect())
    }

    pub fn void_open_as(
        &mut self,
        who: &Principal,
        id: &TransactionId,
    ) -> Result<Vec<ReversedPayment>, Refusal> {
        let authorization = Authorization::unapproved(who);
        let voided = sale::void_open(&why("x"), id, self.now, &authorization, &self.rules, &self.shift)?;
        let refunds = voided.fact.refunds.clone();
        self.commit(voided);
        Ok(refunds)
    }

    pub fn void_paid(
        &mut self,
        who: &Principal,
        id: &TransactionId,
    ) -> Result<Vec<ReversedPayment>, Refusal> {
        let authorization = Authorization::unapproved(who);
        let sale = sale_of(self, id);
        let draft = sale::draft_void(&why("x"), &sale, self.now, &authorization, &self.rules, &self.shift)?;
        let refunds = draft.refunds.clone();
        let ids = self.ids("mov_", sale.items.len());
        let event = ledger::settle_void(draft, ids, self.now, &authorization, &self.rules, &self.ledger)?;
        self.commit(event);
        Ok(refunds)
    }

    pub fn reverse(&mut self, id: &TransactionId, payment: &PaymentId) -> Result<(), Refusal> {
        self.reverse_as(&ani(), id, payment)
    }

    pub fn reverse_as(
        &mut self,
        who: &Principal,
        id: &TransactionId,
        payment: &PaymentId,
    ) -> Result<(), Refusal> {
        let authorization = Authorization::unapproved(who);
        let voided = sale::reverse_payment(&why("x"), id, payment, &authorization, &self.rules, &self.shift)?;
        self.commit(voided.event);
        Ok(())
    }

    pub fn correct(
        &mut self,
        id: &TransactionId,
        payment: &PaymentId,
        to: NewPayment,
    ) -> Result<(), Refusal> {
        let who = boss();
        let authorization = Authorization::unapproved(&who);
        let sale = sale_of(self, id);
        let cmd =
            CorrectTender { payment_id: payment.clone(), payments: vec![to], reason: "button".to_owned() };
        let ids = self.ids("pay_", 1);
        let draft =
            sale::draft_correction(&cmd, &sale, ids, self.now, &authorization, &self.rules, &self.shift)?;
        let event = ledger::settle_correction(draft, &self.ledger)?;
        self.commit(event);
        Ok(())
    }

    pub fn give_back(&mut self, who: &Principal, cmd: &NewReturn) -> Result<Return, Refusal> {
        self.give_back_reported(who, cmd, None)
    }

    /// Does the same with the returns of the sale that the hub reports.
    pub fn give_back_reported(
        &mut self,
        who: &Principal,
        cmd: &NewReturn,
        taken: Option<Vec<TakenBack>>,
    ) -> Result<Return, Refusal> {
        let authorization = Authorization::unapproved(who);
        let sale = cmd.transaction_id.as_ref().map(|id| sale_of(self, id));
        let ids = ReturnIds {
            return_id: ReturnId(self.next("ret_")),
            movements: self.ids("mov_", 40),
            payments: self.ids("pay_", 10),
        };
        let draft = returns::draft(
            cmd,
            ids,
            sale.as_ref(),
            &self.products,
            None,
            &authorization,
            &self.rules,
            &self.shift,
        )?;
        let draft = ReturnDraft { taken, ..draft };
        let settled = returns::settle(draft, self.now, &authorization, &self.rules, &self.ledger)?;
        let document = settled.posted.fact.document.clone();
        settled.events().into_iter().for_each(|event| self.commit(event));
        Ok(document)
    }

    /// Returns pieces of one product of a sale, refunded by the default methods.
    pub fn take_back(&mut self, id: &TransactionId, sku: &str, qty: i64) -> Result<Return, Refusal> {
        let transaction_id = Some(id.clone());
        let cmd = NewReturn { transaction_id, items: vec![back(sku, qty)], ..NewReturn::default() };
        self.give_back(&ani(), &cmd)
    }

    pub fn void_return(&mut self, who: &Principal, document: &Return) -> Result<(), Refusal> {
        let authorization = Authorization::unapproved(who);
        let draft = returns::draft_void(&why("x"), document, self.now, &authorization, &self.shift)?;
        let sale = document.transaction_id.as_ref().map(|id| sale_of(self, id));
        let ids = self.ids("mov_", document.items.len());
        let event = returns::settle_void(
            draft,
            sale.as_ref(),
            ids,
            self.now,
            &authorization,
            &self.rules,
            &self.ledger,
        )?;
        self.commit(event);
        Ok(())
    }

    pub fn cash(&mut self, kind: CashKind, amount: i64) -> Result<(), Refusal> {
        let cmd = MoveCash {
            kind,
            amount: Money::new(amount),
            reason: "change".to_owned(),
            reason_code: None,
            bag_no: None,
        };
        let id = CashId(self.next("csh_"));
        let event = shift::move_cash(
            &cmd,
            id,
            self.now,
            &Authorization::unapproved(&ani()),
            &self.rules,
            &self.shift,
        )?;
        self.commit(event);
        Ok(())
    }

    pub fn adjust(&mut self, who: &Principal, cmd: &NewAdjustment) -> Result<AdjustmentId, Refusal> {
        let id = AdjustmentId(self.next("adj_"));
        let ids = self.ids("mov_", cmd.lines.len());
        let event = adjustment::adjust(cmd, id.clone(), ids, &self.products, &self.stock_context(who))?;
        self.commit(event);
        Ok(id)
    }

    pub fn send(&mut self, lines: &[(&str, i64)]) -> Result<Transfer, Refusal> {
        let id = TransferId(self.next("trf_"));
        let lines: Vec<NewTransferLine> = lines
            .iter()
            .map(|(sku, qty)| NewTransferLine { sku: (*sku).into(), code: None, qty: (*qty).into() })
            .collect();
        let ids = self.ids("mov_", lines.len());
        let cmd = NewTransfer { to_store_id: "S002".into(), lines, note: None, draft: None };
        let event = transfer::create(
            &cmd,
            transfer::Receiver::Listed,
            id,
            ids,
            &self.products,
            &self.stock_context(&boss()),
        )?;
        let transfer = event.fact.transfer.clone();
        self.commit(event);
        Ok(transfer)
    }

    pub fn start_count(&mut self, scope: Scope, skus: Option<Vec<Sku>>) -> Result<OpnameId, Refusal> {
        let id = OpnameId(self.next("opn_"));
        let category = (scope == Scope::Category).then(|| "c".to_owned());
        let cmd = NewOpname { scope, category, skus, blind: None, note: None };
        let event = opname::start(&cmd, id.clone(), 3, &self.products, &self.stock_context(&boss()))?;
        self.commit(event);
        Ok(id)
    }

    pub fn count(&mut self, id: &OpnameId, sku: &str, qty: i64, zone: Option<&str>) -> Result<(), Refusal> {
        let (qty, zone) = (qty.into(), zone.map(str::to_owned));
        let count = Count { sku: sku.into(), code: None, qty, zone, withdraw: None };
        let cmd = CountOpname { counts: vec![count], mode: None };
        let event = opname::count(&cmd, id, &self.products, &self.stock_context(&boss()))?;
        self.commit(event);
        Ok(())
    }

    pub fn post_count(&mut self, id: &OpnameId, accept: bool) -> Result<(), Refusal> {
        let ids = self.ids("mov_", self.ledger.counted.len());
        let cmd = PostOpname { accept: Some(accept) };
        let event = opname::post(&cmd, id, ids, &self.stock_context(&boss()))?;
        self.commit(event);
        Ok(())
    }

    pub fn later(&mut self, ms: i64) {
        self.now = UtcMs(self.now.0 + ms);
    }
}

pub fn adjusting(reason: AdjustmentReason, sku: &str, qty: i64) -> NewAdjustment {
    let lines = vec![NewAdjustmentLine { sku: sku.into(), code: None, qty: qty.into() }];
    NewAdjustment {
        reason,
        bucket: StockPlace::OnHand,
        keep: false,
        lines,
        note: None,
        request_approval: None,
    }
}
