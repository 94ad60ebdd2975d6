//! A value that lost against the hub's, or the hub's that lost, is put back: one click, one new write.

use super::{MembersOwner, load_book};
use crate::prelude::*;
use crate::runtime::command::MemberRows;
use crate::runtime::decide::sync_event;
use crate::view::{ConflictView, value};
use domain::model::base::ids::{MemberId, Sku};
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::local::{Change, ConflictNote};
use domain::rules::people::member;
use domain::wire::feed::{MemberDown, SettingDown};
use domain::wire::record::{FieldWrite, MemberChanged, ProductSettingsChanged};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Puts a value back that lost against another one, as a new write, by the rules of [`domain::rules::people::member::restore`]; one that
/// was put back before is refused. One that head office has put back is only noted: a second write could undo a later
/// one.
pub struct RestoreConflict(pub String);

impl Dispatch for RestoreConflict {}

impl Command for RestoreConflict {
    type Book = MemberRows;
    type Rows = ();

    fn decide(
        &self,
        (): (),
        members: &mut MembersOwner,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let (id, stamp) = (self.0.clone(), members.stamps.stamp());
        let note = members.storage.sync().conflict(&id)?.ok_or(Refusal::NotFound("the conflict"))?;
        if note.restored_at.is_some() {
            return Err(Refusal::InvalidState { state: "restored".to_owned(), allowed: Vec::new() }.into());
        }
        let note = ConflictNote { restored_at: Some(stamp.now), ..note };
        let (mut outcome, is_back) = match note.conflict.resource.as_str() {
            "member" => of_member(members, &note, stamp, request)?,
            "product_settings" => of_product(members, &note, stamp, request)?,
            _ => return Err(Refusal::NotFound("the record of the conflict").into()),
        };
        if is_back {
            outcome.events.clear();
            outcome.records.clear();
        }
        outcome.events.push(sync_event(Change::Conflict { id, conflict: value(&note) }));
        outcome.answer = Answer::ok(&ConflictView::of(note));
        Ok(outcome.into())
    }
}

/// The new write, and whether head office has the value by now.
fn of_member(
    members: &MembersOwner,
    note: &ConflictNote,
    stamp: Stamp,
    request: &RequestContext,
) -> Result<(Outcome, bool), Failure> {
    let (field, lost) = lost(note)?;
    let id = MemberId(note.conflict.id.clone());
    let book = load_book(members, Some(&id), member::key_of(field, lost).into_iter().collect())?;
    let event = member::restore(&id, (field, lost), &stamp, &request.authorization(), &book)?;
    let known = members.storage.sync().inbound("member", id.as_str())?;
    let known = known.and_then(|known| serde_json::from_value::<MemberDown>(known.payload).ok());
    let mark = || Some(book.members.get(&id)?.marks.get(field)?.event_id.clone());
    let seen = known.and_then(|known| Some(known.fields.get(field)?.by.clone())).or_else(mark);
    let fields = written((field, lost), &stamp, seen);
    let record = record::member_written(&stamp, &MemberChanged { id: id.clone(), fields });
    let details = json!({"member_id": id, "fields": [field]});
    let is_back = member::is_back(&id, (field, lost), &book);
    Ok((
        audited(members, (vec![event.into()], record), request, stamp.now, "member.changed", details),
        is_back,
    ))
}

/// The field, and the value that lost.
fn lost(note: &ConflictNote) -> Result<(&str, &Value), Failure> {
    Ok(note.conflict.lost().ok_or(Refusal::NotFound("the value that lost"))?)
}

/// The write. It is based on the version that was displayed, so it wins whatever the stamps are.
fn written(
    (field, lost): (&str, &Value),
    stamp: &Stamp,
    seen: Option<String>,
) -> BTreeMap<String, FieldWrite> {
    let (value, at) = (lost.clone(), stamp.at.clone());
    BTreeMap::from([(field.to_owned(), FieldWrite { value, at, base: seen.unwrap_or_default() })])
}

/// The store's own settings of a product are reported to the hub, which sends back the values that count.
fn of_product(
    members: &MembersOwner,
    note: &ConflictNote,
    stamp: Stamp,
    request: &RequestContext,
) -> Result<(Outcome, bool), Failure> {
    let (field, lost) = lost(note)?;
    let sku = note.conflict.id.split_once(':').map_or(note.conflict.id.as_str(), |(_, sku)| sku);
    let known = members.storage.sync().inbound("settings", &format!("product:{sku}:{field}"))?;
    let known = known.and_then(|known| serde_json::from_value::<SettingDown>(known.payload).ok());
    let fields = written((field, lost), &stamp, known.map(|setting| setting.by));
    let id = Sku(sku.to_owned());
    let settings = members.storage.products().product_settings(&id)?;
    let is_back = settings.is_some_and(|settings| settings.is_back(field, lost));
    let record = record::product_settings_changed(&stamp, &ProductSettingsChanged { id, fields });
    let details = json!({"sku": sku, "fields": [field]});
    let outcome =
        audited(members, (Vec::new(), record), request, stamp.now, "product_settings.changed", details);
    Ok((outcome, is_back))
}

/// With the audit log's entry: the field, never its value. The command makes the answer.
fn audited(
    members: &MembersOwner,
    (mut events, record): (Vec<Event>, String),
    request: &RequestContext,
    now: UtcMs,
    action: &str,
    details: Value,
) -> Outcome {
    let entry = AuditEntry::new(&request.authorization(), action, now, details);
    let stamp = members.stamps.stamp();
    let records = vec![record, record::audit_recorded(&stamp, None, &entry)];
    events.push(fact::Audited { entry }.into());
    Outcome { events, records, answer: Answer::ok(&()), stamp, sale: None }
}
