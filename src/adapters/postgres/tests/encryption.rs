//! TLS: which certificates are believed, and which settings decide.

use std::sync::LazyLock;

use kollect_domain::config::sink::{SecretRef, Tls};
use kollect_domain::ids::NamespacedName;
use kollect_ports::error::{ErrorClass, PortError};
use kollect_testbed::Postgres;
use rstest::rstest;

use super::{Bench, Server, WRITER, inventory, run};

/// One server for all cases: its certificate is for `localhost`, not for `127.0.0.1`.
static SERVER: LazyLock<Postgres> = LazyLock::new(|| Postgres::builder().tls(&["localhost"]).start().unwrap());

fn bench(host: &str, parameters: &str, tls: Tls) -> Bench {
    let mut bench = Bench::on(Server::Shared(&SERVER));
    let url = bench.url();
    let (base, _) = url.split_once('?').unwrap_or((&url, ""));
    bench.connect_by(&format!("{}?{parameters}", base.replace("127.0.0.1", host)));
    bench.spec.tls = tls;
    bench
}

fn authority() -> Vec<u8> {
    std::fs::read(SERVER.certificate_authority().unwrap()).unwrap()
}

fn another_authority() -> Vec<u8> {
    let key = rcgen::KeyPair::generate().unwrap();
    let mut parameters = rcgen::CertificateParams::default();
    parameters.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    parameters.self_signed(&key).unwrap().pem().into_bytes()
}

fn trusting(authority: Vec<u8>) -> Tls {
    Tls {
        ca_bundle: Some(authority),
        ..Tls::default()
    }
}

async fn outcome(bench: &Bench) -> Result<(), PortError> {
    bench.build(WRITER, "").claim(&inventory()).await.map(|_| ())
}

#[rstest]
#[case::full("localhost", "sslmode=verify-full")]
#[case::issuer_only_with_another_name("127.0.0.1", "sslmode=verify-ca")]
#[case::require_with_an_authority_is_verify_ca("127.0.0.1", "sslmode=require")]
#[case::the_definition_decides_when_the_string_is_silent("localhost", "")]
fn a_certificate_of_the_trusted_authority_is_believed(#[case] host: &str, #[case] parameters: &str) {
    run(async {
        assert_eq!(outcome(&bench(host, parameters, trusting(authority()))).await, Ok(()));
    });
}

#[rstest]
#[case::full_with_another_name("127.0.0.1", "sslmode=verify-full", true)]
#[case::silent_string_means_full("127.0.0.1", "", true)]
#[case::full("localhost", "sslmode=verify-full", false)]
#[case::issuer_only("localhost", "sslmode=verify-ca", false)]
#[case::require_with_an_authority("localhost", "sslmode=require", false)]
fn any_other_certificate_is_not(#[case] host: &str, #[case] parameters: &str, #[case] right_authority: bool) {
    run(async {
        let trusted = if right_authority {
            authority()
        } else {
            another_authority()
        };
        let refused = outcome(&bench(host, parameters, trusting(trusted))).await.unwrap_err();
        assert_eq!(refused.class, ErrorClass::Unavailable, "{refused}");
        assert!(refused.message.contains("certificate"), "{refused}");
    });
}

#[rstest]
#[case::the_default("")]
#[case::prefer("sslmode=prefer")]
#[case::allow("sslmode=allow")]
#[case::require("sslmode=require")]
fn without_an_authority_the_connection_is_encrypted_and_unverified(#[case] parameters: &str) {
    run(async {
        let bench = bench("127.0.0.1", parameters, Tls::default());
        assert_eq!(outcome(&bench).await, Ok(()));
    });
}

#[test]
fn a_server_that_insists_on_encryption_refuses_a_plain_connection() {
    run(async {
        let refused = outcome(&bench("127.0.0.1", "sslmode=disable", Tls::default()))
            .await
            .unwrap_err();
        assert_eq!(refused.class, ErrorClass::Misconfigured, "{refused}");
        assert!(
            refused.message.contains("28000") && refused.message.contains("sslmode"),
            "{refused}"
        );
    });
}

#[test]
fn an_explicit_mode_of_the_string_wins_over_the_definition() {
    run(async {
        let insecure = Tls {
            insecure_skip_verify: true,
            ..Tls::default()
        };
        assert_eq!(outcome(&bench("127.0.0.1", "", insecure.clone())).await, Ok(()));
        let strict = Tls {
            insecure_skip_verify: true,
            ..trusting(another_authority())
        };
        assert!(
            outcome(&bench("localhost", "sslmode=verify-full", strict))
                .await
                .is_err()
        );
    });
}

#[test]
fn a_plain_server_is_refused_when_encryption_is_asked_for() {
    run(async {
        let mut bench = Bench::new();
        bench.connect_by(&bench.url().replace("sslmode=disable", "connect_timeout=9"));
        bench.spec.tls = trusting(another_authority());
        assert!(outcome(&bench).await.is_err(), "the definition asks for a certificate");
        bench.spec.tls = Tls {
            insecure_skip_verify: true,
            ..Tls::default()
        };
        assert!(outcome(&bench).await.is_err(), "the definition asks for encryption");
        bench.spec.tls = Tls::default();
        assert_eq!(outcome(&bench).await, Ok(()), "the default takes what there is");
    });
}

#[test]
fn authorities_come_from_a_secret_or_a_file_too() {
    run(async {
        let reference = SecretRef {
            object: NamespacedName::new("team-a", "ca"),
            referrer: "team-a".into(),
        };
        let tls = Tls {
            ca_secret: Some(reference.clone()),
            ..Tls::default()
        };
        let from_secret = bench("localhost", "", tls);
        from_secret.secrets.set(&reference.object, &[("other", b"x")]);
        let no_key = outcome(&from_secret).await.unwrap_err();
        assert!(no_key.message.contains("ca.crt"), "{no_key}");
        from_secret
            .secrets
            .set(&reference.object, &[("ca.crt", b"not a certificate")]);
        let not_pem = outcome(&from_secret).await.unwrap_err();
        assert!(not_pem.message.contains("failed to parse CA bundle PEM"), "{not_pem}");
        from_secret.secrets.set(&reference.object, &[("ca.crt", &authority())]);
        assert_eq!(outcome(&from_secret).await, Ok(()));

        let path = SERVER.certificate_authority().unwrap().display().to_string();
        let from_file = bench(
            "localhost",
            &format!("sslmode=verify-full&sslrootcert={path}"),
            trusting(another_authority()),
        );
        assert_eq!(outcome(&from_file).await, Ok(()), "the file that the string names wins");
    });
}
