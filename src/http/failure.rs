//! Maps a command's failure to a row of the error table: the only place that knows both.

use actors::Failure;
use edge::ApiError;
use storage::StorageError;

/// Seconds after which a caller may come back.
const RETRY_AFTER_S: u64 = 1;

/// The answer for a command that did not end well.
pub fn failed(failure: Failure) -> ApiError {
    match failure {
        Failure::Refused(refusal) => refusal.into(),
        Failure::Unavailable(why) | Failure::Unconfirmed(why) => ApiError::unavailable(why, RETRY_AFTER_S),
        Failure::InProgress => ApiError::request_in_progress().with_retry_after(RETRY_AFTER_S),
        Failure::KeyReused(differs) => ApiError::idempotency_key_reused(&differs),
        Failure::StorageFull(why) => ApiError::storage_full(why),
        Failure::Damaged(why) => ApiError::damaged(why),
        Failure::Internal(why) => ApiError::internal(why),
    }
}

/// The answer if stored rows can't be read. Damage is named in the answer; another error is a defect, which only the
/// log describes.
pub fn stored(error: StorageError) -> ApiError {
    match error {
        StorageError::Damaged { .. } => ApiError::damaged(error),
        other => ApiError::internal(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::model::base::refusal::Refusal;

    #[test]
    fn every_failure_has_its_row() {
        let rows = [
            (Failure::Refused(Refusal::NoOpenShift), 409, "no_open_shift"),
            (Failure::Unavailable("x"), 503, "unavailable"),
            (Failure::Unconfirmed("x"), 503, "unavailable"),
            (Failure::InProgress, 409, "request_in_progress"),
            (Failure::KeyReused(vec!["body".to_owned()]), 422, "idempotency_key_reused"),
            (Failure::StorageFull("x".to_owned()), 507, "storage_full"),
            (Failure::Internal("x".to_owned()), 500, "internal"),
        ];
        for (failure, status, code) in rows {
            let error = failed(failure);
            assert_eq!((error.code.status(), error.code.name()), (status, code));
        }
        assert_eq!(failed(Failure::Unavailable("x")).retry_after_s, Some(RETRY_AFTER_S));
    }
}
