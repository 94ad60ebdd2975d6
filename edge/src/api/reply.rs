//! Answers on their way out: envelope, headers, the failure shape.

use crate::api::error::{ApiError, Code};
use crate::api::event_stream::{self, Parts, StreamWriter};
use crate::ui;
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use domain::model::base::answer::Answer;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use serde::Serialize;
use sha2::{Digest, Sha256};
use warp::Reply as _;

/// The header that carries the ID of a request, both ways.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The header with the build of the present pages: a page loaded from another build is an older version.
const BUILD: HeaderName = HeaderName::from_static("x-build");
/// The header that marks an answer as the stored one.
pub const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Date of the last change of the API that a client may have to follow (docs/api.md#versions).
pub const API_VERSION: &str = "2026-12-01";
const API_VERSION_HEADER: HeaderName = HeaderName::from_static("api-version");
/// Headers that most answers have, so that their table is allocated once.
const HEADERS_USUAL: usize = 8;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Headers of pages: no content from other sites, no framing, and no referrer to other sites.
const PAGE: [(HeaderName, &str); 4] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
         form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
         trusted-types lit-html",
    ),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Answer of a handler.
#[derive(Debug)]
pub enum Reply {
    /// An answer in the success envelope.
    Answer {
        /// Status, location and body.
        answer: Answer,
        /// Whether it was stored by an earlier request with the same key.
        replayed: bool,
    },
    /// 200 outside of the envelope: metrics, receipts, pages.
    Text {
        /// For example `text/plain; charset=utf-8`.
        content_type: &'static str,
        /// Text of the body.
        body: String,
    },
    /// As `Text`, with another header.
    WithHeader {
        /// For example `text/csv; charset=utf-8`.
        content_type: &'static str,
        /// Its name in lower case, and its value; one that no header can hold is left out.
        header: (&'static str, String),
        /// Text of the body.
        body: String,
    },
    /// 200 outside of the envelope, part by part: [`Reply::stream`].
    Stream {
        /// Media type, for example `text/event-stream`.
        content_type: &'static str,
        /// Parts of the body, as they come.
        parts: Parts,
    },
    /// An answer in the success envelope that sets a cookie.
    Cookie {
        /// Status, location and body.
        answer: Answer,
        /// The value of `Set-Cookie`.
        cookie: String,
    },
    /// A file of the pages, or that it is unchanged, with how long it may be kept.
    File(Response<Bytes>),
    /// A status other than 200 with the success envelope (readiness).
    Status {
        /// HTTP status.
        status: u16,
        /// The whole JSON body.
        body: Vec<u8>,
    },
}

impl Reply {
    /// A reply with status 200 and `data`.
    pub fn ok<T: Serialize>(data: &T) -> Self {
        Answer::ok(data).into()
    }

    /// 201 with `data` and the path of the created resource.
    pub fn created<T: Serialize>(location: impl Into<String>, data: &T) -> Self {
        Answer::created(location.into(), data).into()
    }

    /// 200 with a page that is printed. Its one style is in it and is allowed by its hash; texts in it are escaped.
    pub fn paper(body: String) -> Self {
        let style = body.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>"));
        let hash = STANDARD.encode(Sha256::digest(style.map_or("", |(style, _)| style)));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{hash}'; form-action 'none'; base-uri 'none'; \
             frame-ancestors 'none'"
        );
        let header = ("content-security-policy", policy);
        Self::WithHeader { content_type: "text/html; charset=utf-8", header, body }
    }

    /// 200 outside of the envelope, part by part, and where they are written: [`event_stream::channel`].
    pub fn stream(content_type: &'static str, parts_max: usize) -> (StreamWriter, Self) {
        let (writer, parts) = event_stream::channel(parts_max);
        (writer, Self::Stream { content_type, parts })
    }
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self::Answer { answer, replayed: false }
    }
}

/// The HTTP response for a handler's result. Failures of the server (5xx) are logged here, once.
pub(crate) fn respond(result: Result<Reply, ApiError>, request_id: &HeaderValue) -> warp::reply::Response {
    let mut response = match result {
        Ok(Reply::Answer { answer, replayed }) => success(answer, replayed).into_response(),
        Ok(Reply::Cookie { answer, cookie }) => with_cookie(success(answer, false), &cookie).into_response(),
        Ok(Reply::Text { content_type, body }) => {
            plain(200, HeaderValue::from_static(content_type), body.into()).into_response()
        }
        Ok(Reply::WithHeader { content_type, header: (name, value), body }) => {
            let mut response = plain(200, HeaderValue::from_static(content_type), body.into());
            if let Ok(value) = HeaderValue::from_str(&value) {
                response.headers_mut().insert(HeaderName::from_static(name), value);
            }
            response.into_response()
        }
        Ok(Reply::Stream { content_type, parts }) => {
            let mut response = warp::reply::stream(parts.stream()).into_response();
            let content_type = HeaderValue::from_static(content_type);
            response.headers_mut().insert(header::CONTENT_TYPE, content_type);
            response
        }
        Ok(Reply::File(file)) => {
            // Files of the pages are not part of the API.
            let mut response = file.into_response();
            every_answer(response.headers_mut(), request_id);
            return response;
        }
        Ok(Reply::Status { status, body }) => plain(status, JSON, body.into()).into_response(),
        Err(error) => return refused(&error, request_id).into_response(),
    };
    common(response.headers_mut(), request_id);
    response
}

/// The response for a failure.
pub(crate) fn refused(error: &ApiError, request_id: &HeaderValue) -> Response<Bytes> {
    let mut response = failure(error, request_id);
    common(response.headers_mut(), request_id);
    response
}

/// Sets the headers that every answer of the API carries.
fn common(headers: &mut HeaderMap, request_id: &HeaderValue) {
    every_answer(headers, request_id);
    headers.insert(API_VERSION_HEADER, HeaderValue::from_static(API_VERSION));
}

/// Sets the headers that every answer carries, also a file of the pages.
fn every_answer(headers: &mut HeaderMap, request_id: &HeaderValue) {
    headers.insert(REQUEST_ID, request_id.clone());
    headers.insert(BUILD, ui::build().clone());
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html")) {
        for (name, value) in PAGE {
            headers.entry(name).or_insert(HeaderValue::from_static(value));
        }
    }
}

fn success(answer: Answer, replayed: bool) -> Response<Bytes> {
    let mut response = plain(answer.status, JSON, answer.body.into());
    if let Some(location) = answer.location.and_then(|path| HeaderValue::try_from(path).ok()) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    if replayed {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

fn with_cookie(mut response: Response<Bytes>, cookie: &str) -> Response<Bytes> {
    if let Ok(mut cookie) = HeaderValue::from_str(cookie) {
        cookie.set_sensitive(true);
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

fn failure(error: &ApiError, request_id: &HeaderValue) -> Response<Bytes> {
    let id = request_id.to_str().unwrap_or_default();
    let cause = error.cause().unwrap_or(&error.message);
    // Being asked to come again is how a crowd is met, and no defect.
    if error.code == Code::Unavailable {
        tracing::info!(
            request_id = id,
            code = error.code.name(),
            cause,
            "request refused for now; the client can retry"
        );
    } else if error.code.is_of_server() {
        tracing::error!(
            request_id = id,
            status = error.code.status(),
            code = error.code.name(),
            cause,
            "request failed"
        );
    }
    let mut response = plain(error.code.status(), JSON, error.body(id).into());
    let headers = response.headers_mut();
    if let Some(seconds) = error.retry_after_s {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    if let Some(allow) = error.allow().and_then(|methods| HeaderValue::from_str(methods).ok()) {
        headers.insert(header::ALLOW, allow);
    }
    if error.code.is_unauthenticated() {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

fn plain(status: u16, content_type: HeaderValue, body: Bytes) -> Response<Bytes> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().reserve(HEADERS_USUAL);
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    response
}
