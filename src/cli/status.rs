//! `status`: one screen in plain words.

use super::carry_out::carry_out;
use crate::config::Config;
use crate::control::Order;
use domain::model::base::time::UtcMs;
use edge::clock;
use serde_json::Value;

/// Prints the state of the store: from the daemon, or from the folder of a stopped store.
pub fn run(config: &Config) -> anyhow::Result<()> {
    let status = carry_out(config, Order::Status)?;
    let screen = Screen { status: &status, now: clock::now(), zone: &config.store.timezone };
    for (name, text) in screen.lines() {
        println!("{name:<10} {text}");
    }
    Ok(())
}

struct Screen<'a> {
    status: &'a Value,
    now: UtcMs,
    zone: &'a str,
}

impl Screen<'_> {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![("store", self.store())];
        lines.extend(self.actors().map(|text| ("actors", text)));
        lines.extend([("outbox", self.outbox()), ("hub", self.hub()), ("disk", self.disk())]);
        let problems = self.at("/problems").as_array().map(Vec::as_slice).unwrap_or_default();
        lines.extend(problems.iter().map(|problem| ("PROBLEM", self.problem(problem))));
        let shifts = self.at("/shifts").as_array().map(Vec::as_slice).unwrap_or_default();
        if shifts.is_empty() {
            lines.push(("shifts", "none is open".to_owned()));
        }
        lines.extend(shifts.iter().map(|shift| ("shift", self.shift(shift))));
        lines
    }

    fn store(&self) -> String {
        let state = if self.at("/serving") == &Value::Bool(true) { "serving" } else { "stopped" };
        format!("{}, {state}, version {}", self.text("/store_id"), self.text("/version"))
    }

    fn actors(&self) -> Option<String> {
        let running = self.status.pointer("/actors/running")?.as_u64()?;
        let restarting = self.number("/actors/restarting");
        let mut text = format!("{running} running");
        if restarting > 0 {
            text.push_str(&format!(", {restarting} restarting"));
        }
        let restarted = restarted(self.at("/actors/tree/root"));
        match restarted.is_empty() {
            true => text.push_str(", none was restarted"),
            false => text.push_str(&format!("; restarted since the start: {}", restarted.join(", "))),
        }
        Some(text)
    }

    fn outbox(&self) -> String {
        let (epoch, last) = (self.text("/outbox/epoch"), self.number("/outbox/last_seq"));
        match self.number("/outbox/pending") {
            0 => format!("no records wait; epoch {epoch} is at {last}"),
            pending => {
                let oldest = self.when(self.at("/outbox/oldest_pending_at"));
                format!("{pending} records wait, the oldest since {oldest}; epoch {epoch} is at {last}")
            }
        }
    }

    fn hub(&self) -> String {
        if self.at("/hub").is_null() {
            return "none: this store has no head office".to_owned();
        }
        let url = self.text("/hub/url");
        let state = match self.text("/hub/link/state") {
            "not_configured" => return format!("{url}, not connected while the daemon is stopped"),
            "backing_off" => "can't be reached",
            "rejected" => "refuses this store",
            state => state,
        };
        let mut text = format!("{url}, {state}");
        match self.at("/hub/link/last_success_at") {
            Value::Null => text.push_str(", no answer since the start"),
            at => text.push_str(&format!(", last answer {}", self.when(at))),
        }
        if let Some(error) = self.at("/hub/link/last_error").as_str() {
            text.push_str(&format!(": {error}"));
        }
        if !self.at("/hub/link/next_attempt_at").is_null() {
            text.push_str(&format!("; next try {}", self.when(self.at("/hub/link/next_attempt_at"))));
        }
        text
    }

    fn problem(&self, problem: &Value) -> String {
        let message = problem.get("message").and_then(Value::as_str).unwrap_or("?");
        format!("since {}: {message}", self.when(problem.get("since").unwrap_or(&Value::Null)))
    }

    fn disk(&self) -> String {
        let free = self.number("/disk/free_bytes") / (1024 * 1024);
        let (commits, segments) = (self.number("/disk/commits"), self.number("/disk/segments"));
        let mut text = format!("{free} MiB free; {commits} commits in {segments} segments");
        if let Some(problem) = self.at("/disk/problem").as_str() {
            text.push_str(&format!("; NOTHING CAN BE WRITTEN: {problem}"));
        }
        text
    }

    fn shift(&self, shift: &Value) -> String {
        let text = |name: &str| shift.get(name).and_then(Value::as_str).unwrap_or("?");
        let number = |name: &str| shift.get(name).and_then(Value::as_i64).unwrap_or(0);
        let registers = shift.get("register_ids").and_then(Value::as_array).into_iter().flatten();
        let registers = registers.filter_map(Value::as_str).collect::<Vec<_>>().join(", ");
        let opened = self.when(shift.get("opened_at").unwrap_or(&Value::Null));
        format!(
            "{} at {} by {} since {opened}: {} sales, total {} ({})",
            text("state"),
            if registers.is_empty() { "no register" } else { &registers },
            text("opened_by"),
            number("sales"),
            number("total"),
            text("shift_id")
        )
    }

    fn at(&self, pointer: &str) -> &Value {
        self.status.pointer(pointer).unwrap_or(&Value::Null)
    }

    fn text(&self, pointer: &str) -> &str {
        self.at(pointer).as_str().unwrap_or("?")
    }

    fn number(&self, pointer: &str) -> u64 {
        self.at(pointer).as_u64().unwrap_or(0)
    }

    /// The shop's own time, and how long ago that is.
    fn when(&self, at: &Value) -> String {
        let Some(at) = serde_json::from_value::<UtcMs>(at.clone()).ok() else { return "?".to_owned() };
        let local =
            at.timestamp().in_tz(self.zone).map(|local| local.strftime("%Y-%m-%d %H:%M:%S").to_string());
        let seconds = self.now.0.saturating_sub(at.0) / 1_000;
        let span = match seconds.unsigned_abs() {
            0..=119 => format!("{} s", seconds.unsigned_abs()),
            s @ 120..=7_199 => format!("{} min", s / 60),
            s @ 7_200..=172_799 => format!("{} h", s / 3_600),
            s => format!("{} days", s / 86_400),
        };
        let span = if seconds < 0 { format!("in {span}") } else { format!("{span} ago") };
        local.map_or_else(|_| at.to_string(), |local| format!("{local} ({span})"))
    }
}

/// Names of actors that died, with how often.
fn restarted(node: &Value) -> Vec<String> {
    let mut names = Vec::new();
    if let (Some(name), Some(count @ 1..)) =
        (node.get("name").and_then(Value::as_str), node.get("restarts").and_then(Value::as_u64))
    {
        names.push(format!("{name} {count} times"));
    }
    let children = node.get("children").and_then(Value::as_array).into_iter().flatten();
    names.extend(children.flat_map(restarted));
    names
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use serde_json::json;

    #[test]
    fn a_screen_in_plain_words() {
        let status = json!({
            "store_id": "S001", "version": "1.2.3", "serving": true,
            "actors": {"running": 8, "restarting": 0, "tree": {"root": {"name": "supervisor", "restarts": 0,
                "children": [{"name": "ledger", "restarts": 2, "children": []}]}}},
            "outbox": {"pending": 3, "oldest_pending_at": "2026-11-21T03:00:00.000Z", "last_seq": 9, "epoch": "1-ab"},
            "hub": {"url": "http://hub", "link": {"state": "backing_off", "last_error": "refused",
                "last_success_at": null, "next_attempt_at": "2026-11-21T03:10:30.000Z"}},
            "problems": [{"code": "backlog", "message": "3 records have not reached head office yet",
                "since": "2026-11-21T03:00:00.000Z"}],
            "disk": {"free_bytes": 3_221_225_472_u64, "commits": 40, "segments": 1, "problem": null},
            "shifts": [{"shift_id": "shf_1", "register_ids": ["till-1"], "state": "open", "opened_by": "siti",
                "opened_at": "2026-11-21T01:00:00.000Z", "sales": 12, "total": 34_000}],
        });
        let now: UtcMs = serde_json::from_value(json!("2026-11-21T03:10:00.000Z")).unwrap();
        let screen = Screen { status: &status, now, zone: "Asia/Jakarta" };
        let text: Vec<String> =
            screen.lines().into_iter().map(|(name, text)| format!("{name}: {text}")).collect();
        assert_eq!(
            text,
            [
                "store: S001, serving, version 1.2.3",
                "actors: 8 running; restarted since the start: ledger 2 times",
                "outbox: 3 records wait, the oldest since 2026-11-21 10:00:00 (10 min ago); epoch 1-ab is at 9",
                "hub: http://hub, can't be reached, no answer since the start: refused; next try \
                 2026-11-21 10:10:30 (in 30 s)",
                "disk: 3072 MiB free; 40 commits in 1 segments",
                "PROBLEM: since 2026-11-21 10:00:00 (10 min ago): 3 records have not reached head office yet",
                "shift: open at till-1 by siti since 2026-11-21 08:00:00 (2 h ago): 12 sales, total 34000 (shf_1)",
            ]
        );
    }
}
