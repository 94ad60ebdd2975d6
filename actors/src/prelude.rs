//! What every file of a command is written with.

pub(crate) use crate::command::{Command, Owner};
pub(crate) use crate::context::Context;
pub(crate) use crate::decide::{Decision, Outcome, ShiftDecision, ShiftDraft, internal_mismatch};
pub(crate) use crate::dispatch::{Dispatch, Products};
pub(crate) use crate::failure::Failure;
pub(crate) use crate::request::RequestContext;
pub(crate) use domain::answer::Answer;
pub(crate) use domain::audit::AuditEntry;
pub(crate) use domain::event::{Event, Stamp};
pub(crate) use domain::ledger::LedgerBook;
pub(crate) use domain::record;
pub(crate) use domain::refusal::Refusal;
pub(crate) use domain::settings::Rules;
pub(crate) use domain::shift::ShiftBook;
