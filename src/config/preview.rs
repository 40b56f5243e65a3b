//! The verb that shows what definitions would give.
#![expect(
    clippy::doc_markdown,
    reason = "the comments are the help texts, where backticks have no use"
)]

use std::path::PathBuf;

use super::SourceConfig;

/// Configuration of `kollect preview`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct PreviewConfig {
    /// Manifest with KollectProfiles and KollectTargets, a folder of them, or - for standard input; repeatable. A profile
    /// that no target refers to is shown with a target that selects every object of its kind.
    #[arg(
        long = "filename",
        short,
        value_name = "PATH",
        required_unless_present = "kind",
        conflicts_with = "kind"
    )]
    pub filename: Vec<PathBuf>,
    /// Kinds whose ready-made profiles are shown instead, as in kollect collect; repeatable and comma-separated.
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub kind: Vec<String>,
    /// Where the objects come from.
    #[command(flatten)]
    pub source: SourceConfig,
    /// How it is printed.
    #[arg(long, short, value_name = "FORMAT", value_enum, default_value = "table")]
    pub output: PreviewFormat,
    /// Most rows that are shown of each target; 0 = all.
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    pub limit: usize,
    /// Filter of the log on standard error.
    #[arg(long, env = "KOLLECT_LOG_LEVEL", value_name = "FILTER", default_value = "error")]
    pub log_level: String,
}

/// How a preview is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum PreviewFormat {
    /// Text for people.
    Table,
    /// One JSON document.
    Json,
    /// One YAML document.
    Yaml,
}

const EXAMPLES: &str = "\
Examples:
  A profile against the current cluster:
    kollect preview -f profile.yaml
  With its target, against manifests of a repository:
    kollect preview -f profile.yaml -f target.yaml --from manifests/
  Against a dump, for a script:
    kubectl get deployments -A -o json | kollect preview -f profile.yaml --from - -o json

Nothing is written anywhere.
Exit codes: 0 every selected object has a row; 1 some have none, or some was not collected; 2 nothing can be shown.";
