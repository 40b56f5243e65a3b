use kollect_domain::condition::reason;
use kollect_ports::error::ErrorClass::{self, Misconfigured, Rejected, Transient, Unavailable};
use rstest::rstest;

use super::Effect::{self, Reconnect, Repeat, Row, Stop, Unprepared};
use super::meaning;

#[rstest]
#[case::serialization("40001", Repeat, Transient)]
#[case::deadlock("40P01", Repeat, Transient)]
#[case::pooler_lost_the_statement("26000", Unprepared, Transient)]
#[case::pooler_has_the_statement_of_another("42P05", Unprepared, Transient)]
#[case::table_altered_under_a_plan("0A000", Reconnect, Transient)]
#[case::shutdown("57P01", Reconnect, Unavailable)]
#[case::starting_up("57P03", Reconnect, Unavailable)]
#[case::standby("25006", Reconnect, Unavailable)]
#[case::connection_failure("08006", Reconnect, Unavailable)]
#[case::wrong_password("28P01", Reconnect, Misconfigured)]
#[case::no_such_database("3D000", Reconnect, Misconfigured)]
#[case::too_many_connections("53300", Reconnect, Transient)]
#[case::disk_full("53100", Reconnect, Transient)]
#[case::statement_timeout("57014", Stop, Transient)]
#[case::undefined_table("42P01", Stop, Misconfigured)]
#[case::undefined_schema("3F000", Stop, Misconfigured)]
#[case::no_permission("42501", Stop, Misconfigured)]
#[case::invalid_json("22P02", Row, Rejected)]
#[case::nul_in_jsonb("22P05", Row, Rejected)]
#[case::check_constraint("23514", Row, Rejected)]
#[case::too_large_for_an_index("54000", Row, Rejected)]
#[case::internal_error("XX000", Stop, Transient)]
#[case::not_a_code("", Stop, Transient)]
fn a_sqlstate_decides_what_happens_next(#[case] code: &str, #[case] effect: Effect, #[case] class: ErrorClass) {
    let meaning = meaning(code);
    assert_eq!((meaning.effect, meaning.class), (effect, class));
}

#[rstest]
#[case("42P01", reason::DESTINATION_INCOMPATIBLE)]
#[case("42P10", reason::DESTINATION_INCOMPATIBLE)]
#[case("42501", reason::EXPORT_TERMINAL)]
#[case("28P01", reason::SINK_UNREACHABLE)]
#[case("40001", reason::EXPORT_FAILED)]
fn a_sqlstate_decides_the_condition_reason(#[case] code: &str, #[case] reason: &str) {
    assert_eq!(meaning(code).reason, reason);
}
