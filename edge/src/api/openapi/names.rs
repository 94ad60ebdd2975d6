//! Names of operations, from which generators make the methods of clients: `payTransaction`, `listPurchaseOrders`.

use crate::api::route::Route;
use http::Method;

/// Last parts of a path that name the action of a request.
const VERBS: [&str; 61] = [
    "adjust", "allocate", "apply", "approve", "cancel", "close", "confirm", "correct", "disable", "dismiss",
    "dispute", "enable", "end", "enrol", "erase", "finish", "force", "import", "lock", "login", "logout",
    "match", "merge", "open", "pause", "pay", "post", "preview", "push", "quote", "recall", "receive",
    "recount", "refresh", "reject", "release", "reopen", "replay", "reserve", "resolve", "restart",
    "restore", "resubmit", "resume", "reverse", "revise", "revoke", "rotate", "seal", "send", "settle",
    "start", "submit", "take", "test", "undo", "unlock", "unseal", "verify", "void", "withdraw",
];
/// Last parts of a path that name an action that only reads.
const SEARCHES: [&str; 3] = ["lookup", "pull", "search"];
/// Parts of a path that precede their noun: `current` of `/api/shifts/current`.
const ADJECTIVES: [&str; 3] = ["current", "effective", "own"];
/// Parts of a path that group others and have no meaning for the name.
const GROUPS: [&str; 3] = ["api", "auth", "pos"];
/// Words that end in `s` and name one thing.
const SINGULAR: [&str; 3] = ["status", "settings", "points"];

/// Names of operations that their paths would not give.
const NAMED: [(&str, &str); 21] = [
    ("/api/admin/backup", "startBackup"),
    ("/api/admin/verify", "startVerification"),
    ("/api/auth/login/pin", "loginWithPin"),
    ("/api/auth/password", "changePassword"),
    ("/api/auth/refresh", "refreshTokens"),
    ("/api/events", "subscribeToEvents"),
    ("/api/finance/opening", "postOpeningBalances"),
    ("/api/finance/proofs", "runProofs"),
    ("/api/members/batch", "saveMembers"),
    ("/api/parked/replay", "replayAllParked"),
    ("/api/pos/products", "listProductsForSale"),
    ("/api/pos/products/:sku", "getProductForSale"),
    ("/api/pos/receipts/:receipt_no/prints", "printReceipt"),
    ("/api/prices/batch", "createPrices"),
    ("/api/products/batch", "saveProducts"),
    ("/api/safe/opening", "setSafeOpening"),
    ("/api/settlements/:id/items", "listItemsOfSettlement"),
    ("/api/shifts/:id/registers", "setShiftRegisters"),
    ("/api/shifts/:id/prints", "printShiftReport"),
    ("/api/stores/:id/token", "createEnrolmentToken"),
    ("/api/sync/hello", "syncHello"),
];

/// The name of an operation. A deprecated one is the old path of another operation.
pub fn operation_id<S>(route: &Route<S>) -> String {
    if let Some((_, name)) = NAMED.iter().find(|(pattern, _)| *pattern == route.pattern) {
        return (*name).to_owned();
    }
    let mut name = Name::of(route.pattern);
    let verb = name.take_verb(if route.method == Method::GET { &SEARCHES } else { &VERBS });
    // A path that creates one thing or acts on it gets a singular; a path that reads keeps its plural.
    let plural =
        verb.as_deref().map_or(route.method != Method::POST, |verb| ["search", "import"].contains(&verb));
    let mut id = verb.unwrap_or_else(|| verb_of(route));
    id.push_str(&name.noun(plural));
    if route.doc.deprecated.is_some() {
        id.push_str("Alias");
    }
    id
}

fn verb_of<S>(route: &Route<S>) -> String {
    let verb = match route.method {
        Method::GET if route.doc.summary.starts_with("List ") => "list",
        Method::GET => "get",
        Method::PUT => "replace",
        Method::PATCH => "update",
        Method::DELETE => "delete",
        _ => "create",
    };
    verb.to_owned()
}

/// The words of a path.
struct Name<'a> {
    /// Its parts without parameters and groups.
    parts: Vec<Part<'a>>,
}

struct Part<'a> {
    text: &'a str,
    /// Whether a parameter follows, which picks one of them.
    picked: bool,
    /// Whether it follows a verb, as in `revoke-tokens`, and is not changed.
    exact: bool,
}

impl<'a> Name<'a> {
    fn of(pattern: &'a str) -> Self {
        let segments: Vec<&str> = pattern.trim_start_matches('/').split('/').collect();
        let followed = segments.iter().skip(1).map(|next| next.starts_with(':')).chain([false]);
        let parts = segments.iter().zip(followed).filter(|(text, _)| !text.starts_with(':'));
        let parts = parts.map(|(text, picked)| {
            let text = if *text == "journal" { "journal-entries" } else { text.trim_end_matches(".json") };
            Part { text, picked, exact: false }
        });
        Self { parts: parts.filter(|part| !GROUPS.contains(&part.text)).collect() }
    }

    /// Removes the verb at the end of the path. Its further words, as in `revoke-tokens`, stay as a noun.
    fn take_verb(&mut self, verbs: &[&str]) -> Option<String> {
        let last = self.parts.last_mut()?;
        let (verb, rest) = last.text.split_once('-').unwrap_or((last.text, ""));
        if !verbs.contains(&verb) {
            return None;
        }
        (last.text, last.exact) = (rest, true);
        Some(verb.to_owned())
    }

    /// The parts as one word, adjectives first and `reports` last.
    fn noun(&self, plural: bool) -> String {
        let report = self.parts.first().is_some_and(|part| part.text == "reports");
        let last = self.parts.iter().rposition(|part| !part.text.is_empty());
        let is_adjective = |part: &&Part<'_>| ADJECTIVES.contains(&part.text);
        let adjectives = self.parts.iter().filter(is_adjective).map(|part| capitals(part.text));
        let nouns = self.parts.iter().enumerate().skip(usize::from(report));
        let nouns = nouns.filter(|(_, part)| !is_adjective(part)).map(|(place, part)| {
            let keeps_plural = plural && Some(place) == last && !part.picked;
            capitals(&if keeps_plural || part.exact { part.text.to_owned() } else { singular(part.text) })
        });
        let mut noun: String = adjectives.chain(nouns).collect();
        if report {
            noun.push_str("Report");
        }
        noun
    }
}

/// `purchase-orders` as `PurchaseOrders`.
fn capitals(text: &str) -> String {
    let words = text.split(['-', '.']).map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    });
    words.collect()
}

/// The singular of the last word of a part: `purchase-order` of `purchase-orders`.
pub(super) fn singular(text: &str) -> String {
    if SINGULAR.iter().any(|word| text.ends_with(word)) {
        return text.to_owned();
    }
    let endings = [("ies", "y"), ("ches", "ch"), ("sses", "ss"), ("xes", "x"), ("ss", "ss"), ("s", "")];
    let of = |(plural, one): &(&str, &str)| text.strip_suffix(plural).map(|stem| format!("{stem}{one}"));
    endings.iter().find_map(of).unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Name, VERBS};

    #[test]
    fn paths_become_names_of_methods() {
        for (pattern, default, plural, expected) in [
            ("/api/pos/transactions", "create", false, "createTransaction"),
            ("/api/pos/transactions/:id/pay", "create", false, "payTransaction"),
            (
                "/api/pos/transactions/:id/payments/:payment_id/reverse",
                "create",
                false,
                "reverseTransactionPayment",
            ),
            ("/api/users/:id/revoke-tokens", "create", false, "revokeUserTokens"),
            ("/api/shifts/current", "get", false, "getCurrentShift"),
            ("/api/reports/points-liability", "get", false, "getPointsLiabilityReport"),
            ("/api/purchase-orders", "list", true, "listPurchaseOrders"),
            ("/api/settlement-matches/:id/undo", "create", false, "undoSettlementMatch"),
            ("/api/stores/:id/settings", "get", false, "getStoreSettings"),
            ("/api/categories/:code", "update", false, "updateCategory"),
            ("/api/openapi.json", "get", false, "getOpenapi"),
            ("/api/auth/login", "create", false, "login"),
            ("/api/finance/journal", "list", true, "listFinanceJournalEntries"),
            ("/api/finance/journal/:entry_id/reverse", "create", false, "reverseFinanceJournalEntry"),
            ("/api/webhooks/:webhook_id/rotate-secret", "create", false, "rotateWebhookSecret"),
        ] {
            let mut name = Name::of(pattern);
            let verb = name.take_verb(&VERBS).unwrap_or_else(|| default.to_owned());
            assert_eq!(format!("{verb}{}", name.noun(plural)), expected, "{pattern}");
        }
    }
}
