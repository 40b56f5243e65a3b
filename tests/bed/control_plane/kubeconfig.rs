//! Kubeconfig documents, in JSON, which is YAML too.

use serde_json::{Value, json};

use crate::Error;
use crate::certificates::{Authority, Identity};

/// A kubeconfig for a client certificate.
pub(super) fn for_certificate(server: &str, authority: &Authority, client: &Identity) -> String {
    json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "bed", "cluster": {
            "server": server,
            "certificate-authority": authority.certificate(),
        }}],
        "users": [{"name": "bed", "user": {
            "client-certificate": client.certificate,
            "client-key": client.key,
        }}],
        "contexts": [{"name": "bed", "context": {"cluster": "bed", "user": "bed"}}],
        "current-context": "bed",
    })
    .to_string()
}

/// The same cluster for the holder of a token. `minified` has one context, one cluster, one user.
pub(super) fn with_token(minified: &str, token: &str) -> Result<String, Error> {
    let mut document: Value = serde_json::from_str(minified).map_err(|source| Error::Document {
        program: "kubectl",
        source,
    })?;
    for user in document["users"].as_array_mut().into_iter().flatten() {
        user["user"] = json!({ "token": token });
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_takes_the_place_of_every_other_credential() {
        let minified = json!({
            "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
            "users": [{"name": "u", "user": {"client-key-data": "secret", "password": "x"}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        });
        let document = with_token(&minified.to_string(), "t0ken").unwrap();
        let parsed: Value = serde_json::from_str(&document).unwrap();
        assert_eq!(parsed["users"], json!([{"name": "u", "user": {"token": "t0ken"}}]));
        assert_eq!(parsed["clusters"], minified["clusters"]);
    }
}
