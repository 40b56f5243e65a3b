//! Every format, with values that could break it.

use kollect_domain::row::RowIdentity;
use serde_json::{Value, json};

use super::*;

fn row(namespace: &str, name: &str, attributes: &Value) -> Arc<Row> {
    let identity = RowIdentity {
        target_namespace: "team",
        target_name: "apps",
        namespace,
        name,
        group: "apps",
        version: "v1",
        kind: "Deployment",
        uid: name,
    };
    Arc::new(Row::new(&identity, attributes.as_object().unwrap()))
}

fn cluster(label: &str, rows: Vec<Arc<Row>>) -> ClusterRows {
    ClusterRows {
        cluster: label.to_owned(),
        rows,
        exported_at: "2026-12-01T10:00:00Z".parse().unwrap(),
    }
}

fn printed(format: Format, clusters: &[ClusterRows]) -> String {
    let mut out = Vec::new();
    print(format, clusters, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn estate() -> ClusterRows {
    let web = json!({"image": "web:1", "replicas": 3, "labels": {"a": "b"}, "hosts": ["a.example", "b.example"]});
    let api = json!({"image": "=cmd|' /C calc'!A1", "replicas": -1});
    cluster("", vec![row("shop", "api", &api), row("shop", "web", &web)])
}

#[test]
fn a_table_shows_plain_attributes_that_most_rows_have_first() {
    let expected = "\
NAMESPACE   NAME   IMAGE                REPLICAS   HOSTS
shop        api    =cmd|' /C calc'!A1   -1
shop        web    web:1                3          a.example,b.example
";
    assert_eq!(printed(Format::Table { width: None }, &[estate()]), expected);
}

#[test]
fn a_table_is_no_wider_than_the_terminal_and_keeps_columns_that_fit() {
    let narrow = printed(Format::Table { width: Some(44) }, &[estate()]);
    assert_eq!(narrow.lines().next(), Some("NAMESPACE   NAME   IMAGE"));
    let text = "x".repeat(10_000);
    let long = cluster("", vec![row("shop", "web", &json!({ "text": text }))]);
    let widest = printed(Format::Table { width: None }, &[long]);
    assert!(widest.lines().all(|line| line.chars().count() < 100), "{widest}");
}

#[test]
fn nothing_that_a_terminal_would_obey_is_in_a_table() {
    let hostile = json!({"text": "\u{1b}[2Jgone\r\nline"});
    let table = printed(
        Format::Table { width: None },
        &[cluster("", vec![row("shop", "web", &hostile)])],
    );
    assert!(!table.contains('\u{1b}') && !table.contains('\r'));
    assert_eq!(table.lines().count(), 2);
}

#[test]
fn csv_quotes_formulas_and_keeps_parts_as_json() {
    let expected = "\
namespace,name,group,version,kind,target,uid,hosts,image,labels,replicas
shop,api,apps,v1,Deployment,apps,api,,'=cmd|' /C calc'!A1,,-1
shop,web,apps,v1,Deployment,apps,web,\"[\"\"a.example\"\",\"\"b.example\"\"]\",web:1,\"{\"\"a\"\":\"\"b\"\"}\",3
";
    assert_eq!(printed(Format::Csv, &[estate()]), expected);
}

#[test]
fn ndjson_lines_are_the_items_of_the_envelope() {
    let estate = estate();
    let lines = printed(Format::Ndjson, std::slice::from_ref(&estate));
    let envelope: Value = serde_json::from_str(&printed(Format::Json, &[estate])).unwrap();
    let items: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(Value::from(items), envelope["items"]);
    assert_eq!(envelope["itemCount"], 2);
    assert_eq!(envelope["exportedAt"], "2026-12-01T10:00:00Z");
}

#[test]
fn yaml_says_the_same_as_json() {
    let estate = estate();
    let json: Value = serde_json::from_str(&printed(Format::Json, std::slice::from_ref(&estate))).unwrap();
    let yaml: Value = serde_saphyr::from_str(&printed(Format::Yaml, &[estate])).unwrap();
    assert_eq!(yaml, json);
}

#[test]
fn rows_of_several_clusters_name_theirs() {
    let both = [
        cluster("eu \"1\"", vec![row("shop", "web", &json!({}))]),
        cluster("us", vec![row("shop", "web", &json!({}))]),
    ];
    let table = printed(Format::Table { width: None }, &both);
    assert_eq!(table.lines().nth(2), Some("us        shop        web"));
    let csv = printed(Format::Csv, &both);
    assert!(csv.starts_with("cluster,namespace,") && csv.contains("\nus,shop,web,"));
    let lines: Vec<Value> = printed(Format::Ndjson, &both)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["cluster"], "eu \"1\"");
    assert_eq!(printed(Format::Json, &both).lines().count(), 2);
    assert_eq!(printed(Format::Yaml, &both).matches("---\n").count(), 2);
}

#[test]
fn no_rows_are_no_table_and_an_empty_envelope() {
    let nothing = [cluster("", vec![])];
    assert_eq!(printed(Format::Table { width: None }, &nothing), "");
    assert_eq!(printed(Format::Ndjson, &nothing), "");
    assert!(printed(Format::Json, &nothing).contains("\"items\":[]"));
}
