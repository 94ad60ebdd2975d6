//! Members in batches: an item with an ID changes that member, another one registers a member.

use crate::db::failure::Failure;
use crate::http::batch::{self, BatchItem, Done, ItemPlace};
use crate::http::command::Command;
use crate::office::members::member::{self, View};
use crate::table::member as table;
use domain::model::base::limits::ID_BYTES_MAX;
use domain::rules::people::member::{ChangeMember, NewMember};
use domain::wire::feed::lane;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// A member of a batch: the fields of a change, with the ID beside them.
pub struct MemberItem;

impl BatchItem for MemberItem {
    const NAME: &'static str = "Member";
    const LANE: &'static str = lane::MEMBERS;
    type Answer = View;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let id = json_schema!({
            "description": "ID of the member that is changed. Omitted for a new one.",
            "type": "string",
            "minLength": 1,
            "maxLength": ID_BYTES_MAX,
        });
        let mut schema = ChangeMember::json_schema(generator);
        let about = "A new member, which needs a name and a phone number or an e-mail address, or a change of the member with this ID.";
        batch::add_key(&mut schema, ("member_id", id), false, about);
        schema
    }

    /// In the order of their IDs: two batches with the same members never wait for each other.
    async fn lock_rows(items: &[Value], connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
        let mut ids = BTreeSet::new();
        for id in items.iter().filter_map(|item| item.get("member_id")?.as_str()) {
            ids.insert(table::end(connection, id).await?);
        }
        for id in ids {
            table::lock(connection, &id).await?;
        }
        Ok(())
    }

    async fn run(item: &Value, place: ItemPlace<'_>) -> Result<Done<View>, Failure> {
        let ItemPlace { connection, hub, now } = place;
        let (id, rest) = batch::split_key(item, "member_id");
        let Some(id) = id else {
            let new: NewMember = batch::read(&rest)?;
            let made = member::create(connection, &hub.clock, &new, now).await?;
            let details = json!({"member_id": made.member_id});
            return Ok(Done { status: 201, data: made, entry: (NewMember::ACTION, details) });
        };
        let change: ChangeMember = batch::read(&rest)?;
        let id = id.as_str().unwrap_or_default();
        let changed = member::change(connection, &hub.clock, id, &change, now).await?;
        let fields: Vec<&String> = rest.as_object().map(Map::keys).into_iter().flatten().collect();
        let details = json!({"member_id": changed.member_id, "fields": fields});
        Ok(Done { status: 200, data: changed, entry: (ChangeMember::ACTION, details) })
    }
}
