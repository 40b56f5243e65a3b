//! `preview`: the rows of `collect`, what fails and why, and nothing written.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cluster::Namespace;
use crate::manifests::{config_map, deployment, put};
use crate::program::{Ended, kollect, kollect_with_input, text};

const PROFILE: &str = r"
apiVersion: kollect.dev/v1alpha1
kind: KollectProfile
metadata: {name: web, namespace: shop}
spec:
  targetGVK: {group: apps, version: v1, kind: Deployment}
  attributes:
    - {name: images, path: '$.spec.template.spec.containers[*].image', type: list}
    - {name: replicas, path: 'cel:object.spec.replicas'}
    - {name: tier, path: 'cel:object.metadata.labels.tier', optional: true}
    - {name: owner, path: '$.metadata.anotations.owner', optional: true}
";

const CLUSTER_TARGET: &str = r"
apiVersion: kollect.dev/v1alpha1
kind: KollectClusterTarget
metadata: {name: fleet}
spec:
  profileRef: {name: web, namespace: shop}
  namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [shop, blog]}]}
";

const TARGET: &str = r"
apiVersion: kollect.dev/v1alpha1
kind: KollectTarget
metadata: {name: shops, namespace: shop}
spec: {profileRef: web, includedNamespaces: [shop], labelSelector: {matchLabels: {team: payments}}}
";

/// Definitions, and a folder of manifests beside them.
struct Scene(tempfile::TempDir);

impl Scene {
    fn new(objects: &[Value]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("profile.yaml"), PROFILE).unwrap();
        fs::write(folder.path().join("target.yaml"), TARGET).unwrap();
        fs::write(folder.path().join("cluster-target.yaml"), CLUSTER_TARGET).unwrap();
        fs::create_dir(folder.path().join("manifests")).unwrap();
        for (number, object) in objects.iter().enumerate() {
            put(&folder.path().join("manifests"), &format!("{number}.json"), object);
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn preview(&self, definitions: &[&str], more: &[&str]) -> Ended {
        let paths: Vec<PathBuf> = definitions.iter().map(|name| self.path(name)).collect();
        let manifests = self.path("manifests");
        let mut arguments = vec!["preview", "--from", text(&manifests)];
        for path in &paths {
            arguments.extend(["-f", text(path)]);
        }
        arguments.extend(more);
        kollect(&arguments)
    }

    /// The targets of the JSON document.
    fn document(&self, definitions: &[&str], more: &[&str]) -> (Option<i32>, Value) {
        let ended = self.preview(definitions, &[&["-o", "json"], more].concat());
        let document: Value = serde_json::from_str(&ended.stdout).unwrap();
        (ended.code(), document["targets"].clone())
    }
}

/// A deployment without replicas, for which an attribute fails.
fn without_replicas(name: &str) -> Value {
    let mut object = deployment(name, "shop/main:1");
    object["spec"].as_object_mut().unwrap().remove("replicas");
    object
}

fn labelled(mut object: Value, labels: Value) -> Value {
    object["metadata"]["labels"] = labels;
    object
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_object_that_has_a_row_is_shown_and_every_other_is_told_with_its_reason() {
    let scene = Scene::new(&[
        labelled(deployment("cart", "shop/cart:1"), json!({"tier": "front"})),
        deployment("mail", "shop/mail:1"),
        without_replicas("b"),
        without_replicas("a"),
        config_map("other", "1"),
    ]);
    let (code, targets) = scene.document(&["profile.yaml"], &[]);
    assert_eq!(code, Some(1), "two objects have no row");
    let target = &targets[0];
    assert_eq!((&target["namespace"], &target["name"]), (&json!("shop"), &json!("web")));
    assert_eq!(
        target["objects"],
        json!({"found": 4, "selected": 4, "rows": 2, "failed": 2})
    );
    let attribute = |name: &str| {
        let mut all = target["attributes"].as_array().unwrap().iter();
        let found = all.find(|attribute| attribute["name"] == name).unwrap();
        [&found["values"], &found["missing"], &found["failed"]].map(|number| number.as_u64().unwrap())
    };
    assert_eq!(attribute("images"), [2, 0, 0]);
    assert_eq!(attribute("replicas"), [2, 0, 2]);
    assert_eq!(attribute("owner"), [0, 2, 0]);
    // Of cart it is there; of the other three it fails, one of which has a row.
    assert_eq!(attribute("tier"), [1, 0, 3]);
    let failure = &target["failures"][0];
    assert_eq!(
        (&failure["attribute"], &failure["objects"], &failure["rowKept"]),
        (&json!("replicas"), &json!(2), &json!(false))
    );
    assert_eq!(failure["examples"], json!(["shop/a", "shop/b"]));
    assert!(
        failure["message"].as_str().unwrap().contains("no `replicas`"),
        "{failure}"
    );
    let warnings = target["warnings"].to_string();
    assert!(
        warnings.contains("owner") && warnings.contains("spelled right"),
        "{warnings}"
    );
    let reads = target["reads"].as_array().unwrap();
    assert!(
        reads.contains(&json!(".spec.template.spec.containers[*].image")),
        "{reads:?}"
    );
    assert!(!reads.contains(&json!(".spec")), "{reads:?}");
}

#[test]
fn the_text_for_people_names_rows_failures_and_fields() {
    let scene = Scene::new(&[deployment("cart", "shop/cart:1"), without_replicas("mail")]);
    let ended = scene.preview(&["profile.yaml"], &[]);
    assert_eq!(ended.code(), Some(1), "{ended:?}");
    for words in [
        "shop/web: apps/v1 Deployment by profile web",
        "2 of 2 objects are selected: 1 with a row, 1 WITHOUT",
        "shop/cart:1",
        "attribute `replicas`",
        "1 object: shop/mail",
        "  .spec.replicas",
    ] {
        assert!(
            ended.stdout.contains(words),
            "{words:?} is missing in: {}",
            ended.stdout
        );
    }
    let column = |title: &str| ended.stdout.lines().position(|line| line.starts_with(title));
    assert!(column("NAMESPACE") < column("ATTRIBUTE"), "{}", ended.stdout);
}

#[test]
fn a_target_selects_and_where_nothing_is_selected_the_namespaces_are_named() {
    let payments = json!({"team": "payments"});
    let scene = Scene::new(&[
        labelled(deployment("cart", "shop/cart:1"), payments.clone()),
        deployment("mail", "shop/mail:1"),
    ]);
    let (code, targets) = scene.document(&["profile.yaml", "target.yaml"], &[]);
    assert_eq!(code, Some(0));
    assert_eq!(targets.as_array().unwrap().len(), 1, "the profile has a target");
    assert_eq!(
        targets[0]["objects"],
        json!({"found": 2, "selected": 1, "rows": 1, "failed": 0})
    );
    let ended = scene.preview(&["profile.yaml", "target.yaml"], &["--namespace", "elsewhere"]);
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    assert!(ended.stdout.contains("0 of 2 objects are selected"), "{}", ended.stdout);
    assert!(ended.stdout.contains("they are in shop"), "{}", ended.stdout);
}

#[test]
fn a_cluster_target_shows_the_rows_of_all_its_namespaces() {
    let within = |namespace: &str, name: &str| {
        let mut object = deployment(name, "image:1");
        object["metadata"]["namespace"] = json!(namespace);
        object
    };
    let scene = Scene::new(&[within("shop", "cart"), within("blog", "posts"), within("store", "till")]);
    let definitions = ["profile.yaml", "cluster-target.yaml"];
    let (code, targets) = scene.document(&definitions, &[]);
    assert_eq!(code, Some(0), "{targets}");
    assert_eq!(targets.as_array().unwrap().len(), 1);
    let (fleet, rows) = (&targets[0], targets[0]["rows"].as_array().unwrap());
    assert_eq!(
        (&fleet["name"], &fleet["kind"]),
        (&json!("fleet"), &json!("Deployment"))
    );
    assert_eq!(fleet["objects"]["selected"], 2, "{fleet}");
    let names: Vec<_> = rows.iter().map(|row| (&row["targetNamespace"], &row["name"])).collect();
    assert_eq!(
        names,
        [(&json!("blog"), &json!("posts")), (&json!("shop"), &json!("cart"))]
    );
    let shown = scene.preview(&definitions, &[]).stdout;
    assert!(
        shown.starts_with("fleet: apps/v1 Deployment by profile web\n"),
        "{shown}"
    );
}

#[test]
fn a_limit_hides_rows_and_says_so_and_zero_shows_all() {
    let names = ["a", "b", "c"];
    let scene = Scene::new(&names.map(|name| deployment(name, "shop/main:1")));
    let rows = |limit: &str| {
        let (_, targets) = scene.document(&["profile.yaml"], &["--limit", limit]);
        (
            targets[0]["rows"].as_array().unwrap().len(),
            targets[0]["objects"]["rows"].clone(),
        )
    };
    assert_eq!(rows("1"), (1, json!(3)));
    assert_eq!(rows("0"), (3, json!(3)));
    let text = scene.preview(&["profile.yaml"], &["--limit", "1"]).stdout;
    assert!(text.contains("and 2 rows more; --limit 0 shows all"), "{text}");
}

#[test]
fn definitions_that_cannot_be_used_say_what_is_wrong() {
    let scene = Scene::new(&[deployment("cart", "shop/cart:1")]);
    let broken = PROFILE.replace("cel:object.spec.replicas", "cel:object..replicas");
    fs::write(scene.path("broken.yaml"), broken).unwrap();
    let ended = scene.preview(&["broken.yaml"], &[]);
    assert_eq!(ended.code(), Some(2), "{ended:?}");
    assert!(ended.stdout.contains("spec.attributes[1].path"), "{ended:?}");
    scene.preview(&["target.yaml"], &[]).failed(2, &["\"web\"", "-f"]);
    scene.preview(&["manifests"], &[]).failed(2, &["no KollectProfile"]);
    kollect(&["preview"]).failed(2, &["--filename"]);
    let both = ["preview", "-f", "-", "--from", "-"];
    kollect_with_input(&both, PROFILE).failed(2, &["standard input", "-f", "--from"]);
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_shown() {
    let scene = Scene::new(&[deployment("cart", "shop/cart:1")]);
    fs::write(scene.path("manifests/broken.yaml"), "kind: [\n").unwrap();
    let ended = scene.preview(&["profile.yaml"], &[]);
    ended.failed(1, &["broken.yaml"]);
    assert!(ended.stdout.contains("shop/cart:1"), "{ended:?}");
}

#[test]
fn definitions_may_come_from_standard_input_and_nothing_is_written() {
    let scene = Scene::new(&[deployment("cart", "shop/cart:1")]);
    let before = files(scene.0.path());
    let manifests = scene.path("manifests");
    let arguments = ["preview", "-f", "-", "--from", text(&manifests), "-o", "yaml"];
    let ended = kollect_with_input(&arguments, PROFILE);
    assert_eq!((ended.code(), ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let document: Value = serde_saphyr::from_str(&ended.stdout).unwrap();
    assert_eq!(document["targets"][0]["rows"][0]["name"], "cart");
    assert_eq!(files(scene.0.path()), before);
}

#[test]
fn a_live_cluster_gives_the_rows_that_collect_gives() {
    let namespace = Namespace::new();
    let payments = json!({"team": "payments"});
    let mut objects = [
        labelled(deployment("cart", "shop/cart:1"), payments.clone()),
        labelled(deployment("mail", "shop/mail:1"), payments),
        deployment("other", "shop/other:1"),
    ];
    for object in &mut objects {
        object["metadata"]["namespace"] = json!(namespace.name);
        // Nothing is to change while the test looks.
        object["spec"]["replicas"] = json!(0);
    }
    namespace.create(&objects);
    let definitions = tempfile::tempdir().unwrap();
    let target = TARGET.replace("[shop]", &format!("[{}]", namespace.name));
    fs::write(definitions.path().join("all.yaml"), format!("{PROFILE}---{target}")).unwrap();
    let cluster = ["--kubeconfig", namespace.kubeconfig()];
    let (collected, _) = namespace.while_still("deployments", || {
        let collect = ["collect", "--config", text(definitions.path()), "-o", "ndjson"];
        let preview = ["preview", "-f", text(definitions.path()), "-o", "json"];
        [
            kollect(&[&collect[..], &cluster].concat()),
            kollect(&[&preview[..], &cluster].concat()),
        ]
    });
    let [collected, previewed] = collected;
    let rows: Vec<Value> = collected
        .complete()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(previewed.code(), Some(0), "{previewed:?}");
    let document: Value = serde_json::from_str(&previewed.stdout).unwrap();
    let target = &document["targets"][0];
    assert_eq!(target["rows"], json!(rows));
    // The server was not asked to leave objects out, so all are counted.
    assert!(
        target["objects"]["found"].as_u64().unwrap() >= 3,
        "{}",
        target["objects"]
    );
}
