//! What is shown, as text for people.

use std::io::{self, Write};

use jiff::Timestamp;
use kollect_adapters::output::{self, ClusterRows, Format, printable, shown};
use kollect_domain::ids::TargetKey;

use super::report::{Attribute, Failure, Objects, Preview, TargetPreview};
use crate::collect::terminal_width;

/// Prints it, with so many rows of each target.
///
/// # Errors
/// Those of `out`.
pub fn print(
    preview: &Preview,
    limit: usize,
    cluster: &str,
    exported_at: Timestamp,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (index, target) in preview.targets.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        heading(target, out)?;
        let rows = ClusterRows {
            cluster: cluster.to_owned(),
            rows: target.encoded.iter().take(limit).cloned().collect(),
            exported_at,
        };
        if !rows.rows.is_empty() {
            writeln!(out)?;
            let format = Format::Table {
                width: terminal_width(),
            };
            output::print(format, &[rows], out)?;
            let hidden = target.encoded.len().saturating_sub(limit);
            if hidden > 0 {
                writeln!(out, "and {} more; --limit 0 shows all", counted(hidden as u64, "row"))?;
            }
        }
        if target.objects.selected > 0 && !target.attributes.is_empty() {
            writeln!(out)?;
            attributes(&target.attributes, out)?;
        }
        failures(target, out)?;
        remarks(target, out)?;
    }
    Ok(())
}

fn heading(target: &TargetPreview, out: &mut dyn Write) -> io::Result<()> {
    let TargetPreview {
        namespace,
        name,
        profile,
        group,
        version,
        kind,
        problem,
        objects,
        ..
    } = target;
    let slash = if group.is_empty() { "" } else { "/" };
    let target = TargetKey::new(namespace, name);
    let heading = format!("{target}: {group}{slash}{version} {kind} by profile {profile}");
    writeln!(out, "{}", printable(&heading))?;
    if let Some(problem) = problem {
        writeln!(out, "NOT COLLECTED WHOLE: {}", printable(problem))?;
    }
    let Objects {
        found,
        selected,
        rows,
        failed,
    } = *objects;
    let are = if found == 1 { "is" } else { "are" };
    let selection = format!("{selected} of {} {are} selected", counted(found, "object"));
    match (found, selected, failed) {
        (0, _, _) if problem.is_some() => Ok(()),
        (0, _, _) => writeln!(out, "There is no object of this kind."),
        (_, 0, _) => writeln!(out, "{selection}."),
        (_, _, 0) => writeln!(out, "{selection}: {rows} with a row, none without."),
        _ => writeln!(out, "{selection}: {rows} with a row, {failed} WITHOUT."),
    }
}

fn attributes(attributes: &[Attribute], out: &mut dyn Write) -> io::Result<()> {
    let column = |cell: fn(&Attribute) -> String| attributes.iter().map(cell).collect::<Vec<_>>();
    let columns = vec![
        ("ATTRIBUTE", column(|a| a.name.clone())),
        ("VALUES", column(|a| a.values.to_string())),
        (
            "MISSING",
            column(|a| match (a.missing, a.optional) {
                (0, _) => "0".to_owned(),
                (missing, true) => format!("{missing} (left out)"),
                (missing, false) => format!("{missing} (null)"),
            }),
        ),
        ("FAILED", column(|a| a.failed.to_string())),
        ("EXAMPLE", column(|a| a.example.as_ref().map(shown).unwrap_or_default())),
    ];
    output::print_columns(columns, out)
}

fn failures(target: &TargetPreview, out: &mut dyn Write) -> io::Result<()> {
    for (row_kept, title) in [
        (false, "These objects have no row; a database keeps the last good one:"),
        (
            true,
            "These objects have a row without the attribute, which is optional:",
        ),
    ] {
        let mut of_this = target
            .failures
            .iter()
            .filter(|failure| failure.row_kept == row_kept && (row_kept || !target.is_optional(failure)))
            .peekable();
        if of_this.peek().is_some() {
            writeln!(out, "\n{title}")?;
        }
        for failure in of_this {
            let Failure {
                attribute,
                message,
                row_kept: _,
                objects,
                examples,
            } = failure;
            let attribute = attribute
                .as_ref()
                .map_or_else(String::new, |attribute| format!("attribute `{attribute}`: "));
            writeln!(out, "  {}", printable(&format!("{attribute}{message}")))?;
            let dots = if *objects > examples.len() as u64 { ", ..." } else { "" };
            let names = format!("{}: {}{dots}", counted(*objects, "object"), examples.join(", "));
            writeln!(out, "    {}", printable(&names))?;
        }
    }
    Ok(())
}

fn remarks(target: &TargetPreview, out: &mut dyn Write) -> io::Result<()> {
    if !target.warnings.is_empty() {
        writeln!(out)?;
    }
    for warning in &target.warnings {
        writeln!(out, "warning: {}", printable(warning))?;
    }
    if !target.reads.is_empty() {
        writeln!(out, "\nFields of an object that are read:")?;
        for path in &target.reads {
            writeln!(out, "  {}", printable(path))?;
        }
    }
    Ok(())
}

fn counted(number: u64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}
