//! The pages, asked in process and by a real browser.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "all of it is a test, what asks and reads pages included"
)]

mod browser;
mod client;
mod content;
mod estate;
mod hostile;
mod markup;
mod protection;
mod refusals;
