//! Common imports of every file of a command.

pub(crate) use crate::runtime::command::{Command, Owner};
pub(crate) use crate::runtime::context::Context;
pub(crate) use crate::runtime::decide::{Decision, Outcome, ShiftDecision, ShiftDraft, not_loaded};
pub(crate) use crate::runtime::dispatch::{Dispatch, Products};
pub(crate) use crate::runtime::failure::Failure;
pub(crate) use crate::runtime::request::RequestContext;
pub(crate) use domain::model::base::answer::Answer;
pub(crate) use domain::model::base::event::{Event, fact};
pub(crate) use domain::model::base::refusal::Refusal;
pub(crate) use domain::model::base::settings::Rules;
pub(crate) use domain::model::books::ledger::LedgerBook;
pub(crate) use domain::model::books::shift::ShiftBook;
pub(crate) use domain::model::hub::stamp::Stamp;
pub(crate) use domain::model::people::audit::AuditEntry;
pub(crate) use domain::wire::record;
