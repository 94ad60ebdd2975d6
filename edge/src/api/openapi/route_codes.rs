//! The error codes of a route. Most follow from its access, body, path and query.

use crate::api::error::Code;
use crate::api::openapi;
use crate::api::route::{Access, BodyKind, Route};
use schemars::generate::SchemaSettings;
use std::collections::BTreeSet;

/// Codes that the edge itself may give to any request.
const ANY: [Code; 8] = [
    Code::InvalidHeader,
    Code::NetworkNotAllowed,
    Code::RequestTimeout,
    Code::BodyTooLarge,
    Code::MisdirectedRequest,
    Code::Internal,
    Code::Damaged,
    Code::Unavailable,
];
/// Codes of a wrong token.
const TOKEN: [Code; 3] = [Code::MissingToken, Code::InvalidToken, Code::TokenExpired];
/// Codes with which a person may be refused.
const PERSON: [Code; 3] = [Code::TokenRevoked, Code::AccountDisabled, Code::InsufficientRole];
/// Codes with which an approval in the body may be refused.
const APPROVAL: [Code; 3] = [Code::ApprovalRequired, Code::ApprovalRefused, Code::ApprovalLimited];
/// Codes that a change may give.
const CHANGE: [Code; 1] = [Code::StorageFull];
/// Codes that an `Idempotency-Key` may give.
const KEY: [Code; 2] = [Code::RequestInProgress, Code::IdempotencyKeyReused];

impl<S> Route<S> {
    /// Every code that this route can give.
    pub fn codes(&self) -> BTreeSet<Code> {
        let mut codes = BTreeSet::from(ANY);
        codes.extend(self.doc.refusals);
        match self.access {
            Access::Public => {}
            Access::LoopbackOr(_) | Access::Roles(_) | Access::CookieOr(_) => {
                codes.extend(TOKEN.into_iter().chain(PERSON))
            }
            Access::SyncToken => {
                codes.extend(TOKEN.into_iter().chain([Code::StoreDisabled, Code::StoreReplaced]))
            }
        }
        match self.body {
            BodyKind::None => {}
            BodyKind::Json | BodyKind::JsonOptional | BodyKind::JsonUpTo(_) | BodyKind::JsonCsvOrXml => {
                codes.extend([Code::InvalidJson, Code::UnsupportedMediaType, Code::ValidationFailed]);
            }
            BodyKind::Csv => codes.extend([Code::UnsupportedMediaType, Code::ValidationFailed]),
        }
        let body = self.doc.body.and_then(|body| body.schema);
        if body.is_some_and(|body| {
            openapi::fields(&body(&mut openapi::inline(SchemaSettings::for_deserialize)))
                .contains_key("approval")
        }) {
            codes.extend(APPROVAL);
        }
        if self.pattern.contains("/:") {
            // A parameter that is badly encoded or too long is a path that does not exist.
            codes.extend([Code::NotFound, Code::PathNotFound]);
        }
        if self.doc.query.is_some() {
            codes.insert(Code::InvalidQuery);
        }
        if self.has_parameter("cursor") {
            codes.insert(Code::InvalidCursor);
        }
        if self.mutates {
            codes.extend(CHANGE);
        }
        if self.doc.versioned {
            codes.insert(Code::VersionConflict);
        }
        if self.keyed() {
            codes.extend(KEY);
        }
        codes
    }

    /// Whether its query has a parameter of this name.
    pub fn has_parameter(&self, name: &str) -> bool {
        self.doc.query.is_some_and(|query| {
            openapi::fields(&query(&mut openapi::inline(SchemaSettings::for_deserialize))).contains_key(name)
        })
    }

    /// Whether its answers are kept under an `Idempotency-Key`.
    pub fn keyed(&self) -> bool {
        self.mutates && self.doc.unkeyed.is_none()
    }
}
