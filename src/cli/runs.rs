//! Folders of runs: which are read, and where commands may write.

use crate::lists::count_of;
use crate::measure::{now, this_build};
use crate::plan::Experiment;
use crate::results::{StoredRun, disambiguate_names};
use crate::store::{JournalError, Manifest, NewFolders, find_runs, is_run};
use clap::builder::{PathBufValueParser, TypedValueParser};
use rayon::prelude::*;
use repro_base::terminal::{Error, Exit, output};
use repro_base::text::{self, hides};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Runs to be used.
pub struct OpenedRuns {
    /// Each once, in the order of their folders.
    pub runs: Vec<StoredRun>,
    /// Why others below the folders could not be read.
    pub unread: Vec<String>,
    /// A note that smoke runs, which are too small to judge by, were left out: they are no errors.
    pub smoke: Option<String>,
}

impl OpenedRuns {
    /// What was left out, and why.
    pub fn left_out(&self) -> impl Iterator<Item = &String> {
        self.unread.iter().chain(&self.smoke)
    }

    /// Says what was left out.
    pub fn complain(&self) {
        self.left_out().for_each(|why| output::complain(&format!("left out: {why}")));
    }

    /// A run that could not be read is a failure of the command, which goes on without it.
    pub fn exit(&self) -> Exit {
        if self.unread.is_empty() { Exit::Success } else { Exit::Failed }
    }
}

/// The runs that are named, and those below named folders.
///
/// # Errors
/// When a run that is named cannot be used, or a folder has none.
pub fn open_all(given: &[PathBuf]) -> Result<OpenedRuns, Error> {
    let (mut runs, mut unread, mut smoke) = (Vec::new(), Vec::new(), 0);
    for path in given {
        let is_named = is_run(path);
        let folders = if is_named { vec![path.clone()] } else { find_runs(path)? };
        let opened: Vec<Result<StoredRun, JournalError>> =
            folders.par_iter().map(|folder| StoredRun::open_measurement(folder)).collect();
        for run in opened {
            match run {
                Ok(run) => runs.push(run),
                // Who names a run wants that run.
                Err(error) if is_named => return Err(error.into()),
                Err(JournalError::Smoke(_)) => smoke += 1,
                Err(error) => unread.push(error.to_string()),
            }
        }
    }
    runs.sort_by(|a, b| a.folder.cmp(&b.folder));
    let mut known = BTreeSet::new();
    // Each run once, whatever links lead to it.
    runs.retain(|run| known.insert(run.folder.canonicalize().unwrap_or_else(|_| run.folder.clone())));
    disambiguate_names(&mut runs);
    let too_small = "too small to judge anything by; a run without --smoke measures";
    let smoke = (smoke > 0).then(|| format!("{}, {too_small}", count_of(smoke, "smoke run")));
    Ok(OpenedRuns { runs, unread, smoke })
}

/// The one run in `folder`.
///
/// # Errors
/// When there is none, it cannot be read, it is a smoke run, or runs lie below the folder instead.
pub fn open(folder: &Path) -> Result<StoredRun, Error> {
    if is_run(folder) {
        return Ok(StoredRun::open_measurement(folder)?);
    }
    let below = find_runs(folder)?;
    let (named, count, first) = (folder.display(), count_of(below.len(), "run"), below[0].display());
    Err(format!("{named} has {count} below it, and this command takes one: name it, as in {first}").into())
}

/// The manifest of a run that starts now, by this command line.
pub fn new_manifest(experiment: Experiment) -> Manifest {
    Manifest::new(this_build(), experiment, std::env::args().collect(), now())
}

/// The folder that a command writes to: the one named with `--out`, or a new one for what is called `name`. Folders made for it are
/// removed if they stay empty.
///
/// # Errors
/// When it cannot be made.
pub fn folder_for(out: Option<&Path>, name: &str) -> Result<(PathBuf, NewFolders), Error> {
    let refused = |folder: &Path, why| {
        format!("cannot make {}: {why}; choose another folder with --out", folder.display())
    };
    if let Some(folder) = out {
        let made = NewFolders::make(folder).map_err(|error| refused(folder, error))?;
        return Ok((folder.to_path_buf(), made));
    }
    let base = Path::new("results").join("runs");
    let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
    let mut folder = base.join(format!("{name}-{time}"));
    let mut count = 1;
    loop {
        match NewFolders::make_new(&folder) {
            Ok(made) => return Ok((folder, made)),
            // Two runs may start in the same second: the first to make the folder gets it, the other counts up.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && base.is_dir() => count += 1,
            Err(error) => return Err(refused(&folder, error).into()),
        }
        folder = base.join(format!("{name}-{time}-{count}"));
    }
}

/// Reads the name of a folder for runs, which tables, pages and advice show.
pub fn folder_name() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.to_string_lossy().contains(hides) {
        false => Ok(path),
        true => Err(format!("{path:?}: expected a name of one line without control characters")),
    })
}

/// Refuses the folder of a run and all below it: nothing else is put next to its records, since a finished run is never altered.
///
/// # Errors
/// When `folder`, or one that it is in, holds a run. `option` is how it was given, for example `--out`.
pub fn outside_of_runs(option: &str, folder: &Path) -> Result<(), Error> {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    // The nearest folder above that exists, with links and `..` resolved.
    let there = whole.ancestors().find_map(|folder| folder.canonicalize().ok()).unwrap_or_default();
    let Some(run) = there.ancestors().find(|folder| is_run(folder)) else { return Ok(()) };
    let place =
        if is_run(folder) { "holds a run".to_string() } else { format!("is in the run {}", run.display()) };
    Err(format!("{option} {} {place}, which is not altered: choose another folder", folder.display()).into())
}

/// A path as a shell takes it.
pub fn quoted(path: &Path) -> String {
    text::quoted(&path.display().to_string())
}
