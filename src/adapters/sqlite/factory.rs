//! Builds `SQLite` sinks from their definitions.

use std::sync::Arc;

use kollect_domain::condition::reason;
use kollect_domain::config::sink::{Destination, SinkSpec};
use kollect_domain::filing::Writer;
use kollect_domain::ids::SinkKey;
use kollect_domain::status::preview::DestinationPreview;
use kollect_ports::error::{ErrorClass, PortError};
use kollect_ports::sink::{Sink, SinkFactory};

use super::identifier::{LONGEST_NAME_BYTES, TableName};
use super::place::{Place, SqliteFolder};
use super::schema::Layout;
use super::sink::SqliteSink;
use super::worker::Access;

/// Builds sinks of type `sqlite`.
#[derive(Debug)]
pub struct SqliteSinkFactory {
    writer: Writer,
    folder: SqliteFolder,
}

impl SqliteSinkFactory {
    /// A factory for one writer, the identity of the cluster that rows come from, with files in this folder.
    pub fn new(writer: &str, folder: SqliteFolder) -> Self {
        Self {
            writer: Writer::new(writer),
            folder,
        }
    }

    pub(super) fn sink(&self, key: &SinkKey, spec: &SinkSpec) -> Result<SqliteSink, PortError> {
        let access = self.access(key, spec)?;
        Ok(SqliteSink::new(access, self.writer.clone(), spec.cluster.clone()))
    }

    pub(super) fn access(&self, key: &SinkKey, spec: &SinkSpec) -> Result<Access, PortError> {
        let Destination::Sqlite(file) = &spec.destination else {
            let message = format!(
                "sink {key} has type {}, which is not served here; served: sqlite",
                spec.kind
            );
            return Err(unavailable(message));
        };
        if self.folder == SqliteFolder::Unset {
            return Err(unavailable(format!(
                "sink {key}: sinks of type sqlite need a folder for their files: start the operator with --sqlite-dir"
            )));
        }
        let place = Place::new(&self.folder, &file.file)
            .map_err(|problem| invalid(format!("sink {key}: spec.sqlite.file {problem}")))?;
        let table = TableName::new(&file.table).ok_or_else(|| {
            invalid(format!(
                "sink {key}: spec.sqlite.table must be a name of at most {LONGEST_NAME_BYTES} bytes that does not \
                 begin with sqlite_"
            ))
        })?;
        Ok(Access {
            place,
            layout: Layout::new(table, spec.provisioning),
            #[cfg(test)]
            most_pages: None,
        })
    }
}

impl SinkFactory for SqliteSinkFactory {
    fn build(&self, key: &SinkKey, spec: &Arc<SinkSpec>) -> Result<Arc<dyn Sink>, PortError> {
        Ok(Arc::new(self.sink(key, spec)?))
    }

    fn preview(&self, key: &SinkKey, spec: &Arc<SinkSpec>) -> Result<DestinationPreview, PortError> {
        self.access(key, spec).map(|_| DestinationPreview::default())
    }
}

fn unavailable(message: String) -> PortError {
    PortError::new(ErrorClass::Misconfigured, reason::SINK_TYPE_UNAVAILABLE, message)
}

fn invalid(message: String) -> PortError {
    PortError::new(ErrorClass::Misconfigured, reason::INVALID_SINK, message)
}
