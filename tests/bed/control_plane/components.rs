//! The three processes of a control plane and the files they share.

use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::process::Signal;

use super::builder::ControlPlaneBuilder;
use super::kubectl::Kubectl;
use super::{kubeconfig, programs};
use crate::Error;
use crate::certificates::{Authority, Holder, Identity, token_key, write_private};
use crate::instance::Instance;
use crate::port::Port;
use crate::server::{Launch, Server};

/// The processes end in this order: dependents first.
#[derive(Debug)]
pub(super) struct Components {
    pub(super) controller_manager: Server,
    pub(super) apiserver: Server,
    _etcd: Server,
    pub(super) kubectl: Kubectl,
    _ports: Ports,
    instance: Arc<Instance>,
}

#[derive(Debug)]
struct Ports {
    etcd: Port,
    etcd_peer: Port,
    apiserver: Port,
    controller_manager: Port,
}

/// The files of one control plane.
struct Files {
    folder: PathBuf,
    authority: Authority,
    serving: Identity,
    token_private: PathBuf,
    token_public: PathBuf,
    admin: PathBuf,
    controller_manager: PathBuf,
}

impl Components {
    pub(super) fn start(settings: &ControlPlaneBuilder) -> Result<Self, Error> {
        let ports = Ports {
            etcd: Port::reserve()?,
            etcd_peer: Port::reserve()?,
            apiserver: Port::reserve()?,
            controller_manager: Port::reserve()?,
        };
        let instance = Arc::new(Instance::create(None)?);
        let files = Files::write(instance.folder(), ports.apiserver.number())?;
        let kubectl = Kubectl {
            program: programs::kubernetes("kubectl")?,
            kubeconfig: files.admin.clone(),
            cache: files.folder.join("kubectl-cache"),
        };
        let etcd = Server::launch(&instance, etcd(&files, &ports)?)?;
        let apiserver = Server::launch(&instance, apiserver(&files, &ports, &kubectl, settings)?)?;
        let controller_manager = Server::launch(
            &instance,
            controller_manager(&files, &ports, &kubectl, settings)?,
        )?;
        Ok(Self {
            controller_manager,
            apiserver,
            _etcd: etcd,
            kubectl,
            _ports: ports,
            instance,
        })
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.instance.folder().to_owned()
    }
}

impl Files {
    fn write(folder: &Path, port: u16) -> Result<Self, Error> {
        let authority = Authority::create(folder)?;
        let serving = authority.issue(
            "apiserver",
            &Holder::Server {
                hosts: &["127.0.0.1", "localhost", "kubernetes.default.svc"],
            },
        )?;
        let (token_private, token_public) = token_key(folder, "service-account")?;
        let client = |file: &str, name, organization| {
            let identity = authority.issue(file, &Holder::Client { name, organization })?;
            let path = folder.join(format!("{file}.kubeconfig"));
            let server = format!("https://127.0.0.1:{port}");
            write_private(
                &path,
                &kubeconfig::for_certificate(&server, &authority, &identity),
            )?;
            Ok::<PathBuf, Error>(path)
        };
        let admin = client("admin", "kollect-test-admin", Some("system:masters"))?;
        let controller_manager =
            client("controller-manager", "system:kube-controller-manager", None)?;
        Ok(Self {
            folder: folder.to_owned(),
            serving,
            token_private,
            token_public,
            admin,
            controller_manager,
            authority,
        })
    }
}

fn etcd(files: &Files, ports: &Ports) -> Result<Launch, Error> {
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

fn apiserver(
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
        format!(
            "--client-ca-file={}",
            files.authority.certificate().display()
        ),
        "--service-account-issuer=https://kubernetes.default.svc".into(),
        format!(
            "--service-account-key-file={}",
            files.token_public.display()
        ),
        format!(
            "--service-account-signing-key-file={}",
            files.token_private.display()
        ),
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
        ready: probe(
            port,
            kubectl,
            ["get", "--raw=/readyz", "--request-timeout=5s"],
        ),
    })
}

fn controller_manager(
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
            format!(
                "--cert-dir={}",
                files.folder.join("controller-manager").display()
            ),
            format!("--controllers={}", settings.controllers),
            "--use-service-account-credentials".into(),
            format!(
                "--service-account-private-key-file={}",
                files.token_private.display()
            ),
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
