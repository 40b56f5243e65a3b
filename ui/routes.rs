//! Which address leads to which page.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{StatusCode, Uri};
use axum::middleware;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;

use crate::answer::{self, Format};
use crate::failure::Failure;
use crate::pages::{Home, RowPage};
use crate::query::{ListQuery, RowQuery, nothing};
use crate::shield;
use crate::site::Site;

/// A name of a file never has other content.
const ASSET_CACHING: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// All routes of a site.
pub fn router(site: Arc<Site>) -> Router {
    let base = site.settings.base_path.to_string();
    let mut router = Router::new()
        .route(&format!("{base}/"), get(home))
        .route(&format!("{base}/index.json"), get(home))
        .route(&format!("{base}/row"), get(row))
        .route(&format!("{base}/row.json"), get(row))
        .route(&format!("{base}/assets/{{name}}"), get(asset))
        .route(&format!("{base}{}", shield::HEALTH), get(|| async { "ok" }))
        .fallback(no_page);
    if !base.is_empty() {
        router = router.route(&base, get(to_home));
    }
    router
        .layer(middleware::from_fn_with_state(site.clone(), shield::guard))
        .with_state(site)
}

async fn home(State(site): State<Arc<Site>>, uri: Uri, headers: HeaderMap) -> Response {
    let format = Format::of(&uri);
    let answered = async {
        let query = ListQuery::read(&uri, &site.settings)?;
        match Home::load(&site, query).await? {
            Home::Overview(page) => answer::page(&*page, format, &headers),
            Home::List(page) => answer::page(&*page, format, &headers),
        }
    };
    answered
        .await
        .unwrap_or_else(|failure| answer::failure(&failure, format, &site))
}

async fn row(State(site): State<Arc<Site>>, uri: Uri, headers: HeaderMap) -> Response {
    let format = Format::of(&uri);
    let answered = async {
        let query = RowQuery::read(&uri)?;
        answer::page(&RowPage::load(&site, query).await?, format, &headers)
    };
    answered
        .await
        .unwrap_or_else(|failure| answer::failure(&failure, format, &site))
}

async fn asset(State(site): State<Arc<Site>>, Path(name): Path<String>, uri: Uri) -> Response {
    if let Err(invalid) = nothing(&uri) {
        return answer::failure(&invalid.into(), Format::Html, &site);
    }
    match site.assets.get(&name) {
        Some(asset) => {
            let headers = [
                (header::CONTENT_TYPE, HeaderValue::from_static(asset.content_type)),
                (header::CACHE_CONTROL, ASSET_CACHING),
            ];
            (StatusCode::OK, headers, asset.bytes).into_response()
        }
        None => answer::failure(&Failure::NoPage, Format::of(&uri), &site),
    }
}

async fn to_home(State(site): State<Arc<Site>>) -> Redirect {
    Redirect::permanent(&format!("{}/", site.settings.base_path))
}

async fn no_page(State(site): State<Arc<Site>>, request: Request) -> Response {
    answer::failure(&Failure::NoPage, Format::of(request.uri()), &site)
}
