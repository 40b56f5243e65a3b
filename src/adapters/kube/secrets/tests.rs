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
