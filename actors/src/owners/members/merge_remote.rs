//! Members as head office has them: values of the feed, with own writes on top until their outcome is here.

use crate::hub::inbound::{SETTLED_AT_ONCE, kept_outcome};
use crate::message::Origin;
use crate::runtime::context::Context;
use crate::runtime::decide::{guarded, sync_event};
use crate::runtime::failure::Failure;
use domain::model::base::event::Event;
use domain::model::base::ids::MemberId;
use domain::model::hub::sync::local::{Change as Kept, OwnWrite};
use domain::rules::people::member;
use domain::rules::people::member::Heard;
use domain::wire::feed::{Change, Kind, MemberDown};
use domain::wire::record;
use domain::wire::record::MemberChanged;
use std::collections::{BTreeMap, BTreeSet};

/// Applies a page's members: each ID once, by its last record. Returns the records that could not be used. Values that
/// a restored hub lost stay here, and are sent back.
pub(super) async fn merge(
    context: &Context,
    members: Vec<(Change, MemberDown)>,
    origin: Origin,
) -> Result<Vec<(Change, String)>, Failure> {
    let last: BTreeMap<String, (Change, MemberDown)> =
        members.into_iter().map(|(change, down)| (down.member_id.clone(), (change, down))).collect();
    let (mut events, mut problems, mut lost) = (Vec::new(), Vec::new(), Vec::new());
    for (change, mut down) in last.into_values() {
        if origin == Origin::LookUp
            && context.storage.members().member(&MemberId(down.member_id.clone()))?.is_some()
        {
            continue;
        }
        if origin == Origin::NewGeneration {
            lost.extend(missing(context, &mut down)?);
        }
        match merge_record(context, &down, &change.version) {
            Ok(heard) => events.extend(heard),
            Err(problem @ Failure::Refused(_)) => problems.push((change, problem.to_string())),
            Err(failure) => return Err(failure),
        }
    }
    commit(context, events).await?;
    for changed in lost {
        send_back(context, &changed).await?;
    }
    Ok(problems)
}

/// Removes the fields of a record that are older in it than here.
fn missing(context: &Context, down: &mut MemberDown) -> Result<Option<MemberChanged>, Failure> {
    let id = MemberId(down.member_id.clone());
    let Some(known) = context.storage.members().member(&id)? else { return Ok(None) };
    let fields = member::newer_fields(down, &known, &context.rules.now().store_id);
    down.fields.retain(|field, _| !fields.contains_key(field));
    Ok((!fields.is_empty()).then_some(MemberChanged { id, fields }))
}

/// Interrupted before the cursor moves it is sent once more: the same value with the same stamp.
async fn send_back(context: &Context, changed: &MemberChanged) -> Result<(), Failure> {
    let stamp = context.stamps.stamp();
    let records = vec![record::member_written(&stamp, changed)];
    Ok(context.commit_records(stamp, Vec::new(), records).await?)
}

/// Settles every write that waits for its outcome.
pub(super) async fn settle_all(context: &Context) -> Result<(), Failure> {
    let mut after: Option<OwnWrite> = None;
    loop {
        let writes =
            context.storage.sync().own_writes_after(Kind::Member.name(), after.as_ref(), SETTLED_AT_ONCE)?;
        let Some(last) = writes.last().cloned() else { return Ok(()) };
        settle(context, &writes).await?;
        after = Some(last);
    }
}

/// Head office decided on own writes: where the feed has the outcome already, it is taken in now.
pub(super) async fn settle(context: &Context, writes: &[OwnWrite]) -> Result<(), Failure> {
    for writes in writes.chunks(SETTLED_AT_ONCE) {
        let (mut events, mut seen) = (Vec::new(), BTreeSet::new());
        for write in writes {
            // One record contains the results of all writes to it.
            if seen.contains(&write.id) {
                continue;
            }
            let Some(kept) = kept_outcome(&context.storage, write)? else { continue };
            seen.insert(&write.id);
            let Ok(down) = serde_json::from_value::<MemberDown>(kept.payload) else { continue };
            match merge_record(context, &down, &kept.version) {
                // Noted when it came.
                Err(Failure::Refused(_)) => {}
                heard => events.extend(heard?),
            }
        }
        commit(context, events).await?;
    }
    Ok(())
}

/// Events of a record here, and the own writes whose outcome is in it.
fn merge_record(context: &Context, down: &MemberDown, version: &str) -> Result<Vec<Event>, Failure> {
    let known = context.storage.members().member(&MemberId(down.member_id.clone()))?;
    let writes = context.storage.sync().own_writes(Kind::Member.name(), &down.member_id)?;
    let decided = writes.iter().map(|write| (write.event_id.clone(), write.version.clone()));
    let heard = Heard { version, decided: &decided.collect(), now: context.stamps.now() };
    let changed = guarded(|| member::apply_feed(down, known.as_ref(), &heard))?;
    let reached = writes.into_iter().filter(|write| write.version.as_str() <= version);
    let reached = reached.map(|write| sync_event(Kept::Reached { write }));
    Ok(changed.into_iter().map(Event::from).chain(reached).collect())
}

async fn commit(context: &Context, events: Vec<Event>) -> Result<(), Failure> {
    if events.is_empty() {
        return Ok(());
    }
    context.storage.writable().map_err(|why| Failure::StorageFull(why.to_string()))?;
    Ok(context.commit(events).await?)
}
