//! Counts: started, counted, looked at, posted.

use super::Ledger;
use crate::owners::scanned;
use crate::prelude::*;
use domain::model::base::ids::{OpnameId, Sku};
use domain::model::inventory::opname::{Opname, OpnameLine, Scope};
use domain::model::inventory::stock::Stock;
use domain::rules::inventory::opname;
use domain::rules::inventory::opname::{CountOpname, NewOpname, OpnameView, line_view};
use domain::rules::inventory::stock::StockContext;
use std::iter;
use storage::Storage;

/// Products read at once where all are looked at.
const PRODUCTS_AT_ONCE: usize = 1_000;

/// Starts a count, by the rules of [`domain::rules::inventory::opname::start`]; a category of no product is refused.
pub struct StartCount(pub NewOpname);

/// Records counts, by the rules of [`domain::rules::inventory::opname::count`].
pub struct Count(pub OpnameId, pub CountOpname);

/// Closes the counting, by the rules of [`domain::rules::inventory::opname::submit`].
pub struct SubmitCount(pub OpnameId);

/// Opens some products again, by the rules of [`domain::rules::inventory::opname::recount`].
pub struct RecountOpname(pub OpnameId, pub opname::RecountOpname);

/// Posts a count, by the rules of [`domain::rules::inventory::opname::post`].
pub struct PostCount(pub OpnameId, pub opname::PostOpname);

/// Gives a count up, by the rules of [`domain::rules::inventory::opname::cancel`].
pub struct CancelCount(pub OpnameId);

impl Dispatch for StartCount {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Self::Rows, Failure> {
        let products = context.products(self.0.skus.iter().flatten())?;
        let (storage, category) = (context.storage.clone(), self.0.category.clone());
        if self.0.scope == Scope::Skus {
            return Ok((products, 0));
        }
        let counted = tokio::task::spawn_blocking(move || in_scope(&storage, category.as_deref()));
        let lines_total = counted.await.map_err(|error| Failure::Internal(error.to_string()))??;
        if self.0.scope == Scope::Category && lines_total == 0 {
            return Err(Refusal::field("category", "must be a category with products").into());
        }
        Ok((products, lines_total))
    }
}

/// Number of products in a count by category, or of all: the products with stock keeping.
fn in_scope(storage: &Storage, category: Option<&str>) -> Result<u64, Failure> {
    let (mut total, mut after) = (0_u64, None);
    loop {
        let page = storage.products().products(after.as_ref(), PRODUCTS_AT_ONCE)?;
        let Some(last) = page.last() else { return Ok(total) };
        after = Some(last.sku.clone());
        let counted = page.iter().filter(|product| {
            product.track_stock && (category.is_none() || product.category.as_deref() == category)
        });
        total = total.saturating_add(counted.count() as u64);
    }
}

impl Command for StartCount {
    type Book = LedgerBook;
    type Rows = (Products, u64);

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.0.check()
    }

    fn decide(
        &self,
        (products, lines_total): Self::Rows,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let (stamp, id) = (ledger.stamps.stamp(), ledger.stamps.id("opn_"));
        let rule = |context: &StockContext<'_>| opname::start(&self.0, id, lines_total, &products, context);
        let event = ledger.with_stock(iter::empty(), &stamp, request, rule)?;
        let opname = &event.fact.opname;
        let answer = Answer::created(format!("/api/opname/{}", opname.opname_id), opname);
        Ok(Outcome::of(stamp, event, Vec::new(), answer).into())
    }
}

impl Dispatch for Count {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Self::Rows, Failure> {
        scanned::scanned(context, &self.1, |command| &mut command.counts)
    }
}

impl Command for Count {
    type Book = LedgerBook;
    /// The command with products and pieces in place of scanned codes.
    type Rows = (Option<opname::CountOpname>, Products);

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.1.check()
    }

    fn decide(
        &self,
        (scanned, products): Self::Rows,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let command = scanned.as_ref().unwrap_or(&self.1);
        let counted = run_rule(ledger, (&self.0, &[]), request, |context| {
            opname::count(command, &self.0, &products, context)
        });
        let (stamp, event) = counted.map_err(|failure| ledger.named(failure))?;
        let fact::OpnameChanged { opname, lines, .. } = &event.fact;
        let answer = Answer::ok(&ledger.counted(opname, lines, request));
        Ok(Outcome::of(stamp, event, Vec::new(), answer).into())
    }
}

impl Dispatch for SubmitCount {}

impl Command for SubmitCount {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let (stamp, event) =
            run_rule(ledger, (&self.0, &[]), request, |context| opname::submit(&self.0, context))?;
        shown(stamp, event)
    }
}

impl Dispatch for RecountOpname {}

impl Command for RecountOpname {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let (stamp, event) =
            run_rule(ledger, (&self.0, &[]), request, |context| opname::recount(&self.1, &self.0, context))?;
        shown(stamp, event)
    }
}

impl Dispatch for PostCount {}

impl Command for PostCount {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let counted = ledger.book.counted.keys().filter(|(opname, _)| *opname == self.0);
        let skus: Vec<Sku> = counted.map(|(_, sku)| sku.clone()).collect();
        let ids = ledger.movement_ids(skus.len());
        let post = |context: &StockContext<'_>| opname::post(&self.1, &self.0, ids, context);
        let (_, event) = run_rule(ledger, (&self.0, &skus), request, post)?;
        let fact::OpnameChanged { opname, lines, .. } = &event.fact;
        let answer = Answer::ok(opname);
        let records = record::opname_posted(|| ledger.stamps.stamp(), opname, lines);
        let (id, date) = (opname.opname_id.0.clone(), opname.business_date);
        // The last stamp of all: the mark keeps the highest.
        let outcome = Outcome::of(ledger.stamps.stamp(), event, records, answer);
        Ok(ledger.audited(outcome, request, "opname.posted", &id, date).into())
    }
}

impl Dispatch for CancelCount {}

impl Command for CancelCount {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let (stamp, event) =
            run_rule(ledger, (&self.0, &[]), request, |context| opname::cancel(&self.0, context))?;
        let opname = &event.fact.opname;
        let (answer, id, date) = (Answer::ok(opname), opname.opname_id.0.clone(), opname.business_date);
        let outcome = Outcome::of(stamp, event, Vec::new(), answer);
        Ok(ledger.audited(outcome, request, "opname.cancelled", &id, date).into())
    }
}

/// Runs a rule on an existing count; `moved` are the products whose stock it changes. If the count is over, the error
/// is about that instead of `not_found`.
fn run_rule(
    ledger: &mut Ledger,
    (id, moved): (&OpnameId, &[Sku]),
    request: &RequestContext,
    rule: impl FnOnce(&StockContext<'_>) -> Result<Event<fact::OpnameChanged>, Refusal>,
) -> Result<(Stamp, Event<fact::OpnameChanged>), Failure> {
    if !ledger.book.opnames.contains_key(id)
        && let Some(opname) = ledger.storage.stock_documents().opname(id)?
    {
        ledger.book.opnames.insert(id.clone(), opname);
    }
    let stamp = ledger.stamps.stamp();
    let event = ledger.with_stock(moved.iter(), &stamp, request, rule)?;
    Ok((stamp, event))
}

fn shown(stamp: Stamp, event: Event<fact::OpnameChanged>) -> Result<Decision, Failure> {
    let opname = &event.fact.opname;
    let answer = Answer::ok(opname);
    Ok(Outcome::of(stamp, event, Vec::new(), answer).into())
}

impl Owner<LedgerBook> {
    /// The failure with the names of the counters.
    fn named(&self, failure: Failure) -> Failure {
        let Failure::Refused(Refusal::AlreadyCounted(mut conflicts)) = failure else { return failure };
        for by in conflicts.iter_mut().flat_map(|conflict| &mut conflict.counted_by) {
            // Without a name the id is shown.
            by.name = self.storage.users().user(&by.user_id).ok().flatten().map(|user| user.name);
        }
        Refusal::AlreadyCounted(conflicts).into()
    }

    /// Stock of a product that never moved.
    fn unmoved(&self, sku: &Sku) -> Stock {
        let product = self.storage.products().product(sku).ok().flatten();
        product.map_or_else(Stock::default, |product| Stock::seed(&product))
    }

    /// The lines that were counted just now, as the counter may see them.
    fn counted(&self, opname: &Opname, lines: &[OpnameLine], request: &RequestContext) -> OpnameView {
        let view = |line: &OpnameLine| match self.book.stock.get(&line.sku) {
            Some(row) => line_view(opname, line, row, request.caller.role),
            None => line_view(opname, line, &self.unmoved(&line.sku), request.caller.role),
        };
        let lines = lines.iter().map(view).collect();
        OpnameView { opname: opname.clone(), lines, next_cursor: None }
    }
}
