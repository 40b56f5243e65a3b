//! The verbs that need no operator: `collect`, `ui`, `demo`.
#![expect(
    clippy::doc_markdown,
    reason = "the comments are the help texts, where backticks have no use"
)]

use std::net::SocketAddr;
use std::path::PathBuf;

/// Configuration of `kollect collect`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct CollectConfig {
    /// Folder with KollectProfile and KollectTarget manifests that say what is collected.
    #[arg(long, env = "KOLLECT_CONFIG", value_name = "DIR", conflicts_with = "kind")]
    pub config: Option<PathBuf>,
    /// Kinds to collect with ready-made profiles, as kubectl names them, such as deployments.apps or pods; repeatable
    /// and comma-separated. Without it and without --config, files are collected with all ready-made profiles.
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub kind: Vec<String>,
    /// Where the objects come from.
    #[command(flatten)]
    pub source: SourceConfig,
    /// Identity under which rows are written to a database; unset = uid of the namespace kube-system, or `files`.
    #[arg(long, env = "KOLLECT_CLUSTER_ID", value_name = "ID")]
    pub cluster_id: Option<String>,
    /// Name of the inventory that rows are filed under in a database.
    #[arg(long, value_name = "NAME", default_value = "collect")]
    pub inventory: String,
    /// Where the rows go.
    #[command(flatten)]
    pub destination: DestinationConfig,
    /// Filter of the log on standard error; what was collected and what was not is said in any case.
    #[arg(long, env = "KOLLECT_LOG_LEVEL", value_name = "FILTER", default_value = "error")]
    pub log_level: String,
}

/// Where objects come from.
#[derive(Debug, clap::Args)]
pub struct SourceConfig {
    /// Collect from manifests and dumps instead of a cluster: a file, a folder, or - for standard input; repeatable.
    #[arg(long = "from", value_name = "PATH", conflicts_with_all = ["kubeconfig", "context"])]
    pub from: Vec<PathBuf>,
    /// Kubeconfig file; unset = KUBECONFIG, or ~/.kube/config.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Contexts of the kubeconfig, one cluster each; repeatable and comma-separated, with * ? and [ ] as in file names.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub context: Vec<String>,
    /// Collect from this namespace only; cluster-scoped kinds are collected all the same.
    #[arg(long, value_name = "NAME")]
    pub namespace: Option<String>,
    /// Label under which rows are filed; unset = the context's name, or none for files.
    #[arg(long, value_name = "LABEL")]
    pub cluster: Option<String>,
}

/// Where rows go.
#[derive(Debug, clap::Args)]
pub struct DestinationConfig {
    /// Print rows as table, json, ndjson, csv or yaml; anything else is a folder that gets one document for each target.
    #[arg(long, short, value_name = "FORMAT|DIR", default_value = "table")]
    pub output: String,
    /// Write rows into a database instead: sqlite:FILE, or postgres://USER:PASSWORD@HOST/DATABASE. The environment
    /// variable hides a password from other users of the machine.
    #[arg(
        long,
        env = "KOLLECT_TO",
        hide_env_values = true,
        value_name = "DATABASE",
        conflicts_with = "output"
    )]
    pub to: Option<String>,
    /// Table of the database.
    #[arg(long, value_name = "NAME", default_value = "inventory")]
    pub table: String,
    /// Collect, and say what would be written to --to or to the folder of --output.
    #[arg(long)]
    pub dry_run: bool,
}

/// Configuration of `kollect ui`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  kollect ui --database inventory.db\n  kollect ui --database postgres://reader@db/fleet"
)]
pub struct UiConfig {
    /// A SQLite file, or postgres://USER:PASSWORD@HOST/DATABASE. The environment variable hides a password from other
    /// users of the machine.
    #[arg(long, env = "KOLLECT_DATABASE", hide_env_values = true, value_name = "DATABASE")]
    pub database: String,
    /// Table of the database.
    #[arg(long, value_name = "NAME", default_value = "inventory")]
    pub table: String,
    /// Address to serve the pages on.
    #[arg(
        long,
        env = "KOLLECT_UI_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080"
    )]
    pub listen: SocketAddr,
    /// Host names under which the pages may be asked for besides loopback ones; comma-separated, * = any.
    #[arg(long, env = "KOLLECT_UI_HOSTS", value_name = "LIST", default_value = "")]
    pub hosts: String,
    /// Path below which the pages are served by a proxy, such as /inventory.
    #[arg(long, env = "KOLLECT_UI_BASE_PATH", value_name = "PATH", default_value = "")]
    pub base_path: String,
    /// Filter of the log on standard error.
    #[arg(long, env = "KOLLECT_LOG_LEVEL", value_name = "FILTER", default_value = "warn")]
    pub log_level: String,
}

/// Configuration of `kollect demo`.
#[derive(Debug, clap::Args)]
pub struct DemoConfig {
    /// Keep the manifests and the database in this folder.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Show the clusters of this kubeconfig instead of the sample estate.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Contexts of the kubeconfig, as in kollect collect.
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "kubeconfig")]
    pub context: Vec<String>,
    /// Address to serve the pages on; port 0 = any free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
}

const EXAMPLES: &str = "\
Examples:
  What runs in the current cluster:
    kollect collect --kind deployments,statefulsets
  The same of all production clusters, as CSV:
    kollect collect --context 'prod-*' --kind deployments --output csv
  From a dump, without a cluster:
    kubectl get deployments -A -o json | kollect collect --from -
  Manifests of a repository into a database that kollect ui shows:
    kollect collect --from manifests/ --to sqlite:inventory.db
  With profiles and targets of your own, in CI:
    kollect collect --config kollect/ --output ndjson

Exit codes: 0 all was collected; 1 some was not; 2 nothing was, or the command cannot be carried out.
Ready-made profiles: kollect collect --kind help";
