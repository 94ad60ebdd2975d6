//! What the store settles about a product: on top of the catalogue's row, and told to head office.

use crate::door::Door;
use crate::failure::Failure;
use crate::hub_connection::again;
use crate::inbound::Page;
use crate::pending::{Outcome, Pending};
use crate::shift::guarded;
use crate::who::Who;
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::event::Event;
use domain::ids::Sku;
use domain::product;
use domain::product_settings::{self, ChangeProductSettings, ProductSettings, SettingsView};
use domain::record::{self, ProductSettingsChanged};
use domain::refusal::Refusal;
use domain::search;
use domain::sync::Kind;
use domain::sync::local::Change;
use std::collections::{BTreeMap, BTreeSet};
use storage::{StorageError, Unconfirmed};

/// Changes a product's settings, and waits until they are in the rows: the next change decides on them.
pub(super) async fn change(
    door: &Door,
    sku: &Sku,
    command: &ChangeProductSettings,
    who: &Who,
    pending: Pending,
) -> Result<(), Unconfirmed> {
    match changed(door, sku, command, who) {
        Err(failure) => pending.refuse(&door.storage, failure),
        Ok(outcome) => {
            if pending.ready(outcome).is_some_and(|ready| ready.submit(&door.storage)) {
                door.storage.barrier().await?;
            }
        }
    }
    Ok(())
}

fn changed(door: &Door, sku: &Sku, command: &ChangeProductSettings, who: &Who) -> Result<Outcome, Failure> {
    let mut product = door.storage.product(sku)?.ok_or(Refusal::NotFound("product"))?;
    let before = door.storage.product_settings(sku)?.unwrap_or_else(|| ProductSettings::of(sku.clone()));
    let stamp = door.stamps.stamp();
    let mandate = who.mandate();
    let (settings, fields) = guarded(|| product_settings::change(command, &before, &stamp, &mandate))?;
    settings.on(&mut product);
    let answer = Answer::ok(&SettingsView {
        sku: sku.clone(),
        reorder_level: product.reorder_level,
        shelf_place: settings.shelf_place.clone(),
    });
    let kept = Event::Sync { change: Box::new(Change::ProductSettings { settings }) };
    let events = vec![kept, Event::product_changed(product)];
    if fields.is_empty() {
        return Ok(Outcome { events, records: Vec::new(), answer, stamp });
    }
    let names = fields.keys().map(String::as_str).collect::<Vec<_>>().join(",");
    let details = [("sku", sku.as_str()), ("fields", &names)];
    let entry = AuditEntry::new(&mandate, "product_settings.changed", stamp.now, &details);
    let written = ProductSettingsChanged { id: sku.clone(), fields };
    let records = vec![record::product_settings_changed(&stamp, &written)];
    Ok(Outcome { events, records, answer, stamp }.audited(&door.stamps, None, entry))
}

/// Takes in what head office says of settings, over what is settled here by now; whether there was any.
pub(super) fn told(door: &Door, events: &mut Vec<Event>) -> Result<bool, StorageError> {
    let (mut page, mut others, mut any) = (Page::new(door), Vec::with_capacity(events.len()), false);
    for event in events.drain(..) {
        match event {
            Event::Sync { change } => match *change {
                Change::Pulled { record } if record.kind == Kind::Settings.name() => {
                    page.take(&again(record))?;
                    any = true;
                }
                other => others.push(crate::hub_connection::change(other)),
            },
            other => others.push(other),
        }
    }
    *events = page.end().events;
    events.append(&mut others);
    Ok(any)
}

/// Puts the store's settings on every product among the events: those that come with them, else as they are.
/// Says which words find it no more, and whether there were any.
pub(super) fn on_top(door: &Door, events: &mut [Event]) -> Result<bool, StorageError> {
    let told = |event: &Event| match event {
        Event::Sync { change } => match change.as_ref() {
            Change::ProductSettings { settings } => Some((settings.sku.clone(), settings.clone())),
            _ => None,
        },
        _ => None,
    };
    let told: BTreeMap<Sku, ProductSettings> = events.iter().filter_map(told).collect();
    let mut words: BTreeMap<Sku, BTreeSet<String>> = BTreeMap::new();
    let mut any = false;
    for event in events {
        let Event::ProductChanged { product, lost_words } = event else { continue };
        let before = match words.get(&product.sku) {
            Some(words) => words.clone(),
            None => door.storage.product(&product.sku)?.map(|it| product::words(&it)).unwrap_or_default(),
        };
        let after = product::words(product);
        *lost_words = search::lost(before, &after);
        any |= !lost_words.is_empty();
        words.insert(product.sku.clone(), after);
        match told.get(&product.sku) {
            Some(settings) => settings.on(product),
            None => {
                if let Some(settings) = door.storage.product_settings(&product.sku)? {
                    settings.on(product);
                }
            }
        }
    }
    Ok(any)
}
