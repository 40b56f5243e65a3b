//! What runs all the time: Deployments, `StatefulSets` and `DaemonSets`, down to their Pods and volumes.

use serde_json::{Value, json};

use super::Cluster;
use super::moment::Moment;
use super::object::{Object, suffix};
use super::platform::{App, DATABASES, DEPLOYMENTS, INSTALLED, LOG_AGENT};
use super::template::{Pod, hash, labels, selector, template};

pub(super) fn objects(cluster: Cluster) -> Vec<Object> {
    let mut objects = Vec::new();
    for (app, number) in DEPLOYMENTS.iter().zip(0..) {
        deployment(cluster, app, number, &mut objects);
    }
    for (app, number) in DATABASES.iter().zip(0..) {
        stateful_set(cluster, app, number, &mut objects);
    }
    daemon_set(cluster, &LOG_AGENT, &mut objects);
    objects
}

fn deployment(cluster: Cluster, app: &App, number: u32, objects: &mut Vec<Object>) {
    let version = app.version_in(cluster);
    let replicas = app.replicas_in(cluster);
    let released = cluster.released().after(7 * number);
    let deployment = Object::new(
        cluster.namespace(app.namespace),
        "apps/v1 Deployment",
        app.name,
        INSTALLED.after(number),
    )
    .labels(&labels(app, version))
    .label("teams.fernmart.example/on-call.primary", &format!("{}.core", app.team))
    .annotation("deployment.kubernetes.io/revision", app.revision())
    .annotation("fernmart.example/motto", "Frühstück für Möwen 🐦, 早安")
    .with(
        "spec",
        json!({
            "replicas": replicas,
            "selector": {"matchLabels": selector(app)},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}},
            "template": template(cluster, app, version),
        }),
    )
    .with(
        "status",
        deployment_status(replicas, cluster.ready(app), released.after(4)),
    );
    if let Some(previous) = app.previous.filter(|previous| *previous != version) {
        objects.push(replica_set(
            cluster,
            app,
            &deployment,
            &Revision::previous(previous, number),
        ));
    }
    let current = replica_set(cluster, app, &deployment, &Revision::current(app, cluster, released));
    let hash = hash(cluster, app, version);
    objects.extend((0..replicas).map(|replica| {
        let name = format!("{}-{hash}-{}", app.name, suffix(5, &[&hash, &replica.to_string()]));
        Pod::new(cluster, app, name, replica, released.after(2))
            .shifted(number)
            .object(&current)
    }));
    objects.push(current);
    objects.push(deployment);
}

fn deployment_status(replicas: u32, ready: u32, since: Moment) -> Value {
    let available = if ready == replicas { "True" } else { "False" };
    let mut status = json!({
        "replicas": replicas,
        "updatedReplicas": replicas,
        "conditions": [
            {"type": "Available", "status": available, "lastTransitionTime": since.to_string()},
            {"type": "Progressing", "status": "True", "lastTransitionTime": since.to_string()},
        ],
    });
    // The API server leaves counts of zero out.
    if ready > 0 {
        status["readyReplicas"] = json!(ready);
        status["availableReplicas"] = json!(ready);
    }
    if ready < replicas {
        status["unavailableReplicas"] = json!(replicas - ready);
    }
    status
}

/// One revision of a Deployment.
struct Revision<'a> {
    version: &'a str,
    number: &'static str,
    replicas: u32,
    ready: u32,
    created: Moment,
}

impl<'a> Revision<'a> {
    fn previous(version: &'a str, minutes: u32) -> Self {
        Self {
            version,
            number: "1",
            replicas: 0,
            ready: 0,
            created: INSTALLED.after(minutes + 1),
        }
    }

    fn current(app: &'a App, cluster: Cluster, created: Moment) -> Self {
        Self {
            version: app.version_in(cluster),
            number: app.revision(),
            replicas: app.replicas_in(cluster),
            ready: cluster.ready(app),
            created,
        }
    }
}

fn replica_set(cluster: Cluster, app: &App, deployment: &Object, made: &Revision<'_>) -> Object {
    let Revision {
        version,
        number,
        replicas,
        ready,
        created,
    } = *made;
    let hash = hash(cluster, app, version);
    let name = format!("{}-{hash}", app.name);
    Object::new(cluster.namespace(app.namespace), "apps/v1 ReplicaSet", &name, created)
        .labels(&labels(app, version))
        .label("pod-template-hash", &hash)
        .annotation("deployment.kubernetes.io/revision", number)
        .owned_by(deployment)
        .with(
            "spec",
            json!({
                "replicas": replicas,
                "selector": {"matchLabels": selector(app)},
                "template": template(cluster, app, version),
            }),
        )
        .with(
            "status",
            json!({"replicas": replicas, "readyReplicas": ready, "availableReplicas": ready}),
        )
}

fn stateful_set(cluster: Cluster, app: &App, number: u32, objects: &mut Vec<Object>) {
    let version = app.version_in(cluster);
    let replicas = app.replicas_in(cluster);
    let created = INSTALLED.after(60 + number);
    let claim = json!({
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "fast",
        "resources": {"requests": {"storage": if number == 0 { "1.5Ti" } else { "200Gi" }}},
    });
    let set = Object::new(cluster.namespace(app.namespace), "apps/v1 StatefulSet", app.name, created)
        .labels(&labels(app, version))
        .with(
            "spec",
            json!({
                "replicas": replicas,
                "serviceName": app.name,
                "selector": {"matchLabels": selector(app)},
                "template": template(cluster, app, version),
                "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": claim}],
            }),
        )
        .with(
            "status",
            json!({"replicas": replicas, "readyReplicas": replicas, "updatedReplicas": replicas, "currentReplicas": replicas}),
        );
    for replica in 0..replicas {
        let name = format!("{}-{replica}", app.name);
        let mut bound = claim.clone();
        bound["volumeName"] = json!(format!("pv-{}", suffix(8, &[cluster.name(), &name])));
        objects.push(
            Object::new(
                cluster.namespace(app.namespace),
                "v1 PersistentVolumeClaim",
                &format!("data-{name}"),
                created,
            )
            .labels(&selector(app))
            .with("spec", bound)
            .with(
                "status",
                json!({"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": claim["resources"]["requests"]}),
            ),
        );
        let rolled_out = cluster.released().after(120 + 10 * number);
        objects.push(
            Pod::new(cluster, app, name, replica, rolled_out)
                .shifted(number)
                .object(&set),
        );
    }
    objects.push(set);
}

fn daemon_set(cluster: Cluster, app: &App, objects: &mut Vec<Object>) {
    let version = app.version_in(cluster);
    let nodes = cluster.nodes();
    let set = Object::new(
        cluster.namespace(app.namespace),
        "apps/v1 DaemonSet",
        app.name,
        INSTALLED.after(90),
    )
    .labels(&labels(app, version))
    .with(
        "spec",
        json!({"selector": {"matchLabels": selector(app)}, "template": template(cluster, app, version)}),
    )
    .with(
        "status",
        json!({
            "desiredNumberScheduled": nodes, "currentNumberScheduled": nodes, "updatedNumberScheduled": nodes,
            "numberReady": nodes, "numberAvailable": nodes, "numberMisscheduled": 0,
        }),
    );
    for node in 0..nodes {
        let name = format!(
            "{}-{}",
            app.name,
            suffix(5, &[cluster.name(), app.name, &node.to_string()])
        );
        let pod = Pod::new(cluster, app, name, node, cluster.released().after(180));
        objects.push(pod.object(&set));
    }
    objects.push(set);
}
