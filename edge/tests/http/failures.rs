//! Every row of the error table in the exact shape of the contract.

use domain::model::base::refusal::{FieldProblem, Refusal, ShortItem, ShortStock};
use edge::ApiError;
use serde_json::{Value, json};

fn rows() -> Vec<(ApiError, u16, &'static str)> {
    vec![
        (ApiError::invalid_json("x"), 400, "invalid_json"),
        (ApiError::invalid_cursor(), 400, "invalid_cursor"),
        (ApiError::invalid_header("X-Register-Id", "short"), 400, "invalid_header"),
        (ApiError::invalid_query("limit", "x"), 400, "invalid_query"),
        (ApiError::missing_token(), 401, "missing_token"),
        (ApiError::invalid_token(), 401, "invalid_token"),
        (ApiError::token_expired(), 401, "token_expired"),
        (ApiError::token_revoked(), 401, "token_revoked"),
        (ApiError::invalid_credentials(), 401, "invalid_credentials"),
        (ApiError::insufficient_role(), 403, "insufficient_role"),
        (ApiError::network_not_allowed(), 403, "network_not_allowed"),
        (ApiError::approval_required(), 403, "approval_required"),
        (ApiError::account_disabled(), 403, "account_disabled"),
        (ApiError::not_found("transaction"), 404, "not_found"),
        (ApiError::no_such_path(), 404, "path_not_found"),
        (ApiError::request_timeout(), 408, "request_timeout"),
        (ApiError::request_in_progress(), 409, "request_in_progress"),
        (ApiError::body_too_large(1), 413, "body_too_large"),
        (ApiError::unsupported_media_type("x"), 415, "unsupported_media_type"),
        (ApiError::misdirected_request(), 421, "misdirected_request"),
        (ApiError::field("a", "b"), 422, "validation_failed"),
        (ApiError::idempotency_key_reused(&[]), 422, "idempotency_key_reused"),
        (ApiError::rate_limited(9), 429, "rate_limited"),
        (ApiError::internal("secret"), 500, "internal"),
        (ApiError::unavailable("x", 1), 503, "unavailable"),
        (ApiError::storage_full("x"), 507, "storage_full"),
    ]
}

#[test]
fn every_row_has_its_status_code_and_shape() {
    for (error, status, code) in rows() {
        assert_eq!((error.code.status(), error.code.name()), (status, code));
        let body: Value = serde_json::from_slice(&error.body("req_1")).unwrap();
        let expected = json!({"success": false, "error": {
            "code": code, "message": error.message, "details": error.details, "request_id": "req_1",
        }});
        assert_eq!(body, expected);
        assert!(error.details.is_object());
    }
}

#[test]
fn a_refusal_that_passes_names_the_seconds_to_wait() {
    assert_eq!(ApiError::rate_limited(9).retry_after_s, Some(9));
    assert_eq!(ApiError::unavailable("x", 2).retry_after_s, Some(2));
}

#[test]
fn the_cause_of_a_defect_stays_here() {
    let error = ApiError::internal("secret path");
    assert_eq!(error.cause(), Some("secret path"));
    assert!(!String::from_utf8(error.body("r")).unwrap().contains("secret"));
}

#[test]
fn refusals_of_the_domain_keep_code_status_and_details() {
    let short = ShortItem {
        path: None,
        sku: "A".to_owned(),
        stock: ShortStock::OnHand(1.into()),
        requested: 2.into(),
    };
    let cases = [
        (Refusal::NotFound("shift"), 404, "not_found", json!({"what": "shift"})),
        (
            Refusal::InvalidState { state: "paid".to_owned(), allowed: vec!["return".to_owned()] },
            409,
            "invalid_state",
            json!({"state": "paid", "allowed": ["return"]}),
        ),
        (Refusal::NoOpenShift, 409, "no_open_shift", json!({})),
        (
            Refusal::ShiftAlreadyOpen { shift_id: "shf_1".to_owned() },
            409,
            "shift_already_open",
            json!({"shift_id": "shf_1"}),
        ),
        (
            Refusal::InsufficientStock { items: vec![short] },
            409,
            "insufficient_stock",
            json!({"items": [{"sku": "A", "on_hand": 1, "requested": 2}]}),
        ),
        (
            Refusal::ValidationFailed(vec![FieldProblem { path: "p".to_owned(), problem: "q".to_owned() }]),
            422,
            "validation_failed",
            json!({"fields": [{"path": "p", "problem": "q"}]}),
        ),
        (Refusal::UnknownSku(vec!["A".to_owned()]), 422, "unknown_sku", json!({"skus": ["A"]})),
        (Refusal::InsufficientRole, 403, "insufficient_role", json!({})),
    ];
    for (refusal, status, code, details) in cases {
        let error = ApiError::from(refusal);
        assert_eq!((error.code.status(), error.code.name(), error.details), (status, code, details));
    }
}
