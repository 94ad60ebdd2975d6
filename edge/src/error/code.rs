//! Every code of the error table with its status: what a document lists and what a route may give.

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

            /// What it says, for people.
            pub const fn meaning(self) -> &'static str {
                match self {$(Self::$variant => $meaning,)+}
            }
        }
    };
}

codes! {
    InvalidJson 400 "invalid_json" "The body is not JSON.";
    InvalidCursor 400 "invalid_cursor" "The cursor is not one that this list made.";
    InvalidHeader 400 "invalid_header" "A header breaks its rule.";
    InvalidQuery 400 "invalid_query" "A query parameter is unknown, repeated or malformed.";
    MissingToken 401 "missing_token" "No bearer token was sent.";
    InvalidToken 401 "invalid_token" "Bad signature, wrong issuer or audience, or wrong kind.";
    TokenExpired 401 "token_expired" "The token has expired: refresh it or log in.";
    TokenRevoked 401 "token_revoked" "The token was ended by a logout, a new password or an administrator.";
    InvalidCredentials 401 "invalid_credentials" "The login name, the password or the enrolment token is wrong.";
    InsufficientRole 403 "insufficient_role" "The role has no part in this.";
    NetworkNotAllowed 403 "network_not_allowed" "The peer is outside of the allowed networks.";
    ApprovalRequired 403 "approval_required" "A manager has to approve this; details: action, approvers, and path, value, limit, setting where a limit says so.";
    ApprovalLimited 403 "approval_limited" "Too many approvals were refused; details: retry_after_s. Log-ins go on.";
    AccountDisabled 403 "account_disabled" "The account is disabled.";
    StoreDisabled 403 "store_disabled" "The store is disabled at the hub.";
    NotFound 404 "not_found" "Nothing has this id.";
    MethodNotAllowed 405 "method_not_allowed" "The path does not take that method; see Allow.";
    RequestTimeout 408 "request_timeout" "The request did not arrive in time.";
    InvalidState 409 "invalid_state" "The state does not allow this step; details: state, allowed.";
    ShiftAlreadyOpen 409 "shift_already_open" "The register or the user has an open shift; details: shift_id.";
    NoOpenShift 409 "no_open_shift" "The caller has no open shift.";
    ShiftHasOpenTransactions 409 "shift_has_open_transactions" "Unfinished transactions are in the way; details: their ids.";
    InsufficientStock 409 "insufficient_stock" "There is too little on hand; details: items, each with sku, on_hand, requested.";
    InsufficientPoints 409 "insufficient_points" "The member has too few points; details: balance, reserved by unfinished sales, available, requested.";
    Duplicate 409 "duplicate" "Something with this identity exists; details: what, and the id or skus that have it.";
    RequestInProgress 409 "request_in_progress" "The first request with this key still runs.";
    StaleEpoch 409 "stale_epoch" "Another copy of this store writes a newer epoch.";
    HelloFirst 409 "hello_first" "This epoch has not said hello.";
    SequenceGap 409 "sequence_gap" "An earlier record has to come first.";
    HistoryDiverged 409 "history_diverged" "The hub has another record at this place.";
    ResyncRequired 410 "resync_required" "The cursor is not of this feed: read it anew.";
    BodyTooLarge 413 "body_too_large" "The body is larger than the limit; details: limit_bytes.";
    UnsupportedMediaType 415 "unsupported_media_type" "The Content-Type or Content-Encoding is another than expected.";
    MisdirectedRequest 421 "misdirected_request" "The Host is a name that is not this server's; see http.allowed_hosts.";
    ValidationFailed 422 "validation_failed" "Fields are wrong; details: fields, each with path and problem.";
    UnknownSku 422 "unknown_sku" "Skus are not in the catalogue; details: skus.";
    UnknownMember 422 "unknown_member" "There is no such member.";
    PaymentMismatch 422 "payment_mismatch" "The payments do not fit what is due; details: amount_due.";
    ReturnExceedsSold 422 "return_exceeds_sold" "More would come back than was sold; details: items, each with path, sku, sold, returned, left, requested.";
    OverReceipt 422 "over_receipt" "More would be received than was ordered or sent; details: path, sku, limit, received, left, requested.";
    IdempotencyKeyReused 422 "idempotency_key_reused" "The key was used for another body.";
    ChainBroken 422 "chain_broken" "The records do not follow one another.";
    RateLimited 429 "rate_limited" "Too many attempts; see Retry-After.";
    Internal 500 "internal" "A defect; the log has it under the request id.";
    Unavailable 503 "unavailable" "Restarting, full or draining; see Retry-After.";
    StorageFull 507 "storage_full" "Nothing can be written; reads still work.";
}

impl Code {
    /// The row of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }

    /// Whether it belongs to the sync protocol, and not to the table that both programs share.
    pub const fn is_of_sync(self) -> bool {
        matches!(
            self,
            Self::StoreDisabled
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
    use crate::ApiError;
    use domain::refusal::{NeedsApproval, OverReceived, Refusal};
    use std::collections::BTreeSet;

    #[test]
    fn names_are_told_apart_and_found_again() {
        let names: BTreeSet<&str> = Code::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), Code::ALL.len());
        assert!(Code::ALL.iter().all(|code| Code::parse(code.name()) == Some(*code)));
    }

    #[test]
    fn refusals_and_failures_stand_in_the_table_under_their_status() {
        let text = String::new;
        let refusals = [
            Refusal::NotFound("x"),
            Refusal::InvalidState { state: text(), allowed: Vec::new() },
            Refusal::ShiftAlreadyOpen { shift_id: text() },
            Refusal::NoOpenShift,
            Refusal::ShiftHasOpenTransactions { transactions: Vec::new() },
            Refusal::InsufficientStock { items: Vec::new() },
            Refusal::Duplicate { what: "x", id: text() },
            Refusal::ValidationFailed(Vec::new()),
            Refusal::UnknownSku(Vec::new()),
            Refusal::UnknownMember(text()),
            Refusal::PaymentMismatch { problem: text(), amount_due: 0 },
            Refusal::ReturnExceedsSold(Vec::new()),
            Refusal::OverReceipt(OverReceived::default().into()),
            Refusal::BarcodeTaken(Vec::new()),
            Refusal::BarcodeShared { code: text(), skus: Vec::new() },
            Refusal::InsufficientRole,
            Refusal::ApprovalRequired(NeedsApproval::of("x").into()),
            Refusal::RegisterDisabled(text()),
        ];
        let failures = [
            ApiError::invalid_json(""),
            ApiError::invalid_cursor(),
            ApiError::invalid_header("x", "y"),
            ApiError::invalid_query(""),
            ApiError::missing_token(),
            ApiError::invalid_token(),
            ApiError::token_expired(),
            ApiError::token_revoked(),
            ApiError::invalid_credentials(),
            ApiError::network_not_allowed(),
            ApiError::account_disabled(),
            ApiError::approval_limited(1),
            ApiError::method_not_allowed(&[]),
            ApiError::request_timeout(),
            ApiError::request_in_progress(),
            ApiError::body_too_large(1),
            ApiError::unsupported_media_type(""),
            ApiError::idempotency_key_reused(),
            ApiError::rate_limited(1),
            ApiError::internal(""),
            ApiError::unavailable("", 1),
            ApiError::storage_full(""),
        ];
        for error in refusals.into_iter().map(ApiError::from).chain(failures) {
            let code = Code::parse(error.code);
            assert_eq!(code.map(Code::status), Some(error.status), "{}", error.code);
        }
    }
}
