//! Objects and documents as they arrive: masked decoding of mutated JSON, and files that are almost manifests.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use kollect_adapters::files::{FileSource, Input, survey};
use kollect_domain::extract::mask::Mask;
use kollect_domain::ids::{Gvk, WatchScope};
use kollect_fuzz::text;
use kollect_ports::source::{ObjectSource as _, SourceEvent, WatchRequest};
use proptest::prelude::*;
use serde::de::DeserializeSeed as _;
use serde_json::Value;

const OBJECTS: &[&str] = &[
    r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","namespace":"shop","labels":{"x":"1"}},"spec":{"replicas":3,"c":[{"n":"a"}]}}"#,
    r#"{"metadata":{"name":"\u00e9\ud83d\ude00","uid":"u"},"spec":{"a":[1,-2.5e3,true,null,"\n"],"b":{"c":{"d":[[]]}}}}"#,
];
const DOCUMENTS: &[&str] = &[
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: shop\ndata:\n  k: v\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n",
    "apiVersion: v1\nkind: List\nitems:\n- &x {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n- *x\n",
    "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}]}\n{\"a\":1}",
    "[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v\"}}]",
];
const TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u",
    "\\ud800",
    "1e400",
    "18446744073709551616",
    "-",
    "---\n",
    "...\n",
    "&a ",
    "*a",
    "!!binary ",
    "<<: ",
    "|\n",
    "> ",
    "\t",
    "\r\n",
    "\u{feff}",
    "\u{0}",
    "null",
    "kind: List\n",
    "# ",
    "? ",
    "%YAML 9\n",
];

fn mask() -> Mask {
    let mut mask = Mask::default();
    for path in [
        ["metadata", "name"],
        ["metadata", "labels"],
        ["spec", "b"],
        ["data", "k"],
    ] {
        mask.keep(path);
    }
    mask
}

fn masked(text: &str) -> serde_json::Result<Value> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = mask().deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// What a pass over a document shows, until the list ends one way or the other.
async fn read(document: String) -> usize {
    let inputs = vec![Input::text("mutated", document)];
    let surveyed = survey(&inputs);
    let source = FileSource::new(inputs, &surveyed, "here");
    let request = WatchRequest {
        gvk: Gvk::new("", "v1", "ConfigMap"),
        scope: WatchScope::Cluster,
        mask: Arc::new(mask()),
        label_selector: None,
    };
    let mut events = source.open(request);
    let mut objects = 0;
    while let Some(event) = events.next().await {
        match event {
            SourceEvent::Objects(batch) => objects += batch.len(),
            SourceEvent::ListDone | SourceEvent::ListIncomplete { .. } => return objects,
            SourceEvent::ListStarted | SourceEvent::Failed { .. } | SourceEvent::Resumed => {}
        }
    }
    objects
}

proptest! {
    /// Whatever parses as a whole parses under a mask, and gives the same as pruning what was parsed.
    #[test]
    fn mutated_objects(text in text(OBJECTS, TOKENS)) {
        let Ok(mut whole) = serde_json::from_str::<Value>(&text) else {
            // It may parse under a mask, which looks at less.
            let _ = masked(&text);
            return Ok(());
        };
        mask().prune(&mut whole);
        prop_assert_eq!(masked(&text).ok(), Some(whole));
    }

    #[test]
    fn mutated_documents(document in text(DOCUMENTS, TOKENS)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let ended = runtime.block_on(async {
            tokio::time::timeout(Duration::from_mins(1), read(document)).await
        });
        prop_assert!(ended.is_ok(), "every pass ends");
    }
}
