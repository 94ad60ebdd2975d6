//! Distributes a page of the feed to the owners of its rows.
//!
//! Rows of the ledger and of members are committed by their owners first. Everything else is one commit with the
//! page's cursor afterwards. If it is interrupted in between, the page is read again and changes nothing for those
//! owners.

use super::{OWNER_DEADLINE, generation_recovery};
use crate::hub::hub_client::{CallError, Cause};
use crate::hub::inbound::{self, Parts, pulled};
use crate::message::{LedgerMessage, MembersMessage, Origin, PointsPage, SessionsMessage};
use crate::runtime::context::Context;
use crate::runtime::failure::Failure;
use crate::runtime::mailbox;
use crate::runtime::request::RequestContext;
use domain::model::base::event::Event;
use domain::model::base::ids::{SessionId, UserId};
use domain::model::inventory::transfer::Transfer;
use domain::model::people::user::{Principal, Role};
use domain::rules::hub::sync::session;
use domain::wire::feed::{Change, Coverage, Kind, MemberDown, PointsDown, RegisterDown, check};
use std::sync::Arc;

/// User ID of changes that head office made.
const HUB: &str = "hub";

/// Events of the feed's changes for this store; the events are the catalogue's. For a hub of `new_generation`, values
/// of members and settings that are newer here are sent back.
pub(super) async fn events(
    context: &Context,
    changes: &[Change],
    coverage: &Coverage,
    new_generation: bool,
) -> Result<Vec<Event>, CallError> {
    let (mut page, mut settings, mut lost) =
        (inbound::Page::of(context, new_generation), Vec::new(), Vec::new());
    let (mut people, mut unusable) = (Vec::new(), Vec::new());
    let covered = check::coverage(coverage);
    for change in changes {
        if [Kind::Member, Kind::Settings].map(Kind::name).contains(&change.kind.as_str()) {
            // Its version is the highest stamp of its fields: later writes here get later stamps.
            context.stamps.observe(&change.version);
        }
        match generation_recovery::setting(context, change)?.filter(|_| new_generation) {
            Some(newer) => lost.push(newer),
            // Sessions take them in, so that a concurrent decision about a user here is not overwritten.
            None if inbound::is_of_people(change) => people.push(change.clone()),
            // The catalogue takes it in: values set at the till until then stay on top.
            None if is_setting(change) && check::envelope(change).is_ok() => settings.push(pulled(change)),
            None => match &covered {
                Err(problem) if change.kind == Kind::Points.name() => {
                    unusable.push(inbound::noted(change, problem.to_string(), context.stamps.now()));
                }
                _ => page.take(change)?,
            },
        }
    }
    let Parts { mut events, transfers, registers, points, members, .. } = page.end();
    events.append(&mut settings);
    events.append(&mut unusable);
    for changed in lost {
        generation_recovery::send_back(context, &changed).await?;
    }
    merge_users(context, people, new_generation).await?;
    events.extend(merge_members(context, members, Origin::feed(new_generation)).await?);
    merge_points(context, points, coverage, Origin::feed(new_generation)).await?;
    events.extend(merge_transfers(context, transfers).await?);
    events.extend(merge_registers(context, registers).await?);
    Ok(events)
}

/// Applies a member who was looked up at head office, with their points. Does nothing if the member exists here
/// already, since the feed's record is newer. No record of the feed is stored, so the feed will send this member
/// again.
pub(crate) async fn merge_found_member(
    context: &Context,
    changes: &[Change],
    coverage: &Coverage,
) -> Result<(), CallError> {
    check::coverage(coverage).map_err(|problem| CallError::transient(problem.to_string()))?;
    let mut page = inbound::Page::of(context, false);
    for change in changes {
        if [Kind::Member, Kind::Points].map(Kind::name).contains(&change.kind.as_str()) {
            context.stamps.observe(&change.version);
            page.take(change)?;
        }
    }
    let Parts { points, members, .. } = page.end();
    merge_members(context, members, Origin::LookUp).await?;
    merge_points(context, points, coverage, Origin::LookUp).await
}

async fn merge_users(context: &Context, changes: Vec<Change>, new_generation: bool) -> Result<(), CallError> {
    if changes.is_empty() {
        return Ok(());
    }
    let message = |applied| SessionsMessage::ApplyFeed { changes, new_generation, applied };
    let applied = context.sessions.call(OWNER_DEADLINE, mailbox::SESSIONS, message).await?;
    applied.map_err(|failure| CallError::transient(failure.to_string()))
}

fn is_setting(change: &Change) -> bool {
    change.kind == Kind::Settings.name() && !change.deleted
}

pub(super) async fn merge_members(
    context: &Context,
    members: Vec<(Change, MemberDown)>,
    origin: Origin,
) -> Result<Vec<Event>, CallError> {
    if members.is_empty() {
        return Ok(Vec::new());
    }
    let message = |merged| MembersMessage::Merge { members, origin, merged };
    let problems = context.members.call(OWNER_DEADLINE, mailbox::MEMBERS, message).await?;
    let problems = problems.map_err(|failure| CallError::transient(failure.to_string()))?;
    let noted = |(change, problem)| inbound::noted(&change, problem, context.stamps.now());
    Ok(problems.into_iter().map(noted).collect())
}

async fn merge_points(
    context: &Context,
    points: Vec<PointsDown>,
    coverage: &Coverage,
    origin: Origin,
) -> Result<(), CallError> {
    if points.is_empty() {
        return Ok(());
    }
    own_chain(context, coverage)?;
    let (storage, coverage) = (context.storage.clone(), coverage.clone());
    let page =
        tokio::task::spawn_blocking(move || PointsPage::read(&storage, points, coverage, origin)).await;
    let page = page.map_err(|_| CallError::transient("the points could not be read"))??;
    let message = |merged| LedgerMessage::MergePoints { page, merged };
    let merged = context.ledger.call(OWNER_DEADLINE, mailbox::LEDGER, message).await?;
    merged.map_err(|failure| CallError::transient(failure.to_string()))
}

/// Balances count only over the store's own records: another hash means that the two have to talk.
fn own_chain(context: &Context, coverage: &Coverage) -> Result<(), CallError> {
    if let Some(end) = session::foreign_end(&context.storage.outbox(), &coverage.includes)? {
        let message =
            format!("the points cover record {} of {}, which is not one of this store", end.seq, end.epoch);
        return Err(CallError { cause: Cause::HelloFirst, message });
    }
    Ok(())
}

async fn merge_transfers(
    context: &Context,
    transfers: Vec<(Change, Transfer)>,
) -> Result<Vec<Event>, CallError> {
    let mut noted = Vec::new();
    for (change, transfer) in transfers {
        match merge_transfer(context, transfer).await {
            Ok(()) => {}
            // Telling it again won't help.
            Err(problem @ (Failure::Refused(_) | Failure::Internal(_))) => {
                noted.push(inbound::noted(&change, problem.to_string(), context.stamps.now()));
            }
            Err(failure) => return Err(CallError::transient(failure.to_string())),
        }
    }
    Ok(noted)
}

async fn merge_registers(
    context: &Context,
    registers: Vec<(Change, RegisterDown)>,
) -> Result<Vec<Event>, CallError> {
    let mut noted = Vec::new();
    for (change, register) in registers {
        let request = of_hub(context);
        let message = |merged| LedgerMessage::MergeRegister { register, request, merged };
        match context.ledger.call(OWNER_DEADLINE, mailbox::LEDGER, message).await? {
            Ok(_) => {}
            Err(problem @ (Failure::Refused(_) | Failure::Internal(_))) => {
                noted.push(inbound::noted(&change, problem.to_string(), context.stamps.now()));
            }
            Err(failure) => return Err(CallError::transient(failure.to_string())),
        }
    }
    Ok(noted)
}

/// A request of head office.
fn of_hub(context: &Context) -> Arc<RequestContext> {
    let caller = Principal {
        user_id: UserId::from(HUB),
        name: HUB.to_owned(),
        role: Role::Admin,
        store_id: context.rules.now().store_id.clone(),
        session_id: SessionId::from(HUB),
    };
    Arc::new(RequestContext::internal(caller))
}

/// Sends the other store's document to the ledger. Returns when its effects here are durable.
///
/// # Errors
/// [`Failure::Refused`] for a document that can't be true, by [`domain::rules::inventory::transfer::merge_remote`].
pub(crate) async fn merge_transfer(context: &Context, transfer: Transfer) -> Result<(), Failure> {
    let (request, transfer) = (of_hub(context), Box::new(transfer));
    let message = |merged| LedgerMessage::MergeTransfer { transfer, request, merged };
    context.ledger.call(OWNER_DEADLINE, mailbox::LEDGER, message).await?.map(|_| ())
}
