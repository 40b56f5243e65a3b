//! How each process of a control plane is started.

use std::net::{Ipv4Addr, TcpStream};

use rustix::process::Signal;

use super::builder::ControlPlaneBuilder;
use super::components::Ports;
use super::files::Files;
use super::kubectl::Kubectl;
use super::programs;
use crate::Error;
use crate::server::Launch;

pub(super) fn etcd(files: &Files, ports: &Ports) -> Result<Launch, Error> {
    let client = format!("http://127.0.0.1:{}", ports.etcd.number());
    let peer = format!("http://127.0.0.1:{}", ports.etcd_peer.number());
    let port = ports.etcd.number();
    Ok(Launch {
        name: "etcd",
        program: programs::etcd()?,
        arguments: vec![
            "--name=bed".into(),
            format!("--data-dir={}", files.folder.join("etcd").display()),
            format!("--listen-client-urls={client}"),
            format!("--advertise-client-urls={client}"),
            format!("--listen-peer-urls={peer}"),
            format!("--initial-advertise-peer-urls={peer}"),
            format!("--initial-cluster=bed={peer}"),
            // The data need not survive the machine, only the process.
            "--unsafe-no-fsync".into(),
            // Room for the load tests; the default ends at 2 GB.
            "--quota-backend-bytes=8000000000".into(),
            "--log-level=warn".into(),
        ],
        user: None,
        stop_signal: Signal::TERM,
        ready: Box::new(move || accepts(port)),
    })
}

pub(super) fn apiserver(
    files: &Files,
    ports: &Ports,
    kubectl: &Kubectl,
    settings: &ControlPlaneBuilder,
) -> Result<Launch, Error> {
    let port = ports.apiserver.number();
    let mut arguments = vec![
        format!("--etcd-servers=http://127.0.0.1:{}", ports.etcd.number()),
        "--bind-address=127.0.0.1".into(),
        "--advertise-address=127.0.0.1".into(),
        format!("--secure-port={port}"),
        // A loopback address is not allowed as an endpoint of the `kubernetes` Service.
        "--endpoint-reconciler-type=none".into(),
        "--service-cluster-ip-range=10.0.0.0/16".into(),
        format!("--cert-dir={}", files.folder.join("apiserver").display()),
        format!("--tls-cert-file={}", files.serving.certificate.display()),
        format!("--tls-private-key-file={}", files.serving.key.display()),
        format!("--client-ca-file={}", files.authority.certificate().display()),
        "--service-account-issuer=https://kubernetes.default.svc".into(),
        format!("--service-account-key-file={}", files.token_public.display()),
        format!("--service-account-signing-key-file={}", files.token_private.display()),
        "--authorization-mode=Node,RBAC".into(),
        // Otherwise a stop waits a whole minute for watches, which do not end by themselves.
        "--shutdown-watch-termination-grace-period=1s".into(),
    ];
    arguments.extend(settings.apiserver_flags.iter().cloned());
    Ok(Launch {
        name: "kube-apiserver",
        program: programs::kubernetes("kube-apiserver")?,
        arguments,
        user: None,
        stop_signal: Signal::TERM,
        ready: probe(port, kubectl, ["get", "--raw=/readyz", "--request-timeout=5s"]),
    })
}

pub(super) fn controller_manager(
    files: &Files,
    ports: &Ports,
    kubectl: &Kubectl,
    settings: &ControlPlaneBuilder,
) -> Result<Launch, Error> {
    let port = ports.controller_manager.number();
    let kubeconfig = files.controller_manager.display();
    Ok(Launch {
        name: "kube-controller-manager",
        program: programs::kubernetes("kube-controller-manager")?,
        arguments: vec![
            format!("--kubeconfig={kubeconfig}"),
            "--bind-address=127.0.0.1".into(),
            format!("--secure-port={port}"),
            format!("--cert-dir={}", files.folder.join("controller-manager").display()),
            format!("--controllers={}", settings.controllers),
            "--use-service-account-credentials".into(),
            format!("--service-account-private-key-file={}", files.token_private.display()),
            format!("--root-ca-file={}", files.authority.certificate().display()),
            "--leader-elect=false".into(),
            // The limits of a small cluster would add 4 s to the start.
            "--kube-api-qps=500".into(),
            "--kube-api-burst=1000".into(),
        ],
        user: None,
        stop_signal: Signal::TERM,
        // Its own work is the sign that it works: it makes this account.
        ready: probe(
            port,
            kubectl,
            [
                "get",
                "serviceaccount/default",
                "--namespace=default",
                "--request-timeout=5s",
            ],
        ),
    })
}

/// Whether the port accepts connections and kubectl succeeds with these arguments.
fn probe<const N: usize>(
    port: u16,
    kubectl: &Kubectl,
    arguments: [&'static str; N],
) -> Box<dyn Fn() -> bool + Send + Sync> {
    let kubectl = kubectl.clone();
    Box::new(move || accepts(port) && kubectl.run(&arguments, None).is_ok())
}

fn accepts(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}
