//! One factory for all types of sinks that are wired.

use std::sync::Arc;

use kollect_domain::condition::reason;
use kollect_domain::config::sink::{Destination, SinkSpec};
use kollect_domain::ids::SinkKey;
use kollect_domain::status::preview::DestinationPreview;
use kollect_ports::error::{ErrorClass, PortError};
use kollect_ports::sink::{Sink, SinkFactory};

/// Hands each definition to the factory of its type.
#[derive(Debug, Default)]
pub struct SinkRouter {
    postgres: Option<Box<dyn SinkFactory>>,
    sqlite: Option<Box<dyn SinkFactory>>,
}

impl SinkRouter {
    /// A router that serves nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Serves type `postgres` by this factory.
    #[must_use]
    pub fn postgres(self, factory: impl SinkFactory) -> Self {
        Self {
            postgres: Some(Box::new(factory)),
            ..self
        }
    }

    /// Serves type `sqlite` by this factory.
    #[must_use]
    pub fn sqlite(self, factory: impl SinkFactory) -> Self {
        Self {
            sqlite: Some(Box::new(factory)),
            ..self
        }
    }

    fn served(&self) -> String {
        let Self { postgres, sqlite } = self;
        let types = [("postgres", postgres.is_some()), ("sqlite", sqlite.is_some())];
        let served: Vec<&str> = types
            .into_iter()
            .filter_map(|(name, served)| served.then_some(name))
            .collect();
        served.join(", ")
    }

    /// The factory of a definition's type.
    fn factory(&self, key: &SinkKey, spec: &SinkSpec) -> Result<&dyn SinkFactory, PortError> {
        let factory = match &spec.destination {
            Destination::Postgres(_) => &self.postgres,
            Destination::Sqlite(_) => &self.sqlite,
            Destination::Caller | Destination::Unsupported => &None,
        };
        factory.as_deref().ok_or_else(|| {
            let message = format!(
                "sink {key} has type {}, which is not served here; served: {}",
                spec.kind,
                self.served()
            );
            PortError::new(ErrorClass::Misconfigured, reason::SINK_TYPE_UNAVAILABLE, message)
        })
    }
}

impl SinkFactory for SinkRouter {
    fn build(&self, key: &SinkKey, spec: &Arc<SinkSpec>) -> Result<Arc<dyn Sink>, PortError> {
        self.factory(key, spec)?.build(key, spec)
    }

    fn preview(&self, key: &SinkKey, spec: &Arc<SinkSpec>) -> Result<DestinationPreview, PortError> {
        self.factory(key, spec)?.preview(key, spec)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use kollect_domain::config::sink::{Provisioning, SqliteFile, Tls};
    use kollect_domain::ids::{NamespacedName, SinkFamily};

    use super::*;

    /// Refuses everything with a message of its own.
    #[derive(Debug)]
    struct Refusing(&'static str);

    impl SinkFactory for Refusing {
        fn build(&self, _: &SinkKey, _: &Arc<SinkSpec>) -> Result<Arc<dyn Sink>, PortError> {
            Err(PortError::new(ErrorClass::Misconfigured, reason::INVALID_SINK, self.0))
        }

        fn preview(&self, _: &SinkKey, _: &Arc<SinkSpec>) -> Result<DestinationPreview, PortError> {
            Err(PortError::new(ErrorClass::Misconfigured, reason::INVALID_SINK, self.0))
        }
    }

    fn refusal(router: &SinkRouter, kind: &str, destination: Destination) -> PortError {
        let key = SinkKey {
            family: SinkFamily::Database,
            object: NamespacedName::new("team-a", "warehouse"),
        };
        let spec = SinkSpec {
            kind: kind.into(),
            cluster: "".into(),
            destination,
            tls: Tls::default(),
            provisioning: Provisioning::Ensure,
            export_min_interval: None,
            min_change_interval: None,
            options: BTreeMap::new(),
        };
        router.build(&key, &Arc::new(spec)).unwrap_err()
    }

    fn file() -> Destination {
        Destination::Sqlite(SqliteFile {
            file: "fleet.db".to_owned(),
            table: "inventory".to_owned(),
        })
    }

    #[test]
    fn a_definition_goes_to_the_factory_of_its_type() {
        let router = SinkRouter::new()
            .postgres(Refusing("postgres"))
            .sqlite(Refusing("sqlite"));
        assert_eq!(refusal(&router, "sqlite", file()).message, "sqlite");
    }

    #[test]
    fn types_that_are_not_wired_are_refused_with_those_that_are() {
        let router = SinkRouter::new().postgres(Refusing("postgres"));
        for (kind, destination) in [("sqlite", file()), ("mongodb", Destination::Unsupported)] {
            let refusal = refusal(&router, kind, destination);
            assert_eq!(refusal.reason, reason::SINK_TYPE_UNAVAILABLE);
            assert_eq!(
                refusal.message,
                format!("sink database/warehouse has type {kind}, which is not served here; served: postgres")
            );
        }
    }
}
