//! What every test starts from: a namespace, a database, and a turn.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use kollect_adapters::kube::client::{ConnectOptions, connect};
use kollect_testbed::{ControlPlane, Postgres};
use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard};

use crate::objects::Objects;
use crate::operator::Operator;
use crate::table::Table;

/// How long anything may take that should happen at once.
pub const SOON: Duration = Duration::from_mins(1);

static TURN: Mutex<()> = Mutex::const_new(());
static NAMES: AtomicU32 = AtomicU32::new(0);

pub struct World {
    pub cluster: &'static ControlPlane,
    pub namespace: String,
    pub objects: Objects,
    pub postgres: Database,
    pub table: Table,
    others: RefCell<Vec<String>>,
    _turn: MutexGuard<'static, ()>,
}

/// The database server: shared, or the test's own if it stops it.
pub enum Database {
    Shared(&'static Postgres, String),
    Own(Box<Postgres>, String),
}

impl Database {
    pub fn url(&self) -> String {
        match self {
            Self::Shared(server, database) => server.url(database),
            Self::Own(server, database) => server.url(database),
        }
    }

    /// The test's own server.
    pub fn own(&self) -> &Postgres {
        match self {
            Self::Own(server, _) => server,
            Self::Shared(..) => panic!("a test that stops the server needs its own"),
        }
    }
}

/// The control plane with the custom resource definitions.
fn cluster() -> &'static ControlPlane {
    static CLUSTER: OnceLock<&'static ControlPlane> = OnceLock::new();
    CLUSTER.get_or_init(|| {
        let cluster = ControlPlane::shared().unwrap();
        let crds = concat!(env!("CARGO_MANIFEST_DIR"), "/crds");
        cluster.kubectl(&["apply", "--server-side", "-f", crds], None).unwrap();
        cluster
            .kubectl(
                &["wait", "--for=condition=Established", "--timeout=60s", "-f", crds],
                None,
            )
            .unwrap();
        cluster
    })
}

impl World {
    /// A namespace `e2e-…` with the Secret `dsn` and the sink `lake`; nothing is collected yet.
    pub async fn new() -> Self {
        let shared = Postgres::shared().unwrap();
        let database = shared.create_database().unwrap();
        Self::with(Database::Shared(shared, database)).await
    }

    /// As [`World::new`], with a database server that the test may stop.
    pub async fn with_own_postgres() -> Self {
        let own = Postgres::start().unwrap();
        let database = own.create_database().unwrap();
        Self::with(Database::Own(Box::new(own), database)).await
    }

    async fn with(postgres: Database) -> Self {
        let turn = TURN.lock().await;
        let cluster = cluster();
        let options = ConnectOptions {
            kubeconfig: Some(cluster.kubeconfig_path().to_owned()),
            context: None,
        };
        let namespace = format!("e2e-{}-{}", std::process::id(), NAMES.fetch_add(1, Ordering::Relaxed));
        let objects = Objects {
            client: connect(&options).await.unwrap(),
            namespace: namespace.clone(),
            targets: namespace.clone(),
        };
        let world = Self {
            objects,
            table: Table::new(postgres.url(), &namespace),
            cluster,
            namespace,
            postgres,
            others: RefCell::default(),
            _turn: turn,
        };
        world.kubectl(&["create", "namespace", &world.namespace]);
        world.apply(&json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "dsn"},
            "stringData": {"dsn": world.postgres.url()},
        }));
        world.apply(&sink("lake", &json!({})));
        world
    }

    pub fn kubectl(&self, arguments: &[&str]) -> String {
        self.cluster.kubectl(arguments, None).unwrap()
    }

    /// Applies an object in the test's namespace.
    pub fn apply(&self, object: &Value) {
        self.apply_all(std::slice::from_ref(object));
    }

    pub fn apply_all(&self, objects: &[Value]) {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
        self.cluster
            .kubectl(&["apply", "-n", &self.namespace, "-f", "-"], Some(&list.to_string()))
            .unwrap();
    }

    /// Applies an object in another namespace.
    pub fn apply_in(&self, namespace: &str, object: &Value) {
        self.cluster
            .kubectl(&["apply", "-n", namespace, "-f", "-"], Some(&object.to_string()))
            .unwrap();
    }

    /// The ConfigMaps of another namespace of this test.
    pub fn more_objects(&self, name: &str) -> Objects {
        let namespace = format!("{}-{name}", self.namespace);
        self.kubectl(&["create", "namespace", &namespace]);
        self.others.borrow_mut().push(namespace.clone());
        Objects {
            namespace,
            ..self.objects.clone()
        }
    }

    pub fn delete(&self, kind: &str, name: &str) {
        self.kubectl(&["delete", kind, name, "-n", &self.namespace, "--wait=false"]);
    }

    /// A profile of ConfigMaps, the target `maps` of this namespace, and the inventory `estate` with the sink `lake`.
    pub fn collect_maps(&self) {
        self.apply_all(&[
            profile("maps", &attributes()),
            self.target("maps", &json!({})),
            inventory(),
        ]);
    }

    /// As [`World::collect_maps`], from these namespaces, which are selected by a label; each has the object `a`.
    pub async fn collect_maps_by_label(&self, namespaces: &[&Objects]) {
        let label = format!("estate={}", self.namespace);
        for objects in namespaces {
            objects.put("a", &objects.namespace).await;
            self.kubectl(&["label", "namespace", &objects.namespace, &label]);
        }
        let selected = json!({
            "includedNamespaces": [],
            "namespaceSelector": {"matchLabels": {"estate": self.namespace}},
        });
        self.apply_all(&[
            profile("maps", &attributes()),
            self.target("maps", &selected),
            inventory(),
        ]);
    }

    /// The target `name` of profile `maps`, of this namespace only.
    pub fn target(&self, name: &str, more: &Value) -> Value {
        let mut spec = json!({"profileRef": "maps", "includedNamespaces": [self.namespace]});
        merge(&mut spec, more);
        resource("KollectTarget", name, &spec)
    }

    pub async fn start(&self) -> Operator {
        self.start_with(&[]).await
    }

    /// Starts the operator and waits until it is ready.
    pub async fn start_with(&self, flags: &[&str]) -> Operator {
        let operator = Operator::start(self.cluster.kubeconfig_path(), flags);
        operator.wait_until_ready().await;
        operator
    }

    /// A JSONPath of an object's field, as text.
    pub fn field(&self, kind: &str, name: &str, path: &str) -> String {
        self.kubectl(&[
            "get",
            kind,
            name,
            "-n",
            &self.namespace,
            "-o",
            &format!("jsonpath={path}"),
        ])
    }

    /// Reason and message of a condition, if it is there with this status.
    pub fn condition(&self, kind: &str, name: &str, condition: &str, status: &str) -> Option<(String, String)> {
        let text = self.field(kind, name, "{.status.conditions}");
        let conditions: Vec<BTreeMap<String, Value>> = serde_json::from_str(&text).unwrap_or_default();
        let found = conditions
            .iter()
            .find(|c| c["type"] == condition && c["status"] == status)?;
        let text = |member: &str| found[member].as_str().unwrap_or_default().to_owned();
        Some((text("reason"), text("message")))
    }

    /// Waits for a condition with a reason; returns its message.
    pub async fn wait_for(&self, kind: &str, name: &str, condition: &str, status: &str, reason: &str) -> String {
        let what = format!("{kind} {name}: {condition}={status}/{reason}");
        until(&what, async || {
            self.condition(kind, name, condition, status)
                .filter(|(found, _)| found == reason)
                .map(|(_, message)| message)
        })
        .await
    }

    /// Waits until the table equals the cluster.
    pub async fn assert_level(&self) {
        self.table.equals(async || self.objects.expected().await).await;
    }

    /// Waits for `Ready`, as scripts do.
    pub fn kubectl_wait_ready(&self, kind: &str, name: &str) {
        self.kubectl(&[
            "wait",
            "--for=condition=Ready",
            "--timeout=60s",
            "-n",
            &self.namespace,
            &format!("{kind}/{name}"),
        ]);
    }
}

impl Drop for World {
    /// Leaves nothing that the next test's operator would collect.
    fn drop(&mut self) {
        let inventories = self
            .cluster
            .kubectl(
                &["get", "kollectinventories", "-n", &self.namespace, "-o", "name"],
                None,
            )
            .unwrap_or_default();
        for inventory in inventories.lines() {
            let patch = "{\"metadata\":{\"finalizers\":null}}";
            let arguments = ["patch", inventory, "-n", &self.namespace, "--type=merge", "-p", patch];
            // The object may be gone already.
            let _ = self.cluster.kubectl(&arguments, None);
        }
        let kinds = "kollectinventories,kollecttargets,kollectprofiles,kollectdatabasesinks,kollectscopes";
        let _ = self.cluster.kubectl(
            &["delete", kinds, "--all", "-n", &self.namespace, "--timeout=20s"],
            None,
        );
        for namespace in self.others.borrow().iter().chain([&self.namespace]) {
            let _ = self
                .cluster
                .kubectl(&["delete", "namespace", namespace, "--wait=false"], None);
        }
    }
}

/// Waits until `probe` gives something.
pub async fn until<T>(what: &str, mut probe: impl AsyncFnMut() -> Option<T>) -> T {
    let end = Instant::now() + SOON;
    loop {
        if let Some(found) = probe().await {
            return found;
        }
        assert!(Instant::now() < end, "not within {} s: {what}", SOON.as_secs());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

pub fn resource(kind: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "kollect.dev/v1alpha1", "kind": kind,
        "metadata": {"name": name}, "spec": spec,
    })
}

/// What tests extract of a ConfigMap; `objects::expected` computes the same by other means.
pub fn attributes() -> Value {
    json!([
        {"name": "value", "path": "$.data.v"},
        {"name": "tier", "path": "{.metadata.labels.tier}", "optional": true},
        {"name": "keys", "path": "cel:has(object.data) ? size(object.data) : 0"},
    ])
}

pub fn profile(name: &str, attributes: &Value) -> Value {
    let kind = json!({"group": "", "version": "v1", "kind": "ConfigMap"});
    resource(
        "KollectProfile",
        name,
        &json!({"targetGVK": kind, "attributes": attributes}),
    )
}

pub fn inventory() -> Value {
    resource("KollectInventory", "estate", &json!({"databaseSinkRefs": ["lake"]}))
}

pub fn sink(name: &str, more: &Value) -> Value {
    let mut spec = json!({
        "type": "postgres", "cluster": "e2e",
        "postgres": {"databaseRef": {"name": "dsn"}, "table": "rows"},
    });
    merge(&mut spec, more);
    resource("KollectDatabaseSink", name, &spec)
}

fn merge(object: &mut Value, more: &Value) {
    for (key, value) in more.as_object().unwrap() {
        object[key] = value.clone();
    }
}
