//! A value that lost against the hub's, or the hub's that lost, is put back: one click, one new write.

use super::book;
use crate::door::Door;
use crate::failure::Failure;
use crate::hub_connection::change;
use crate::pending::Outcome;
use crate::shift::guarded;
use crate::view::{ConflictView, value};
use crate::who::Who;
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::event::{Event, Stamp};
use domain::ids::{MemberId, Sku};
use domain::member;
use domain::record::{self, FieldWrite, MemberChanged, ProductSettingsChanged};
use domain::refusal::Refusal;
use domain::sync::local::{Change, ConflictNote};
use domain::sync::{MemberDown, SettingDown};
use domain::time::UtcMs;
use std::collections::BTreeMap;

/// What putting the value back comes to: the write, and the conflict's row.
pub(super) fn decide(door: &Door, id: &str, stamp: Stamp, who: &Who) -> Result<Outcome, Failure> {
    let note = door.storage.conflict(id)?.ok_or(Refusal::NotFound("the conflict"))?;
    if note.restored_at.is_some() {
        return Err(Refusal::InvalidState { state: "restored".to_owned(), allowed: Vec::new() }.into());
    }
    let note = ConflictNote { restored_at: Some(stamp.now), ..note };
    let mut done = match note.conflict.resource.as_str() {
        "member" => of_member(door, &note, stamp, who)?,
        "product_settings" => of_product(door, &note, stamp, who)?,
        _ => return Err(Refusal::NotFound("the record of the conflict").into()),
    };
    done.events.push(change(Change::Conflict { id: id.to_owned(), conflict: value(&note) }));
    done.answer = Answer::ok(&ConflictView::of(note));
    Ok(done)
}

fn of_member(door: &Door, note: &ConflictNote, stamp: Stamp, who: &Who) -> Result<Outcome, Failure> {
    let (field, lost) = (&note.conflict.field, &note.conflict.lost);
    let id = MemberId(note.conflict.id.clone());
    let book = book(door, Some(&id), member::key_of(field, lost).into_iter().collect())?;
    let event = guarded(|| member::restore(&id, (field, lost), &stamp, &who.mandate(), &book))?;
    let known = door.storage.inbound("member", id.as_str())?;
    let known = known.and_then(|known| serde_json::from_value::<MemberDown>(known.payload).ok());
    let mark = || Some(book.members.get(&id)?.marks.get(field)?.event_id.clone());
    let seen = known.and_then(|known| Some(known.fields.get(field)?.by.clone())).or_else(mark);
    let fields = written(note, &stamp, seen);
    let record = record::member_written(&stamp, &MemberChanged { id: id.clone(), fields });
    let details = [("member_id", id.as_str()), ("fields", field.as_str())];
    Ok(audited(door, (vec![event], record), who, stamp.now, "member.changed", &details))
}

/// The write: on top of what was seen of the field, so that it wins whatever the stamps say.
fn written(note: &ConflictNote, stamp: &Stamp, seen: Option<String>) -> BTreeMap<String, FieldWrite> {
    let (value, at) = (note.conflict.lost.clone(), stamp.at.clone());
    BTreeMap::from([(note.conflict.field.clone(), FieldWrite { value, at, base: seen.unwrap_or_default() })])
}

/// The store's own settings of a product are told to the hub, which sends back what counts.
fn of_product(door: &Door, note: &ConflictNote, stamp: Stamp, who: &Who) -> Result<Outcome, Failure> {
    let field = &note.conflict.field;
    let sku = note.conflict.id.split_once(':').map_or(note.conflict.id.as_str(), |(_, sku)| sku);
    let known = door.storage.inbound("settings", &format!("product:{sku}:{field}"))?;
    let known = known.and_then(|known| serde_json::from_value::<SettingDown>(known.payload).ok());
    let fields = written(note, &stamp, known.map(|setting| setting.by));
    let record =
        record::product_settings_changed(&stamp, &ProductSettingsChanged { id: Sku(sku.to_owned()), fields });
    let details = [("sku", sku), ("fields", field.as_str())];
    Ok(audited(door, (Vec::new(), record), who, stamp.now, "product_settings.changed", &details))
}

/// With the audit log's entry: which field, never what was in it. The answer is made by [`decide`].
fn audited(
    door: &Door,
    (mut events, record): (Vec<Event>, String),
    who: &Who,
    now: UtcMs,
    action: &str,
    details: &[(&str, &str)],
) -> Outcome {
    let entry = AuditEntry::new(&who.mandate(), action, now, details);
    let stamp = door.stamps.stamp();
    let records = vec![record, record::audit_recorded(&stamp, None, &entry)];
    events.push(Event::Audited { entry });
    Outcome { events, records, answer: Answer::ok(&()), stamp }
}
