//! Decisions of head office take effect in the store: each kind of the feed, made over HTTP at a real hub.

mod anew;
mod away;
mod goods;
mod members;
mod merged;
mod met;
mod people;
mod prices;
pub(crate) mod reach;
mod receipts;
mod settings;
mod store_settings;
