//! The pages of `ui/` as they are served: compressed once, at an address that depends on their content.

use crate::api::error::ApiError;
use crate::api::reply::Reply;
use crate::api::request::Request;
use crate::api::route::Doc;
use crate::ui::{build, files, kind};
use bytes::Bytes;
use domain::model::hub::chain::hex;
use flate2::{Compression, write::GzEncoder};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::OnceLock;

/// `GET /ui/:build/:folder/:file`
pub const FILE: Doc = Doc::of("Pages", "Retrieve a file of the pages; `build` changes with any of the files")
    .answers_text("text/javascript")
    .also(&["text/css", "application/json", "image/svg+xml"]);
/// `GET /pos`
pub const POS: Doc = Doc::of("Pages", "The till").answers_text("text/html");
/// `GET /admin`
pub const ADMIN: Doc = Doc::of("Pages", "Store Admin").answers_text("text/html");
/// `GET /`
pub const PORTAL: Doc = Doc::of("Pages", "Head office's portal").answers_text("text/html");
/// `GET /passkeys`
pub const PASSKEYS: Doc =
    Doc::of("Pages", "Redirect to the page on which devices are registered").answers_text("text/html");
/// `GET /docs`
pub const DOCS: Doc = Doc::of("Pages", "Retrieve a page that shows this document").answers_text("text/html");

/// Placeholder in a page for the address of its files.
const BUILD: &str = "{build}";
/// A file's address is never used for other bytes.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// A file in both forms.
struct File {
    kind: HeaderValue,
    plain: Bytes,
    gzip: Bytes,
    tag: HeaderValue,
}

impl File {
    fn new(kind: &'static str, plain: Vec<u8>) -> Self {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        let gzip = gzip.write_all(&plain).and_then(|()| gzip.finish()).unwrap_or_default();
        let tag = format!("\"{}\"", hex(&Sha256::digest(&plain)));
        let tag = HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("\"\""));
        Self { kind: HeaderValue::from_static(kind), plain: plain.into(), gzip: gzip.into(), tag }
    }

    /// The file, or the answer that the client has it already.
    fn answer(&self, asked: &HeaderMap, keep: HeaderValue) -> Reply {
        let mut response = Response::new(Bytes::new());
        if asked.get(header::IF_NONE_MATCH) == Some(&self.tag) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        } else {
            let gzip = asked.get(header::ACCEPT_ENCODING).and_then(|names| names.to_str().ok());
            if gzip.is_some_and(|names| names.split(',').any(|name| name.trim() == "gzip")) {
                *response.body_mut() = self.gzip.clone();
                response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            } else {
                *response.body_mut() = self.plain.clone();
            }
            response.headers_mut().insert(header::CONTENT_TYPE, self.kind.clone());
        }
        response.headers_mut().insert(header::ETAG, self.tag.clone());
        response.headers_mut().insert(header::CACHE_CONTROL, keep);
        response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        Reply::File(response)
    }
}

/// All of them, by path.
fn pages() -> &'static BTreeMap<String, File> {
    static PAGES: OnceLock<BTreeMap<String, File>> = OnceLock::new();
    PAGES.get_or_init(|| {
        let build = build().to_str().unwrap_or_default();
        let made = files().filter_map(|(path, data)| {
            let data = match std::str::from_utf8(&data) {
                Ok(page) if path.ends_with(".html") => page.replace(BUILD, build).into_bytes(),
                _ => data.into_owned(),
            };
            Some((path.to_string(), File::new(kind(&path)?, data)))
        });
        made.collect()
    })
}

/// The first page of an app.
///
/// # Errors
/// 404 for an app that there is not.
fn page(app: &str, asked: &HeaderMap) -> Result<Reply, ApiError> {
    at(&format!("{app}/index.html"), asked)
}

fn at(path: &str, asked: &HeaderMap) -> Result<Reply, ApiError> {
    let file = pages().get(path).ok_or_else(ApiError::no_such_path)?;
    Ok(file.answer(asked, ASK_AGAIN))
}

/// `GET /ui/:build/:folder/:file`
///
/// # Errors
/// 404 for a file of another build: the page is loaded again.
pub async fn file<S>(request: Request<S>) -> Result<Reply, ApiError> {
    let path = format!("{}/{}", request.param("folder"), request.param("file"));
    let file = pages().get(&path).filter(|_| *build() == *request.param("build"));
    Ok(file.ok_or_else(ApiError::no_such_path)?.answer(&request.headers, FOREVER))
}

/// `GET /pos`
///
/// # Errors
/// None.
pub async fn pos<S>(request: Request<S>) -> Result<Reply, ApiError> {
    page("pos", &request.headers)
}

/// `GET /admin`
///
/// # Errors
/// None.
pub async fn admin<S>(request: Request<S>) -> Result<Reply, ApiError> {
    page("admin", &request.headers)
}

/// `GET /`
///
/// # Errors
/// None.
pub async fn portal<S>(request: Request<S>) -> Result<Reply, ApiError> {
    page("portal", &request.headers)
}

/// `GET /passkeys` at a store: *My devices* of Store Admin, which everybody of the shop may open.
///
/// # Errors
/// None.
pub async fn passkeys_of_store<S>(request: Request<S>) -> Result<Reply, ApiError> {
    at("passkeys/store.html", &request.headers)
}

/// `GET /passkeys` at head office: *My devices* of the portal.
///
/// # Errors
/// None.
pub async fn passkeys_of_office<S>(request: Request<S>) -> Result<Reply, ApiError> {
    at("passkeys/office.html", &request.headers)
}

/// `GET /docs`
///
/// # Errors
/// None.
pub async fn docs<S>(request: Request<S>) -> Result<Reply, ApiError> {
    page("docs", &request.headers)
}
