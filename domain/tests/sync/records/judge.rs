//! The end of a history: all faults are over, and then all places are the same.

use super::goods::PIECES;
use super::hub::{MEMBER, SETTINGS};
use super::staff::person;
use super::store::SKU;
use super::world::{MEMBERS, World};
use domain::model::base::ids::Sku;
use domain::model::inventory::transfer::TransferState;
use domain::wire::feed::Kind;
use domain::wire::record::Record;
use serde_json::{Value, json};
use std::collections::BTreeSet;

impl World {
    /// Checks what must hold at every moment.
    pub fn well(&mut self) -> Result<(), String> {
        let now = self.now();
        self.hub.sane(now)?;
        self.wrong.clone().map_or(Ok(()), Err)?;
        if let Some(store) = self.stores.iter().find(|store| !store.keeps_out()) {
            return Err(format!("store {} lets in whom head office keeps out", store.number));
        }
        match self.stores.iter().find(|store| store.reordered) {
            Some(store) => Err(format!("store {}: its own writes are out of order", store.number)),
            None => Ok(()),
        }
    }

    /// Ends all faults, and asserts that all places are the same.
    pub fn finish(&mut self) -> Result<(), String> {
        self.say("--- quiet".to_owned());
        while !self.idle() {
            self.office_commits(0);
        }
        for _ in 0..2 {
            for store in 0..self.stores.len() {
                self.talk(store);
            }
        }
        self.well()?;
        self.fields()?;
        self.live()?;
        self.denials()?;
        self.goods()?;
        self.nothing_vanished()
    }

    fn fields(&self) -> Result<(), String> {
        for store in 0..self.stores.len() {
            for id in MEMBERS {
                for field in ["name", "tier"] {
                    let hub = &self.hub.shared[&(MEMBER, id.to_owned())].fields[field].value;
                    let here = self.shows(store, id, field);
                    if json!(here) != *hub {
                        return Err(format!("{field} of {id}: store {store} shows {here}, the hub {hub}"));
                    }
                }
            }
            let settled = self.stores[store].settled(&Sku(SKU.to_owned()));
            let hub = self.hub.shared.get(&(SETTINGS, format!("{store}:{SKU}")));
            let of = |field: &str| {
                hub.and_then(|hub| hub.fields.get(field)).map_or(Value::Null, |now| now.value.clone())
            };
            if json!(settled.reorder_level) != of("reorder_level")
                || json!(settled.shelf_place) != of("shelf_place")
            {
                return Err(format!("settings of store {store}: {settled:?}"));
            }
        }
        Ok(())
    }

    /// Asserts that denied users are disabled, and that both sides agree on every user.
    fn denials(&self) -> Result<(), String> {
        for (number, store) in self.stores.iter().enumerate() {
            let hub = &self.hub.staff[&person(number)];
            let here = store.disk.users.values().next().unwrap();
            if (here.disabled, here.token_version) != (hub.disabled, hub.token_version) {
                return Err(format!("the person of store {number}: {here:?}, at the hub {hub:?}"));
            }
            if self.denied[number] && !here.disabled {
                return Err(format!("store {number} lets in who was kept out"));
            }
        }
        Ok(())
    }

    /// Asserts that the hub's sums are those of the stores, that nothing is doubled or lost, and that both ends agree.
    fn goods(&self) -> Result<(), String> {
        let mut pieces = 0;
        for (number, store) in self.stores.iter().enumerate() {
            let (here, there) = (store.disk.pieces(), self.hub.stock[&number]);
            if here != there {
                return Err(format!("store {number} has {here} pieces, the hub says {there}"));
            }
            pieces += here;
            for (id, transfer) in &store.disk.transfers {
                let hub = &self.hub.transfers[id.as_str()].transfer;
                if transfer.state != hub.state {
                    return Err(format!(
                        "{id}: {:?} at store {number}, {:?} at the hub",
                        transfer.state, hub.state
                    ));
                }
                if transfer.cancel_lost && !self.hub.exceptions.contains(id.as_str()) {
                    return Err(format!("{id} was called off and received, and nobody is told"));
                }
                if transfer.from_store_id == store.rules.store_id
                    && transfer.state != TransferState::Cancelled
                {
                    let line = &transfer.lines[0];
                    pieces += line.qty.saturating_sub(line.received_qty.unwrap_or_default()).get();
                }
            }
        }
        if pieces != PIECES * self.stores.len() as i64 {
            return Err(format!("{pieces} pieces in stores and on their way"));
        }
        Ok(())
    }

    fn live(&self) -> Result<(), String> {
        for (number, store) in self.stores.iter().enumerate() {
            let hub = self.hub.feed.live(number, Kind::Supplier);
            let mine = store.disk.inbound.iter().filter(|((kind, _), _)| kind == Kind::Supplier.name());
            let mine = mine.map(|((_, id), kept)| (id.clone(), kept.payload.clone())).collect();
            if hub != mine {
                return Err(format!("store {number} has the suppliers {mine:?}, the hub {hub:?}"));
            }
        }
        Ok(())
    }

    /// Asserts that each value is current, was replaced by a write that knew it, or is a conflict.
    fn nothing_vanished(&self) -> Result<(), String> {
        let members = self.hub.shared.iter().filter(|((resource, _), _)| *resource == MEMBER);
        let current: BTreeSet<String> = members
            .flat_map(|(_, shared)| shared.fields.values())
            .filter_map(|now| now.value.as_str().map(str::to_owned))
            .collect();
        let seen: BTreeSet<&String> = self.written.values().map(|written| &written.saw).collect();
        for (value, written) in &self.written {
            let kept =
                current.contains(value) || seen.contains(value) || self.hub.lost.contains(&json!(value));
            // After a restore of the hub, a value of head office may be older than what was written since.
            let excused = written.gone || written.by.is_none() && self.generations > 1 && !self.strict;
            if !kept && !excused {
                return Err(format!("{value} vanished: {written:?}"));
            }
            if current.contains(value) && seen.contains(value) && (self.generations == 1 || self.strict) {
                return Err(format!("{value} counts, although somebody replaced it"));
            }
        }
        Ok(())
    }

    /// Returns every value that is stored anywhere.
    pub fn everything(&self) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        for now in self.hub.shared.values().flat_map(|shared| shared.fields.values()) {
            all.extend(now.value.as_str().map(str::to_owned));
        }
        all.extend(self.hub.lost.iter().filter_map(|lost| lost.as_str().map(str::to_owned)));
        for store in &self.stores {
            for entry in &store.disk.log {
                let record: Record<Value> = serde_json::from_str(entry).unwrap();
                let fields = record.payload["fields"].as_object().cloned().unwrap_or_default();
                all.extend(fields.values().filter_map(|write| write["value"].as_str().map(str::to_owned)));
            }
            for member in store.disk.members.members.values() {
                all.insert(member.name.clone());
                all.extend(member.tier.clone());
            }
        }
        all
    }
}
