//! Which clusters are collected.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use kollect_adapters::files::Input;
use kollect_adapters::files::input::Folders;
use kollect_adapters::kube::client::{ConnectOptions, contexts};

use super::summary::say;
use crate::config::SourceConfig;

/// A cluster, or files that stand for one.
#[derive(Debug)]
pub struct Cluster {
    /// Label under which its rows are filed.
    pub label: String,
    /// Where its objects come from.
    pub objects: Objects,
}

/// Where objects come from.
#[derive(Debug)]
pub enum Objects {
    /// The API server.
    Server(ConnectOptions),
    /// Manifests and dumps.
    Files(Vec<Input>),
}

/// Chosen clusters.
#[derive(Debug, Default)]
pub struct Choice {
    /// In the order of their names.
    pub chosen: Vec<Cluster>,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// The clusters, or the files that stand for one, that flags name.
///
/// # Errors
/// Those of [`select`]; files that cannot be read.
pub async fn of(source: SourceConfig) -> anyhow::Result<Vec<Cluster>> {
    let SourceConfig {
        from,
        kubeconfig,
        context,
        namespace: _,
        cluster,
    } = source;
    if from.is_empty() {
        let clusters = select(kubeconfig.as_deref(), &context, cluster.as_deref())?;
        clusters.remarks.iter().for_each(|remark| say(remark));
        return Ok(clusters.chosen);
    }
    Ok(vec![Cluster {
        label: cluster.unwrap_or_default(),
        objects: Objects::Files(inputs(from).await?),
    }])
}

/// What `--from` names; reading standard input may take long.
async fn inputs(from: Vec<PathBuf>) -> anyhow::Result<Vec<Input>> {
    let opening = tokio::task::spawn_blocking(move || {
        let mut inputs = Vec::new();
        for path in &from {
            inputs.extend(match spooled("--from", path)? {
                Some(stdin) => vec![stdin],
                None => Input::path(path, Folders::Whole)?,
            });
        }
        Ok(inputs)
    });
    opening.await.context("reading was interrupted")?
}

/// Standard input, if `-` names it as the value of a flag.
///
/// # Errors
/// It is a terminal, or cannot be read.
pub fn spooled(flag: &str, path: &Path) -> anyhow::Result<Option<Input>> {
    if path.as_os_str() != "-" {
        return Ok(None);
    }
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        bail!("{flag} - reads standard input, which is a terminal; pipe manifests into it");
    }
    Ok(Some(Input::spooled("standard input", &mut stdin.lock())?))
}

/// The clusters of a kubeconfig that the patterns choose; the current one without patterns. `label` is for a single
/// cluster.
///
/// # Errors
/// The kubeconfig cannot be read; a named context does not exist; nothing is chosen; or several clusters would share
/// one label.
pub fn select(kubeconfig: Option<&Path>, patterns: &[String], label: Option<&str>) -> anyhow::Result<Choice> {
    if kubeconfig.is_none() && patterns.is_empty() {
        return Ok(current(label));
    }
    let known = contexts(kubeconfig)?;
    let mut choice = Choice::default();
    let mut names = Vec::new();
    if patterns.is_empty() {
        let Some(current) = known.current else {
            bail!("the kubeconfig has no current context: name one with --context");
        };
        names.push(current);
    }
    for pattern in patterns
        .iter()
        .map(|pattern| pattern.trim())
        .filter(|pattern| !pattern.is_empty())
    {
        if !pattern.contains(['*', '?']) {
            if !known.names.iter().any(|name| name == pattern) {
                bail!(
                    "the kubeconfig has no context {pattern:?}; it has {}",
                    known.names.join(", ")
                );
            }
            names.push(pattern.to_owned());
            continue;
        }
        let matching = glob::Pattern::new(pattern)?;
        let before = names.len();
        names.extend(known.names.iter().filter(|name| matching.matches(name)).cloned());
        if names.len() == before {
            choice.remarks.push(format!("note: no context matches {pattern:?}"));
        }
    }
    names.sort();
    names.dedup();
    if names.is_empty() {
        bail!(
            "no context matches {}; the kubeconfig has {}",
            patterns.join(", "),
            known.names.join(", ")
        );
    }
    if names.len() > 1 && label.is_some() {
        bail!(
            "--cluster would file {} clusters under one label; without it each has the name of its context",
            names.len()
        );
    }
    choice.chosen = names
        .into_iter()
        .map(|name| Cluster {
            label: label.unwrap_or(&name).to_owned(),
            objects: Objects::Server(ConnectOptions {
                kubeconfig: kubeconfig.map(PathBuf::from),
                context: Some(name),
            }),
        })
        .collect();
    Ok(choice)
}

/// The current context, or the cluster that this program runs in.
fn current(label: Option<&str>) -> Choice {
    let name = contexts(None).ok().and_then(|contexts| contexts.current);
    let cluster = Cluster {
        label: label.or(name.as_deref()).unwrap_or_default().to_owned(),
        objects: Objects::Server(ConnectOptions::default()),
    };
    Choice {
        chosen: vec![cluster],
        remarks: Vec::new(),
    }
}
