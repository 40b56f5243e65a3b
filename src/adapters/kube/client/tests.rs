use super::*;

#[tokio::test]
async fn a_missing_kubeconfig_is_named() {
    let options = ConnectOptions {
        kubeconfig: Some(PathBuf::from("/nowhere/kubeconfig")),
        context: None,
    };
    let Err(error) = connect(&options).await else {
        panic!("a client was built from nothing");
    };
    assert!(error.to_string().contains("/nowhere/kubeconfig"), "{error}");
}

#[test]
fn a_refusal_that_is_no_status_keeps_its_text_shortened() {
    let body = "é".repeat(1_000);
    let refusal = Refusal::from_body(502, Some(Duration::from_secs(2)), body.as_bytes());
    assert_eq!((refusal.code, refusal.retry_after), (502, Some(Duration::from_secs(2))));
    assert!(refusal.message.len() <= 520 && refusal.message.ends_with('…'));
}

#[test]
fn a_report_names_every_cause_once() {
    let source = serde_json::from_str::<u8>("x").unwrap_err();
    let cause = source.to_string();
    let error = ApiError::Undecodable {
        operation: "list pods".to_owned(),
        source,
    };
    let report = error.report();
    assert!(
        report.starts_with("list pods: ") && report.ends_with(&cause),
        "{report}"
    );
}
