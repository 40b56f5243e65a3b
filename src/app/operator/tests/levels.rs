//! What telemetry says about rows.

use super::*;

/// The last sums of the profile `maps`.
fn sums(bench: &Bench) -> Option<f64> {
    let reported = bench.metrics.reported();
    let series = reported.iter().rev().find_map(|event| match event {
        Telemetry::Series(series) => Some(series.clone()),
        _ => None,
    })?;
    let (profile, gvk, series) = series.first()?;
    assert_eq!((&**profile, &*gvk.kind), ("maps", "ConfigMap"));
    assert_eq!(series.totals.contains_key("value"), series.totals["object_count"] > 0.0);
    series.totals.get("value").copied()
}

fn collected(bench: &Bench) -> Option<u64> {
    let reported = bench.metrics.reported();
    reported.iter().rev().find_map(|event| match event {
        Telemetry::Collected(profiles) => profiles.first().map(|(_, _, rows)| *rows),
        _ => None,
    })
}

#[tokio::test(start_paused = true)]
async fn rows_and_sums_by_profile_follow_changes_within_their_interval() {
    let bench = Bench::start().await;
    bench.list(vec![seen("a", "2"), seen("b", "0.5"), seen("c", "no number")]);
    bench
        .until("the rows are counted", || collected(&bench) == Some(3))
        .await;
    bench.until("the sum", || sums(&bench) == Some(2.5)).await;
    let before = bench.metrics.reported().len();
    tokio::time::sleep(Duration::from_mins(5)).await;
    let idle = bench.metrics.reported().split_off(before);
    assert!(
        !idle
            .iter()
            .any(|event| matches!(event, Telemetry::Series(_) | Telemetry::Collected(_))),
        "nothing changed: {idle:?}"
    );
    assert!(bench.source.show(SourceEvent::Objects(vec![seen("a", "3")])));
    bench.until("the new sum", || sums(&bench) == Some(3.5)).await;
    bench.stop().await;
}
