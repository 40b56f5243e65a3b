//! Read-only pages over an exported inventory, rendered on the server.
