//! What the shop consists of, and how its clusters differ.

use super::Cluster;
use super::moment::Moment;

/// Where all images of the shop come from.
pub(super) const REGISTRY: &str = "registry.fernmart.example";

/// When the clusters were set up.
pub(super) const FOUNDED: Moment = Moment::on(2, 7);

/// When the applications came.
pub(super) const INSTALLED: Moment = Moment::on(3, 9);

/// A part of the shop that runs all the time.
#[derive(Debug)]
pub(super) struct App {
    pub namespace: &'static str,
    pub name: &'static str,
    pub team: &'static str,
    /// The port it serves, if it does.
    pub port: Option<u16>,
    /// Of each cluster, in the order of [`Cluster::ALL`], as the next two.
    replicas: [u32; 3],
    versions: [&'static str; 3],
    /// What it ran before in `prod-eu`.
    pub previous: Option<&'static str>,
}

const fn app(namespace: &'static str, name: &'static str, team: &'static str) -> App {
    App {
        namespace,
        name,
        team,
        port: Some(8080),
        replicas: [2, 2, 1],
        versions: [""; 3],
        previous: None,
    }
}

impl App {
    const fn replicas(mut self, replicas: [u32; 3]) -> Self {
        self.replicas = replicas;
        self
    }

    /// `prod-eu`, `prod-us`, `staging`.
    const fn versions(mut self, eu: &'static str, us: &'static str, staging: &'static str) -> Self {
        self.versions = [eu, us, staging];
        self
    }

    const fn serving(mut self, port: Option<u16>) -> Self {
        self.port = port;
        self
    }

    /// Rolled out often enough that the last rollout can be undone.
    const fn after(mut self, previous: &'static str) -> Self {
        self.previous = Some(previous);
        self
    }

    pub fn replicas_in(&self, cluster: Cluster) -> u32 {
        self.replicas[cluster as usize]
    }

    pub fn version_in(&self, cluster: Cluster) -> &'static str {
        self.versions[cluster as usize]
    }

    /// The number of its last rollout.
    pub fn revision(&self) -> &'static str {
        if self.previous.is_some() { "2" } else { "1" }
    }

    pub fn image(&self, version: &str) -> String {
        format!("{REGISTRY}/{}/{}:{version}", self.namespace, self.name)
    }
}

/// What runs as Deployments.
pub(super) const DEPLOYMENTS: [App; 15] = [
    app("shop", "storefront", "web")
        .replicas([4, 3, 1])
        .versions("5.12.0", "5.11.3", "5.13.0-rc.2")
        .after("5.11.3"),
    app("shop", "catalog", "web")
        .replicas([3, 2, 1])
        .versions("3.8.2", "3.8.1", "3.9.0")
        .after("3.8.1"),
    app("shop", "cart", "orders")
        .replicas([3, 2, 1])
        .versions("2.4.1", "2.4.0", "2.5.0")
        .after("2.4.0"),
    app("shop", "checkout", "orders")
        .replicas([3, 2, 2])
        .versions("7.0.3", "6.9.8", "7.1.0-rc.1")
        .after("6.9.8"),
    app("shop", "accounts", "identity")
        .versions("1.22.0", "1.21.4", "1.23.0")
        .after("1.21.4"),
    app("shop", "media", "web")
        .replicas([2, 1, 1])
        .versions("0.31.5", "0.31.4", "0.32.0")
        .after("0.31.4"),
    app("payments", "gateway", "payments").versions("4.2.0", "4.1.9", "4.3.0"),
    app("payments", "ledger", "payments").versions("9.1.0", "9.0.2", "9.2.0"),
    app("payments", "fraud-check", "risk")
        .replicas([3, 2, 1])
        .versions("2.0.7", "2.0.6", "2.1.0"),
    app("search", "search-api", "discovery").versions("6.3.1", "6.3.0", "6.4.0"),
    app("search", "indexer", "discovery")
        .replicas([1, 1, 1])
        .versions("6.3.1", "6.3.0", "6.4.0")
        .serving(None),
    app("ingress", "edge-proxy", "platform")
        .versions("1.29.4", "1.29.2", "1.30.1")
        .serving(Some(8443)),
    app("observability", "dashboards", "platform")
        .replicas([1, 1, 1])
        .versions("11.3.0", "11.2.4", "11.4.0"),
    app("observability", "alert-router", "platform")
        .replicas([2, 1, 1])
        .versions("0.27.0", "0.26.1", "0.28.0")
        .serving(None),
    app("kube-system", "cluster-dns", "platform")
        .versions("1.12.0", "1.11.3", "1.12.1")
        .serving(Some(53)),
];

/// What runs as `StatefulSets`, each replica with a volume.
pub(super) const DATABASES: [App; 3] = [
    app("data", "orders-db", "orders")
        .replicas([3, 3, 1])
        .versions("17.6", "17.5", "18.1")
        .serving(Some(5432)),
    app("data", "session-store", "identity")
        .versions("8.2.1", "8.2.0", "8.4.0")
        .serving(Some(6379)),
    app("data", "search-index", "discovery")
        .replicas([3, 2, 1])
        .versions("2.19.3", "2.19.2", "3.3.0")
        .serving(Some(9200)),
];

/// What runs on every node.
pub(super) const LOG_AGENT: App = app("observability", "log-agent", "platform")
    .versions("4.1.1", "4.0.9", "4.2.0")
    .serving(None);

/// How a replica is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Health {
    Ready,
    /// Its process ends again and again.
    Crashing,
    /// Its image does not exist.
    WithoutImage,
    /// No node has room for it.
    WithoutNode,
}

impl Cluster {
    /// How one replica of an application is doing here.
    pub(super) fn health(self, app: &App, replica: u32) -> Health {
        match (self, app.name, replica) {
            (Self::ProdEu, "fraud-check", 1..) => Health::Crashing,
            (Self::ProdUs, "search-api", _) => Health::WithoutImage,
            (Self::Staging, "checkout", 1..) => Health::WithoutNode,
            _ => Health::Ready,
        }
    }

    /// How many replicas of an application are ready here.
    pub(super) fn ready(self, app: &App) -> u32 {
        let is_ready = |replica: &u32| self.health(app, *replica) == Health::Ready;
        let count = (0..app.replicas_in(self)).filter(is_ready).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    pub(super) fn region(self) -> &'static str {
        match self {
            Self::ProdEu => "eu-north",
            Self::ProdUs => "us-west",
            Self::Staging => "eu-lab",
        }
    }

    /// The domain under which customers, or testers, reach the shop.
    pub(super) fn domain(self) -> &'static str {
        match self {
            Self::ProdEu => "fernmart.example",
            Self::ProdUs => "us.fernmart.example",
            Self::Staging => "staging.fernmart.example",
        }
    }

    pub(super) fn nodes(self) -> u32 {
        match self {
            Self::ProdEu => 6,
            Self::ProdUs => 5,
            Self::Staging => 3,
        }
    }

    /// When the release that runs here was rolled out.
    pub(super) fn released(self) -> Moment {
        match self {
            Self::ProdUs => Moment::on(10, 10),
            Self::ProdEu => Moment::on(17, 10),
            Self::Staging => Moment::on(24, 10),
        }
    }

    /// Names of nodes: each cluster counts its own.
    pub(super) fn node_name(self, number: u32) -> String {
        format!("{}-node-{}", self.name(), number + 1)
    }
}
