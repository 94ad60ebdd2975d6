//! The customers of a month as members: registered at the store, their points read at store and hub.

use crate::rest::{Api, figure, text};
use anyhow::Context;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use tokio::task::JoinSet;

/// Requests under way at once.
const AT_ONCE: usize = 8;

/// Member ids by customer.
pub type Members = BTreeMap<String, String>;
type Waiting = Arc<Mutex<std::collections::btree_set::IntoIter<String>>>;

pub async fn register(manager: &Api, customers: BTreeSet<String>) -> anyhow::Result<Members> {
    let waiting: Waiting = Arc::new(Mutex::new(customers.into_iter()));
    let mut working = JoinSet::new();
    for _ in 0..AT_ONCE {
        working.spawn(register_some(manager.clone(), waiting.clone()));
    }
    let mut members = Members::new();
    for some in working.join_all().await {
        members.extend(some?);
    }
    Ok(members)
}

async fn register_some(manager: Api, waiting: Waiting) -> anyhow::Result<Members> {
    let next = || waiting.lock().map_or(None, |mut waiting| waiting.next());
    let mut members = Members::new();
    while let Some(customer) = next() {
        let body = json!({
            "name": format!("Customer {customer}"),
            "email": format!("{customer}@customers.example"),
            "code": customer,
        });
        let made = manager.post("/api/members", &format!("member-{customer}"), &body).await;
        let made = made.with_context(|| format!("registering customer {customer}"))?;
        members.insert(customer, text(&made, "member_id")?);
    }
    Ok(members)
}

/// Gives customers points before anything is sold.
pub async fn give(manager: &Api, members: &Members, given: &BTreeMap<String, i64>) -> anyhow::Result<()> {
    for (customer, points) in given {
        let id = members.get(customer).with_context(|| format!("customer {customer} is no member"))?;
        let body = json!({"points": points, "reason": "welcome"});
        let path = format!("/api/members/{id}/points/adjust");
        manager.post(&path, &format!("give-{customer}"), &body).await.context("giving points")?;
    }
    Ok(())
}

/// Points by customer, as the store reports each member.
pub async fn at_store(manager: &Api, members: &Members) -> anyhow::Result<BTreeMap<String, i64>> {
    let mut points = BTreeMap::new();
    for (customer, id) in members {
        let member = manager.get(&format!("/api/members/{id}")).await.context("a member at the store")?;
        points.insert(customer.clone(), figure(&member, "/points_balance")?);
    }
    Ok(points)
}

/// Points by customer, as head office lists its members.
pub async fn at_hub(admin: &Api) -> anyhow::Result<BTreeMap<String, i64>> {
    let members = admin.list("/api/members").await.context("the hub's members")?;
    members.iter().map(|member| Ok((text(member, "code")?, figure(member, "/points_balance")?))).collect()
}
