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
        "neither {} nor a folder below it holds a run (no manifest.json): check the path, or make a run with `repro run`",
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
    let (mut found, mut level) = (Vec::new(), vec![path.to_path_buf()]);
    std::fs::read_dir(path)
        .map_err(|source| FindRunsError::Unreadable { path: path.to_path_buf(), source })?;
    for _ in 0..DEEPEST {
        let mut next = Vec::new();
        for folder in &level {
            // A folder below that may not be read holds nothing for this user.
            let Ok(entries) = std::fs::read_dir(folder) else { continue };
            let folders = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir());
            for folder in folders {
                if is_run(&folder) { found.push(folder) } else { next.push(folder) }
            }
        }
        level = next;
    }
    found.sort();
    if found.is_empty() { Err(FindRunsError::None(path.to_path_buf())) } else { Ok(found) }
}
