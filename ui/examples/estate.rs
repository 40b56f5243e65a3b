//! Serves the pages over a small made-up estate, to work on their looks: `cargo run -p kollect-ui --example estate`.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program for developers")]

#[path = "../tests/pages/estate.rs"]
mod estate;

use std::net::Ipv4Addr;

use kollect_ui::Settings;
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    println!("http://{}/", listener.local_addr().unwrap());
    let settings = Settings {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..Settings::default()
    };
    let router = kollect_ui::router(estate::readers(&estate::estate()), settings);
    axum::serve(listener, router).await.unwrap();
}
