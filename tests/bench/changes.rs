//! One change after the other, from the request to the row.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::time::sleep;

use crate::api::Api;
use crate::database::Database;
use crate::deployment;
use crate::error::Error;
use crate::operator::Operator;
use crate::process;

/// Between two changes, so that each stands for itself.
const SPACING: Duration = Duration::from_millis(20);
/// A row that is not there by then never comes.
const LIMIT: Duration = Duration::from_secs(30);
/// Between two looks at a row. A reader that never paused would take the servers' processors.
const PAUSE: Duration = Duration::from_millis(1);

/// What the changes of one run cost.
#[derive(Debug, Default)]
pub struct Changes {
    /// From before the request was sent until a reader saw the row.
    pub visible: Vec<Duration>,
    /// From before the request was sent until the API server had answered it.
    pub answered: Vec<Duration>,
    /// Time that the operator computed from before the first change until the last row was seen.
    pub cpu: Duration,
}

/// Makes `count` changes among `objects` objects, and watches the row of each.
///
/// # Errors
/// [`Error::Deadline`] when a row does not change; what the servers report.
pub async fn make(
    operator: &Operator,
    api: &Api,
    database: &Database,
    objects: u32,
    values: std::ops::Range<u32>,
) -> Result<Changes, Error> {
    let keys = database.keys().await?;
    let question = database.prepare().await?;
    let mut changes = Changes::default();
    let count = u32::try_from(values.len()).unwrap_or(u32::MAX).max(1);
    let before = process::cpu(operator.pid())?;
    for (position, replicas) in (0_u32..).zip(values) {
        let number = spread(position, count, objects);
        let object = (deployment::namespace(number), deployment::name(number));
        let key = keys.get(&object).ok_or_else(|| operator.missing(&object.1))?;
        let sent = Instant::now();
        let answered = async {
            let change = json!({"spec": {"replicas": replicas}});
            api.change(number, &change).await.map(|()| sent.elapsed())
        };
        let visible = async {
            while !database.shows(&question, key, replicas).await? {
                if sent.elapsed() > LIMIT {
                    return Err(operator.late("a changed row is visible", LIMIT));
                }
                sleep(PAUSE).await;
            }
            Ok(sent.elapsed())
        };
        let (answered, visible) = tokio::try_join!(answered, visible)?;
        changes.answered.push(answered);
        changes.visible.push(visible);
        sleep(SPACING).await;
    }
    changes.cpu = process::cpu(operator.pid())?.saturating_sub(before);
    Ok(changes)
}

/// Objects far apart, so that changes go to all parts of the table.
fn spread(position: u32, count: u32, objects: u32) -> u32 {
    let number = u64::from(position) * u64::from(objects) / u64::from(count);
    u32::try_from(number % u64::from(objects.max(1))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn changes_go_to_different_objects_when_there_are_enough() {
        let numbers: BTreeSet<u32> = (0..200).map(|position| spread(position, 200, 10_000)).collect();
        assert_eq!(numbers.len(), 200);
        assert!(numbers.iter().all(|number| *number < 10_000));
        assert!(numbers.last().is_some_and(|last| *last >= 9_900));
    }

    #[test]
    fn fewer_objects_than_changes_are_changed_several_times() {
        let numbers: Vec<u32> = (0..6).map(|position| spread(position, 6, 3)).collect();
        assert_eq!(numbers, [0, 0, 1, 1, 2, 2]);
    }
}
