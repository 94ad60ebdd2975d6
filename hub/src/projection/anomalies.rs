//! Checks a batch for contradictions: actions in closed shifts, and redeemed points that a member did not have.

use crate::db::insert;
use crate::projection::envelope::Understood;
use crate::table::exception::{self, Found};
use crate::table::member;
use domain::model::base::figures::Points;
use domain::model::base::time::UtcMs;
use domain::model::books::shift::ShiftState;
use domain::model::people::points::PointsReason;
use domain::wire::record::AnyPayload;
use serde_json::json;
use sqlx::{AnyConnection, Row};
use std::collections::{BTreeMap, BTreeSet};

/// Facts for the checks, collected while records are folded.
#[derive(Default)]
pub(crate) struct AnomalyChecks {
    /// Whether the records arrive in the store's own order. A parked record is retried after its shift was closed,
    /// which is no contradiction.
    pub in_order: bool,
    /// Actions of each shift, by shift.
    done: BTreeMap<String, Vec<String>>,
    /// Shifts that this batch closes.
    closed: BTreeSet<String>,
    /// `(shift, event)`: actions after this batch closed the shift.
    late: Vec<(String, String)>,
    /// Points of this batch, by member.
    points: BTreeMap<String, MemberPoints>,
}

/// Effect of a batch on a member's points.
#[derive(Default)]
struct MemberPoints {
    /// Sum of all entries.
    sum: Points,
    /// Each event that redeemed, with the sum right after it: points earned later do not cover it.
    redeemed: Vec<(String, Points)>,
}

impl AnomalyChecks {
    /// Remembers the effect of a record.
    pub fn fold(&mut self, event_id: &str, Understood { payload, effect, .. }: &Understood) {
        if let Some(shift_id) = effect.shift_id.as_ref().filter(|_| self.in_order) {
            if self.closed.contains(shift_id.as_str()) {
                self.late.push((shift_id.0.clone(), event_id.to_owned()));
            } else {
                self.done.entry(shift_id.0.clone()).or_default().push(event_id.to_owned());
            }
        }
        if let AnyPayload::ShiftOpened(it) | AnyPayload::ShiftClosed(it) | AnyPayload::ShiftRecounted(it) =
            payload
            && it.shift.state == ShiftState::Closed
        {
            self.closed.insert(it.shift.shift_id.0.clone());
        }
        for entry in &effect.points {
            let points = self.points.entry(entry.member_id.0.clone()).or_default();
            points.sum = points.sum.saturating_add(entry.points);
            if entry.reason == PointsReason::Redeem {
                points.redeemed.push((event_id.to_owned(), points.sum));
            }
        }
    }

    /// Reports actions in shifts that were closed before. Must be called before this batch's shifts are written.
    pub async fn in_closed_shifts(
        &mut self,
        connection: &mut AnyConnection,
        store_id: &str,
        now: UtcMs,
    ) -> Result<(), sqlx::Error> {
        let mut late = std::mem::take(&mut self.late);
        if !self.done.is_empty() {
            let list = insert::list(2, self.done.len());
            let sql = format!(
                "SELECT shift_id FROM shifts WHERE store_id = $1 AND state = 'closed' AND shift_id IN ({list})"
            );
            let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false).bind(store_id);
            for shift_id in self.done.keys() {
                query = query.bind(shift_id.clone());
            }
            for row in query.fetch_all(&mut *connection).await? {
                let shift_id: String = row.try_get("shift_id")?;
                let events = self.done.remove(&shift_id).unwrap_or_default();
                late.extend(events.into_iter().map(|event_id| (shift_id.clone(), event_id)));
            }
        }
        for (shift_id, event_id) in &late {
            let found = Found { store_id, event_id, now };
            exception::note(connection, found, exception::SHIFT_CLOSED, &json!({"shift_id": shift_id}))
                .await?;
        }
        Ok(())
    }

    /// Reports members who redeemed more points than they had, even if they earned points later in the batch. Must be
    /// called after their balances are written.
    pub async fn overdrawn(
        &self,
        connection: &mut AnyConnection,
        store_id: &str,
        now: UtcMs,
    ) -> Result<(), sqlx::Error> {
        for (member_id, MemberPoints { sum, redeemed }) in &self.points {
            if redeemed.is_empty() {
                continue;
            }
            let after = member::balance(connection, member_id).await?;
            let before = after.saturating_sub(*sum);
            for (event_id, so_far) in redeemed {
                let balance = before.saturating_add(*so_far);
                if balance < 0 {
                    let details = json!({"member_id": member_id, "balance": balance});
                    let found = Found { store_id, event_id, now };
                    exception::note(connection, found, exception::POINTS_OVERDRAWN, &details).await?;
                }
            }
        }
        Ok(())
    }
}
