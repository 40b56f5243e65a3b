//! One run: an empty database is filled, changed, and found level again after a restart.

use std::path::Path;
use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::api::Api;
use crate::changes::{self, Changes};
use crate::database::Database;
use crate::error::Error;
use crate::floor;
use crate::operator::Operator;
use crate::process::{self, Memory};

/// Far above every limit that is asked for: what takes longer is broken, not slow.
const EXPORT_LIMIT: Duration = Duration::from_mins(10);
/// The allocator gives freed memory back within 5 s, and the database's sessions their counts within 10 s.
const SETTLE: Duration = Duration::from_secs(12);
const COUNTS_LIMIT: Duration = Duration::from_secs(30);
const ALONE_LIMIT: Duration = Duration::from_secs(30);
/// How long an operator that is level again is watched for writes that it has no reason for.
const IDLE: Duration = Duration::from_secs(3);

/// What is the same in all runs.
#[derive(Debug)]
pub struct Scene<'a> {
    /// The operator's program.
    pub program: &'a Path,
    /// The cluster.
    pub kubeconfig: &'a Path,
    /// Where logs go.
    pub folder: &'a Path,
    /// Objects in the cluster.
    pub objects: u32,
    /// Changes to make.
    pub changes: u32,
}

/// What one run measured.
#[derive(Debug)]
pub struct Figures {
    /// The list, downloaded and thrown away.
    pub floor: Duration,
    /// From before the process was made until all rows were committed.
    pub first_export: Duration,
    /// Memory some time after the first export.
    pub settled: Memory,
    /// Most memory until after the changes. **Units**: bytes.
    pub peak: u64,
    /// The changes.
    pub changes: Changes,
    /// Row versions that the changes wrote.
    pub written: i64,
    /// The restart.
    pub restart: Restart,
}

/// What a restart with nothing changed did.
#[derive(Debug)]
pub struct Restart {
    /// From before the process was made until it was ready and had recorded that the table is level.
    pub took: Duration,
    /// Row versions that were written, without `touched`.
    pub written: i64,
    /// 1 if a row got a new time and nothing else. The operator does that to one row of an inventory, at most every ten
    /// minutes, so that the latest time says when the inventory was last known to be level.
    pub touched: i64,
}

/// Measures once, with the empty database at `url`.
///
/// # Errors
/// [`Error`] with what failed or did not come true in time.
pub async fn run(scene: &Scene<'_>, number: u32, url: &str) -> Result<Figures, Error> {
    let api = Api::connect(scene.kubeconfig).await?;
    let database = Database::connect(url).await?;
    api.set_database(url).await?;
    api.end_quiet(&format!("floor-{number}")).await?;
    let floor = floor::download(scene.kubeconfig).await?.took;

    api.end_quiet(&format!("export-{number}")).await?;
    let (mut operator, first_export) = export(scene, &database).await?;
    sleep(SETTLE).await;
    let settled = process::memory(operator.pid())?;
    let rows = i64::from(scene.objects);
    let exported = operator
        .until("the first export is counted", COUNTS_LIMIT, async || {
            let written = database.written().await?;
            Ok((written >= rows).then_some(written))
        })
        .await?;

    // No value is one that an object has already.
    let first = (number + 1) * 100_000;
    let values = first..first + scene.changes;
    let changes = changes::make(&operator, &api, &database, scene.objects, values).await?;
    let peak = process::memory(operator.pid())?.peak;
    operator.stop().await?;
    alone(&database).await?;
    let written = database.written().await? - exported;

    api.end_quiet(&format!("restart-{number}")).await?;
    Ok(Figures {
        floor,
        first_export,
        settled,
        peak,
        changes,
        written,
        restart: restart(scene, &database).await?,
    })
}

async fn export(scene: &Scene<'_>, database: &Database) -> Result<(Operator, Duration), Error> {
    let rows = i64::from(scene.objects);
    let mut operator = Operator::start(scene.program, scene.kubeconfig, scene.folder).await?;
    let started = operator.started();
    let took = operator
        .until("all rows are in the database", EXPORT_LIMIT, async || {
            Ok((database.rows().await? >= rows).then(|| started.elapsed()))
        })
        .await?;
    Ok((operator, took))
}

async fn restart(scene: &Scene<'_>, database: &Database) -> Result<Restart, Error> {
    let rows = i64::from(scene.objects);
    let (before, content) = (database.written().await?, database.content().await?);
    let time = database.time().await?;
    let mut operator = Operator::start(scene.program, scene.kubeconfig, scene.folder).await?;
    let (started, probes) = (operator.started(), operator.probes());
    let took = operator
        .until("the operator is ready and level again", EXPORT_LIMIT, async || {
            let level = Operator::is_ready(probes).await && database.is_level(time, rows).await?;
            Ok(level.then(|| started.elapsed()))
        })
        .await?;
    sleep(IDLE).await;
    operator.stop().await?;
    alone(database).await?;
    let written = database.written().await? - before;
    let touched = if database.content().await? == content {
        database.exported_after(time).await?.min(written).min(1)
    } else {
        0
    };
    Ok(Restart {
        took,
        written: written - touched,
        touched,
    })
}

/// Waits until the operator's sessions are gone, and so have handed over their counts.
async fn alone(database: &Database) -> Result<(), Error> {
    let waiting = Instant::now();
    while !database.is_alone().await? {
        if waiting.elapsed() > ALONE_LIMIT {
            return Err(Error::Deadline {
                what: "the database has no session of the operator".to_owned(),
                limit: ALONE_LIMIT,
                log: "(it has stopped)".to_owned(),
            });
        }
        sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}
