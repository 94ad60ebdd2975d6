//! Settings that a shop without a head office changes while it runs. They are stored in the place of head office's
//! settings, so that one reading of the rules serves both.

use super::products::check_own_catalogue;
use crate::prelude::*;
use crate::runtime::command::CatalogueRows;
use crate::runtime::decide::sync_event;
use crate::runtime::live_rules::of_hub;
use domain::model::hub::sync::local::{Change, Inbound};
use domain::rules::base::store_settings;
use domain::wire::feed::{Kind, STORE_SETTINGS};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Lower than every version that head office gives: its settings replace these.
const BEFORE_ALL: &str = "";

/// Changes settings by section and key, by the rules of [`store_settings::change`]; null restores the value of the
/// settings file. The answer has the settings that are changed so far.
pub struct ChangeStoreSettings(pub BTreeMap<String, Option<Value>>);

impl Dispatch for ChangeStoreSettings {}

impl Command for ChangeStoreSettings {
    type Book = CatalogueRows;
    type Rows = ();

    fn is_from_rows(&self, _book: &CatalogueRows) -> bool {
        true
    }

    fn decide(
        &self,
        (): (),
        catalogue: &mut Owner<CatalogueRows>,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        check_own_catalogue(&catalogue.storage, request)?;
        let (authorization, stamp) = (request.authorization(), catalogue.stamps.stamp());
        let before = of_hub(&catalogue.storage)?.unwrap_or_default();
        let by = authorization.caller.user_id.as_str();
        let after = store_settings::change(before.clone(), &self.0, (by, &stamp.at.to_string()))?;
        let set = [before.clone(), after.clone()].map(store_settings::sound);
        let answer = Answer::ok(&set[1]);
        if after == before {
            return Ok(Decision::Answer(answer));
        }
        let payload = serde_json::to_value(&after).map_err(|error| Failure::Internal(error.to_string()))?;
        let record = Inbound {
            kind: Kind::Settings.name().to_owned(),
            id: STORE_SETTINGS.to_owned(),
            version: BEFORE_ALL.to_owned(),
            effective_at: None,
            payload,
        };
        let [was, is] =
            set.map(|set| self.0.keys().map(|name| (name.clone(), set.get(name).cloned())).collect());
        let details: BTreeMap<&str, BTreeMap<String, Option<Value>>> =
            BTreeMap::from([("before", was), ("after", is)]);
        let entry = AuditEntry::new(&authorization, "settings.changed", stamp.now, json!(details));
        let events = vec![sync_event(Change::Pulled { record })];
        let outcome = Outcome { events, records: Vec::new(), answer, stamp, sale: None };
        Ok(outcome.audited(&catalogue.stamps, None, entry).into())
    }
}
