//! The file source on real files, well-formed and hostile.

mod formats;
mod hostile;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use kollect_domain::extract::mask::Mask;
use kollect_domain::ids::{Gvk, WatchScope};
use kollect_ports::source::{ObjectEvent, ObjectSource as _, ObservedObject, SourceEvent, WatchRequest};

use super::input::Folders;
use super::report::Report;
use super::{FileSource, Input, survey};

/// What a pass showed of one kind, and its report.
#[derive(Debug)]
struct Shown {
    objects: Vec<ObservedObject>,
    undecodable: Vec<String>,
    complete: bool,
    report: Report,
}

impl Shown {
    /// `namespace/name` of every object, in order.
    fn names(&self) -> Vec<String> {
        let name = |object: &ObservedObject| format!("{}/{}", object.namespace, object.name);
        self.objects.iter().map(name).collect()
    }

    /// `line: message` of every problem.
    fn problems(&self) -> Vec<String> {
        let problem = |problem: &super::report::Problem| format!("{}: {}", problem.place.line, problem.message);
        self.report.problems.iter().map(problem).collect()
    }
}

fn request(group: &str, version: &str, kind: &str) -> WatchRequest {
    let mut mask = Mask::default();
    mask.keep(["metadata", "labels"]);
    mask.keep(["spec"]);
    mask.keep(["data"]);
    WatchRequest {
        gvk: Gvk::new(group, version, kind),
        scope: WatchScope::Cluster,
        mask: Arc::new(mask),
        label_selector: None,
    }
}

fn deployments() -> WatchRequest {
    request("apps", "v1", "Deployment")
}

/// Reads all inputs for one kind.
fn show(inputs: Vec<Input>, wanted: WatchRequest) -> Shown {
    show_all(inputs, vec![wanted]).remove(0)
}

/// Reads all inputs for several kinds in one pass.
fn show_all(inputs: Vec<Input>, wanted: Vec<WatchRequest>) -> Vec<Shown> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let surveyed = survey(&inputs);
        let source = FileSource::new(inputs, &surveyed, "test");
        let streams: Vec<_> = wanted.into_iter().map(|wanted| source.open(wanted)).collect();
        let reading = streams.into_iter().map(|mut stream| async move {
            let mut shown = Shown {
                objects: vec![],
                undecodable: vec![],
                complete: false,
                report: Report::default(),
            };
            loop {
                let event = tokio::time::timeout(Duration::from_mins(1), stream.next());
                match event.await.unwrap().unwrap() {
                    SourceEvent::ListStarted => {}
                    SourceEvent::Objects(events) => events.into_iter().for_each(|event| match event {
                        ObjectEvent::Seen(object) => shown.objects.push(object),
                        ObjectEvent::Undecodable { message, .. } => shown.undecodable.push(message),
                        ObjectEvent::Gone { uid } => panic!("files do not change, and {uid} is gone"),
                    }),
                    SourceEvent::ListDone => {
                        shown.complete = true;
                        return shown;
                    }
                    SourceEvent::ListIncomplete { .. } => return shown,
                    other => panic!("files are read or not: {other:?}"),
                }
            }
        });
        let mut all = futures::future::join_all(reading).await;
        let report = source.report();
        for shown in &mut all {
            shown.report = report.clone();
        }
        all
    })
}

fn text(text: impl Into<String>) -> Vec<Input> {
    vec![Input::text("input", text.into())]
}

fn folder(path: &Path) -> Vec<Input> {
    Input::path(path, Folders::Whole).unwrap()
}
