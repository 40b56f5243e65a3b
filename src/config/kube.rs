//! The cluster.

use std::path::PathBuf;

/// How to reach the cluster, and who this operator is.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Cluster")]
pub struct KubeConfig {
    /// Kubeconfig file; unset = KUBECONFIG, ~/.kube/config, or the service account of the Pod.
    #[arg(long, env = "KOLLECT_KUBECONFIG", value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig file; unset = its current one.
    #[arg(long, env = "KOLLECT_CONTEXT", value_name = "NAME", requires = "kubeconfig")]
    pub context: Option<String>,
    /// Identity under which rows are written; unset = uid of the namespace kube-system.
    #[arg(long, env = "KOLLECT_CLUSTER_ID", value_name = "ID")]
    pub cluster_id: Option<String>,
    /// Namespace of the operator, whose Secrets every sink may refer to.
    #[arg(
        long,
        env = "KOLLECT_NAMESPACE",
        value_name = "NAME",
        default_value = "kollect-system"
    )]
    pub operator_namespace: String,
}
