//! Own writes to shared records that head office has decided on. Pure, so that the simulation runs it.

use crate::model::hub::sync::local::OwnWrite;
use crate::wire::feed::{Kind, RecordVersion};
use crate::wire::record::{MemberChanged, ProductSettingsChanged, Record};

/// The type of records that write to a member.
const MEMBER_CHANGED: &str = "member.changed";

/// The type of records that write to a product's settings.
const SETTINGS_CHANGED: &str = "product_settings.changed";

/// The writes to shared records among acknowledged records, each with the version that contains its result, as the
/// answer reported it. After a lost answer there is none, and the feed's content counts. No other version would do: the
/// write's own stamp may be ahead of the hub, which the feed never reaches.
pub fn decided<'a>(records: impl Iterator<Item = &'a str>, versions: &[RecordVersion]) -> Vec<OwnWrite> {
    let write = |Written { kind, of, id, event_id }: Written| {
        let reported = versions.iter().find(|reported| reported.kind == kind.name() && reported.id == of);
        let version = reported.map(|reported| reported.version.clone()).unwrap_or_default();
        OwnWrite { kind: kind.name().to_owned(), id, event_id, version }
    };
    records.flat_map(written).map(write).collect()
}

/// Shared record that a record writes to.
struct Written {
    kind: Kind,
    /// The record that has the version.
    of: String,
    /// ID of the shared record in the feed.
    id: String,
    event_id: String,
}

/// The records of the feed that a record writes to; empty if it is a fact of the store's own.
fn written(text: &str) -> Vec<Written> {
    // Few are of shared records: the others need not be read.
    if text.contains(MEMBER_CHANGED)
        && let Ok(Record { event_id, payload, .. }) = serde_json::from_str::<Record<MemberChanged>>(text)
    {
        let (of, id) = (payload.id.0.clone(), payload.id.0);
        return vec![Written { kind: Kind::Member, of, id, event_id }];
    }
    if text.contains(SETTINGS_CHANGED)
        && let Ok(record) = serde_json::from_str::<Record<ProductSettingsChanged>>(text)
    {
        let (of, kind) = (format!("product:{}", record.payload.id), Kind::Settings);
        // The feed sends each field separately, so one may arrive before the other.
        let one = |field: &String| {
            let (of, id, event_id) = (of.clone(), format!("{of}:{field}"), record.event_id.clone());
            Written { kind, of, id, event_id }
        };
        return record.payload.fields.keys().map(one).collect();
    }
    Vec::new()
}
