//! Where stored runs are, and the records of one as they lie in its folder. The manifest of a finished run has digests of its files: whoever reads it
//! hears of one that was edited, removed or added since. They are no protection, since anybody can compute new ones: they reveal changes
//! by mistake.

use super::files::{RecordError, json_text, parse_json, read_rows};
use super::journal::JournalError;
use super::rows::{COUNTERS, COUNTS, DEVICES, KERNELS, REPEATS, read_cell_rows};
use super::{ExtraRows, Manifest, SCHEMA_VERSION, SampleFile};
use repro_base::files::{read_if_there, read_text};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const SAMPLES: &str = "samples.csv";

/// How deep below a folder runs are looked for: results/reference/MACHINE/RUN is three.
const DEEPEST: usize = 4;

/// Why there are no runs to read.
#[derive(Debug, Error)]
pub enum FindRunsError {
    #[error("cannot look for runs in {}: {source}; name the folder of a run", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error(
        "neither {} nor a folder below it holds a run (no manifest.json): check the path, or make a run with `repro run table1`",
        .0.display()
    )]
    None(PathBuf),
}

/// Whether `path` is the folder of a run.
pub fn is_run(path: &Path) -> bool {
    path.join(MANIFEST).is_file()
}

/// All folders of runs below `path`, in the order of their names.
///
/// # Errors
/// When `path` cannot be read, or there is none.
pub fn find_runs(path: &Path) -> Result<Vec<PathBuf>, FindRunsError> {
    std::fs::read_dir(path)
        .map_err(|source| FindRunsError::Unreadable { path: path.to_path_buf(), source })?;
    let mut found = Vec::new();
    add_runs(path, DEEPEST, &mut found);
    found.sort();
    if found.is_empty() { Err(FindRunsError::None(path.to_path_buf())) } else { Ok(found) }
}

/// Adds the runs up to so many `levels` below `folder`. One that may not be read holds nothing for this user.
fn add_runs(folder: &Path, levels: usize, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    for below in entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()) {
        if is_run(&below) {
            found.push(below);
        } else if levels > 1 {
            add_runs(&below, levels - 1, found);
        }
    }
}

/// The records as they are read, before anything is derived.
pub struct Records {
    pub manifest: Manifest,
    pub samples: SampleFile,
    pub rows: ExtraRows,
}

/// Reads what is in `folder`.
///
/// # Errors
/// When there is no run, another version wrote it, a file of it is damaged, or one was changed after the run had finished.
pub fn read(folder: &Path) -> Result<Records, JournalError> {
    let path = folder.join(MANIFEST);
    if !path.exists() {
        return Err(JournalError::Empty(folder.to_path_buf()));
    }
    let text = read_text(&path).map_err(RecordError::read(&path))?;
    let Version { schema_version: found } = parse_json(&path, &text)?;
    if found != SCHEMA_VERSION {
        return Err(JournalError::Schema { path, found, known: SCHEMA_VERSION });
    }
    let manifest: Manifest = parse_json(&path, &text)?;
    check_digests(folder, &text, &manifest)?;
    manifest.check().map_err(RecordError::malformed(&path))?;
    let has_no_worker = manifest.environment.is_none();
    let samples = match SampleFile::read(&folder.join(SAMPLES), manifest.experiment.sharded) {
        // Stopped before the file was made: no worker had looked at the machine yet.
        Err(RecordError::Read { source, .. })
            if has_no_worker && source.kind() == io::ErrorKind::NotFound =>
        {
            SampleFile::default()
        }
        read => read?,
    };
    let rows = ExtraRows {
        counts: read_rows(&folder.join(COUNTS))?,
        kernel_times: read_cell_rows(&folder.join(KERNELS))?,
        repeats: read_cell_rows(&folder.join(REPEATS))?,
        devices: read_cell_rows(&folder.join(DEVICES))?,
        counters: read_cell_rows(&folder.join(COUNTERS))?,
    };
    Ok(Records { manifest, samples, rows })
}

/// Parsed on its own first: in another version the other fields may mean something else.
#[derive(Deserialize)]
struct Version {
    schema_version: u32,
}

/// The files that a run is read from, in addition to its manifest.
pub const FILES: [&str; 6] = [SAMPLES, COUNTS, KERNELS, REPEATS, DEVICES, COUNTERS];

/// As `sha256sum` writes it.
fn digest(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The digest of each file of the run in `folder`, where the file exists.
fn digests(folder: &Path) -> Result<BTreeMap<String, String>, RecordError> {
    let mut all = BTreeMap::new();
    for name in FILES {
        let path = folder.join(name);
        let content = read_if_there(&path).map_err(RecordError::read(&path))?;
        all.extend(content.map(|content| (name.to_string(), digest(&content))));
    }
    Ok(all)
}

/// The JSON of `manifest`, of the run in `folder`. Of a finished run it gets the digests of the files as they are now, and its own, taken
/// of its text with that digest left empty.
///
/// # Errors
/// When a file cannot be read.
pub fn manifest_text(folder: &Path, manifest: &mut Manifest) -> Result<Vec<u8>, RecordError> {
    let path = folder.join(MANIFEST);
    if manifest.finished.is_none() {
        return json_text(&path, manifest);
    }
    manifest.digests = digests(folder)?;
    manifest.digests.insert(MANIFEST.to_string(), String::new());
    let own = digest(&json_text(&path, manifest)?);
    manifest.digests.insert(MANIFEST.to_string(), own);
    json_text(&path, manifest)
}

/// Holds the files in `folder` against the digests that `manifest` has, whose text is `text`. A run that has not finished has none: it is
/// still added to.
///
/// # Errors
/// The first file that was changed, and how.
fn check_digests(folder: &Path, text: &str, manifest: &Manifest) -> Result<(), JournalError> {
    if manifest.finished.is_none() {
        return Ok(());
    }
    let changed = |name: &str, change| JournalError::Changed { path: folder.join(name), change };
    let own = manifest.digests.get(MANIFEST).map_or("", String::as_str);
    if digest(text.replacen(own, "", 1).as_bytes()) != own {
        return Err(changed(MANIFEST, "edited"));
    }
    let found = digests(folder)?;
    for name in FILES {
        match (manifest.digests.get(name), found.get(name)) {
            (Some(_), None) => return Err(changed(name, "removed")),
            (None, Some(_)) => return Err(changed(name, "added")),
            (known, found) if known != found => return Err(changed(name, "edited")),
            _ => (),
        }
    }
    Ok(())
}
