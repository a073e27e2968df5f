//! Where stored runs are.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

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
    path.join("manifest.json").is_file()
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
