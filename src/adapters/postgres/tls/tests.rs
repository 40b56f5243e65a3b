use rstest::rstest;

use super::Encryption::{Always, IfOffered, Never};
use super::Verification::{Issuer, IssuerAndName, Nothing};
use super::{DsnTls, Encryption, SslMode, TlsMaterial, TlsPlan, Verification};

fn material(insecure: bool, trusted: bool) -> TlsMaterial {
    TlsMaterial {
        insecure_skip_verify: insecure,
        trusted: trusted.then(|| b"pem".to_vec()),
        client: None,
    }
}

#[rstest]
// The string is silent: the definition decides.
#[case(None, false, false, &[IfOffered, Never], Nothing)]
#[case(None, false, true, &[Always], IssuerAndName)]
#[case(None, true, false, &[Always], Nothing)]
#[case(None, true, true, &[Always], Nothing)]
// The string decides.
#[case(Some(SslMode::Disable), false, true, &[Never], Nothing)]
#[case(Some(SslMode::Allow), false, false, &[Never, Always], Nothing)]
#[case(Some(SslMode::Prefer), false, true, &[IfOffered, Never], Nothing)]
#[case(Some(SslMode::Require), false, false, &[Always], Nothing)]
#[case(Some(SslMode::Require), false, true, &[Always], Issuer)]
#[case(Some(SslMode::Require), true, true, &[Always], Nothing)]
#[case(Some(SslMode::VerifyCa), true, false, &[Always], Issuer)]
#[case(Some(SslMode::VerifyFull), true, false, &[Always], IssuerAndName)]
fn string_and_definition_make_a_plan(
    #[case] mode: Option<SslMode>,
    #[case] insecure: bool,
    #[case] trusted: bool,
    #[case] attempts: &'static [Encryption],
    #[case] verification: Verification,
) {
    let dsn = DsnTls {
        mode,
        ..DsnTls::default()
    };
    let plan = TlsPlan::new(&dsn, &material(insecure, trusted));
    assert_eq!(plan, TlsPlan { attempts, verification });
}
