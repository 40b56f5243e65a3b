use super::*;
use crate::kube::client::Refusal;

fn unavailable(retry_after: Option<u64>) -> Failure {
    Failure {
        class: SourceFailure::Unavailable,
        message: "down".to_owned(),
        retry_after: retry_after.map(Duration::from_secs),
    }
}

fn forbidden() -> Failure {
    Failure {
        class: SourceFailure::Forbidden,
        message: "denied".to_owned(),
        retry_after: None,
    }
}

#[test]
fn a_failure_is_reported_once_until_it_changes_or_is_over() {
    let mut health = Health::new();
    assert!(health.failed(unavailable(None)).0.is_some());
    assert!(health.failed(unavailable(None)).0.is_none());
    assert!(health.failed(forbidden()).0.is_some());
    assert!(health.failed(unavailable(None)).0.is_some());
    assert!(health.recovered());
    assert!(!health.recovered());
    assert!(health.failed(unavailable(None)).0.is_some());
}

#[test]
fn a_server_that_asks_for_time_gets_it_up_to_a_minute() {
    let mut health = Health::new();
    assert!(health.failed(unavailable(Some(7))).1 >= Duration::from_secs(7));
    assert_eq!(health.failed(unavailable(Some(86_400))).1, Duration::from_mins(1));
}

#[test]
fn a_forbidden_kind_is_tried_again_every_five_to_ten_seconds() {
    let mut health = Health::new();
    for _ in 0..20 {
        let wait = health.failed(forbidden()).1;
        assert!(
            wait >= Duration::from_secs(5) && wait <= Duration::from_secs(10),
            "{wait:?}"
        );
    }
}

#[test]
fn answers_are_classified_by_their_code() {
    let target = Target {
        gvk: kollect_domain::ids::Gvk::new("apps", "v1", "Deployment"),
        plural: "deployments".to_owned(),
        namespace: Some("shop".to_owned()),
        label_selector: None,
    };
    let classes = [
        (401, SourceFailure::Unavailable),
        (403, SourceFailure::Forbidden),
        (404, SourceFailure::NotServed),
        (429, SourceFailure::Unavailable),
        (503, SourceFailure::Unavailable),
    ];
    for (code, class) in classes {
        let error = ApiError::Refused {
            operation: "list".to_owned(),
            refusal: Refusal::from_body(code, None, b"{}"),
        };
        let failure = Failure::of_request(&error, &target);
        assert_eq!(failure.class, class, "{code}");
    }
}

#[test]
fn a_denial_names_the_resource_the_namespace_and_the_remedy() {
    let target = Target {
        gvk: kollect_domain::ids::Gvk::new("apps", "v1", "Deployment"),
        plural: "deployments".to_owned(),
        namespace: Some("shop".to_owned()),
        label_selector: None,
    };
    let message = Failure::rights_withdrawn(&target).message;
    for part in ["deployments.apps", "namespace shop", "grant"] {
        assert!(message.contains(part), "{part} is missing in {message}");
    }
}
