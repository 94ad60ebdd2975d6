//! The files of `ui/` and their build number. Answers carry the number, so that a page learns of a newer version.

use domain::model::hub::chain::hex;
use http::HeaderValue;
use rust_embed::Embed;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::sync::OnceLock;

/// Digits of a build: enough that two never have the same.
const BUILD_DIGITS: usize = 16;

#[derive(Embed)]
#[folder = "../ui/"]
struct Embedded;

/// Content type of a file; others of the folder are for the makers of the pages.
pub(crate) fn kind(path: &str) -> Option<&'static str> {
    // Sources of the bundles, and the packages that they are made of.
    if path.ends_with(".entry.js") || path.starts_with("vendor/package") {
        return None;
    }
    match path.rsplit_once('.')?.1 {
        "html" => Some("text/html; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        // Texts, imported as JSON modules.
        "json" => Some("application/json"),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}

/// The files that are served, by path, in its order.
pub(crate) fn files() -> impl Iterator<Item = (Cow<'static, str>, Cow<'static, [u8]>)> {
    let mut paths: Vec<_> = Embedded::iter().filter(|path| kind(path).is_some()).collect();
    paths.sort_unstable();
    paths.into_iter().filter_map(|path| {
        let data = Embedded::get(&path)?.data;
        Some((path, data))
    })
}

/// Changes whenever a file changes: it is in the files' addresses and in the header `X-Build` of each answer.
pub(crate) fn build() -> &'static HeaderValue {
    static BUILD: OnceLock<HeaderValue> = OnceLock::new();
    BUILD.get_or_init(|| {
        let mut all = Sha256::new();
        for (path, data) in files() {
            all.update(path.as_bytes());
            all.update(data);
        }
        let build: String = hex(&all.finalize()).chars().take(BUILD_DIGITS).collect();
        HeaderValue::try_from(build).unwrap_or(HeaderValue::from_static("none"))
    })
}
