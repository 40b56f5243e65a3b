//! What Pods are made from, and the Pods.

use serde_json::{Value, json};

use super::Cluster;
use super::moment::Moment;
use super::object::{Object, suffix};
use super::platform::{App, Health, REGISTRY};

/// Labels of everything that belongs to an application in some version.
pub(super) fn labels(app: &App, version: &str) -> Value {
    json!({
        "app.kubernetes.io/name": app.name,
        "app.kubernetes.io/part-of": "fernmart",
        "app.kubernetes.io/version": version,
        "teams.fernmart.example/owner": app.team,
    })
}

/// Labels by which an application is selected.
pub(super) fn selector(app: &App) -> Value {
    json!({"app.kubernetes.io/name": app.name})
}

/// The template of an application's Pods, with its labels.
pub(super) fn template(cluster: Cluster, app: &App, version: &str) -> Value {
    json!({"metadata": {"labels": labels(app, version)}, "spec": pod_spec(cluster, app, version)})
}

fn pod_spec(cluster: Cluster, app: &App, version: &str) -> Value {
    let mut containers = vec![container(app, version)];
    if app.namespace == "payments" {
        containers.push(json!({
            "name": "mesh",
            "image": format!("{REGISTRY}/platform/mesh:{}", mesh_version(cluster)),
            "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}},
        }));
    }
    let mut spec = json!({
        "containers": containers,
        "restartPolicy": "Always",
        "serviceAccountName": app.namespace,
        "terminationGracePeriodSeconds": 30,
    });
    if ["checkout", "ledger"].contains(&app.name) {
        spec["initContainers"] = json!([{
            "name": "migrate",
            "image": app.image(version),
            "args": ["migrate", "--wait"],
        }]);
    }
    spec
}

fn mesh_version(cluster: Cluster) -> &'static str {
    match cluster {
        Cluster::ProdEu => "1.9.2",
        Cluster::ProdUs => "1.9.1",
        Cluster::Staging => "1.10.0",
    }
}

fn container(app: &App, version: &str) -> Value {
    let mut container = json!({
        "name": app.name,
        "image": app.image(version),
        "imagePullPolicy": "IfNotPresent",
        "resources": {
            "requests": {"cpu": "250m", "memory": "256Mi"},
            "limits": {"memory": "0.5Gi"},
        },
        "env": [
            {"name": "LOG_FORMAT", "value": "json"},
            {
                "name": "DATABASE_URL",
                "valueFrom": {"secretKeyRef": {"name": format!("{}-credentials", app.namespace), "key": "url"}},
            },
        ],
    });
    if let Some(port) = app.port {
        container["ports"] = json!([{"name": "main", "containerPort": port, "protocol": "TCP"}]);
        container["readinessProbe"] = json!({"tcpSocket": {"port": "main"}, "periodSeconds": 10});
    }
    container
}

/// One Pod of an application.
pub(super) struct Pod<'a> {
    cluster: Cluster,
    app: &'a App,
    name: String,
    /// The number of its node; without room for it, it has none.
    node: u32,
    health: Health,
    created: Moment,
}

impl<'a> Pod<'a> {
    /// One replica; the first of them came at a time, the others after it.
    pub fn new(cluster: Cluster, app: &'a App, name: String, replica: u32, first: Moment) -> Self {
        Self {
            cluster,
            app,
            name,
            node: replica % cluster.nodes(),
            health: cluster.health(app, replica),
            created: first.after(replica),
        }
    }

    /// Some nodes further, so that not all applications start at the first.
    pub fn shifted(mut self, nodes: u32) -> Self {
        self.node = (self.node + nodes) % self.cluster.nodes();
        self
    }

    /// The Pod, owned by what made it.
    pub fn object(&self, owner: &Object) -> Object {
        let place = self.cluster.namespace(self.app.namespace);
        let version = self.app.version_in(self.cluster);
        let mut spec = pod_spec(self.cluster, self.app, version);
        if self.health != Health::WithoutNode {
            spec["nodeName"] = json!(self.cluster.node_name(self.node));
        }
        let containers = spec["containers"].as_array().cloned().unwrap_or_default();
        Object::new(place, "v1 Pod", &self.name, self.created)
            .labels(&labels(self.app, version))
            .owned_by(owner)
            .with("spec", spec)
            .with("status", self.status(&containers))
    }

    fn status(&self, containers: &[Value]) -> Value {
        let is_ready = self.health == Health::Ready;
        let condition = |kind: &str, holds: bool| {
            let status = if holds { "True" } else { "False" };
            json!({"type": kind, "status": status, "lastTransitionTime": self.created.after(1).to_string()})
        };
        let is_scheduled = self.health != Health::WithoutNode;
        let mut status = json!({
            "phase": if is_ready || self.health == Health::Crashing { "Running" } else { "Pending" },
            "qosClass": "Burstable",
            "conditions": [
                condition("PodScheduled", is_scheduled),
                condition("Initialized", is_scheduled),
                condition("ContainersReady", is_ready),
                condition("Ready", is_ready),
            ],
        });
        if is_scheduled {
            let address = format!("10.{}.{}.{}", 40 + self.cluster as usize, self.node, self.host_part());
            status["podIPs"] = json!([{"ip": address}]);
            status["podIP"] = json!(address);
            status["startTime"] = json!(self.created.to_string());
            status["containerStatuses"] = containers
                .iter()
                .map(|container| self.container_status(container))
                .collect();
        }
        status
    }

    /// Some number that fits an address.
    fn host_part(&self) -> u32 {
        self.name
            .bytes()
            .fold(7, |sum, byte| (sum * 31 + u32::from(byte)) % 251)
            + 2
    }

    fn container_status(&self, container: &Value) -> Value {
        // Sidecars are well; what is broken is the application.
        let health = if container["name"] == self.app.name {
            self.health
        } else {
            Health::Ready
        };
        let (restarts, state) = match health {
            Health::Crashing => (47, json!({"waiting": {"reason": "CrashLoopBackOff"}})),
            Health::WithoutImage => (0, json!({"waiting": {"reason": "ImagePullBackOff"}})),
            Health::WithoutNode => (0, json!({"waiting": {"reason": "ContainerCreating"}})),
            Health::Ready => (0, json!({"running": {"startedAt": self.created.after(1).to_string()}})),
        };
        json!({
            "name": container["name"],
            "image": container["image"],
            "ready": health == Health::Ready,
            "restartCount": restarts,
            "state": state,
        })
    }
}

/// What the names of a revision's `ReplicaSet` and of its Pods share.
pub(super) fn hash(cluster: Cluster, app: &App, version: &str) -> String {
    suffix(10, &[cluster.name(), app.namespace, app.name, version])
}
