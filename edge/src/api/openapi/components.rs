//! Parts that all operations share: envelope, failure, the error table, headers, and the two kinds of token.

use super::error_details;
use super::failure_answers::Refusals;
use crate::api::error::Code;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The components of a document.
pub fn all(schemas: BTreeMap<String, Value>, refusals: Refusals) -> Value {
    let codes = refusals.codes();
    let mut named: BTreeMap<String, Value> = schemas;
    named.insert("Failure".to_owned(), failure());
    named.insert("ErrorDetails".to_owned(), error_details::schema());
    named.insert("ErrorCode".to_owned(), error_codes(&codes));
    json!({
        "schemas": named,
        "responses": refusals.into_answers(),
        "parameters": parameters(),
        "headers": headers(),
        "securitySchemes": {
            "bearer": {
                "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                "description": "Access token of `POST /api/auth/login`; `x-roles` lists the roles that may call the operation.",
            },
            "ticket": {
                "type": "apiKey", "in": "query", "name": "ticket",
                "description": "Ticket of `POST /api/events/ticket`: it works once and for 30 s.",
            },
            "sync": {
                "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                "description": "A short-lived token for one request, which the store signs with the key that it enrolled.",
            },
        },
    })
}

/// Removes parameters, headers and kinds of token that no operation of this program uses.
pub fn drop_unused(document: &mut Value) {
    let text = |part: &str| document.pointer(part).map(Value::to_string).unwrap_or_default();
    let uses = text("/paths") + &text("/components/responses");
    let is_used = |name: &str| {
        ["/parameters/", "/headers/"].iter().any(|group| uses.contains(&format!("{group}{name}\"")))
            || uses.contains(&format!("{{\"{name}\":[]}}"))
    };
    for group in ["/components/parameters", "/components/headers", "/components/securitySchemes"] {
        if let Some(Value::Object(group)) = document.pointer_mut(group) {
            group.retain(|name, _| is_used(name));
        }
    }
}

fn failure() -> Value {
    json!({
        "type": "object",
        "description": "Envelope of every failure. Each operation lists its codes.",
        "required": ["success", "error"],
        "properties": {
            "success": {"type": "boolean", "const": false, "description": "False: the request was refused or failed."},
            "error": {
                "type": "object",
                "description": "The error.",
                "required": ["code", "message", "details", "request_id"],
                "properties": {
                    "code": {"$ref": "#/components/schemas/ErrorCode"},
                    "message": {"type": "string", "description": "Error message for people."},
                    "details": {"$ref": "#/components/schemas/ErrorDetails"},
                    "request_id": {"type": "string", "description": "ID of the request, as in `X-Request-Id`. The server's log has it too."},
                },
                "additionalProperties": false,
            },
        },
        "additionalProperties": false,
    })
}

fn error_codes(codes: &[Code]) -> Value {
    let lines: Vec<String> =
        codes.iter().map(|code| format!("- {} `{code}`: {}", code.status(), code.meaning())).collect();
    let statuses: Map<String, Value> =
        codes.iter().map(|code| (code.name().to_owned(), code.status().into())).collect();
    json!({
        "type": "string",
        "description": format!("Stable code of the error. The codes with their HTTP statuses:\n{}", lines.join("\n")),
        "enum": codes.iter().map(|code| code.name()).collect::<Vec<_>>(),
        "x-status": statuses,
    })
}

fn parameters() -> Value {
    json!({
        "IdempotencyKey": {
            "name": "Idempotency-Key", "in": "header", "required": false,
            "description": "Makes a retry safe. A request with the same key, query and body gets the stored status and body, byte for byte, with `Idempotency-Replayed: true`. With another query or body it is refused with 422 `idempotency_key_reused`. Refusals are not stored: correct the request and send it again with the same key. Keys are kept for 7 days (`idempotency.retention_days`), per user, method and path.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
        },
        "IfMatch": {
            "name": "If-Match", "in": "header", "required": false,
            "description": "The `version` that was read, in double quotes. If the current version is another one, the request is refused with 409 `version_conflict`, and nothing is changed. Without the header, the current version is changed.",
            "schema": {"type": "string", "pattern": "^\"[A-Za-z0-9_-]{1,32}\"$"},
        },
        "LastEventId": {
            "name": "Last-Event-ID", "in": "header", "required": false,
            "description": "ID of the last event that was received. Missed events are sent first, or `reload` if some are no longer kept. An ID is valid at every process of a hub.",
            "schema": {"type": "string"},
        },
        "Session": {
            "name": "X-Session", "in": "header", "required": false,
            "description": "For pages: `cookie; app=pos` (`admin`, `portal`) keeps the refresh token in a cookie that scripts can't read. Other clients omit the header.",
            "schema": {"type": "string", "pattern": "^cookie(; *app=(pos|admin|portal))?$"},
        },
        "RegisterId": {
            "name": "X-Register-Id", "in": "header", "required": false,
            "description": "Register of the request. Defaults to the register of the caller's open shift, or else `main`.",
            "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,32}$"},
        },
    })
}

fn headers() -> Value {
    json!({
        "RequestId": {
            "description": "ID of the request. It is the client's own ID if the client sent one of at most 128 visible ASCII characters.",
            "required": true, "schema": {"type": "string"},
        },
        "ApiVersion": {
            "description": "Date of the last change of the API that a client may have to follow. The API changelog lists these changes.",
            "required": true, "schema": {"type": "string", "format": "date"},
        },
        "Build": {
            "description": "Build of the web pages. Other clients can ignore it.",
            "required": true, "schema": {"type": "string"},
        },
        "Completeness": {
            "description": "CSV only: how many stores have reported all records of these days, and which are missing.",
            "schema": {"type": "string"},
        },
        "NextCursor": {
            "description": "CSV only: cursor of the next page. Empty on the last page.",
            "schema": {"type": "string"},
        },
        "Location": {"description": "Path of the created resource.", "required": true, "schema": {"type": "string"}},
        "IdempotencyReplayed": {
            "description": "`true` if this is the stored answer of the first request with this key.",
            "schema": {"type": "string", "const": "true"},
        },
        "RetryAfter": {"description": "Seconds to wait before a retry.", "schema": {"type": "integer", "minimum": 0}},
        "Deprecation": {
            "description": "Day since which the path is deprecated, as `@` and seconds since 1970 (RFC 9745).",
            "required": true, "schema": {"type": "string", "pattern": "^@[0-9]+$"},
        },
        "Sunset": {
            "description": "Day from which the path may no longer work, as an HTTP date (RFC 8594).",
            "required": true, "schema": {"type": "string"},
        },
        "Link": {
            "description": "The path that replaces this one, with the relation `successor-version`.",
            "required": true, "schema": {"type": "string"},
        },
        "RateLimitPolicy": {
            "description": "Limits of failed attempts (draft-ietf-httpapi-ratelimit-headers-11): `q` attempts may fail within `w` seconds, for one login name and for one address. The header is also sent with failures, and with refusals of operations that take an approval.",
            "schema": {"type": "string", "example": "\"name\";q=5;w=300, \"address\";q=50;w=300"},
        },
        "RateLimit": {
            "description": "Remaining attempts: `r` attempts may still fail within the next `t` seconds. Attempts that succeed are not counted.",
            "schema": {"type": "string", "example": "\"address\";r=49;t=300"},
        },
        "Authenticate": {"required": true, "schema": {"type": "string", "const": "Bearer"}},
    })
}
