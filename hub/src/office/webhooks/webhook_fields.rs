//! Fields of a webhook as a request gives them.

use crate::db::failure::Failure;
use crate::office::webhooks::event_types::{is_subscribable, unknown_type};
use crate::table::store;
use crate::webhooks::address::{Rule, URL_BYTES_MAX};
use domain::model::base::limits::{FIGURE_MAX, ID_BYTES_MAX, NAME_CHARS_MAX, SHORT_ID_BYTES_MAX};
use domain::model::base::refusal::FieldProblem;
use edge::ApiError;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;

/// Most types, and most stores, of a webhook.
const FILTERS_MAX: usize = 500;

/// Request body that creates a webhook.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewWebhook {
    /// Name of the webhook, for example of the program that receives.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: String,
    /// Address that events are sent to, `https://…`. The address must be public, unless the settings of the hub allow
    /// its network.
    #[schemars(length(min = 1, max = URL_BYTES_MAX))]
    pub url: String,
    /// Types of events to send; `finance.*` stands for all types of an area. Empty for all.
    #[serde(default)]
    #[schemars(length(max = FILTERS_MAX), inner(length(min = 1, max = ID_BYTES_MAX)))]
    pub event_types: Vec<String>,
    /// Stores whose events are sent; an empty text stands for events without a store. Empty for all.
    #[serde(default)]
    #[schemars(length(max = FILTERS_MAX), inner(length(max = SHORT_ID_BYTES_MAX)))]
    pub store_ids: Vec<String>,
    /// Only events with a higher number are sent; 0 sends all events in the log. Null or omitted for events from now
    /// on.
    #[schemars(range(min = 0, max = FIGURE_MAX))]
    pub after_no: Option<i64>,
}

/// Request body that changes a webhook. Omitted fields stay as they are. Events that wait are sent to the new address.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookChange {
    /// Name of the webhook.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: Option<String>,
    /// Address that events are sent to, `https://…`.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = URL_BYTES_MAX))]
    pub url: Option<String>,
    /// Types of events to send; `finance.*` stands for all types of an area. Empty for all.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(max = FILTERS_MAX), inner(length(min = 1, max = ID_BYTES_MAX)))]
    pub event_types: Option<Vec<String>>,
    /// Stores whose events are sent; an empty text stands for events without a store. Empty for all.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(max = FILTERS_MAX), inner(length(max = SHORT_ID_BYTES_MAX)))]
    pub store_ids: Option<Vec<String>>,
}

/// Name, address and filters of a webhook.
pub struct Fields {
    pub name: String,
    pub url: String,
    pub event_types: Vec<String>,
    pub store_ids: Vec<String>,
}

impl Fields {
    /// The fields without repetitions, if all of them are right.
    ///
    /// # Errors
    /// 422 with every field that is wrong.
    pub fn checked(mut self, rule: &Rule) -> Result<Self, ApiError> {
        // What is left out of the stored fields counts all the same: spaces around the name, repetitions in a list.
        let long = self.name.chars().count() > NAME_CHARS_MAX;
        let many = [too_many(&self.event_types), too_many(&self.store_ids)];
        self.name = self.name.trim().to_owned();
        for texts in [&mut self.event_types, &mut self.store_ids] {
            texts.sort_unstable();
            texts.dedup();
        }
        let is_name = !long && !self.name.is_empty() && !self.name.contains(char::is_control);
        let unknown = self.event_types.iter().find(|name| !is_subscribable(name));
        let url = rule.parse(&self.url);
        let [many_types, many_stores] = many;
        let problems = [
            ("name", (!is_name).then(|| "must have 1 to 255 characters on one line".to_owned())),
            ("url", url.as_ref().err().cloned()),
            ("event_types", many_types),
            ("event_types", unknown.map(|name| unknown_type(name))),
            ("store_ids", many_stores),
        ];
        let wrong: Vec<_> = problems
            .into_iter()
            .filter_map(|(path, problem)| Some(FieldProblem { path: path.to_owned(), problem: problem? }))
            .collect();
        match url {
            Ok(url) if wrong.is_empty() => Ok(Self { url: url.into(), ..self }),
            _ => Err(ApiError::validation(&wrong)),
        }
    }
}

fn too_many(texts: &[String]) -> Option<String> {
    (texts.len() > FILTERS_MAX).then(|| format!("must be at most {FILTERS_MAX}"))
}

/// Requires that the stores exist.
///
/// # Errors
/// 422 for one that does not; the database's.
pub async fn check_stores(connection: &mut AnyConnection, store_ids: &[String]) -> Result<(), Failure> {
    for store_id in store_ids.iter().filter(|store_id| !store_id.is_empty()) {
        if !store::is_known(&mut *connection, store_id).await? {
            return Err(ApiError::field("store_ids", format!("{store_id} is not a store")).into());
        }
    }
    Ok(())
}
