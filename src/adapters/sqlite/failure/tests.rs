use kollect_domain::condition::reason;
use kollect_ports::error::ErrorClass::{self, Misconfigured, Rejected, Transient, Unavailable};
use rstest::rstest;
use rusqlite::ffi;

use super::Effect::{self, Recheck, Reopen, Row, Stop, Stopped};
use super::{Failure, meaning};

#[rstest]
#[case::another_writer(ffi::SQLITE_BUSY, Stop, Transient)]
#[case::another_writer_recovers(ffi::SQLITE_BUSY_RECOVERY, Stop, Transient)]
#[case::disk_full(ffi::SQLITE_FULL, Stop, Unavailable)]
#[case::took_too_long(ffi::SQLITE_INTERRUPT, Stopped, Unavailable)]
#[case::write_error(ffi::SQLITE_IOERR_WRITE, Reopen, Unavailable)]
#[case::shared_memory_does_not_fit(ffi::SQLITE_IOERR_SHMSIZE, Reopen, Unavailable)]
#[case::damaged(ffi::SQLITE_CORRUPT, Reopen, Misconfigured)]
#[case::something_else(ffi::SQLITE_NOTADB, Reopen, Misconfigured)]
#[case::read_only(ffi::SQLITE_READONLY, Reopen, Misconfigured)]
#[case::moved(ffi::SQLITE_READONLY_DBMOVED, Reopen, Unavailable)]
#[case::no_folder(ffi::SQLITE_CANTOPEN, Reopen, Misconfigured)]
#[case::check(ffi::SQLITE_CONSTRAINT_CHECK, Row, Rejected)]
#[case::trigger(ffi::SQLITE_CONSTRAINT_TRIGGER, Row, Rejected)]
#[case::too_large(ffi::SQLITE_TOOBIG, Row, Rejected)]
#[case::no_such_table(ffi::SQLITE_ERROR, Recheck, Misconfigured)]
fn a_result_code_decides_what_happens_next(#[case] code: i32, #[case] effect: Effect, #[case] class: ErrorClass) {
    let meaning = meaning(code);
    assert_eq!((meaning.effect, meaning.class), (effect, class));
}

#[test]
fn a_full_disk_is_said_in_plain_words() {
    let failure = Failure::of(
        "sqlite upsert",
        &rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_FULL), None),
    );
    assert_eq!(failure.error.reason, reason::SINK_UNREACHABLE);
    assert!(
        failure.error.message.starts_with("sqlite upsert: the disk is full;"),
        "{}",
        failure.error
    );
}
