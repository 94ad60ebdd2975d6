//! Reads a lane again: the hub no longer knows our cursor, so every record of the lane is read as it is now.
//!
//! The pages are gathered in a file beside the live records, which are sold from meanwhile. Only a whole
//! snapshot is taken over, and the cursor moves after its last record: interrupted, it begins again.

use super::denials::ListedUsers;
use super::feed::apply;
use super::generation_recovery;
use super::owners::{events, merge_members};
use crate::hub::hub_client::{CallError, HubClient};
use crate::hub::inbound::{DeletedRecords, key};
use crate::message::{FeedPage, Origin};
use crate::runtime::context::Context;
use crate::runtime::decide::sync_event;
use domain::model::base::ids::MemberId;
use domain::model::hub::sync::local::{Change as Kept, Inbound};
use domain::wire::feed::lane::{MEMBERS, PRICES, USERS};
use domain::wire::feed::{Change, Coverage, Kind, MemberDown, check};
use domain::wire::sync::SnapshotAnswer;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, Write};
use storage::Scratch;

/// Most pages of a snapshot: ten million records.
const PAGES_MAX: usize = 20_000;
/// A version that is before every other one.
const BEFORE_ALL: &str = "0";
/// Records that are taken over in one commit.
const RECORDS_PER_COMMIT: usize = 500;

/// A page in the file, with the own records that its balances contain.
#[derive(Serialize, Deserialize)]
struct Gathered {
    changes: Vec<Change>,
    coverage: Coverage,
}

/// Reads a lane's snapshot and takes it over, but for the cursor.
pub(super) async fn read(
    context: &Context,
    client: &HubClient,
    generation: &str,
    lane: &'static str,
    new_generation: bool,
) -> Result<FeedPage, CallError> {
    // Both are on the store's own disk: 100,000 records fit neither into memory nor into a folder in memory.
    let mut seen = context.storage.scratch()?;
    let mut file = seen.file("pages")?;
    let (mut page, mut pages): (Option<String>, usize) = (None, 0);
    let end = loop {
        let answer = client.snapshot(lane, page.as_deref()).await?;
        if answer.hub_generation != generation {
            return Err(CallError::other_generation());
        }
        let (next_page, end) = (answer.next_page.clone(), (answer.cursor.clone(), answer.hub_time));
        write(&mut file, answer, &mut seen)?;
        pages = pages.saturating_add(1);
        if pages > PAGES_MAX {
            return Err(CallError::transient("the snapshot does not end"));
        }
        // It is on the disk that selling needs.
        context.storage.writable().map_err(|why| CallError::transient(why.to_string()))?;
        match next_page {
            Some(next) if page.as_ref() == Some(&next) => {
                return Err(CallError::transient("the snapshot makes no progress"));
            }
            Some(next) => page = Some(next),
            None => break end,
        }
    };
    file.rewind().map_err(unwritable)?;
    let mut heard = ListedUsers::default();
    for line in BufReader::new(file).lines() {
        let page: Gathered = serde_json::from_str(&line.map_err(unwritable)?).map_err(|_| unread())?;
        for chunk in page.changes.chunks(RECORDS_PER_COMMIT) {
            heard.note(chunk);
            apply(context, events(context, chunk, &page.coverage, new_generation).await?).await?;
        }
    }
    if new_generation && lane == USERS {
        heard.send_back(context).await?;
        unversioned(context, &seen).await?;
    }
    if new_generation && lane == MEMBERS {
        lost_members(context, &seen).await?;
    }
    if new_generation && lane == PRICES {
        generation_recovery::settings(context, &seen).await?;
    }
    let mut gone = DeletedRecords::new(context, lane, &seen, context.stamps.now());
    while let Some(events) = gone.next()? {
        for chunk in events.chunks(RECORDS_PER_COMMIT) {
            apply(context, chunk.to_vec()).await?;
        }
    }
    Ok(FeedPage::Anew { cursor: end.0, hub_time: end.1, changes: seen.count() })
}

/// Applies the records of a restored hub about users that the store does not have, whatever their versions were
/// before.
async fn unversioned(context: &Context, seen: &Scratch) -> Result<(), CallError> {
    for kind in [Kind::User, Kind::TokenRevocation].map(Kind::name) {
        let mut after: Option<String> = None;
        loop {
            let records = context.storage.sync().inbounds(kind, after.as_deref(), RECORDS_PER_COMMIT)?;
            let Some(last) = records.last().map(|record| record.id.clone()) else { break };
            let mut events = Vec::new();
            for record in records {
                if !seen.has(&key(kind, &record.id))? {
                    let record = Inbound { version: BEFORE_ALL.to_owned(), ..record };
                    events.push(sync_event(Kept::Pulled { record }));
                }
            }
            if !events.is_empty() {
                apply(context, events).await?;
            }
            after = Some(last);
        }
    }
    Ok(())
}

/// Members that the restored hub does not have at all: all of this store's values go back, also those of a member who
/// was only looked up and had not arrived by the feed.
async fn lost_members(context: &Context, seen: &Scratch) -> Result<(), CallError> {
    let kind = Kind::Member.name();
    let mut after: Option<MemberId> = None;
    loop {
        let members = context.storage.members().members(after.as_ref(), RECORDS_PER_COMMIT)?;
        let Some(last) = members.last().map(|member| member.member_id.clone()) else { return Ok(()) };
        let mut lost = Vec::new();
        for member in members {
            let id = member.member_id.0;
            if !seen.has(&key(kind, &id))? {
                lost.push(nothing_known(context, id)?);
            }
        }
        merge_members(context, lost, Origin::NewGeneration).await?;
        after = Some(last);
    }
}

/// A record of a member without any value, in the version that head office sent last.
fn nothing_known(context: &Context, id: String) -> Result<(Change, MemberDown), CallError> {
    let kind = Kind::Member.name();
    let version = context.storage.sync().inbound(kind, &id)?.map(|record| record.version).unwrap_or_default();
    let down = MemberDown {
        member_id: id.clone(),
        joined_at: None,
        merged_into: None,
        merged: Vec::new(),
        fields: BTreeMap::new(),
    };
    let change = Change {
        cursor: String::new(),
        kind: kind.to_owned(),
        id,
        version,
        deleted: false,
        effective_at: None,
        payload: Value::Null,
    };
    Ok((change, down))
}

fn write(file: &mut File, answer: SnapshotAnswer, seen: &mut Scratch) -> Result<(), CallError> {
    let there = |change: &&Change| !change.deleted && check::envelope(change).is_ok();
    for change in answer.changes.iter().filter(there) {
        seen.add(&key(&change.kind, &change.id))?;
    }
    let page = Gathered { changes: answer.changes, coverage: answer.coverage };
    let mut text = serde_json::to_vec(&page).map_err(|_| unread())?;
    text.push(b'\n');
    file.write_all(&text).map_err(unwritable)
}

fn unwritable(error: std::io::Error) -> CallError {
    CallError::transient(format!("the snapshot could not be collected: {error}"))
}

fn unread() -> CallError {
    CallError::transient("the collected snapshot can't be read")
}
