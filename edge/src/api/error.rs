//! The error table: the one place where a failure becomes an HTTP status and a stable code.

use domain::model::base::refusal::{FieldProblem, Refusal};
use http::Method;
use serde_json::{Value, json};

mod code;
pub(crate) mod shape_problem;
mod transport;

pub use code::Code;

/// A failure as the client sees it, with the details for the log only.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiError {
    /// The row of the error table: it knows the status and the stable name.
    pub code: Code,
    /// Error message for people.
    pub message: String,
    /// Always a JSON object.
    pub details: Value,
    /// Seconds after which trying again makes sense: `Retry-After`.
    pub retry_after_s: Option<u64>,
    /// Fields that do not apply to every failure.
    more: Option<Box<More>>,
}

/// Kept apart so that a `Result` with an [`ApiError`] stays small.
#[derive(Debug, Clone, PartialEq, Default)]
struct More {
    /// The `Allow` header of a 405.
    allow: Option<String>,
    /// The cause of a 500: goes to the log under the request ID, never to the client.
    cause: Option<String>,
}

impl ApiError {
    /// A failure with no details. Prefer the named constructors.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: json!({}), retry_after_s: None, more: None }
    }

    /// The same failure with a `details` object.
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    /// The same failure with `Retry-After`, which the details repeat for clients that do not see headers.
    pub fn with_retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_s = Some(seconds);
        if let Some(details) = self.details.as_object_mut() {
            details.insert("retry_after_s".to_owned(), seconds.into());
        }
        self
    }

    /// 405 with its `Allow` header.
    pub(crate) fn method_not_allowed(allowed: &[Method]) -> Self {
        let names: Vec<&str> = allowed.iter().map(Method::as_str).collect();
        let mut error = Self::new(Code::MethodNotAllowed, "this path does not support that method")
            .with_details(json!({"allowed": names}));
        error.more = Some(Box::new(More { allow: Some(names.join(", ")), cause: None }));
        error
    }

    /// 500: a defect. `cause` is logged under the request ID and never leaves the process.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        let mut error = Self::new(Code::Internal, "an internal error occurred; it has been logged");
        error.more = Some(Box::new(More { allow: None, cause: Some(cause.to_string()) }));
        error
    }

    /// 500: stored data can't be read. `cause` is logged under the request ID and never leaves the process.
    pub fn damaged(cause: impl std::fmt::Display) -> Self {
        let message = "the stored data is damaged; the log has the place: run `store-router verify`";
        let mut error = Self::new(Code::Damaged, message);
        error.more = Some(Box::new(More { allow: None, cause: Some(cause.to_string()) }));
        error
    }

    /// 422 with every field that is wrong.
    pub fn validation(fields: &[FieldProblem]) -> Self {
        Refusal::ValidationFailed(fields.to_vec()).into()
    }

    /// 422 for one field.
    pub fn field(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::validation(&[FieldProblem { path: path.into(), problem: problem.into() }])
    }

    /// The `Allow` header, for a 405.
    pub(crate) fn allow(&self) -> Option<&str> {
        self.more.as_ref()?.allow.as_deref()
    }

    /// Cause of the failure, for the log.
    pub fn cause(&self) -> Option<&str> {
        self.more.as_ref()?.cause.as_deref()
    }

    /// The failure envelope as bytes.
    pub fn body(&self, request_id: &str) -> Vec<u8> {
        let body = json!({"success": false, "error": {
            "code": self.code.name(), "message": self.message, "details": self.details, "request_id": request_id,
        }});
        serde_json::to_vec(&body).unwrap_or_default()
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        // A test finds every refusal in the table.
        let code = Code::parse(refusal.code()).unwrap_or(Code::Internal);
        Self::new(code, refusal.to_string()).with_details(refusal.details())
    }
}
