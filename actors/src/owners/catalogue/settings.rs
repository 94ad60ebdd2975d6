//! The store's own settings of a product. They override the catalogue's row, and are reported to head office.

use crate::hub::inbound::{Page, as_change, is_of_store};
use crate::prelude::*;
use crate::runtime::command::CatalogueRows;
use crate::runtime::decide::sync_event;
use domain::model::base::event::Fact;
use domain::model::base::ids::Sku;
use domain::model::base::search;
use domain::model::hub::sync::local::Change;
use domain::model::inventory::product_settings::ProductSettings;
use domain::rules::inventory::product;
use domain::rules::inventory::product_settings;
use domain::rules::inventory::product_settings::SettingsView;
use domain::wire::feed::Kind;
use domain::wire::record::ProductSettingsChanged;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use storage::{Storage, StorageError};

/// Changes the store's own settings of a product: its reorder level, its place, by the rules of
/// [`domain::rules::inventory::product_settings::change`].
pub struct ChangeProductSettings(pub Sku, pub product_settings::ChangeProductSettings);

impl Dispatch for ChangeProductSettings {}

impl Command for ChangeProductSettings {
    type Book = CatalogueRows;
    type Rows = ();

    fn decide(
        &self,
        (): (),
        catalogue: &mut Owner<CatalogueRows>,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let (Self(sku, command), storage) = (self, &catalogue.storage);
        let mut product = storage.products().product(sku)?.ok_or(Refusal::NotFound("product"))?;
        let before =
            storage.products().product_settings(sku)?.unwrap_or_else(|| ProductSettings::of(sku.clone()));
        let (stamp, authorization) = (catalogue.stamps.stamp(), request.authorization());
        let (settings, fields) = product_settings::change(command, &before, &stamp, &authorization)?;
        settings.apply_to(&mut product);
        let answer = Answer::ok(&SettingsView {
            sku: sku.clone(),
            reorder_level: product.reorder_level,
            shelf_place: settings.shelf_place.clone(),
        });
        let kept = sync_event(Change::ProductSettings { settings });
        let events = vec![kept, Event::product_changed(product)];
        if fields.is_empty() {
            return Ok(Outcome { events, records: Vec::new(), answer, stamp, sale: None }.into());
        }
        let details = json!({"sku": sku, "fields": fields.keys().collect::<Vec<_>>()});
        let entry = AuditEntry::new(&authorization, "product_settings.changed", stamp.now, details);
        let written = ProductSettingsChanged { id: sku.clone(), fields };
        let records = vec![record::product_settings_changed(&stamp, &written)];
        let outcome = Outcome { events, records, answer, stamp, sale: None };
        Ok(outcome.audited(&catalogue.stamps, None, entry).into())
    }
}

/// Merges settings of head office among the events into the present settings; returns whether there were any.
pub(super) fn merge_settings(context: &Context, events: &mut Vec<Event>) -> Result<bool, StorageError> {
    let (mut page, mut others, mut any) = (Page::new(context), Vec::with_capacity(events.len()), false);
    for event in events.drain(..) {
        match event.fact {
            Fact::SyncChanged(it) => match it.change {
                Change::Pulled { record } if record.kind == Kind::Settings.name() => {
                    page.take(&as_change(record))?;
                    any = true;
                }
                other => others.push(sync_event(other)),
            },
            _ => others.push(event),
        }
    }
    *events = page.end().events;
    events.append(&mut others);
    Ok(any)
}

/// Whether the events set or delete head office's settings for the store.
pub(super) fn of_store(events: &[Event]) -> bool {
    events.iter().any(|event| match &event.fact {
        Fact::SyncChanged(it) => match &it.change {
            Change::Pulled { record } => is_of_store(&record.kind, &record.id),
            Change::Gone { kind, id } => is_of_store(kind, id),
            _ => false,
        },
        _ => false,
    })
}

/// Applies the store's settings to every product among the events: settings in the same events, otherwise the stored
/// ones. Sets the search words that each product loses, and returns whether there are any.
pub(super) fn apply_settings(storage: &Storage, events: &mut [Event]) -> Result<bool, StorageError> {
    let in_events = |event: &Event| match &event.fact {
        Fact::SyncChanged(it) => match &it.change {
            Change::ProductSettings { settings } => Some((settings.sku.clone(), settings.clone())),
            _ => None,
        },
        _ => None,
    };
    let in_events: BTreeMap<Sku, ProductSettings> = events.iter().filter_map(in_events).collect();
    let mut words: BTreeMap<Sku, BTreeSet<String>> = BTreeMap::new();
    let mut any = false;
    for event in events {
        let Fact::ProductChanged(changed) = &mut event.fact else { continue };
        let fact::ProductChanged { product, lost_words } = &mut **changed;
        let before = match words.get(&product.sku) {
            Some(words) => words.clone(),
            None => {
                storage.products().product(&product.sku)?.map(|it| product::words(&it)).unwrap_or_default()
            }
        };
        let after = product::words(product);
        *lost_words = search::lost(before, &after);
        any |= !lost_words.is_empty();
        words.insert(product.sku.clone(), after);
        match in_events.get(&product.sku) {
            Some(settings) => settings.apply_to(product),
            None => {
                if let Some(settings) = storage.products().product_settings(&product.sku)? {
                    settings.apply_to(product);
                }
            }
        }
    }
    Ok(any)
}
