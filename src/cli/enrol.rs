//! `enrol`: registers this store with its hub.

use super::carry_out::carry_out;
use crate::config::Config;
use crate::control::Order;
use crate::exit::{Exit, FAILED, USAGE};
use crate::{folder, hub_address};
use anyhow::Context;
use domain::model::hub::stamp::HubIdentity;
use domain::rules::hub::sync::rules::too_far_ahead;
use domain::rules::people::user::came_back::NEWCOMER;
use domain::wire::sync::sound::Sound;
use domain::wire::sync::{Enrol, Enrolled};
use edge::keys;
use serde::Deserialize;
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest answer that is read.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// The hub's envelope, either way it ends.
#[derive(Deserialize)]
struct Envelope {
    data: Option<Enrolled>,
    error: Option<Refused>,
}

#[derive(Deserialize)]
struct Refused {
    code: String,
    message: String,
}

/// Sends the public half of a new sync key with the one-time token, then has the store keep the identity of the hub:
/// the daemon, which connects to it from then on, or the stopped store. The key is a new one each time, so that
/// enrolling again makes a copied key useless.
pub fn run(config: &Config, hub: &str, token: &str) -> anyhow::Result<()> {
    let url = hub.trim_end_matches('/').to_owned();
    if !url.starts_with("https://") && !url.starts_with("http://") {
        return Err(Exit::new(USAGE, "--hub must begin with https:// or http://").into());
    }
    hub_address::agrees(config, &url)?;
    let key_file = folder::sync_key(config);
    let key = keys::candidate(&key_file)?;
    let enrol = Enrol {
        enrolment_token: token.to_owned(),
        store_id: config.store.id.clone(),
        public_key: key.public_key_text(),
        version: edge::VERSION.to_owned(),
        currency: config.store.currency.clone(),
        name: config.store.name.trim().to_owned(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answer = runtime.block_on(send_enrol(&url, &enrol, hub_address::authority(config)?.as_deref()))?;
    let enrolled = match answer {
        Answer::Enrolled(enrolled) => enrolled,
        Answer::Refused(message) => {
            keys::discard(&key_file)?;
            return Err(Exit::new(FAILED, message).into());
        }
    };
    if too_far_ahead(enrolled.n, 1) {
        let message = format!(
            "the hub reports epoch {} for this store, which is not possible; nothing was changed",
            enrolled.n
        );
        return Err(Exit::new(FAILED, message).into());
    }
    // Only for a hub with a valid answer: the previous key still works at the store's own hub.
    keys::adopt(&key_file)?;
    let hub = HubIdentity { hub_id: enrolled.hub_id, url, generation: enrolled.hub_generation };
    let reported = format!("store {} is enrolled at hub {} ({})", config.store.id, hub.hub_id, hub.url);
    let done = carry_out(config, Order::Enrolled { hub, n: enrolled.n })?;
    println!("{reported}");
    if done.get("lacks_history").and_then(serde_json::Value::as_bool) == Some(true) {
        println!(
            "the hub has records of this store that are not here: the store can sell when they have been downloaded"
        );
        println!(
            "the store's users are restored with them, passwords included; a user who was added here with the \
             same login name is renamed to NAME{NEWCOMER}"
        );
    }
    Ok(())
}

/// Answer of a hub.
enum Answer {
    Enrolled(Enrolled),
    /// With the text for the user.
    Refused(String),
}

/// # Errors
/// No answer, or one that is not a hub's: the hub may have enrolled the key.
async fn send_enrol(url: &str, enrol: &Enrol, authority: Option<&[u8]>) -> anyhow::Result<Answer> {
    let client = actors::trusting(reqwest::Client::builder(), authority)?
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(REQUEST_TIMEOUT)
        // A redirect is a captive portal, never the hub.
        .redirect(reqwest::redirect::Policy::none())
        .build()?;
    let request = client.post(format!("{url}/api/sync/enrol")).json(enrol);
    let mut response = request.send().await.with_context(|| format!("the hub at {url} does not answer"))?;
    let status = response.status();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.context("the hub's answer was cut off")? {
        body.extend_from_slice(&chunk);
        if body.len() > ANSWER_BYTES_MAX {
            return Err(Exit::new(FAILED, "the answer is too long and not from a hub").into());
        }
    }
    let envelope: Envelope = serde_json::from_slice(&body)
        .map_err(|_| Exit::new(FAILED, format!("{url} answered {status}, but it is not a hub")))?;
    match (envelope.data, envelope.error) {
        (Some(enrolled), None) if status.is_success() => match enrolled.sound() {
            Ok(()) => Ok(Answer::Enrolled(enrolled)),
            Err(problem) => {
                Err(Exit::new(FAILED, format!("the hub's answer can't be used: {problem}")).into())
            }
        },
        (_, Some(refused)) => {
            let message = format!("the hub refused: {} ({})", refused.message, refused.code);
            // After a failure of the hub's own the key may be enrolled, as by an earlier attempt whose answer was lost.
            let is_final = status.is_client_error() && status != reqwest::StatusCode::TOO_MANY_REQUESTS;
            if is_final { Ok(Answer::Refused(message)) } else { Err(Exit::new(FAILED, message).into()) }
        }
        _ => Err(Exit::new(FAILED, format!("{url} answered {status}, but it is not a hub")).into()),
    }
}
