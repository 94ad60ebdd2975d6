//! A page of the feed among those who own its rows.
//!
//! What the ledger and the members own is durable with them first; everything else and the page's cursor are
//! one commit afterwards. Interrupted in between, the page comes again, and says nothing new to them.

use super::{OWNER_DEADLINE, regained};
use crate::door::Door;
use crate::failure::Failure;
use crate::handle::StoreHandle;
use crate::hub_client::{CallError, Cause};
use crate::inbound::{self, Parts, pulled};
use crate::ledger::{LedgerMessage, PointsPage};
use crate::members::{MembersMessage, Telling};
use crate::sessions::SessionsMessage;
use domain::event::Event;
use domain::sync::{Change, Coverage, Kind, MemberDown, PointsDown};
use domain::sync::{check, session};
use domain::transfer::Transfer;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// What changes of the feed mean here; the events are the catalogue's. Of a hub of `another_life` values of
/// members and settings that are newer here are sent back.
pub(super) async fn events(
    door: &Door,
    changes: &[Change],
    coverage: &Coverage,
    another_life: bool,
) -> Result<Vec<Event>, CallError> {
    let (mut page, mut settings, mut lost) = (inbound::Page::of(door, another_life), Vec::new(), Vec::new());
    let (mut people, mut unusable) = (Vec::new(), Vec::new());
    let covered = check::coverage(coverage);
    for change in changes {
        if [Kind::Member, Kind::Settings].map(Kind::name).contains(&change.kind.as_str()) {
            // Its version is the highest stamp of its fields: what is written here from now on is later.
            door.stamps.saw(&change.version);
        }
        match regained::setting(door, change)?.filter(|_| another_life) {
            Some(newer) => lost.push(newer),
            // Sessions take them in: what is decided about somebody here meanwhile is not written over.
            None if inbound::is_of_people(change) => people.push(change.clone()),
            // The catalogue takes it in: what is settled at the till until then stays on top.
            None if is_setting(change) && check::envelope(change).is_ok() => settings.push(pulled(change)),
            None => match &covered {
                Err(problem) if change.kind == Kind::Points.name() => {
                    unusable.push(inbound::noted(change, problem.to_string(), door.stamps.now()));
                }
                _ => page.take(change)?,
            },
        }
    }
    let Parts { mut events, transfers, points, members, .. } = page.end();
    events.append(&mut settings);
    events.append(&mut unusable);
    for changed in lost {
        regained::send_back(door, &changed).await?;
    }
    tell_people(door, people, another_life).await?;
    events.extend(tell_members(door, members, Telling::feed(another_life)).await?);
    tell_points(door, points, coverage, Telling::feed(another_life)).await?;
    events.extend(tell_transfers(door, transfers).await?);
    Ok(events)
}

/// A member that was asked for, with its points. Whom the feed has brought meanwhile it tells better, and it tells of
/// this one once more: nothing is taken in that is here, and no record is kept.
pub(crate) async fn met(door: &Door, changes: &[Change], coverage: &Coverage) -> Result<(), CallError> {
    check::coverage(coverage).map_err(|problem| CallError::transient(problem.to_string()))?;
    let mut page = inbound::Page::of(door, false);
    for change in changes {
        if [Kind::Member, Kind::Points].map(Kind::name).contains(&change.kind.as_str()) {
            door.stamps.saw(&change.version);
            page.take(change)?;
        }
    }
    let Parts { points, members, .. } = page.end();
    tell_members(door, members, Telling::Met).await?;
    tell_points(door, points, coverage, Telling::Met).await
}

async fn tell_people(door: &Door, changes: Vec<Change>, another_life: bool) -> Result<(), CallError> {
    if changes.is_empty() {
        return Ok(());
    }
    let (told, done) = oneshot::channel();
    let restarting = || CallError::transient("sessions are restarting");
    let sent = door.sessions.send(SessionsMessage::Told { changes, another_life, told }).await;
    sent.map_err(|_| restarting())?;
    let late = |_| CallError::transient("sessions do not answer in time");
    let told = timeout(OWNER_DEADLINE, done).await.map_err(late)?.map_err(|_| restarting())?;
    told.map_err(|failure| CallError::transient(failure.to_string()))
}

fn is_setting(change: &Change) -> bool {
    change.kind == Kind::Settings.name() && !change.deleted
}

pub(super) async fn tell_members(
    door: &Door,
    members: Vec<(Change, MemberDown)>,
    telling: Telling,
) -> Result<Vec<Event>, CallError> {
    if members.is_empty() {
        return Ok(Vec::new());
    }
    let (told, done) = oneshot::channel();
    let restarting = || CallError::transient("members are restarting");
    let sent = door.members.send(MembersMessage::Told { members, telling, told }).await;
    sent.map_err(|_| restarting())?;
    let late = |_| CallError::transient("members do not answer in time");
    let problems = timeout(OWNER_DEADLINE, done).await.map_err(late)?.map_err(|_| restarting())?;
    let problems = problems.map_err(|failure| CallError::transient(failure.to_string()))?;
    let noted = |(change, problem)| inbound::noted(&change, problem, door.stamps.now());
    Ok(problems.into_iter().map(noted).collect())
}

async fn tell_points(
    door: &Door,
    points: Vec<PointsDown>,
    coverage: &Coverage,
    telling: Telling,
) -> Result<(), CallError> {
    if points.is_empty() {
        return Ok(());
    }
    own_chain(door, coverage)?;
    let (storage, coverage) = (door.storage.clone(), coverage.clone());
    let page =
        tokio::task::spawn_blocking(move || PointsPage::read(&storage, points, coverage, telling)).await;
    let page = page.map_err(|_| CallError::transient("the points could not be read"))??;
    let (told, done) = oneshot::channel();
    let restarting = || CallError::transient("the ledger is restarting");
    let sent = door.ledger.send(LedgerMessage::TellPoints { page, told }).await;
    sent.map_err(|_| restarting())?;
    let late = |_| CallError::transient("the ledger does not answer in time");
    let told = timeout(OWNER_DEADLINE, done).await.map_err(late)?.map_err(|_| restarting())?;
    told.map_err(|failure| CallError::transient(failure.to_string()))
}

/// Balances count only over the store's own records: another hash means that the two have to talk.
fn own_chain(door: &Door, coverage: &Coverage) -> Result<(), CallError> {
    if let Some(end) = session::foreign_end(&door.storage, &coverage.includes)? {
        let message = format!("points cover record {} of {}, which is not ours", end.seq, end.epoch);
        return Err(CallError { cause: Cause::HelloFirst, message });
    }
    Ok(())
}

async fn tell_transfers(door: &Door, transfers: Vec<(Change, Transfer)>) -> Result<Vec<Event>, CallError> {
    let store = StoreHandle::new(door.clone());
    let mut noted = Vec::new();
    for (change, transfer) in transfers {
        match store.transfer_told(transfer).await {
            Ok(()) => {}
            // Telling it again won't help.
            Err(problem @ (Failure::Refused(_) | Failure::Internal(_))) => {
                noted.push(inbound::noted(&change, problem.to_string(), door.stamps.now()));
            }
            Err(failure) => return Err(CallError::transient(failure.to_string())),
        }
    }
    Ok(noted)
}
