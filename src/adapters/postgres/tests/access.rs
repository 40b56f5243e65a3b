//! Connection strings, Secrets, several hosts, and the endpoint guard.

use std::net::TcpListener;
use std::sync::Arc;

use kollect_domain::condition::reason;
use kollect_ports::error::{ErrorClass, PortError};
use kollect_ports::sink::SinkFactory as _;

use super::{Bench, WRITER, deliver, inventory, row, run, secret, sink_key};
use crate::endpoint::EndpointPolicy;
use crate::postgres::PostgresSinkFactory;

/// User, password, host and port of the bench's server.
fn parts(bench: &Bench) -> [String; 4] {
    let url = bench.url();
    let (_, rest) = url.split_once("://").unwrap();
    let (login, rest) = rest.split_once('@').unwrap();
    let (user, password) = login.split_once(':').unwrap();
    let (address, _) = rest.split_once('/').unwrap();
    let (host, port) = address.split_once(':').unwrap();
    [user, password, host, port].map(str::to_owned)
}

/// A port on which nobody listens.
fn dead_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

async fn claim_error(bench: &Bench) -> PortError {
    bench.build(WRITER, "").claim(&inventory()).await.unwrap_err()
}

#[test]
fn a_keyword_string_with_a_dead_first_host_settings_and_pool_parameters_works() {
    run(async {
        let bench = Bench::new();
        let [user, password, host, port] = parts(&bench);
        bench.connect_by(&format!(
            "host={host},{host} port={},{port} user={user} password='{password}' dbname={} sslmode=disable \
             target_session_attrs=read-write pool_max_conns=4 default_query_exec_mode=cache_statement \
             work_mem=1234kB search_path='pg_catalog, public'",
            dead_port(),
            bench.database
        ));
        let sink = bench.claimed().await;
        deliver(&sink, vec![row("u-1", 1)]).await.unwrap();
        let names = bench.sql(&format!(
            "SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = '{}' AND application_name <> 'psql'",
            bench.database
        ));
        assert_eq!(names, "kollect");
    });
}

#[test]
fn settings_of_the_string_reach_the_server() {
    run(async {
        let bench = Bench::new();
        bench.connect_by(&bench.url_with("application_name=fleet%20a&statement_timeout=1&lock_timeout=7s"));
        // A limit of one millisecond is too short for creating tables.
        let refusal = claim_error(&bench).await;
        assert!(refusal.message.contains("57014"), "{refusal}");
        assert_eq!(refusal.class, ErrorClass::Transient);
    });
}

#[test]
fn errors_name_neither_the_password_nor_the_user_nor_the_string() {
    run(async {
        let bench = Bench::new();
        let [_, _, host, port] = parts(&bench);
        let (user, password) = ("u5er-name", "pa55-word");
        let database = &bench.database;
        let strings = [
            format!("postgres://{user}:{password}@{host}:{port}/{database}"),
            format!("postgres://{user}:{password}@{host}:{port}/{database}?sslmode=bogus"),
            format!("postgres://{user}:{password}@{host}:{port}x/{database}"),
            format!("postgres://{user}:{password}%zz@{host}:{port}/{database}"),
            format!("postgres://{user}:{password}@{host}:{port}/{database}?service=x"),
            format!("postgres://{user}:{password}@{host}:{}/{database}", dead_port()),
            format!("postgres://{user}:{password}@does-not-exist.invalid/{database}"),
            format!("postgres://{user}:{password}@[::1/{database}"),
            format!("mysql://{user}:{password}@{host}/{database}"),
            format!("user={user} password={password} host={host} port=none"),
            format!("user={user} password='{password}"),
            format!("user={user} password={password}"),
            format!("user={user} password={password} host=/var/run/postgresql"),
            format!(
                "user={user} password={password} host={host} port={port} sslmode=verify-full sslrootcert=/{password}"
            ),
            format!("user={user} password={password} host={host} port={port} sslmode=require"),
            format!("user={user} password={password} host={host} port={port} connect_timeout={password}"),
            format!("user={user} password={password} host={host} port={port} target_session_attrs=standby"),
        ];
        for string in strings {
            bench.connect_by(&string);
            let error = claim_error(&bench).await;
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains(user) && !shown.contains(password), "{shown}");
            assert!(error.message.len() > 20, "{error}");
        }
    });
}

#[test]
fn a_wrong_password_is_a_fault_of_the_definition_and_a_dead_port_is_not() {
    run(async {
        let bench = Bench::new();
        let [user, _, host, port] = parts(&bench);
        bench.connect_by(&format!("postgres://{user}:wrong@{host}:{port}/{}", bench.database));
        let refused = claim_error(&bench).await;
        assert_eq!(refused.class, ErrorClass::Misconfigured);
        assert!(refused.message.contains("28P01"), "{refused}");
        bench.connect_by(&format!(
            "postgres://{user}:wrong@{host}:{}/{}",
            dead_port(),
            bench.database
        ));
        let dead = claim_error(&bench).await;
        assert_eq!(
            (dead.class, dead.reason),
            (ErrorClass::Unavailable, reason::SINK_UNREACHABLE)
        );
    });
}

#[test]
fn the_keys_of_the_secret_are_read_in_order_and_blank_ones_skipped() {
    run(async {
        let bench = Bench::new();
        let url = format!("  {}\n", bench.url());
        bench.secrets.set(
            &secret().object,
            &[("dsn", b"  \n"), ("url", url.as_bytes()), ("DATABASE_URL", b"nonsense")],
        );
        bench.claimed().await;
        bench.secrets.set(&secret().object, &[("password", b"x")]);
        let other_keys = claim_error(&bench).await;
        assert_eq!(
            (other_keys.class, other_keys.reason),
            (ErrorClass::Misconfigured, reason::SECRET_RESOLVE_FAILED)
        );
        assert!(
            other_keys
                .message
                .contains("dsn or url or connectionString or DATABASE_URL"),
            "{other_keys}"
        );
        bench.secrets.set(&secret().object, &[]);
        let empty = claim_error(&bench).await;
        assert_ne!(empty.message, other_keys.message);
    });
}

#[test]
fn a_rotated_secret_is_read_when_the_session_is_opened_anew() {
    run(async {
        let bench = Bench::new();
        let [_, _, host, port] = parts(&bench);
        let role = format!("rotating_{}", bench.database);
        bench.sql(&format!("CREATE ROLE {role} LOGIN SUPERUSER PASSWORD 'old'"));
        bench.connect_by(&format!("postgres://{role}:old@{host}:{port}/{}", bench.database));
        let sink = bench.claimed().await;
        bench.sql(&format!("ALTER ROLE {role} PASSWORD 'new'"));
        let end_sessions =
            format!("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = '{role}'");
        assert_eq!(bench.sql(&end_sessions), "1");
        let lost = deliver(&sink, vec![row("u-1", 1)]).await.unwrap_err();
        assert!(
            matches!(lost.class, ErrorClass::Unavailable | ErrorClass::Misconfigured),
            "{lost:?}"
        );
        let refused = sink.claim(&inventory()).await.unwrap_err();
        assert_eq!(refused.class, ErrorClass::Misconfigured);
        bench.connect_by(&format!("postgres://{role}:new@{host}:{port}/{}", bench.database));
        sink.claim(&inventory()).await.unwrap();
        assert_eq!(deliver(&sink, vec![row("u-1", 1)]).await.unwrap().written, 1);
        drop(sink);
        bench.sql(&format!("REASSIGN OWNED BY {role} TO CURRENT_USER"));
    });
}

#[test]
fn the_guard_is_asked_about_names_and_about_resolved_addresses() {
    run(async {
        let bench = Bench::new();
        let [user, password, _, port] = parts(&bench);
        let guarded = |policy: EndpointPolicy| {
            let factory = PostgresSinkFactory::new(WRITER, bench.secrets.clone(), Arc::new(policy));
            factory.build(&sink_key(), &Arc::new(bench.spec.clone())).unwrap()
        };
        for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"] {
            bench.connect_by(&format!(
                "postgres://{user}:{password}@{host}:{port}/{}",
                bench.database
            ));
            let denied = guarded(EndpointPolicy::default())
                .claim(&inventory())
                .await
                .unwrap_err();
            assert_eq!(
                (denied.class, denied.reason),
                (ErrorClass::Misconfigured, reason::ENDPOINT_DENIED)
            );
        }
        // The name is allowed, the address it resolves to is on the deny list.
        bench.connect_by(&format!(
            "postgres://{user}:{password}@localhost:{port}/{}",
            bench.database
        ));
        let policy = EndpointPolicy::parse(&["localhost"], &["127.0.0.0/8", "::1"]).unwrap();
        let denied = guarded(policy).claim(&inventory()).await.unwrap_err();
        assert_eq!(denied.reason, reason::ENDPOINT_DENIED, "{denied}");
    });
}
