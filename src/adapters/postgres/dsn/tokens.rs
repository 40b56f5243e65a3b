//! Splits a connection string into its parameters, in either form.

use super::DsnError;

type Pairs = Vec<(String, String)>;

/// The parameters of a connection string in the order in which they are written; of equal names the last counts.
pub(super) fn split(text: &str) -> Result<Pairs, DsnError> {
    let text = text.trim();
    let url = ["postgres://", "postgresql://"]
        .into_iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    let pairs = match url {
        Some(rest) => split_url(rest)?,
        None if text.contains("://") && !text.contains('=') => {
            return Err(DsnError::Malformed("a URL starts with postgres:// or postgresql://"));
        }
        None => split_keywords(text)?,
    };
    Ok(last_of_each(pairs))
}

/// `host=db.example.org user='it\'s'`, without surprises: blanks around `=`, quotes, backslashes.
fn split_keywords(text: &str) -> Result<Pairs, DsnError> {
    let mut pairs = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (key, after) = rest
            .split_once('=')
            .ok_or(DsnError::Malformed("a parameter has no value"))?;
        let key = key.trim_end();
        if key.is_empty() || key.contains(char::is_whitespace) {
            return Err(DsnError::Malformed("a parameter has no value"));
        }
        let (value, after) = keyword_value(after.trim_start())?;
        pairs.push((key.to_owned(), value));
        rest = after.trim_start();
    }
    Ok(pairs)
}

fn keyword_value(text: &str) -> Result<(String, &str), DsnError> {
    let quoted = text.starts_with('\'');
    let mut value = String::new();
    let mut chars = text.char_indices().skip(usize::from(quoted));
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                let (_, escaped) = chars.next().ok_or(DsnError::Malformed("it ends with a backslash"))?;
                value.push(escaped);
            }
            '\'' if quoted => return Ok((value, &text[at + 1..])),
            c if !quoted && c.is_whitespace() => return Ok((value, &text[at..])),
            c => value.push(c),
        }
    }
    if quoted {
        return Err(DsnError::Malformed("a quoted value has no end"));
    }
    Ok((value, ""))
}

/// `user:password@host:port,host:port/database?parameter=value`, every part optional.
fn split_url(rest: &str) -> Result<Pairs, DsnError> {
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
    // The last `@` ends the user part, so that a password may hold one.
    let (user, hosts) = match authority.rsplit_once('@') {
        Some((user, hosts)) => (user, hosts),
        None => ("", authority),
    };
    let (user, password) = match user.split_once(':') {
        Some((user, password)) => (user, password),
        None => (user, ""),
    };
    let mut pairs = Vec::new();
    for (key, text) in [("user", user), ("password", password), ("dbname", database)] {
        if !text.is_empty() {
            pairs.push((key.to_owned(), percent_decoded(text)?));
        }
    }
    if !hosts.is_empty() {
        push_hosts(hosts, &mut pairs)?;
    }
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        let (key, value) = parameter
            .split_once('=')
            .ok_or(DsnError::Malformed("a parameter has no value"))?;
        pairs.push((percent_decoded(key)?, percent_decoded(value)?));
    }
    Ok(pairs)
}

fn push_hosts(hosts: &str, pairs: &mut Pairs) -> Result<(), DsnError> {
    let (mut names, mut ports) = (Vec::new(), Vec::new());
    for host in hosts.split(',') {
        let (name, port) = match host.strip_prefix('[') {
            Some(v6) => {
                let (address, after) = v6
                    .split_once(']')
                    .ok_or(DsnError::Malformed("an IPv6 address has no closing bracket"))?;
                (address, after.strip_prefix(':').unwrap_or_default())
            }
            None => host.rsplit_once(':').unwrap_or((host, "")),
        };
        names.push(percent_decoded(name)?);
        ports.push(percent_decoded(port)?);
    }
    if names.iter().any(|name| !name.is_empty()) {
        pairs.push(("host".to_owned(), names.join(",")));
    }
    if ports.iter().any(|port| !port.is_empty()) {
        pairs.push(("port".to_owned(), ports.join(",")));
    }
    Ok(())
}

fn percent_decoded(text: &str) -> Result<String, DsnError> {
    const INVALID: DsnError = DsnError::Malformed("a percent sign is not followed by two hexadecimal digits");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || {
            rest.next()
                .and_then(|digit| char::from(digit).to_digit(16))
                .ok_or(INVALID)
        };
        let (high, low) = (digit()?, digit()?);
        bytes.push(u8::try_from(high * 16 + low).map_err(|_| INVALID)?);
    }
    String::from_utf8(bytes).map_err(|_| DsnError::Malformed("a percent-encoded part is not UTF-8"))
}

fn last_of_each(pairs: Pairs) -> Pairs {
    let mut kept: Pairs = Vec::with_capacity(pairs.len());
    for (key, value) in pairs {
        match kept.iter_mut().find(|(known, _)| *known == key) {
            Some(known) => known.1 = value,
            None => kept.push((key, value)),
        }
    }
    kept
}
