//! Tills: added, renamed, switched on and off.

use super::Ledger;
use crate::prelude::*;
use domain::model::base::ids::RegisterId;
use domain::rules::books::day::dated;
use domain::rules::books::register;
use domain::rules::books::register::{NewRegister, RegisterState, RegisterView};
use domain::wire::feed::RegisterDown;
use serde_json::json;

/// Adds a till, by the rules of [`domain::rules::books::register::add`].
pub struct AddRegister(pub NewRegister);

/// Renames a till, or lets it sell or not, by the rules of [`domain::rules::books::register::change`].
pub struct ChangeRegister(pub RegisterId, pub register::ChangeRegister);

/// Takes over what head office tells of a till, by the rules of [`domain::rules::books::register::merge_remote`].
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
        changed(ledger, event, true, "register.created", request)
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
        changed(ledger, event, false, "register.changed", request)
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
        let said = register::ChangeRegister { name: name.clone(), state };
        let Some(event) = register::merge_remote(register_id, &said, &ledger.book)? else {
            return Ok(Decision::Answer(Answer::ok(&())));
        };
        let answer = Answer::ok(&RegisterView::from(&event.fact.register));
        Ok(Outcome::of(ledger.stamps.stamp(), event, Vec::new(), answer).into())
    }
}

fn changed(
    ledger: &Ledger,
    event: Event<fact::RegisterChanged>,
    created: bool,
    action: &str,
    request: &RequestContext,
) -> Result<Decision, Failure> {
    let register = &event.fact.register;
    let view = RegisterView::from(register);
    let id = register.register_id.as_str();
    let answer =
        if created { Answer::created(format!("/api/registers/{id}"), &view) } else { Answer::ok(&view) };
    let stamp = ledger.stamps.stamp();
    let entry = AuditEntry::new(&request.authorization(), action, stamp.now, json!(view));
    let date = dated(stamp.now, &ledger.rules, &ledger.book);
    let outcome = Outcome::of(stamp, event, Vec::new(), answer);
    Ok(outcome.audited(&ledger.stamps, Some(date), entry).into())
}
