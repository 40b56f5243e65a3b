//! `kollect collect` of a dump, beside what `serde_json` needs to skim the same text.
//!
//! The dump is written as `kubectl get deployments -A -o json` prints it. The skim throws every value of the text away,
//! which is in memory already, so it is what nobody who reads JSON with this library can go below; the collection reads
//! the file, extracts, and prints all rows.

use std::fmt;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use crate::deployment;
use crate::error::Error;
use crate::machine;
use crate::program::Program;
use crate::progress::say;
use crate::statistic::median;

/// How many times as long as a skim a collection may take.
const LIMIT: f64 = 2.0;

/// The figures of one run.
#[derive(Debug, Clone, Copy)]
struct Figures {
    skim: Duration,
    collect: Duration,
}

/// The table.
#[derive(Debug)]
pub struct DumpReport {
    version: String,
    objects: u32,
    bytes: u64,
    runs: Vec<Figures>,
}

/// Writes a dump, and measures both `runs` times, one after the other.
///
/// # Errors
/// The dump cannot be written or read, or the program fails.
pub fn measure(program: &Program, objects: u32, runs: u32) -> Result<DumpReport, Error> {
    let folder = tempfile::tempdir().map_err(Error::io("make a folder for the dump"))?;
    let dump = folder.path().join("deployments.json");
    say("writing the dump");
    write(&dump, objects).map_err(Error::io("write the dump"))?;
    let bytes = fs::metadata(&dump).map_err(Error::io("read the dump"))?.len();
    // The first reader of a file may wait for the disk.
    skim(&dump)?;
    let figures = (0..runs).map(|_| {
        Ok(Figures {
            skim: skim(&dump)?,
            collect: collect(program, &dump, objects)?,
        })
    });
    Ok(DumpReport {
        version: program.version.clone(),
        objects,
        bytes,
        runs: figures.collect::<Result<_, Error>>()?,
    })
}

fn skim(dump: &Path) -> Result<Duration, Error> {
    let text = fs::read(dump).map_err(Error::io("read the dump"))?;
    let started = Instant::now();
    serde_json::from_slice::<IgnoredAny>(&text)
        .map_err(std::io::Error::from)
        .map_err(Error::io("skim the dump"))?;
    Ok(started.elapsed())
}

fn collect(program: &Program, dump: &Path, objects: u32) -> Result<Duration, Error> {
    let started = Instant::now();
    let output = Command::new(&program.path)
        .args(["collect", "--kind", "deployments.apps", "--output", "ndjson", "--from"])
        .arg(dump)
        .stderr(Stdio::inherit())
        .output()
        .map_err(Error::io("run kollect collect"))?;
    let took = started.elapsed();
    let rows = String::from_utf8_lossy(&output.stdout).lines().count();
    if !output.status.success() || u32::try_from(rows) != Ok(objects) {
        let message = format!("it ended with {} after {rows} of {objects} rows", output.status);
        return Err(Error::io("collect the dump")(std::io::Error::other(message)));
    }
    Ok(took)
}

fn write(path: &Path, objects: u32) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    out.write_all(b"{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n")?;
    for number in 0..objects {
        let mut object = Vec::new();
        let indent = serde_json::ser::PrettyFormatter::with_indent(b"    ");
        let mut serializer = serde_json::Serializer::with_formatter(&mut object, indent);
        serde::Serialize::serialize(&live(number), &mut serializer)?;
        for (index, line) in object.split(|byte| *byte == b'\n').enumerate() {
            let start: &[u8] = match (number, index) {
                (0, 0) => b"        ",
                (_, 0) => b",\n        ",
                _ => b"\n        ",
            };
            out.write_all(start)?;
            out.write_all(line)?;
        }
    }
    out.write_all(
        b"\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n",
    )?;
    out.flush()
}

/// The object as the API server gives it back: with a uid, a version, managed fields and a status.
fn live(number: u32) -> Value {
    let mut object = deployment::manifest(number);
    let fields = json!({"f:metadata": fields(&object["metadata"]), "f:spec": fields(&object["spec"])});
    let metadata = &mut object["metadata"];
    metadata["uid"] = json!(format!("00000000-0000-4000-8000-{number:012}"));
    metadata["resourceVersion"] = json!((100_000 + number).to_string());
    metadata["generation"] = json!(1);
    metadata["creationTimestamp"] = json!("2026-11-01T10:00:00Z");
    metadata["managedFields"] = json!([{
        "apiVersion": "apps/v1", "fieldsType": "FieldsV1", "fieldsV1": fields,
        "manager": "helm", "operation": "Update", "time": "2026-11-01T10:00:00Z",
    }]);
    object["status"] = json!({"observedGeneration": 1, "replicas": 1, "readyReplicas": 1, "updatedReplicas": 1});
    object
}

/// **Source**: Kubernetes documentation, "Server-Side Apply": the form of `fieldsV1`.
fn fields(value: &Value) -> Value {
    let Value::Object(members) = value else {
        return json!({});
    };
    let named = members
        .iter()
        .map(|(name, member)| (format!("f:{name}"), fields(member)));
    Value::Object(named.collect::<Map<_, _>>())
}

impl DumpReport {
    fn ratio(&self) -> f64 {
        median(&self.ratios())
    }

    fn ratios(&self) -> Vec<f64> {
        let ratio = |run: &Figures| run.collect.as_secs_f64() / run.skim.as_secs_f64();
        self.runs.iter().map(ratio).collect()
    }

    /// Whether the limit is kept.
    pub fn is_within_limits(&self) -> bool {
        self.ratio() <= LIMIT
    }
}

impl fmt::Display for DumpReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            version,
            objects,
            bytes,
            runs,
        } = self;
        writeln!(f, "* {}; {version}", machine::describe())?;
        writeln!(
            f,
            "* {objects} Deployments in a dump of {} MB, each once in turn",
            bytes / 1_000_000
        )?;
        let numbers: Vec<String> = (1..=runs.len()).map(|run| format!("run {run}")).collect();
        writeln!(f, "\n| | {} | median | limit | |", numbers.join(" | "))?;
        writeln!(f, "| --- |{} --- |", " ---: |".repeat(runs.len() + 2))?;
        let seconds = |of: fn(&Figures) -> Duration| runs.iter().map(|run| of(run).as_secs_f64()).collect::<Vec<_>>();
        line(f, "text skimmed by serde_json, s", &seconds(|run| run.skim), None)?;
        line(
            f,
            "kollect collect, process start to end, s",
            &seconds(|run| run.collect),
            None,
        )?;
        line(f, "the second ÷ the first", &self.ratios(), Some(LIMIT))
    }
}

fn line(f: &mut fmt::Formatter<'_>, name: &str, values: &[f64], limit: Option<f64>) -> fmt::Result {
    write!(f, "| {name} |")?;
    values.iter().try_for_each(|value| write!(f, " {value:.3} |"))?;
    let (limit, verdict) = match limit {
        None => (String::new(), ""),
        Some(limit) if median(values) <= limit => (format!("≤ {limit:.1}"), "ok"),
        Some(limit) => (format!("≤ {limit:.1}"), "over"),
    };
    writeln!(f, " {:.3} | {limit} | {verdict} |", median(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_is_a_list_of_all_objects_as_kubectl_prints_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dump.json");
        write(&path, 3).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let list: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(list["kind"], "List");
        assert_eq!(list["items"].as_array().map(Vec::len), Some(3));
        assert_eq!(list["items"][2], live(2));
        assert!(text.contains("\n            \"apiVersion\": \"apps/v1\","));
    }
}
