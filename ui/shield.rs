//! What holds for every request and every answer, whatever the route.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::Response;

use crate::answer::{self, Format};
use crate::failure::Failure;
use crate::site::Site;

/// Where probes ask; they use the address of a Pod as host name, and learn nothing.
pub const HEALTH: &str = "/healthz";

/// Scripts and styles come from files of the site only, nothing is loaded from elsewhere, and no other page may frame
/// this one.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // Filters and names stand in addresses.
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Refuses what cannot be answered, and puts the security headers on every answer.
pub async fn guard(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let refusal = refusal(&site, &request);
    let mut response = match refusal {
        Some(failure) => answer::failure(&failure, Format::of(request.uri()), &site),
        None => next.run(request).await,
    };
    protect(response.headers_mut());
    response
}

fn protect(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

fn refusal(site: &Site, request: &Request) -> Option<Failure> {
    if !is_for_us(site, request) {
        return Some(Failure::Host);
    }
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    (!is_read).then_some(Failure::Method)
}

fn is_for_us(site: &Site, request: &Request) -> bool {
    let hosts = &site.settings.hosts;
    if request.uri().path() == format!("{}{HEALTH}", site.settings.base_path) {
        return true;
    }
    let in_address = request.uri().authority();
    // A header that is no text is as wrong as a name that is not ours; one that is missing is an empty name.
    let in_header = request.headers().get(header::HOST);
    let header = in_header.map_or(Some(""), |value| value.to_str().ok());
    in_address.is_none_or(|authority| hosts.include(authority.as_str()))
        && header.is_some_and(|host| hosts.include(host) || (in_header.is_none() && in_address.is_some()))
}
