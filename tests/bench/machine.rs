//! What the figures were measured on.

use std::fs;
use std::thread;

/// Processor, memory and system of this machine, for people.
pub fn describe() -> String {
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let processor = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown processor".to_owned());
    let memory = field("/proc/meminfo", "MemTotal")
        .and_then(|text| text.strip_suffix("kB")?.trim().parse::<u64>().ok())
        .map_or_else(
            || "unknown memory".to_owned(),
            |kibibytes| format!("{} GiB", (kibibytes + (1 << 19)) >> 20),
        );
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!(
        "{processor}, {cores} cores, {memory}, {} {}",
        std::env::consts::OS,
        kernel.trim()
    )
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}
