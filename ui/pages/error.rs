//! The page of a request that has no other.

use askama::Template;
use serde::Serialize;

use super::Frame;
use crate::failure::Failure;

/// What went wrong, and what can be done.
#[derive(Debug, Template, Serialize)]
#[template(path = "error.html")]
pub struct ErrorPage {
    #[serde(skip)]
    frame: Frame,
    page: &'static str,
    status: u16,
    title: &'static str,
    message: String,
    advice: &'static str,
}

impl ErrorPage {
    /// The page of a failure.
    pub fn new(failure: &Failure, frame: Frame) -> Self {
        Self {
            frame,
            page: "error",
            status: failure.status().as_u16(),
            title: failure.title(),
            message: failure.to_string(),
            advice: failure.advice(),
        }
    }
}
