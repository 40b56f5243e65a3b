//! Configuration: one struct for each concern. Every flag has an environment name; nothing else reads the environment.

mod address;
mod collect;
mod compat;
mod kube;
mod limits;
mod log;
mod preview;
mod probes;
mod selection;
mod sinks;

pub use address::BindAddress;
pub use collect::{CollectConfig, DemoConfig, DestinationConfig, SourceConfig, UiConfig};
pub use compat::CompatConfig;
pub use kube::KubeConfig;
pub use limits::LimitsConfig;
pub use log::{LogConfig, LogFormat};
pub use preview::{PreviewConfig, PreviewFormat};
pub use probes::ProbesConfig;
pub use selection::SelectionConfig;
pub use sinks::SinksConfig;

/// Configuration of the operator.
#[derive(Debug, clap::Args)]
pub struct OperatorConfig {
    /// The cluster.
    #[command(flatten)]
    pub kube: KubeConfig,
    /// What is collected by default.
    #[command(flatten)]
    pub selection: SelectionConfig,
    /// What sinks may do.
    #[command(flatten)]
    pub sinks: SinksConfig,
    /// Listeners.
    #[command(flatten)]
    pub probes: ProbesConfig,
    /// Bounds.
    #[command(flatten)]
    pub limits: LimitsConfig,
    /// Logs.
    #[command(flatten)]
    pub log: LogConfig,
    /// Flags of earlier versions without effect in this one.
    #[command(flatten)]
    pub compat: CompatConfig,
}

/// Splits a comma-separated list: blanks are trimmed, empty entries dropped, repeated ones kept once.
pub fn list(text: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
        if !entries.iter().any(|known| known == entry) {
            entries.push(entry.to_owned());
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::list;

    #[test]
    fn lists_are_trimmed_without_blanks_and_repetitions() {
        assert_eq!(list(" x ,y,x, "), ["x", "y"]);
        assert!(list(" , ").is_empty());
    }
}
