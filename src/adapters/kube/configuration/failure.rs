//! What a failed watch of our own resources means.

use kube::runtime::watcher;

/// The event, or why the kind may not be read; nothing for a fault that passes, which is logged and retried.
pub(super) fn seen<E>(kind: &str, namespace: &str, event: watcher::Result<E>) -> Option<Result<E, String>> {
    let error = match event {
        Ok(event) => return Some(Ok(event)),
        Err(error) => error,
    };
    let place = match namespace {
        "" => String::new(),
        namespace => format!(" in namespace {namespace}"),
    };
    let cause = chain(&error);
    tracing::warn!(
        resource.kind = kind,
        "cannot watch {kind}{place}, trying again: {cause}; is its CRD installed (kollect crd | kubectl apply -f -), and \
         may the operator list and watch it?"
    );
    is_refusal(&error).then(|| Err(format!("the operator cannot list and watch {kind}{place}: {cause}")))
}

/// Whether the server says that the kind may not be read or does not exist, rather than that something went wrong.
fn is_refusal(error: &watcher::Error) -> bool {
    match error {
        watcher::Error::InitialListFailed(kube::Error::Api(status))
        | watcher::Error::WatchStartFailed(kube::Error::Api(status)) => status.is_forbidden() || status.is_not_found(),
        _ => false,
    }
}

/// An error and its causes on one line.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}
