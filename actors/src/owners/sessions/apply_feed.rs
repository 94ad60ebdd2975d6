//! Applies users of head office. They are decided one after the other with local changes, so that neither overwrites
//! the other.

use crate::hub::inbound::{Page, Parts, as_change};
use crate::runtime::context::Context;
use crate::runtime::failure::Failure;
use domain::model::base::event::{Event, Fact};
use domain::model::people::user::User;
use domain::wire::feed::{Change, Kind};
use domain::wire::record;

/// Most people who wait for a login name and are looked at when one may be free.
const WAITING_MAX: usize = 500;

/// Applies a page, and the changes of users that wait for a login name that it freed.
pub(super) async fn apply(
    context: &Context,
    changes: &[Change],
    new_generation: bool,
) -> Result<(), Failure> {
    context.storage.writable().map_err(|why| Failure::StorageFull(why.to_string()))?;
    let mut page = Page::of(context, new_generation);
    for change in changes {
        page.take(change)?;
    }
    write(context, page.end()).await?;
    admit_waiting(context).await
}

/// Lets in who can be let in by now, because a login name is free.
pub(super) async fn admit_waiting(context: &Context) -> Result<(), Failure> {
    let mut page = Page::new(context);
    for note in context.storage.sync().untaken_of(Kind::User.name(), WAITING_MAX)? {
        let Some(kept) = context.storage.sync().inbound(&note.kind, &note.id)? else { continue };
        let change = as_change(kept);
        // Otherwise it is noted already: the same words once more are no news.
        if page.lets_in(&change) {
            page.take(&change)?;
        }
    }
    write(context, page.end()).await
}

/// One commit; whose login name head office wants is reported to head office with it.
async fn write(context: &Context, parts: Parts) -> Result<(), Failure> {
    let Parts { events, holders, .. } = parts;
    if events.is_empty() {
        return Ok(());
    }
    let record_of =
        |holder: User| record::user_changed(&context.stamps.stamp(), &afterwards(&events, holder));
    let records: Vec<String> = holders.into_iter().map(record_of).collect();
    Ok(context.commit_records(context.stamps.stamp(), events, records).await?)
}

/// The holder as this commit leaves it.
fn afterwards(events: &[Event], holder: User) -> User {
    let changed = events.iter().rev().find_map(|event| match &event.fact {
        Fact::UserChanged(it) if it.user.user_id == holder.user_id => Some(it.user.clone()),
        _ => None,
    });
    changed.unwrap_or(holder)
}
