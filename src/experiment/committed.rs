//! Sealing a run from before runs had seals, by what git knows of it.

use super::find_runs::is_run;
use super::journal::JournalError;
use super::run_files::{COUNTS, DEVICES, KERNELS, MANIFEST, REPEATS, SAMPLES};
use super::stored;
use crate::record::{RecordError, SEAL, Seal, git, write_atomically};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a run was not sealed.
#[derive(Debug, Error)]
pub enum SealError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("{} has a seal", .0.display())]
    Sealed(PathBuf),
    #[error("{}: git knows nothing of it ({problem}): only a run that was committed can be sealed afterwards", path.display())]
    NotCommitted { path: PathBuf, problem: &'static str },
    #[error("{}: {file} is not as it was committed: see git diff HEAD, and restore it", path.display())]
    Differs { path: PathBuf, file: &'static str },
    #[error("{}: commit {commit} changed {what} of samples.csv: see git show {commit}", path.display())]
    Rewritten { path: PathBuf, commit: String, what: String },
}

/// A run that was sealed.
#[derive(Debug)]
pub struct SealedRun {
    pub samples: usize,
    /// The commit that added its samples.
    pub commit: String,
}

/// Seals the committed run in `folder`: its records are those of the last commit, and no commit changed a row of `samples.csv` since
/// the one that added the run. Columns that were added behind the others are no change; a run in the place of another is another run.
///
/// # Errors
/// When that does not hold, it has a seal already, or it cannot be read or sealed. Nothing is written then.
pub fn seal_committed(folder: &Path) -> Result<SealedRun, SealError> {
    if !is_run(folder) {
        return Err(JournalError::Empty(folder.to_path_buf()).into());
    }
    let path = || folder.to_path_buf();
    if folder.join(SEAL).exists() {
        return Err(SealError::Sealed(path()));
    }
    let records = stored::read(folder)?;
    let unknown = |problem| SealError::NotCommitted { path: path(), problem };
    let shallow = git(folder, &["rev-parse", "--is-shallow-repository"])
        .ok_or_else(|| unknown("there is no git, or no repository"))?;
    if shallow.starts_with(b"true") {
        return Err(unknown("the clone is shallow; see git fetch --unshallow"));
    }
    for file in [MANIFEST, SAMPLES, COUNTS, KERNELS, REPEATS, DEVICES] {
        let here = match std::fs::read(folder.join(file)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            read => Some(read.map_err(|source| RecordError::Read { path: folder.join(file), source })?),
        };
        if here != git(folder, &["show", &format!("HEAD:./{file}")]) {
            return Err(match git(folder, &["cat-file", "-e", &format!("HEAD:./{file}")]) {
                None if file == SAMPLES || file == MANIFEST => unknown("it is not in the last commit"),
                _ => SealError::Differs { path: path(), file },
            });
        }
    }
    let commit = first_commit(folder)?;
    let unreadable = |source| RecordError::Read { path: path(), source };
    let seal = Seal::of_folder(folder, &records.samples).map_err(unreadable)?;
    let text = seal
        .text()
        .map_err(|error| RecordError::Malformed { path: folder.join(SEAL), problem: error.to_string() })?;
    write_atomically(&folder.join(SEAL), &text)?;
    Ok(SealedRun { samples: seal.samples(), commit })
}

/// The commit that added the run, since which its rows are the same.
fn first_commit(folder: &Path) -> Result<String, SealError> {
    let path = || folder.to_path_buf();
    let unknown = |problem| SealError::NotCommitted { path: path(), problem };
    let log =
        ["-c", "core.quotePath=false", "log", "--follow", "--name-status", "--format=%H", "--", SAMPLES];
    let log = git(folder, &log).ok_or_else(|| unknown("it has no history"))?;
    let now = Version::of(folder, "HEAD", None).ok_or_else(|| unknown("it is not in the last commit"))?;
    let mut first = None;
    let mut later: Option<(String, Version)> = None;
    for (commit, file) in commits(&String::from_utf8_lossy(&log)) {
        let Some(then) = Version::of(folder, &commit, Some(&file)) else {
            return Err(unknown("an older version of it cannot be read"));
        };
        if then.started != now.started {
            // Another run was in its place.
            break;
        }
        if let Some(what) = now.differs_from(&then) {
            let commit = later.map_or_else(|| commit.clone(), |(commit, _)| commit);
            return Err(SealError::Rewritten { path: path(), commit: short(&commit), what });
        }
        first = Some(short(&commit));
        later = Some((commit, then));
    }
    first.ok_or_else(|| unknown("it has no history"))
}

/// Commits with the path that the file had in them, the latest first.
fn commits(log: &str) -> Vec<(String, String)> {
    let mut commit = String::new();
    let mut found = Vec::new();
    for line in log.lines().filter(|line| !line.is_empty()) {
        match line.rsplit_once('\t') {
            None => commit = line.to_string(),
            Some((_, path)) => found.push((commit.clone(), path.to_string())),
        }
    }
    found
}

fn short(commit: &str) -> String {
    commit.get(..12).unwrap_or(commit).to_string()
}

/// A run as it was in a commit.
struct Version {
    /// What tells it from another run.
    started: Option<String>,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Version {
    /// `file` is its `samples.csv` from the top of the repository; none for where it is now.
    fn of(folder: &Path, commit: &str, file: Option<&str>) -> Option<Self> {
        let samples = file.map_or_else(|| format!("./{SAMPLES}"), str::to_string);
        let manifest = format!("{}{MANIFEST}", samples.strip_suffix(SAMPLES)?);
        let samples = git(folder, &["show", &format!("{commit}:{samples}")])?;
        let started = git(folder, &["show", &format!("{commit}:{manifest}")]).and_then(|text| {
            let manifest: serde_json::Value = serde_json::from_slice(&text).ok()?;
            Some(manifest.get("started")?.as_str()?.to_string())
        });
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&*samples);
        let fields =
            |record: Result<csv::StringRecord, _>| Some(record.ok()?.iter().map(str::to_string).collect());
        let mut rows: Vec<Vec<String>> = reader.records().map(fields).collect::<Option<_>>()?;
        let header = if rows.is_empty() { Vec::new() } else { rows.remove(0) };
        Some(Self { started, header, rows })
    }

    /// What of an older version is not in this one as it was.
    fn differs_from(&self, old: &Self) -> Option<String> {
        if !self.header.starts_with(&old.header) {
            return Some("the header".to_string());
        }
        let columns = old.header.len();
        let is_same = |(at, row): (usize, &Vec<String>)| {
            self.rows.get(at).is_some_and(|now| now.len() >= columns && now[..columns] == row[..])
        };
        let at = (0..old.rows.len()).find(|&at| !is_same((at, &old.rows[at])))?;
        Some(format!("line {}", at + 2))
    }
}
