//! A disk without space.

use std::path::Path;
use std::process::Command;

use crate::database::payloads;
use crate::manifests::many;
use crate::program::{kollect, sqlite, text};

const OBJECTS: usize = 3_000;

/// A file system of its own in memory; gone with this value.
struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    fn new(size: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let disk = Self { folder };
        disk.mount(&format!("size={size}"));
        disk
    }

    fn grow(&self, size: &str) {
        self.mount(&format!("remount,size={size}"));
    }

    fn mount(&self, options: &str) {
        let output = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "kollect-test", text(self.path())])
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "a small disk needs the right to mount; run as root, or leave the test out with KOLLECT_TEST_SKIP=tmpfs: \
             {complaint}"
        );
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a process that failed to end must not keep the folder.
        let _ = Command::new("umount").arg("-l").arg(self.path()).output();
    }
}

#[test]
fn a_full_disk_is_named_and_the_next_run_completes_the_file() {
    if !kollect_testbed::required("tmpfs") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = many(folder.path(), OBJECTS);
    let expected: std::collections::BTreeSet<String> =
        kollect(&["collect", "--from", text(&input), "--output", "ndjson"])
            .complete()
            .lines()
            .map(str::to_owned)
            .collect();
    assert_eq!(expected.len(), OBJECTS);
    let disk = SmallDisk::new("400k");
    let file = disk.path().join("inventory.db");
    let arguments = ["collect", "--from", text(&input), "--to", &sqlite(&file)];
    let full = kollect(&arguments);
    full.failed(2, &["the disk is full", text(&file)]);
    assert!(payloads(&file).is_subset(&expected));
    disk.grow("64m");
    kollect(&arguments).complete();
    assert!(payloads(&file) == expected, "the next run completes the file");
}
