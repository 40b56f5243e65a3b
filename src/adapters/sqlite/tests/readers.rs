//! Other programs that read while rows are written.

use super::{Bench, deliver, rows, run};

#[test]
fn a_reader_sees_all_of_a_delivery_or_nothing_and_is_never_turned_away() {
    run(async {
        let bench = Bench::new();
        let sink = bench.claimed().await;
        deliver(&*sink, rows(1_000, 0)).await.unwrap();
        let reader = bench.open();
        reader.busy_timeout(std::time::Duration::ZERO).unwrap();
        let (done, stop) = std::sync::mpsc::channel::<()>();
        let reading = std::thread::spawn(move || {
            let mut seen = Vec::new();
            while stop.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                let states: (i64, i64, i64) = reader
                    .query_row(
                        "SELECT count(*), min(payload ->> '$.attributes.replicas'), \
                         max(payload ->> '$.attributes.replicas') FROM items",
                        [],
                        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
                    )
                    .unwrap();
                seen.push(states);
            }
            seen
        });
        for replicas in 1..=30 {
            deliver(&*sink, rows(1_000, replicas)).await.unwrap();
        }
        done.send(()).unwrap();
        let seen = reading.join().unwrap();
        assert!(seen.len() > 5, "{} answers", seen.len());
        assert!(
            seen.iter().all(|(count, least, most)| *count == 1_000 && least == most),
            "{seen:?}"
        );
        assert!(seen.is_sorted_by_key(|(_, replicas, _)| *replicas), "{seen:?}");
    });
}
