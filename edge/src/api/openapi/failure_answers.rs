//! The failure answers of a document: routes that give the same codes for a status share one.

use crate::api::error::Code;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Failure answers by the name that operations refer to.
#[derive(Default)]
pub struct Refusals {
    answers: BTreeMap<String, Value>,
    used: BTreeSet<Code>,
}

impl Refusals {
    /// Failure answers of an operation, by status, as references.
    pub fn of(&mut self, codes: &BTreeSet<Code>) -> BTreeMap<u16, Value> {
        self.used.extend(codes);
        let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
        for code in codes {
            by_status.entry(code.status()).or_default().push(*code);
        }
        by_status.into_iter().map(|(status, codes)| (status, self.refer(status, &codes))).collect()
    }

    fn refer(&mut self, status: u16, codes: &[Code]) -> Value {
        let names: Vec<&str> = codes.iter().map(|code| code.name()).collect();
        let name = format!("{status}.{}", names.join("."));
        let reference = json!({"$ref": format!("#/components/responses/{name}")});
        self.answers.entry(name).or_insert_with(|| answer(status, codes));
        reference
    }

    /// The codes that the document lists: the shared table, and the used ones of the others.
    pub fn codes(&self) -> Vec<Code> {
        Code::ALL.iter().copied().filter(|code| !code.is_of_sync() || self.used.contains(code)).collect()
    }

    /// All failure answers by status.
    pub fn into_answers(self) -> BTreeMap<String, Value> {
        self.answers
    }
}

fn answer(status: u16, codes: &[Code]) -> Value {
    let names: Vec<&str> = codes.iter().map(|code| code.name()).collect();
    let lines: Vec<String> = codes.iter().map(|code| format!("`{code}`: {}", code.meaning())).collect();
    let examples: Map<String, Value> =
        codes.iter().map(|code| (code.name().to_owned(), json!({"value": example(*code)}))).collect();
    json!({
        "description": lines.join(" "),
        "headers": headers(status),
        "content": {"application/json": {
            "schema": {"$ref": "#/components/schemas/Failure"},
            "examples": examples,
        }},
        "x-error-codes": names,
    })
}

fn headers(status: u16) -> Value {
    let mut headers = Map::new();
    let mut add = |header: &str, component: &str| {
        headers.insert(header.to_owned(), json!({"$ref": format!("#/components/headers/{component}")}));
    };
    add("X-Request-Id", "RequestId");
    add("API-Version", "ApiVersion");
    add("X-Build", "Build");
    match status {
        401 => add("WWW-Authenticate", "Authenticate"),
        409 | 503 => add("Retry-After", "RetryAfter"),
        429 => {
            add("Retry-After", "RetryAfter");
            add("RateLimit-Policy", "RateLimitPolicy");
            add("RateLimit", "RateLimit");
        }
        _ => {}
    }
    headers.into()
}

fn example(code: Code) -> Value {
    json!({"success": false, "error": {
        "code": code.name(),
        "message": code.meaning(),
        "details": details(code),
        "request_id": "req_019aa0c2d0f37c0f8a8a5d3c54a1b2c3",
    }})
}

fn details(code: Code) -> Value {
    match code {
        Code::ValidationFailed => {
            json!({"fields": [{"path": "items[0].qty", "problem": "must be 1 to 1000000"}]})
        }
        Code::InvalidQuery => json!({"fields": [{"path": "limit", "problem": "must be 1 to 500"}]}),
        Code::InvalidState => json!({"state": "paid", "allowed": ["return", "void"]}),
        Code::ShiftAlreadyOpen => json!({"shift_id": "shf_019aa0c2d0f37c0f8a8a5d3c54a1b2c3"}),
        Code::ShiftHasOpenTransactions => json!({"transactions": ["trx_019aa0c2d0f37c0f8a8a5d3c54a1b2c3"]}),
        Code::InsufficientStock => json!({"items": [{"sku": "85123A", "on_hand": 1, "requested": 2}]}),
        Code::InsufficientPoints => {
            json!({"member_id": "mbr_019aa0c2d0f37c0f8a8a5d3c54a1b2c3", "balance": 74,
            "reserved": 50, "available": 24, "requested": 50})
        }
        Code::ReturnExceedsSold => json!({"items": [{"path": "items[0]", "sku": "85123A", "sold": 3,
            "returned_qty": 2, "left": 1, "requested": 2}]}),
        Code::OverReceipt => {
            json!({"path": "lines[0].qty", "sku": "85123A", "limit": 110, "received_qty": 100,
            "left": 10, "requested": 11})
        }
        Code::ApprovalRequired => json!({"action": "a refund of this size", "value": 90_000, "limit": 50_000,
            "setting": "returns.cashier_limit", "approvers": ["store_manager", "admin"]}),
        Code::UnknownSku => json!({"skus": ["85123A"]}),
        Code::PaymentMismatch => json!({"amount_due": 21000}),
        Code::InvalidHeader => json!({"header": "X-Register-Id"}),
        Code::IdempotencyKeyReused => json!({"differs": ["query.source_id"]}),
        Code::ApprovalLimited => json!({"retry_after_s": 240}),
        Code::BodyTooLarge => json!({"limit_bytes": 1_048_576}),
        _ => json!({}),
    }
}
