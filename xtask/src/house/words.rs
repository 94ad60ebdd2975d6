//! Words that no public name and no file name holds, and the field's terms for them (docs/glossary.md).

use super::sources::Crate;

/// How a word is found.
#[derive(Clone, Copy)]
enum Rule {
    /// A part of any name: `told` in `told_to_stop` and in `HubTold`.
    Part,
    /// A whole name.
    Name,
    /// A whole name in the rules.
    NameInDomain,
    File,
}
use Rule::{File, Name, NameInDomain, Part};

/// What is not said, and what is said instead.
const BANNED: [(Rule, &[&str], &str); 40] = [
    (Name, &["Door"], "Context"),
    (Name, &["Slot", "Depth", "Directory"], "Mailbox, ActorAddress, queue_len, ShiftRegistry"),
    (Name, &["Who", "Ask", "Mandate", "Caller"], "Principal, RequestContext, Authorization"),
    (Part, &["told"], "audit_entry, on_ack, merge_remote, apply_feed, from_sale, to_api_error: what it does"),
    (Part, &["apart"], "offline, diverged, refuse_if_fenced, start_offline"),
    (Name, &["Standing"], "LinkState, EpochVerdict, FieldClock"),
    (Name, &["Place"], "Position, Span, BatchContext, ShiftRef"),
    (Name, &["Kept"], "Retention, Merged, Cached"),
    (Part, &["refill"], "recovery"),
    (Part, &["regained"], "generation_recovery"),
    (Name, &["own", "complete"], "history_download, reconcile"),
    (Name, &["Stocked", "Shelf", "StockRoom"], "PricingInputs, StockContext"),
    (NameInDomain, &["Till"], "TillContext"),
    (Name, &["Desk"], "ControlService"),
    (Name, &["Shop"], "AppState"),
    (Name, &["Ring"], "EventBuffer"),
    (Name, &["Head"], "ChainHead"),
    (Name, &["Entrance", "Arrival"], "ListenerConfig, ConnectionInfo"),
    (Part, &["greet"], "detect_tls"),
    (Part, &["hangup"], "reload_on_sighup"),
    (Name, &["Steady"], "MonotonicWallClock"),
    (Name, &["Nothing"], "EmptyBody"),
    (Name, &["Later"], "FeedUpdates"),
    (Name, &["Came"], "OrderReceipt"),
    (Name, &["TakenOf"], "ReturnedFrom"),
    (Name, &["Touched"], "AffectedSales"),
    (Name, &["Watched"], "AnomalyChecks"),
    (Name, &["Fate"], "ReplayOutcome"),
    (Name, &["Untaken"], "Unsupported"),
    (Name, &["Gone"], "Deleted"),
    (Name, &["Reached"], "Settled"),
    (Name, &["GivenBack", "give_back"], "Refund, return_to_supplier, restore_points"),
    (Name, &["really", "let_go", "go_on_counting"], "settled_method, evict, advance_count"),
    (Name, &["follow_the_link", "by_the_machine"], "sync_offline_flag, by_operator"),
    (Name, &["foreign", "unexpected"], "internal_mismatch"),
    (NameInDomain, &["saw", "heard", "tick"], "observe, merge, now"),
    (File, &["marks"], "cursors"),
    (File, &["people"], "users"),
    (File, &["goods"], "stock_documents"),
    (File, &["shelf", "desk", "door", "slot", "entrance"], "what it holds"),
];

/// A word that is said although a better one is known.
pub struct Said {
    pub word: &'static str,
    pub better: &'static str,
    /// Where: a file, or a file and line.
    pub places: Vec<String>,
}

/// Every banned word that the crates say, the most frequent first.
pub fn banned(crates: &[Crate]) -> Vec<Said> {
    let rows =
        BANNED.iter().flat_map(|(rule, words, better)| words.iter().map(move |word| (*rule, *word, *better)));
    let said = rows.map(|(rule, word, better)| Said { word, better, places: places(crates, rule, word) });
    let mut said: Vec<_> = said.filter(|said| !said.places.is_empty()).collect();
    said.sort_by_key(|said| std::cmp::Reverse(said.places.len()));
    said
}

fn places(crates: &[Crate], rule: Rule, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for krate in crates.iter().filter(|krate| !matches!(rule, NameInDomain) || krate.name == "domain") {
        for file in &krate.files {
            let matches = |name: &str| match rule {
                Part => parts(name).iter().any(|part| part == word),
                Name | NameInDomain => name == word,
                File => false,
            };
            let stem = file.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
            if matches(stem) || matches!(rule, File) && stem == word {
                found.push(file.path.clone());
            }
            let named = file.public.iter().filter(|(name, _)| matches(name));
            found.extend(named.map(|(name, line)| format!("{}:{line} {name}", file.path)));
        }
    }
    found
}

/// The words of a name in `snake_case` or `CamelCase`.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before_small = false;
    for letter in name.chars() {
        if letter == '_' || (letter.is_uppercase() && before_small) {
            parts.push(String::new());
        }
        before_small = letter.is_lowercase();
        if let Some(part) = parts.last_mut().filter(|_| letter != '_') {
            part.extend(letter.to_lowercase());
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn names_are_read_word_by_word() {
        assert_eq!(parts("told_to_stop"), ["told", "to", "stop"]);
        assert_eq!(parts("HubTold"), ["hub", "told"]);
    }
}
