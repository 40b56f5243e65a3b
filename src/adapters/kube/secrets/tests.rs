use kollect_domain::ids::NamespacedName;
use rstest::rstest;

use super::*;

fn reference(namespace: &str, referrer: &str) -> SecretRef {
    SecretRef {
        object: NamespacedName::new(namespace, "db"),
        referrer: referrer.into(),
    }
}

#[rstest]
#[case::own_namespace("shop", false, true)]
#[case::of_the_operator("kollect-system", false, true)]
#[case::foreign("bank", false, false)]
#[case::foreign_when_allowed("bank", true, true)]
fn a_reference_is_allowed_by_namespace(#[case] namespace: &str, #[case] allow: bool, #[case] allowed: bool) {
    let policy = SecretPolicy {
        operator_namespace: "kollect-system".into(),
        allow_cross_namespace: allow,
    };
    let checked = policy.check(&reference(namespace, "shop"));
    assert_eq!(checked.is_ok(), allowed);
    if let Err(error) = checked {
        assert_eq!(
            (error.class, error.reason),
            (ErrorClass::Misconfigured, "SecretRefDenied")
        );
        assert!(error.message.contains("bank/db") && error.message.contains("--allow-cross-namespace-secret-refs"));
    }
}

#[rstest]
#[case::missing(404, ErrorClass::Misconfigured)]
#[case::denied(403, ErrorClass::Misconfigured)]
#[case::busy(429, ErrorClass::Throttled { after: Duration::from_secs(1) })]
#[case::broken(500, ErrorClass::Unavailable)]
fn an_answer_is_classified_and_names_the_secret(#[case] code: u16, #[case] class: ErrorClass) {
    let error = ApiError::Refused {
        operation: "get Secret shop/db".to_owned(),
        refusal: super::super::client::Refusal::from_body(code, None, b"{}"),
    };
    let error = explain(&reference("shop", "shop"), &error);
    assert_eq!((error.class, error.reason), (class, "SecretResolveFailed"));
    assert!(error.message.contains("Secret shop/db"), "{}", error.message);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_read_afresh_each_time_and_a_missing_one_is_named() {
    use kollect_testbed::{ControlPlane, required};

    if !required("control-plane") {
        return;
    }
    let cluster = ControlPlane::shared().unwrap();
    let run = |arguments: &str| {
        let words: Vec<&str> = arguments.split(' ').collect();
        cluster.kubectl(&words, None).unwrap()
    };
    run("create namespace secret-reader");
    run("create secret generic db --namespace secret-reader --from-literal=dsn=first");
    let options = super::super::client::ConnectOptions {
        kubeconfig: Some(cluster.kubeconfig_path().to_owned()),
        context: None,
    };
    let client = super::super::client::connect(&options).await.unwrap();
    let policy = SecretPolicy {
        operator_namespace: "kollect-system".into(),
        allow_cross_namespace: false,
    };
    let reader = KubeSecretReader::new(client, policy);
    let known = reference("secret-reader", "secret-reader");
    let secret = reader.read(&known).await.unwrap();
    assert_eq!(secret.get("dsn"), Some(&b"first"[..]));
    run("delete secret db --namespace secret-reader");
    let error = reader.read(&known).await.unwrap_err();
    assert_eq!(
        (error.class, error.reason),
        (ErrorClass::Misconfigured, "SecretResolveFailed")
    );
    assert!(
        error.message.contains("secret-reader/db") && error.message.contains("create it"),
        "{}",
        error.message
    );
    run("create secret generic db --namespace secret-reader --from-literal=dsn=second");
    assert_eq!(reader.read(&known).await.unwrap().get("dsn"), Some(&b"second"[..]));
}
