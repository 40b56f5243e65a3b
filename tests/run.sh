#!/usr/bin/env bash
# Installs every server that the tests need, once, and runs all tests. Arguments go to `cargo test`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tests/bed/install.sh
cargo test --workspace --locked --no-fail-fast "$@"
