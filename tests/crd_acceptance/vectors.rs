//! The acceptance table in `vectors.txt`.

use serde_json::{Value, json};

use crate::api::{Api, Verdict, object};

/// What is to come of a manifest.
enum Expected {
    /// The schema accepts it, whoever else may have a word.
    Accepted,
    /// The schema refuses it, with this in the answer.
    Refused(&'static str),
}

/// A line of the table.
struct Row {
    line: usize,
    object: Value,
    expected: Expected,
}

#[test]
fn a_manifest_is_judged_as_the_acceptance_table_says() {
    let Some(api) = Api::shared() else { return };
    let rows = rows();
    let objects: Vec<Value> = rows.iter().map(|row| row.object.clone()).collect();
    let verdicts = api.judge(&objects);
    let mut wrong = Vec::new();
    for row in &rows {
        let verdict = &verdicts[&name(row.line)];
        let right = match (&row.expected, verdict) {
            (Expected::Accepted, Verdict::Accepted) => true,
            (Expected::Refused(part), Verdict::Refused(complaint)) => complaint.contains(part),
            (Expected::Accepted, Verdict::Refused(_)) | (Expected::Refused(_), Verdict::Accepted) => false,
        };
        if !right {
            wrong.push(format!("vectors.txt:{}: {verdict:?}: {}", row.line, row.object["spec"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_ca_bundle_may_have_64_kib() {
    let Some(api) = Api::shared() else { return };
    let sink = |name: &str, length: usize| {
        let bundle = "A".repeat(length);
        object(
            "KollectSnapshotSink",
            "team-a",
            name,
            &json!({"type": "git", "tls": {"caBundle": bundle}}),
        )
    };
    // Four characters stand for three bytes; 65,536 bytes need 21,846 groups.
    let verdicts = api.judge(&[sink("largest", 87_384), sink("too-large", 87_388)]);
    assert_eq!(verdicts["largest"], Verdict::Accepted);
    assert!(matches!(&verdicts["too-large"], Verdict::Refused(complaint) if complaint.contains("spec.tls.caBundle")));
}

fn name(line: usize) -> String {
    format!("line-{line}")
}

fn rows() -> Vec<Row> {
    let mut section = None;
    let mut rows = Vec::new();
    for (text, line) in include_str!("vectors.txt").lines().zip(1..) {
        if let Some((kind, common)) = text.strip_prefix('[').and_then(|text| text.split_once("] ")) {
            section = Some((kind, json(common, line)));
        } else if text.starts_with('{') {
            let (kind, common) = section.as_ref().unwrap();
            let (addition, verdict) = text.split_once(" | ").unwrap();
            let mut spec = common.clone();
            let addition = json(addition, line).as_object().unwrap().clone();
            spec.as_object_mut().unwrap().extend(addition);
            rows.push(Row {
                line,
                object: object(kind, "team-a", &name(line), &spec),
                expected: expected(verdict, line),
            });
        }
    }
    rows
}

fn json(text: &str, line: usize) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("vectors.txt:{line}: {error}"))
}

fn expected(verdict: &'static str, line: usize) -> Expected {
    if let Some(part) = verdict.strip_prefix("refused: ") {
        return Expected::Refused(part);
    }
    assert!(
        verdict == "accepted" || verdict.starts_with("left to "),
        "vectors.txt:{line}: {verdict:?} is no verdict"
    );
    Expected::Accepted
}
