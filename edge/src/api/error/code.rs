//! Every code of the error table with its status: listed in documents and used by routes.

use std::fmt;

macro_rules! codes {
    ($($variant:ident $status:literal $name:literal $meaning:literal;)+) => {
        /// A row of the error table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {$(
            #[doc = $meaning]
            $variant,
        )+}

        impl Code {
            /// The whole table.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The HTTP status.
            pub const fn status(self) -> u16 {
                match self {$(Self::$variant => $status,)+}
            }

            /// The stable name in `error.code`.
            pub const fn name(self) -> &'static str {
                match self {$(Self::$variant => $name,)+}
            }

            /// Meaning of the code, for people.
            pub const fn meaning(self) -> &'static str {
                match self {$(Self::$variant => $meaning,)+}
            }
        }
    };
}

codes! {
    InvalidJson 400 "invalid_json" "The body is not valid JSON.";
    InvalidCursor 400 "invalid_cursor" "The cursor is not from this list; details: `fields`.";
    InvalidHeader 400 "invalid_header" "A header is missing, repeated or malformed.";
    InvalidQuery 400 "invalid_query" "A query parameter is unknown, repeated, missing or malformed; details: `fields`, each with `path` (the name of the parameter) and `problem`.";
    MissingToken 401 "missing_token" "No bearer token was sent.";
    InvalidToken 401 "invalid_token" "The token has a bad signature, a wrong issuer or audience, or the wrong kind.";
    TokenExpired 401 "token_expired" "The token has expired: refresh it or log in.";
    TokenRevoked 401 "token_revoked" "The token was revoked by a logout, a new password or an administrator.";
    InvalidCredentials 401 "invalid_credentials" "The login name, the password, the PIN or the enrolment token is wrong.";
    InsufficientRole 403 "insufficient_role" "The role does not allow this; details: `roles` (those that may call the operation), unless it depends on the document.";
    NetworkNotAllowed 403 "network_not_allowed" "The client is outside the allowed networks.";
    ApprovalRequired 403 "approval_required" "A manager must approve this; details: `action` and `approvers`. If a limit was exceeded, a store adds `path`, `value`, `limit` and `setting`, and head office adds `limit` and `amount`.";
    ApprovalLimited 403 "approval_limited" "Too many approvals were refused; details: `retry_after_s`. Log-ins still work.";
    ApprovalRefused 403 "approval_refused" "The approver's login name, password, PIN or device is wrong, or \
        the account is disabled. The caller stays logged in.";
    PinLocked 403 "pin_locked" "The PIN was wrong five times in a row, or twenty times in all: it works again after a log-in by password or \
        device.";
    AccountDisabled 403 "account_disabled" "The account is disabled.";
    StoreDisabled 403 "store_disabled" "The store is disabled at the hub.";
    StoreReplaced 403 "store_replaced" "Another machine was enrolled for this store: enrol this one again; details: `replaced_at` and `replaced_by` (the name of the other machine's key).";
    NotFound 404 "not_found" "The path is right, but nothing with this ID exists, or the caller may not see it; details: `what` (the kind of thing).";
    PathNotFound 404 "path_not_found" "The API has no such path, or a parameter in the path is badly encoded: check the address.";
    MethodNotAllowed 405 "method_not_allowed" "The path does not support that method; see Allow.";
    RequestTimeout 408 "request_timeout" "The request did not arrive in time.";
    InvalidState 409 "invalid_state" "The state does not allow this step; details: `state`, and `allowed` (the possible steps).";
    VersionConflict 409 "version_conflict" "The object was changed after the version in If-Match was read; details: `version` (the current one).";
    ShiftAlreadyOpen 409 "shift_already_open" "The register or the user has an open shift; details: `shift_id`.";
    NoOpenShift 409 "no_open_shift" "The caller has no open shift.";
    ShiftHasOpenTransactions 409 "shift_has_open_transactions" "The shift has unfinished transactions; details: `transactions` (their IDs).";
    InsufficientStock 409 "insufficient_stock" "Stock is too low; details: `items`, each with `sku`, `requested`, and `on_hand` (for damaged goods: `damaged`), and with `path` if a single line causes it.";
    InsufficientPoints 409 "insufficient_points" "The member has too few points; details: `balance`, `reserved` (by unfinished sales), `available` and `requested`.";
    AlreadyCounted 409 "already_counted" "Another user counted this product in this zone; details: `counts`, each with `path`, `sku`, `zone`, `qty` and the users who counted (`counted_by`). Send the count again with the `mode` `add` or `replace`.";
    Duplicate 409 "duplicate" "Something with the same name, number or code already exists; details: `what` (the kind of thing), and `id` or `skus` (the existing ones).";
    DayLocked 409 "day_locked" "The day is locked in that book; details: `store_id`, `date` and `next_open_date`.";
    NotReady 409 "not_ready" "Something else must be done first; details: `problems`, each with `code`, `store_id`, `date`, `id` and `message`, and `more` (the number of omitted problems).";
    RequestInProgress 409 "request_in_progress" "The first request with this key is still running.";
    StaleEpoch 409 "stale_epoch" "Another copy of this store writes a newer epoch.";
    HelloFirst 409 "hello_first" "The store must send a hello for this epoch first.";
    SequenceGap 409 "sequence_gap" "Earlier records are missing: send them first.";
    HistoryDiverged 409 "history_diverged" "The hub has a different record at this position.";
    ResyncRequired 410 "resync_required" "The cursor does not belong to this feed: read the feed from its start.";
    BodyTooLarge 413 "body_too_large" "The body is larger than the limit; details: `limit_bytes`.";
    UnsupportedMediaType 415 "unsupported_media_type" "The Content-Type or Content-Encoding is not the expected one.";
    MisdirectedRequest 421 "misdirected_request" "The Host header is not a name of this server: add the name to the setting `http.allowed_hosts`.";
    ValidationFailed 422 "validation_failed" "Fields are wrong; details: `fields`, each with `path` and `problem`.";
    UnknownSku 422 "unknown_sku" "SKUs are not in the catalogue; details: `skus`.";
    UnknownMember 422 "unknown_member" "There is no such member.";
    PaymentMismatch 422 "payment_mismatch" "The payments do not match the amount due; details: `amount_due`.";
    ReturnExceedsSold 422 "return_exceeds_sold" "More would be returned than was sold; details: `items`, each with `path`, `sku`, `sold`, `returned_qty`, `left` and `requested`.";
    OverReceipt 422 "over_receipt" "More would be received than was ordered or sent; details: `path`, `sku`, `limit`, `received_qty`, `left` and `requested`.";
    IdempotencyKeyReused 422 "idempotency_key_reused" "The key was used for another body or query; details: `differs` (the parts that differ, such as `body` or `query.source_id`).";
    Unbalanced 422 "unbalanced" "The debit and credit of an entry differ; details: `debit` and `credit`.";
    ChainBroken 422 "chain_broken" "The records do not form a chain.";
    RateLimited 429 "rate_limited" "Too many attempts; see Retry-After.";
    Internal 500 "internal" "An internal error; the log has its cause under the request ID.";
    Damaged 500 "damaged" "A part of the stored data can't be read; the log says which. Everything else still \
        works: see Damage in the operations manual.";
    Unavailable 503 "unavailable" "The server is restarting, full or stopping; see Retry-After.";
    StorageFull 507 "storage_full" "Nothing can be written; reads still work.";
}

impl Code {
    /// The row of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }

    /// Whether it asks for another token or password.
    pub const fn is_unauthenticated(self) -> bool {
        self.status() == 401
    }

    /// Whether it refuses who asks, whatever was asked.
    pub const fn refuses_caller(self) -> bool {
        matches!(self.status(), 401 | 403)
    }

    /// Whether the server caused it, not the client.
    pub const fn is_of_server(self) -> bool {
        self.status() >= 500
    }

    /// Whether it belongs to the sync protocol, and not to the table that both programs share.
    pub const fn is_of_sync(self) -> bool {
        matches!(
            self,
            Self::StoreDisabled
                | Self::StoreReplaced
                | Self::StaleEpoch
                | Self::HelloFirst
                | Self::SequenceGap
                | Self::HistoryDiverged
                | Self::ResyncRequired
                | Self::ChainBroken
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Code;
    use domain::model::base::figures::{Money, Points};
    use domain::model::base::ids::MemberId;
    use domain::model::base::refusal::{NeedsApproval, OverReceived, Refusal};
    use std::collections::BTreeSet;

    #[test]
    fn names_are_distinct_and_found_again() {
        let names: BTreeSet<&str> = Code::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), Code::ALL.len());
        assert!(Code::ALL.iter().all(|code| Code::parse(code.name()) == Some(*code)));
    }

    #[test]
    fn every_refusal_stands_in_the_table() {
        let text = String::new;
        let refusals = [
            Refusal::NotFound("x"),
            Refusal::InvalidState { state: text(), allowed: Vec::new() },
            Refusal::ShiftAlreadyOpen { shift_id: text() },
            Refusal::NoOpenShift,
            Refusal::ShiftHasOpenTransactions { transactions: Vec::new() },
            Refusal::InsufficientStock { items: Vec::new() },
            Refusal::InsufficientPoints {
                member_id: MemberId(text()),
                balance: Points::ZERO,
                reserved: Points::ZERO,
                available: Points::ZERO,
                requested: Points::ZERO,
            },
            Refusal::MemberExists(text()),
            Refusal::AlreadyCounted(Vec::new()),
            Refusal::Duplicate { what: "x", id: text() },
            Refusal::ValidationFailed(Vec::new()),
            Refusal::UnknownSku(Vec::new()),
            Refusal::UnknownMember(text()),
            Refusal::PaymentMismatch { problem: text(), amount_due: Money::ZERO },
            Refusal::ReturnExceedsSold(Vec::new()),
            Refusal::OverReceipt(OverReceived::default().into()),
            Refusal::BarcodeTaken(Vec::new()),
            Refusal::BarcodeShared { code: text(), skus: Vec::new() },
            Refusal::InsufficientRole,
            Refusal::ApprovalRequired(NeedsApproval::of("x").into()),
            Refusal::RegisterDisabled(text()),
            Refusal::DayLocked {
                store_id: text(),
                date: Default::default(),
                next_open_date: Default::default(),
            },
            Refusal::NotReady(Vec::new()),
            Refusal::Unbalanced { debit: Money::new(1), credit: Money::ZERO },
            Refusal::StaleRevision { state: text(), revision: 1 },
            Refusal::VersionConflict { version: text() },
            Refusal::AboveLimit { limit: Money::new(1), amount: Money::new(2) },
            Refusal::OwnApproval,
        ];
        for refusal in refusals {
            assert!(Code::parse(refusal.code()).is_some(), "{}", refusal.code());
        }
    }
}
