//! From pages to responses.

use askama::Template;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;

pub use crate::address::Format;

use crate::assets::digest;
use crate::failure::Failure;
use crate::pages::ErrorPage;
use crate::site::Site;

/// Pages are kept only to be compared, and by the reader's own browser.
const PAGE_CACHING: HeaderValue = HeaderValue::from_static("private, no-cache");
/// Failures are not kept.
const FAILURE_CACHING: HeaderValue = HeaderValue::from_static("no-store");
/// When a reader may try again while the database is away, in seconds.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("5");

impl Format {
    /// The format that an address names.
    pub fn of(uri: &Uri) -> Self {
        if uri
            .path()
            .rsplit_once('.')
            .is_some_and(|(_, extension)| extension == "json")
        {
            Self::Json
        } else {
            Self::Html
        }
    }

    fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Html => "text/html; charset=utf-8",
            Self::Json => "application/json",
        })
    }

    fn write<P: Template + Serialize>(self, page: &P) -> Result<String, Failure> {
        match self {
            Self::Html => page.render().map_err(|error| Failure::Rendering(error.into())),
            Self::Json => serde_json::to_string_pretty(page)
                .map(|text| text + "\n")
                .map_err(|error| Failure::Rendering(error.into())),
        }
    }
}

/// A page as a response; `304` when the reader has it already.
pub fn page<P: Template + Serialize>(page: &P, format: Format, request: &HeaderMap) -> Result<Response, Failure> {
    let body = format.write(page)?;
    let tag = format!("\"{}\"", digest(body.as_bytes()));
    let is_known = request
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|tags| matches(tags, &tag));
    let tag = HeaderValue::try_from(tag).map_err(|error| Failure::Rendering(error.into()))?;
    let caching = [(header::ETAG, tag), (header::CACHE_CONTROL, PAGE_CACHING)];
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, caching).into_response());
    }
    Ok((caching, [(header::CONTENT_TYPE, format.content_type())], body).into_response())
}

/// Whether a list of tags has one. A cache on the way may have marked it as weak.
fn matches(tags: &str, tag: &str) -> bool {
    tags.split(',')
        .map(str::trim)
        .any(|known| known == "*" || known.trim_start_matches("W/") == tag)
}

/// A failure as a response.
pub fn failure(failure: &Failure, format: Format, site: &Site) -> Response {
    let status = failure.status();
    if failure.is_ours() {
        tracing::warn!(http.status = status.as_u16(), error = %failure, "a page could not be shown: {failure}");
    }
    let page = ErrorPage::new(failure, site.frame(None));
    // The failure in one line is left when even its page cannot be written.
    let (content_type, body) = match format.write(&page) {
        Ok(body) => (format.content_type(), body),
        Err(error) => (
            HeaderValue::from_static("text/plain; charset=utf-8"),
            format!("{failure}\n{error}\n"),
        ),
    };
    let headers = [
        (header::CONTENT_TYPE, content_type),
        (header::CACHE_CONTROL, FAILURE_CACHING),
    ];
    let mut response = (status, headers, body).into_response();
    if status == StatusCode::METHOD_NOT_ALLOWED {
        let allowed = HeaderValue::from_static("GET, HEAD");
        response.headers_mut().insert(header::ALLOW, allowed);
    }
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(header::RETRY_AFTER, RETRY_AFTER);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_found_among_others_weak_or_strong() {
        for tags in ["\"a\"", "\"b\", \"a\"", "W/\"a\"", "*"] {
            assert!(matches(tags, "\"a\""), "{tags}");
        }
        assert!(!matches("\"b\"", "\"a\""));
        assert!(!matches("", "\"a\""));
    }
}
