//! Postgres URLs.

/// The same server and parameters with another database.
pub(super) fn with_database(url: &str, database: &str) -> String {
    let (address, parameters) = url
        .split_once('?')
        .map_or((url, None), |(address, rest)| (address, Some(rest)));
    let authority = address.find("://").map_or(0, |scheme| scheme + 3);
    let end = address[authority..]
        .find('/')
        .map_or(address.len(), |slash| authority + slash);
    let server = &address[..end];
    match parameters {
        Some(parameters) => format!("{server}/{database}?{parameters}"),
        None => format!("{server}/{database}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_replaced_or_added_and_the_rest_stays() {
        for (url, expected) in [
            ("postgres://u:p@h:1/old", "postgres://u:p@h:1/new"),
            ("postgres://u:p@h:1", "postgres://u:p@h:1/new"),
            (
                "postgresql://h/old?sslmode=require&options=a/b",
                "postgresql://h/new?sslmode=require&options=a/b",
            ),
            ("postgres://h?connect_timeout=1", "postgres://h/new?connect_timeout=1"),
        ] {
            assert_eq!(with_database(url, "new"), expected);
        }
    }
}
