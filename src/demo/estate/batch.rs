//! What runs now and then: `CronJobs`, and their last Jobs with the Pods of these.

use serde_json::{Value, json};

use super::Cluster;
use super::moment::Moment;
use super::object::{Object, suffix};
use super::platform::{INSTALLED, REGISTRY};

struct Routine {
    namespace: &'static str,
    name: &'static str,
    schedule: &'static str,
    /// Of each cluster, in the order of [`Cluster::ALL`].
    versions: [&'static str; 3],
    last_run: Moment,
}

const ROUTINES: [Routine; 3] = [
    Routine {
        namespace: "shop",
        name: "price-import",
        schedule: "15 * * * *",
        versions: ["3.8.2", "3.8.1", "3.9.0"],
        last_run: Moment::on(29, 21).after(15),
    },
    Routine {
        namespace: "shop",
        name: "sitemap",
        schedule: "30 2 * * *",
        versions: ["5.12.0", "5.11.3", "5.13.0-rc.2"],
        last_run: Moment::on(29, 2).after(30),
    },
    Routine {
        namespace: "payments",
        name: "settlement",
        schedule: "0 4 * * 1-5",
        versions: ["9.1.0", "9.0.2", "9.2.0"],
        last_run: Moment::on(27, 4),
    },
];

impl Routine {
    /// The settlement of `prod-us` waits for the fix that `prod-eu` already has.
    fn fails_in(&self, cluster: Cluster) -> bool {
        cluster == Cluster::ProdUs && self.name == "settlement"
    }

    fn labels(&self, cluster: Cluster) -> Value {
        json!({
            "app.kubernetes.io/name": self.name,
            "app.kubernetes.io/part-of": "fernmart",
            "app.kubernetes.io/version": self.versions[cluster as usize],
        })
    }

    fn template(&self, cluster: Cluster) -> Value {
        let image = format!(
            "{REGISTRY}/{}/{}:{}",
            self.namespace, self.name, self.versions[cluster as usize]
        );
        json!({
            "metadata": {"labels": self.labels(cluster)},
            "spec": {
                "containers": [{"name": self.name, "image": image, "args": ["run", "--once"]}],
                "restartPolicy": "Never",
                "serviceAccountName": self.namespace,
            },
        })
    }

    fn objects(&self, cluster: Cluster) -> [Object; 3] {
        let place = cluster.namespace(self.namespace);
        let template = self.template(cluster);
        let mut status = json!({"lastScheduleTime": self.last_run.to_string()});
        if !self.fails_in(cluster) {
            status["lastSuccessfulTime"] = json!(self.last_run.after(6).to_string());
        }
        let cron_job = Object::new(place, "batch/v1 CronJob", self.name, INSTALLED.after(150))
            .labels(&self.labels(cluster))
            .with(
                "spec",
                json!({
                    "schedule": self.schedule,
                    "timeZone": "Etc/UTC",
                    "concurrencyPolicy": "Forbid",
                    // Nobody wants prices of production in staging.
                    "suspend": cluster == Cluster::Staging && self.name == "price-import",
                    "jobTemplate": {"spec": {"backoffLimit": 0, "template": template}},
                }),
            )
            .with("status", status);
        let job = self.job(cluster, &template).owned_by(&cron_job);
        let pod = self.pod(cluster, template["spec"].clone()).owned_by(&job);
        [cron_job, job, pod]
    }

    fn job_name(&self) -> String {
        // As Kubernetes names them: by the minute of the schedule.
        format!("{}-{}", self.name, 29_340_000 + self.last_run.version() / 17)
    }

    fn job(&self, cluster: Cluster, template: &Value) -> Object {
        let mut status = json!({"startTime": self.last_run.to_string()});
        let (outcome, count) = if self.fails_in(cluster) {
            ("Failed", "failed")
        } else {
            status["completionTime"] = json!(self.last_run.after(6).to_string());
            ("Complete", "succeeded")
        };
        status[count] = json!(1);
        status["conditions"] = json!([{
            "type": outcome, "status": "True", "lastTransitionTime": self.last_run.after(6).to_string(),
        }]);
        Object::new(
            cluster.namespace(self.namespace),
            "batch/v1 Job",
            &self.job_name(),
            self.last_run,
        )
        .labels(&self.labels(cluster))
        .with(
            "spec",
            json!({"completions": 1, "parallelism": 1, "backoffLimit": 0, "template": template}),
        )
        .with("status", status)
    }

    fn pod(&self, cluster: Cluster, mut spec: Value) -> Object {
        let job = self.job_name();
        let name = format!("{job}-{}", suffix(5, &[cluster.name(), &job]));
        spec["nodeName"] = json!(cluster.node_name(1));
        let (phase, reason, exit_code) = if self.fails_in(cluster) {
            ("Failed", "Error", 3)
        } else {
            ("Succeeded", "Completed", 0)
        };
        let status = json!({
            "phase": phase,
            "qosClass": "BestEffort",
            "startTime": self.last_run.to_string(),
            "conditions": [
                {"type": "PodScheduled", "status": "True"},
                {"type": "Ready", "status": "False", "reason": "PodCompleted"},
            ],
            "containerStatuses": [{
                "name": self.name,
                "image": spec["containers"][0]["image"],
                "ready": false,
                "restartCount": 0,
                "state": {"terminated": {"reason": reason, "exitCode": exit_code}},
            }],
        });
        Object::new(cluster.namespace(self.namespace), "v1 Pod", &name, self.last_run)
            .labels(&self.labels(cluster))
            .with("spec", spec)
            .with("status", status)
    }
}

pub(super) fn objects(cluster: Cluster) -> Vec<Object> {
    ROUTINES.iter().flat_map(|routine| routine.objects(cluster)).collect()
}
