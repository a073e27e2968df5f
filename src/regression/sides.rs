//! What BASE and NEW may be: the folder of a run, a folder of such folders, runs that a commit measured, or a folder as it is in
//! a commit.

use super::floor::MachineNoise;
use crate::lists::count_of;
use crate::results::StoredRun;
use crate::store::{FILES, FindRunsError, JournalError, Manifest, find_runs, git, is_run};
use crate::timing::Scope;
use repro_files::{Scratch, write_new};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use thiserror::Error;

/// Why a side has no runs.
#[derive(Debug, Error)]
pub enum SideError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Find(#[from] FindRunsError),
    #[error("'{0}' is no folder, no commit and no COMMIT:FOLDER: name the folder of a run")]
    Unknown(String),
    #[error("no run of commit {commit} below {}: name the folder where it is with --results", results.display())]
    NoRunOfCommit { commit: String, results: PathBuf },
    #[error("{what}: {problem}; see git show {what}")]
    Git { what: String, problem: String },
    #[error("no experiment has runs on both sides: {base} on one, {new} on the other")]
    NothingToPair { base: String, new: String },
}

/// The runs of one side.
#[derive(Debug, Default)]
pub struct Side {
    /// At least one.
    pub runs: Vec<StoredRun>,
    /// What was left out of several, a sentence each.
    pub left_out: Vec<String>,
}

/// The runs that `argument` names. Commits are looked for below `results`.
///
/// # Errors
/// When there is none, or one of them cannot be read.
pub fn side(argument: &str, results: &Path) -> Result<Side, SideError> {
    let path = Path::new(argument);
    if path.exists() {
        return open(path);
    }
    if let Some((commit, folder)) = argument.split_once(':') {
        return of_tree(argument, commit, folder);
    }
    let commit = match git(here(), &["rev-parse", "--verify", "--quiet", &format!("{argument}^{{commit}}")]) {
        Some(commit) => String::from_utf8_lossy(&commit).trim().to_string(),
        // A commit that is not here, such as one of a branch that was deleted, may still have measured.
        None if is_hash(argument) => argument.to_string(),
        None => return Err(SideError::Unknown(argument.to_string())),
    };
    let nothing = || SideError::NoRunOfCommit { commit: short(&commit), results: results.to_path_buf() };
    let folders = find_runs(results).map_err(|_| nothing())?;
    let (mut runs, mut changed) = (Vec::new(), Vec::new());
    for folder in &folders {
        match StoredRun::open_measurement(folder) {
            Ok(run) if run.manifest.build.commit.starts_with(&commit) => runs.push(run),
            Err(error @ JournalError::Changed { .. }) => changed.push(error),
            // What cannot be read is of no known commit.
            _ => (),
        }
    }
    if runs.is_empty() {
        return Err(changed.pop().map_or_else(nothing, SideError::from));
    }
    Ok(with_times(runs).without(&changed))
}

impl Side {
    /// Adds to the side what was left out of it and why.
    fn without(mut self, errors: &[JournalError]) -> Self {
        self.left_out.extend(errors.iter().map(|error| format!("Left out: {error}.")));
        self
    }
}

/// Where git is asked.
fn here() -> &'static Path {
    Path::new(".")
}

/// Who names a run wants that run; of several, one that cannot be read does not keep the others from being compared.
fn open(path: &Path) -> Result<Side, SideError> {
    if is_run(path) {
        return Ok(Side { runs: vec![StoredRun::open_measurement(path)?], left_out: Vec::new() });
    }
    let (mut runs, mut errors) = (Vec::new(), Vec::new());
    for folder in find_runs(path)? {
        match StoredRun::open_measurement(&folder) {
            Ok(run) => runs.push(run),
            Err(error) => errors.push(error),
        }
    }
    if runs.is_empty()
        && let Some(error) = errors.pop()
    {
        return Err(error.into());
    }
    Ok(with_times(runs).without(&errors))
}

/// Of several runs, those that timed something.
fn with_times(runs: Vec<StoredRun>) -> Side {
    let is_timed = |run: &StoredRun| run.results.summary.iter().any(|row| row.is_timed());
    if runs.len() < 2 || !runs.iter().any(is_timed) {
        return Side { runs, left_out: Vec::new() };
    }
    let (runs, untimed): (Vec<_>, Vec<_>) = runs.into_iter().partition(is_timed);
    let left_out = untimed.iter().map(|run| format!("Left out: {} timed nothing.", run.name())).collect();
    Side { runs, left_out }
}

/// The runs in a folder as it is in a commit.
fn of_tree(argument: &str, commit: &str, folder: &str) -> Result<Side, SideError> {
    let failed = |problem: String| SideError::Git { what: argument.to_string(), problem };
    let listed = git(here(), &["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", folder])
        .ok_or_else(|| failed("git has no such commit, or no such folder from where you are, or this is no repository of it".to_string()))?;
    let copy = Scratch::new("compare").map_err(|error| failed(format!("no room for a copy ({error})")))?;
    // Named as in the commit, so that messages are about what was asked for.
    let root = copy.path().join(commit);
    let of_runs =
        |path: &&str| FILES.iter().chain(&["manifest.json"]).any(|file| path.ends_with(&format!("/{file}")));
    for path in String::from_utf8_lossy(&listed).split('\0').filter(of_runs) {
        let content = git(here(), &["show", &format!("{commit}:{path}")]);
        let content = content.ok_or_else(|| failed(format!("git cannot show {path}")))?;
        // A tree that somebody has made by hand can have any names.
        if !Path::new(path).components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(failed(format!("it has a file called {path}")));
        }
        let to = root.join(path);
        let write = || {
            std::fs::create_dir_all(to.parent().unwrap_or(&root))?;
            write_new(&to, &content)
        };
        write().map_err(|error| failed(format!("no room for a copy ({error})")))?;
    }
    let inside = root.join(folder);
    if !inside.exists() {
        return Err(failed("there is no run in that folder of that commit".to_string()));
    }
    open(&inside)
}

fn is_hash(text: &str) -> bool {
    (7..=40).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn short(commit: &str) -> String {
    commit.get(..12).unwrap_or(commit).to_string()
}

/// Which base belongs to which new run, and what is left over, a sentence each.
#[derive(Debug)]
pub struct Paired<'a> {
    pub pairs: Vec<(&'a StoredRun, &'a StoredRun)>,
    pub left_over: Vec<String>,
}

/// One run on either side is a pair, whatever they are of. Of several, those of one experiment are: those of one folder name, or
/// else the latest of either side.
///
/// # Errors
/// When no experiment has runs on both sides.
pub fn pair_up<'a>(base: &'a [StoredRun], new: &'a [StoredRun]) -> Result<Paired<'a>, SideError> {
    if let ([base], [new]) = (base, new) {
        return Ok(Paired { pairs: vec![(base, new)], left_over: Vec::new() });
    }
    let (before, now) = (by_experiment(base), by_experiment(new));
    let mut paired = Paired { pairs: Vec::new(), left_over: Vec::new() };
    let folder = |run: &StoredRun| run.folder.file_name().map(ToOwned::to_owned);
    for (experiment, of_new) in &now {
        let Some(of_base) = before.get(experiment) else {
            paired.left_over.push(format!("{experiment} has a run in NEW alone."));
            continue;
        };
        let named: Vec<_> = of_new
            .iter()
            .filter_map(|new| Some((*of_base.iter().find(|base| folder(base) == folder(new))?, *new)))
            .collect();
        let latest = of_base.last().copied().zip(of_new.last().copied());
        let pairs = if named.is_empty() { latest.into_iter().collect() } else { named };
        for (side, of) in [("BASE", of_base), ("NEW", of_new)] {
            if of.len() > pairs.len() {
                let left = of.len() - pairs.len();
                paired.left_over.push(format!(
                    "{} of {experiment} in {side} {} not compared.",
                    count_of(left, "more run"),
                    if left == 1 { "is" } else { "are" }
                ));
            }
        }
        paired.pairs.extend(pairs);
    }
    let only_before = before.keys().filter(|experiment| !now.contains_key(experiment.as_str()));
    paired.left_over.extend(only_before.map(|experiment| format!("{experiment} has a run in BASE alone.")));
    if paired.pairs.is_empty() {
        let names =
            |of: &BTreeMap<String, Vec<&StoredRun>>| of.keys().cloned().collect::<Vec<_>>().join(", ");
        return Err(SideError::NothingToPair { base: names(&before), new: names(&now) });
    }
    Ok(paired)
}

/// Runs by experiment, oldest first.
fn by_experiment(runs: &[StoredRun]) -> BTreeMap<String, Vec<&StoredRun>> {
    let mut all: BTreeMap<String, Vec<&StoredRun>> = BTreeMap::new();
    for run in runs {
        let name = &run.manifest.experiment.name;
        // Those that took turns with another build are compared among themselves.
        let beside = if run.manifest.pair.is_some() { " (in turn with another build)" } else { "" };
        all.entry(format!("{name}{beside}")).or_default().push(run);
    }
    all.values_mut().for_each(|runs| runs.sort_by(|a, b| a.manifest.started.cmp(&b.manifest.started)));
    all
}

/// The noise of the machine of the new runs, under clock `scope`: from the bases of `pairs`, and from every other run of that
/// machine below `results` but those below `fresh`, which belong to what is under judgement.
pub fn noise_of(
    pairs: &[(&StoredRun, &StoredRun)],
    results: &Path,
    fresh: Option<&Path>,
    scope: Scope,
) -> MachineNoise {
    let Some(machine) = pairs.iter().find_map(|(_, new)| Some(new.environment()?.machine())) else {
        return MachineNoise::default();
    };
    // A copy, edited or not, is no other run.
    let identity = |run: &StoredRun| {
        let Manifest { started, build, pair, .. } = &run.manifest;
        let gpu = run.environment().and_then(|environment| Some(environment.gpu()?.info.uuid.clone()));
        (started.clone(), build.clone(), pair.clone(), gpu)
    };
    let of_machine =
        |run: &StoredRun| run.environment().is_some_and(|environment| environment.machine() == machine);
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let fresh = fresh.map(real);
    let stored: Vec<StoredRun> = find_runs(results)
        .unwrap_or_default()
        .iter()
        .filter(|folder| !fresh.as_ref().is_some_and(|fresh| real(folder).starts_with(fresh)))
        .filter_map(|folder| StoredRun::open_measurement(folder).ok())
        .collect();
    // What is under judgement says nothing of how far two runs of the same work are apart.
    let mut known: Vec<_> = pairs.iter().map(|(_, new)| identity(new)).collect();
    let mut runs: Vec<&StoredRun> =
        pairs.iter().map(|(base, _)| *base).filter(|run| of_machine(run)).collect();
    runs.dedup_by(|a, b| std::ptr::eq(*a, *b));
    known.extend(runs.iter().map(|run| identity(run)));
    for run in stored.iter().filter(|run| of_machine(run)) {
        let identity = identity(run);
        if !known.contains(&identity) {
            known.push(identity);
            runs.push(run);
        }
    }
    MachineNoise::of(&runs, scope)
}
