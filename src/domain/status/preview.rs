//! What a sink would do, shown in its status on request, without any contact to its destination.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::config::sink::{Provisioning, SinkSpec};

/// What an adapter says of a destination from its definition alone.
///
/// **Shape**: one field for each type of sink that has something to show; the names are those of the status.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DestinationPreview {
    /// A PostgreSQL table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postgres: Option<TablePreview>,
}

/// A table that would be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TablePreview {
    /// The statements that would create it.
    #[serde(rename = "expectedDDL")]
    pub expected_ddl: String,
}

/// `status.preview`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SinkPreview {
    rendered_at: String,
    input_sample_source: &'static str,
    provisioning_mode: &'static str,
    serialization_format: &'static str,
    #[serde(flatten)]
    destination: DestinationPreview,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// The field that says when.
const RENDERED_AT: &str = "renderedAt";

impl SinkPreview {
    /// The preview of a definition; `destination` is why there is none of the destination if its type cannot be used.
    ///
    /// The time is that of `stored` while nothing else differs from it.
    pub fn new(
        spec: &SinkSpec,
        destination: Result<DestinationPreview, String>,
        stored: Option<&Value>,
        now: Timestamp,
    ) -> Self {
        let mut warnings = Vec::new();
        let provisioning_mode = match spec.provisioning {
            Provisioning::Ensure => "ensure",
            Provisioning::Existing => {
                warnings.push("provisioning mode existing: nothing is created, so create the destination".to_owned());
                "existing"
            }
        };
        let destination = destination.unwrap_or_else(|problem| {
            warnings.push(problem);
            DestinationPreview::default()
        });
        let mut preview = Self {
            rendered_at: seconds(now),
            input_sample_source: "synthetic",
            provisioning_mode,
            serialization_format: "json",
            destination,
            warnings,
        };
        if let Some(at) = stored.and_then(|stored| stored[RENDERED_AT].as_str()) {
            let fresh = std::mem::replace(&mut preview.rendered_at, at.to_owned());
            // Our own types serialise without fail; a preview that cannot be compared is a new one.
            if serde_json::to_value(&preview).ok().as_ref() != stored {
                preview.rendered_at = fresh;
            }
        }
        preview
    }
}

/// The time in whole seconds, as `metav1.Time` has it.
fn seconds(time: Timestamp) -> String {
    Timestamp::from_second(time.as_second()).unwrap_or(time).to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::config::sink::{Destination, Tls};

    fn spec(provisioning: Provisioning) -> SinkSpec {
        SinkSpec {
            kind: "postgres".into(),
            cluster: "".into(),
            destination: Destination::Unsupported,
            tls: Tls::default(),
            provisioning,
            export_min_interval: None,
            min_change_interval: None,
            options: BTreeMap::new(),
        }
    }

    fn table(ddl: &str) -> DestinationPreview {
        DestinationPreview {
            postgres: Some(TablePreview {
                expected_ddl: ddl.to_owned(),
            }),
        }
    }

    fn rendered(destination: Result<DestinationPreview, String>, stored: Option<&Value>, second: i64) -> Value {
        let now = Timestamp::new(1_700_000_000 + second, 5_000_000).unwrap();
        serde_json::to_value(SinkPreview::new(&spec(Provisioning::Ensure), destination, stored, now)).unwrap()
    }

    #[test]
    fn a_preview_has_the_fields_of_the_status() {
        assert_eq!(
            rendered(Ok(table("CREATE")), None, 0),
            json!({
                "renderedAt": "2023-11-14T22:13:20Z",
                "inputSampleSource": "synthetic",
                "provisioningMode": "ensure",
                "serializationFormat": "json",
                "postgres": {"expectedDDL": "CREATE"},
            })
        );
    }

    #[test]
    fn its_time_is_kept_while_nothing_else_changes() {
        let first = rendered(Ok(table("CREATE")), None, 0);
        assert_eq!(rendered(Ok(table("CREATE")), Some(&first), 60), first);
        let other = rendered(Ok(table("CREATE OTHER")), Some(&first), 60);
        assert_eq!(other["renderedAt"], "2023-11-14T22:14:20Z");
    }

    #[test]
    fn what_must_be_known_before_is_a_warning() {
        let preview = rendered(Err("type x is not served".to_owned()), None, 0);
        assert_eq!(preview["warnings"], json!(["type x is not served"]));
        assert_eq!(preview.get("postgres"), None);
        let existing = SinkPreview::new(
            &spec(Provisioning::Existing),
            Ok(table("CREATE")),
            None,
            Timestamp::UNIX_EPOCH,
        );
        assert_eq!(existing.provisioning_mode, "existing");
        assert!(existing.warnings[0].contains("create the destination"), "{existing:?}");
    }
}
