//! Commands of tills: adding, renaming, enabling, disabling, and their quick keys.

use super::Ledger;
use crate::prelude::*;
use crate::runtime::dispatch::SoldProducts;
use domain::model::base::ids::{RegisterId, Sku};
use domain::rules::books::day::dated;
use domain::rules::books::register;
use domain::rules::books::register::{NewRegister, QuickKeysView, RegisterState, RegisterView};
use domain::wire::feed::RegisterDown;
use serde_json::{Value, json};

/// Adds a till, by the rules of [`domain::rules::books::register::add`].
pub struct AddRegister(pub NewRegister);

/// Renames a till, or lets it sell or not, by the rules of [`domain::rules::books::register::change`].
pub struct ChangeRegister(pub RegisterId, pub register::ChangeRegister);

/// Sets the quick keys of a till, by the rules of [`domain::rules::books::register::set_quick_keys`].
pub struct SetQuickKeys(pub RegisterId, pub register::SetQuickKeys);

/// Adopts a register that head office sent, by the rules of [`domain::rules::books::register::merge_remote`].
pub(super) struct MergeRegister(pub(super) RegisterDown);

impl Dispatch for AddRegister {}

impl Command for AddRegister {
    type Book = LedgerBook;
    type Rows = ();

    fn is_from_rows(&self, _book: &LedgerBook) -> bool {
        true
    }

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let event = register::add(&self.0, &request.authorization(), &ledger.book)?;
        let view = RegisterView::from(&event.fact.register);
        let answer = Answer::created(format!("/api/registers/{}", self.0.register_id), &view);
        Ok(changed(ledger, event, ("register.created", json!(view)), answer, request))
    }
}

impl Dispatch for ChangeRegister {}

impl Command for ChangeRegister {
    type Book = LedgerBook;
    type Rows = ();

    fn is_from_rows(&self, _book: &LedgerBook) -> bool {
        true
    }

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let event = register::change(&self.1, &self.0, &request.authorization(), &ledger.book)?;
        let view = RegisterView::from(&event.fact.register);
        Ok(changed(ledger, event, ("register.changed", json!(view)), Answer::ok(&view), request))
    }
}

impl Dispatch for SetQuickKeys {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Self::Rows, Failure> {
        Ok(context.sold(self.1.items.iter().map(|key| &key.sku))?)
    }
}

impl Command for SetQuickKeys {
    type Book = LedgerBook;
    type Rows = SoldProducts;

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.1.check()
    }

    fn is_from_rows(&self, _book: &LedgerBook) -> bool {
        true
    }

    fn decide(
        &self,
        products: Self::Rows,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let Self(id, command) = self;
        let product = |sku: &Sku| products.get(sku).map(AsRef::as_ref);
        let authorization = request.authorization();
        let event = register::set_quick_keys(command, id, product, &authorization, &ledger.book)?;
        let register = &event.fact.register;
        let answer = Answer::ok(&QuickKeysView::of(register, product));
        let skus: Vec<&Sku> = register.quick_keys.iter().map(|key| &key.sku).collect();
        let details = json!({"register_id": id, "skus": skus});
        Ok(changed(ledger, event, ("register.quick_keys_changed", details), answer, request))
    }
}

impl Command for MergeRegister {
    type Book = LedgerBook;
    type Rows = ();
    const DATED: bool = false;

    fn is_from_rows(&self, _book: &LedgerBook) -> bool {
        true
    }

    fn decide(&self, (): (), ledger: &mut Ledger, _request: &RequestContext) -> Result<Decision, Failure> {
        let RegisterDown { register_id, name, disabled } = &self.0;
        let state =
            disabled.map(|disabled| if disabled { RegisterState::Disabled } else { RegisterState::Active });
        let change = register::ChangeRegister { name: name.clone(), state };
        let Some(event) = register::merge_remote(register_id, &change, &ledger.book)? else {
            return Ok(Decision::Answer(Answer::ok(&())));
        };
        let answer = Answer::ok(&RegisterView::from(&event.fact.register));
        Ok(Outcome::of(ledger.stamps.stamp(), event, Vec::new(), answer).into())
    }
}

/// The outcome of a change of a till, with its entry in the audit log.
fn changed(
    ledger: &Ledger,
    event: Event<fact::RegisterChanged>,
    (action, details): (&str, Value),
    answer: Answer,
    request: &RequestContext,
) -> Decision {
    let stamp = ledger.stamps.stamp();
    let entry = AuditEntry::new(&request.authorization(), action, stamp.now, details);
    let date = dated(stamp.now, &ledger.rules, &ledger.book);
    let outcome = Outcome::of(stamp, event, Vec::new(), answer);
    outcome.audited(&ledger.stamps, Some(date), entry).into()
}
