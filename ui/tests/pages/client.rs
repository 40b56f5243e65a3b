//! Asks the router in process.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use kollect_ports::fakes::query::FakeReader;
use kollect_ui::Settings;
use serde_json::Value;
use tower::ServiceExt as _;

use super::estate;

pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub fn json(&self) -> Value {
        assert_eq!(self.header(CONTENT_TYPE.as_str()), "application/json", "{}", self.body);
        serde_json::from_str(&self.body).unwrap()
    }
}

pub fn site(reader: &Arc<FakeReader>) -> Router {
    site_with(reader, Settings::default())
}

pub fn site_with(reader: &Arc<FakeReader>, settings: Settings) -> Router {
    kollect_ui::router(estate::readers(reader), settings)
}

pub fn request(method: Method, path: &str) -> axum::http::request::Builder {
    Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, "localhost:8080")
}

pub async fn send(site: &Router, request: axum::http::request::Builder) -> Answer {
    let request = request.body(Body::empty()).unwrap();
    let response = site.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Answer {
        status: parts.status,
        headers: parts.headers,
        body: String::from_utf8(body.to_vec()).unwrap(),
    }
}

pub async fn get(site: &Router, path: &str) -> Answer {
    send(site, request(Method::GET, path)).await
}

/// A page that must be there.
pub async fn page(site: &Router, path: &str) -> String {
    let answer = get(site, path).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
    answer.body
}

/// The JSON of a page that must be there.
pub async fn json(site: &Router, path: &str) -> Value {
    let answer = get(site, path).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
    answer.json()
}
