use std::time::Duration;

use proptest::prelude::*;
use rstest::rstest;

use super::{Dsn, DsnError, Endpoint, RootCertificates, SslMode};

fn parse(text: &str) -> Dsn {
    Dsn::parse(text).unwrap()
}

fn endpoint(host: &str, port: u16) -> Endpoint {
    Endpoint {
        host: host.to_owned(),
        address: None,
        port,
    }
}

#[test]
fn a_url_gives_all_of_its_parts() {
    let dsn =
        parse("postgres://us%40er:p%2Fa:s@s@db1.example:6000,db2.example,[2001:db8::1]:7000/my%20db?sslmode=require");
    assert_eq!(dsn.config.get_user(), Some("us@er"));
    assert_eq!(dsn.config.get_password(), Some(b"p/a:s@s".as_slice()));
    assert_eq!(dsn.config.get_dbname(), Some("my db"));
    assert_eq!(
        dsn.endpoints,
        [
            endpoint("db1.example", 6000),
            endpoint("db2.example", 5432),
            endpoint("2001:db8::1", 7000)
        ]
    );
    assert_eq!(dsn.tls.mode, Some(SslMode::Require));
}

#[test]
fn keywords_take_blanks_quotes_and_backslashes() {
    let dsn = parse(r"  host = db.example   user='it\'s' password='a b\'c\\d' dbname=x\ y  port=6000 ");
    assert_eq!(dsn.config.get_user(), Some("it's"));
    assert_eq!(dsn.config.get_password(), Some(br"a b'c\d".as_slice()));
    assert_eq!(dsn.config.get_dbname(), Some("x y"));
    assert_eq!(dsn.endpoints, [endpoint("db.example", 6000)]);
}

#[test]
fn hosts_have_their_own_ports_and_addresses() {
    let dsn = parse("host=a,b hostaddr=192.0.2.1,192.0.2.2 port=1,2 load_balance_hosts=random");
    let addresses: Vec<_> = dsn
        .endpoints
        .iter()
        .map(|endpoint| endpoint.address.unwrap().to_string())
        .collect();
    assert_eq!(addresses, ["192.0.2.1", "192.0.2.2"]);
    assert_eq!(
        dsn.endpoints.iter().map(|endpoint| endpoint.port).collect::<Vec<_>>(),
        [1, 2]
    );
    assert!(dsn.shuffle);
    let shared_port = parse("host=a,b port=7");
    assert_eq!(shared_port.endpoints, [endpoint("a", 7), endpoint("b", 7)]);
}

#[test]
fn parameters_of_client_libraries_do_not_reach_the_server() {
    let pool = "pool_max_conns=4&pool_min_conns=1&pool_min_idle_conns=1&pool_max_conn_lifetime=1h\
        &pool_max_conn_lifetime_jitter=1m&pool_max_conn_idle_time=30m&pool_health_check_period=1m\
        &default_query_exec_mode=cache_statement&statement_cache_capacity=100&description_cache_capacity=10";
    let dsn = parse(&format!("postgres://db.example/x?{pool}"));
    assert_eq!(dsn.config.get_options(), None);
    assert!(dsn.session.named_statements);
}

#[rstest]
#[case("exec", false)]
#[case("simple_protocol", false)]
#[case("describe_exec", false)]
#[case("cache_describe", false)]
#[case("cache_statement", true)]
fn an_execution_mode_for_poolers_keeps_no_statements(#[case] mode: &str, #[case] named: bool) {
    assert_eq!(
        parse(&format!("host=a default_query_exec_mode={mode}"))
            .session
            .named_statements,
        named
    );
}

#[test]
fn settings_reach_the_server_with_blanks_and_backslashes_intact() {
    let dsn = parse("host=a options='-c geqo=off' search_path='one, two' my.setting='a\\\\b' statement_timeout=5s");
    assert_eq!(
        dsn.config.get_options(),
        Some(r"-c geqo=off -c search_path=one,\ two -c my.setting=a\\b -c statement_timeout=5s")
    );
    assert!(dsn.session.sets_statement_timeout);
    assert!(!parse("host=a work_mem=1MB").session.sets_statement_timeout);
    assert!(
        parse("host=a options='-c statement_timeout=1'")
            .session
            .sets_statement_timeout
    );
}

#[test]
fn silence_means_the_defaults() {
    let dsn = parse("postgres://db.example");
    assert_eq!(dsn.config.get_application_name(), Some("kollect"));
    assert_eq!(dsn.tls, super::DsnTls::default());
    assert_eq!(
        (dsn.connect_timeout, dsn.keepalive),
        (Duration::from_secs(10), Some(Duration::from_mins(1)))
    );
    assert!(!dsn.read_write && !dsn.shuffle);
    let dsn = parse("host=a application_name=fleet connect_timeout=3 keepalives=0");
    assert_eq!(dsn.config.get_application_name(), Some("fleet"));
    assert_eq!((dsn.connect_timeout, dsn.keepalive), (Duration::from_secs(3), None));
}

#[rstest]
#[case("sslmode=disable", SslMode::Disable)]
#[case("sslmode=allow", SslMode::Allow)]
#[case("sslmode=prefer", SslMode::Prefer)]
#[case("sslmode=require", SslMode::Require)]
#[case("sslmode=verify-ca", SslMode::VerifyCa)]
#[case("sslmode=verify-full", SslMode::VerifyFull)]
#[case("ssl=true", SslMode::Require)]
fn every_ssl_mode_is_understood(#[case] parameter: &str, #[case] mode: SslMode) {
    assert_eq!(parse(&format!("postgres://a/?{parameter}")).tls.mode, Some(mode));
}

#[test]
fn certificates_are_files_or_those_of_the_system() {
    let dsn = parse("host=a sslrootcert=/ca.pem sslcert=/c.pem sslkey=/k.pem ssl_min_protocol_version=TLSv1.3");
    assert_eq!(
        dsn.tls.root_certificates,
        Some(RootCertificates::File("/ca.pem".into()))
    );
    assert!(dsn.tls.at_least_tls13);
    assert_eq!(
        parse("host=a sslrootcert=system").tls.root_certificates,
        Some(RootCertificates::System)
    );
    assert_eq!(
        Dsn::parse("host=a sslcert=/c.pem").unwrap_err(),
        DsnError::LoneClientCertificate
    );
}

#[rstest]
#[case("any", false)]
#[case("read-write", true)]
#[case("primary", true)]
#[case("prefer-standby", true)]
fn a_sink_needs_a_server_that_takes_writes(#[case] attributes: &str, #[case] read_write: bool) {
    assert_eq!(
        parse(&format!("host=a target_session_attrs={attributes}")).read_write,
        read_write
    );
}

#[rstest]
#[case::no_host("user=x", DsnError::NoHost)]
#[case::nothing("", DsnError::NoHost)]
#[case::empty_host("postgres:///db", DsnError::NoHost)]
#[case::unix_socket("host=/var/run/postgresql", DsnError::UnixSocket)]
#[case::standby("host=a target_session_attrs=standby", DsnError::ReadOnly)]
#[case::service("host=a service=x", DsnError::Refused("service".to_owned()))]
#[case::authentication_that_is_not_checked("host=a require_auth=scram-sha-256", DsnError::Refused("require_auth".to_owned()))]
#[case::gss("host=a gssencmode=require", DsnError::Refused("gssencmode".to_owned()))]
#[case::bad_port("host=a port=x", DsnError::InvalidValue("port".to_owned()))]
#[case::bad_mode("host=a sslmode=on", DsnError::InvalidValue("sslmode".to_owned()))]
#[case::more_ports_than_hosts(
    "host=a port=1,2",
    DsnError::Malformed("the numbers of hosts, addresses and ports differ")
)]
#[case::not_a_setting("host=a b-c=1", DsnError::Malformed("it has a parameter whose name is not one"))]
fn what_cannot_be_used_is_refused_by_name(#[case] text: &str, #[case] error: DsnError) {
    assert_eq!(Dsn::parse(text).unwrap_err(), error);
}

#[test]
fn gss_encryption_is_given_up_only_where_it_was_optional() {
    assert_eq!(parse("host=a gssencmode=prefer").config.get_options(), None);
}

proptest! {
    /// Quoting a value in either form and reading it gives the value.
    #[test]
    fn any_password_survives_both_forms(password in "[^\0]{1,40}") {
        let keyword = password.replace('\\', "\\\\").replace('\'', "\\'");
        let dsn = parse(&format!("host=a password='{keyword}'"));
        prop_assert_eq!(dsn.config.get_password(), Some(password.as_bytes()));
        let encoded = password.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
        let dsn = parse(&format!("postgres://u:{encoded}@a/b"));
        prop_assert_eq!(dsn.config.get_password(), Some(password.as_bytes()));
    }

    /// No text panics, and no error or debug text shows what was written.
    #[test]
    fn no_text_panics_or_is_shown(text in any::<String>(), password in "[A-Z]{24}") {
        for text in [text.clone(), format!("postgres://u:{password}{text}"), format!("password={password} {text}")] {
            match Dsn::parse(&text) {
                Ok(dsn) => {
                    let shown = format!("{dsn:?}");
                    prop_assert!(!shown.contains(&password));
                }
                Err(error) => {
                    let shown = format!("{error} {error:?}");
                    prop_assert!(!shown.contains(&password), "{shown}");
                }
            }
        }
    }
}
