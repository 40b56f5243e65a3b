use std::net::IpAddr;

use kollect_domain::condition::reason;
use kollect_ports::error::{ErrorClass, PortError};
use proptest::prelude::*;
use rstest::rstest;

use super::EndpointPolicy;

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn policy(allow: &[&str], deny: &[&str]) -> EndpointPolicy {
    EndpointPolicy::parse(allow, deny).unwrap()
}

#[rstest]
#[case::loopback("127.0.0.1")]
#[case::far_end_of_loopback("127.255.255.254")]
#[case::loopback_v6("::1")]
#[case::mapped_loopback("::ffff:127.0.0.1")]
#[case::nat64_of_metadata("64:ff9b::a9fe:a9fe")]
#[case::metadata("169.254.169.254")]
#[case::mapped_metadata("::ffff:169.254.169.254")]
#[case::metadata_v6("fd00:ec2::254")]
#[case::azure("168.63.129.16")]
#[case::link_local_v6("fe80::1")]
#[case::unspecified("0.0.0.0")]
#[case::this_network("0.1.2.3")]
#[case::unspecified_v6("::")]
#[case::multicast("224.0.0.1")]
#[case::multicast_v6("ff02::1")]
#[case::broadcast("255.255.255.255")]
fn an_address_of_the_operators_own_host_or_link_is_denied(#[case] denied: &str) {
    let policy = EndpointPolicy::default();
    assert!(policy.check_address("db.example.org", address(denied)).is_err());
    assert!(policy.check_host(denied).is_err(), "written as a literal");
}

#[rstest]
#[case("10.0.0.1")]
#[case("172.16.4.4")]
#[case("192.168.1.1")]
#[case("100.64.0.1")]
#[case("198.18.0.1")]
#[case("8.8.8.8")]
#[case("fd12:3456::1")]
#[case("2001:db8::1")]
fn private_and_public_addresses_are_allowed(#[case] allowed: &str) {
    let policy = EndpointPolicy::default();
    assert_eq!(policy.check_address("db", address(allowed)), Ok(()));
    assert_eq!(policy.check_host(allowed), Ok(()));
}

#[rstest]
#[case("localhost")]
#[case("LOCALHOST.")]
#[case("db.localhost")]
#[case("metadata.google.internal")]
#[case("[::1]")]
fn a_name_of_the_own_host_is_denied_before_it_is_resolved(#[case] host: &str) {
    assert!(EndpointPolicy::default().check_host(host).is_err());
}

#[test]
fn a_service_name_is_allowed_until_it_resolves_to_a_denied_address() {
    let policy = EndpointPolicy::default();
    assert_eq!(policy.check_host("postgres.data.svc"), Ok(()));
    let denied = policy
        .check_address("postgres.data.svc", address("127.0.0.1"))
        .unwrap_err();
    assert_eq!(
        denied.to_string(),
        "endpoint host \"postgres.data.svc\" is not allowed: 127.0.0.1 is a loopback address; \
         --endpoint-allow=127.0.0.1 would permit it"
    );
}

#[test]
fn the_allow_list_permits_ranges_names_and_names_below_a_domain() {
    let policy = policy(&["127.0.0.0/8", "localhost", "*.lab.example"], &[]);
    assert_eq!(policy.check_address("any", address("127.9.9.9")), Ok(()));
    assert_eq!(policy.check_address("any", address("::ffff:127.0.0.1")), Ok(()));
    assert_eq!(policy.check_host("localhost"), Ok(()));
    assert_eq!(policy.check_address("localhost", address("::1")), Ok(()));
    assert_eq!(policy.check_address("db.lab.example", address("169.254.1.1")), Ok(()));
    assert!(policy.check_address("lab.example", address("169.254.1.1")).is_err());
    assert!(
        policy
            .check_address("evil-lab.example", address("169.254.1.1"))
            .is_err()
    );
}

#[test]
fn the_deny_list_wins_over_the_allow_list() {
    let policy = policy(&["db.example.org", "10.0.0.0/8"], &["10.1.0.0/16", "other.example.org"]);
    assert!(policy.check_address("db.example.org", address("10.1.2.3")).is_err());
    assert_eq!(policy.check_address("db.example.org", address("10.2.2.3")), Ok(()));
    assert!(policy.check_host("other.example.org").is_err());
}

#[rstest]
#[case("10.0.0.0/33")]
#[case("10.0.0.256")]
#[case("10.0.0.0/x")]
#[case("https://db.example.org")]
#[case("db.example.org:5432")]
#[case("a..b")]
fn a_rule_that_is_no_address_range_or_name_is_refused(#[case] rule: &str) {
    let refused = EndpointPolicy::parse(&[rule], &[]).unwrap_err();
    assert!(refused.to_string().contains(rule));
}

#[test]
fn a_denied_endpoint_is_a_fault_of_the_definition() {
    let denied = EndpointPolicy::default().check_host("localhost").unwrap_err();
    let error = PortError::from(denied);
    assert_eq!(error.class, ErrorClass::Misconfigured);
    assert_eq!(error.reason, reason::ENDPOINT_DENIED);
}

proptest! {
    #[test]
    fn an_address_and_its_mapped_form_are_judged_alike(bits: u32, prefix in 0u32..=32) {
        let v4 = std::net::Ipv4Addr::from_bits(bits);
        let range = format!("{v4}/{prefix}");
        for policy in [policy(&[], &[]), policy(&[&range], &[]), policy(&[], &[&range])] {
            prop_assert_eq!(
                policy.check_address("h", v4.into()).is_ok(),
                policy.check_address("h", v4.to_ipv6_mapped().into()).is_ok()
            );
        }
        prop_assert!(policy(&[], &[&range]).check_address("h", v4.into()).is_err(), "a range contains its own address");
    }
}
