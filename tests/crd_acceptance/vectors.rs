//! The acceptance table: what is accepted, what is refused, and what is left to admission.

#[path = "vectors/inventories.rs"]
mod inventories;
#[path = "vectors/profiles.rs"]
mod profiles;
#[path = "vectors/sinks.rs"]
mod sinks;

use serde_json::Value;

use crate::api::{Api, Verdict, object};

/// What a schema rule can say about a manifest.
enum Expected {
    /// It is accepted.
    Accepted,
    /// It is refused, with this in the answer.
    Refused(&'static str),
    /// The schema accepts it; this is who judges it.
    LeftTo(&'static str),
}

use Expected::{Accepted, LeftTo, Refused};

/// Kind, spec and what is to come of it.
#[test]
fn a_manifest_is_judged_as_the_acceptance_table_says() {
    let rows: Vec<(Value, Expected)> = [
        inventories::inventories(),
        inventories::cluster_kinds(),
        sinks::sinks(),
        sinks::git(),
        sinks::templates(),
        profiles::profiles(),
        profiles::others(),
    ]
    .into_iter()
    .flatten()
    .zip(0..)
    .map(|((kind, spec, expected), number)| (object(kind, "team-a", &format!("row-{number}"), &spec), expected))
    .collect();
    let objects: Vec<Value> = rows.iter().map(|(object, _)| object.clone()).collect();
    let verdicts = Api::shared().judge(&objects);
    let mut wrong = Vec::new();
    for (object, expected) in &rows {
        let verdict = &verdicts[object["metadata"]["name"].as_str().unwrap()];
        let right = match (expected, verdict) {
            (Accepted | LeftTo(_), Verdict::Accepted) => true,
            (Refused(part), Verdict::Refused(complaint)) => complaint.contains(part),
            (Accepted | LeftTo(_), Verdict::Refused(_)) | (Refused(_), Verdict::Accepted) => false,
        };
        if !right {
            let wanted = match expected {
                Accepted => "accepted",
                LeftTo(judge) => judge,
                Refused(part) => part,
            };
            wrong.push(format!(
                "{} {}: {verdict:?} instead of {wanted:?}",
                object["kind"], object["spec"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

type Rows = Vec<(&'static str, Value, Expected)>;
