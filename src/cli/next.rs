//! What can be done with a run, as commands.

use crate::regression::{PastRun, check_comparable};
use crate::results::StoredRun;
use crate::store;
use crate::timing::Scope;
use repro_base::text;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A command to go on with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Next {
    pub purpose: Purpose,
    /// For a shell.
    pub command: String,
}

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// The rest of a run that was stopped, or what failed in it.
    Resume,
    /// A page of it.
    Report,
    /// What became slower since an earlier run on the same machine.
    Compare,
}

impl Purpose {
    fn words(self) -> &'static str {
        match self {
            Self::Resume => "measures what is missing",
            Self::Report => "makes a page of it: verdicts with their reasons, figures, tables",
            Self::Compare => "says what became slower since that run on the same machine",
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy)]
pub struct Ended<'a> {
    /// The name that it was started by; empty where the folder alone was named.
    pub experiment: &'a str,
    pub is_over: bool,
    /// Whether it has a report already.
    pub has_page: bool,
}

/// What follows a run that may stand next to one of `stored`: only what would work.
pub fn next(run: &StoredRun, ended: &Ended, stored: &[PastRun]) -> Vec<Next> {
    let folder = quoted(&run.folder);
    let resume = (!ended.is_over)
        .then(|| Next { purpose: Purpose::Resume, command: resume_command(ended.experiment, &run.folder) });
    // A smoke run is judged by nothing, and is refused by whatever would.
    let is_smoke = run.manifest.purpose == store::Purpose::Smoke;
    let report = (has_results(run) && !ended.has_page && !is_smoke)
        .then(|| Next { purpose: Purpose::Report, command: format!("repro report {folder}") });
    let before = (ended.is_over && !is_smoke).then(|| baseline(run, stored)).flatten();
    let compare = before.map(|before| Next {
        purpose: Purpose::Compare,
        command: format!("repro compare {} {folder}", quoted(&before)),
    });
    [resume, report, compare].into_iter().flatten().collect()
}

/// Whether a run has something to show: a time, or what was counted.
pub fn has_results(run: &StoredRun) -> bool {
    run.results.summary.iter().any(|row| row.is_timed()) || !run.results.extra.counts.is_empty()
}

/// The folder of the latest of `stored` that `run` can be compared with as `repro compare` would.
fn baseline(run: &StoredRun, stored: &[PastRun]) -> Option<PathBuf> {
    let is_comparable = |base: &StoredRun| check_comparable(base, run, Scope::Kernel).is_ok();
    PastRun::before(run, stored).find(is_comparable).map(|base| base.folder)
}

/// What continues the run in `folder`. Its `experiment` is left out where it is empty: the folder knows it.
pub fn resume_command(experiment: &str, folder: &Path) -> String {
    let experiment = if experiment.is_empty() { String::new() } else { format!(" {experiment}") };
    format!("repro run{experiment} --resume {}", quoted(folder))
}

/// A line a command, with what it is for.
pub fn text(commands: &[Next]) -> String {
    let lines: Vec<String> =
        commands.iter().map(|next| format!("  {}\n      {}\n", next.command, next.purpose.words())).collect();
    if lines.is_empty() { String::new() } else { format!("\nNext:\n{}", lines.concat()) }
}

/// A path as a shell takes it.
pub(super) fn quoted(path: &Path) -> String {
    text::quoted(&path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVER: Ended = Ended { experiment: "table1", is_over: true, has_page: false };

    fn results() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference")
    }

    fn purposes(next: &[Next]) -> Vec<Purpose> {
        next.iter().map(|one| one.purpose).collect()
    }

    #[test]
    fn a_finished_run_is_reported_and_compared_with_the_one_before_on_the_same_machine() {
        let run = StoredRun::open(&results().join("h200/table1-again")).unwrap();
        let stored = PastRun::below(&results());
        let all = next(&run, &OVER, &stored);
        assert_eq!(purposes(&all), [Purpose::Report, Purpose::Compare]);
        assert!(all[1].command.starts_with("repro compare ") && all[1].command.ends_with("table1-again"));
        assert!(!all[1].command.contains("table1-again "), "not with itself: {}", all[1].command);
        assert_eq!(purposes(&next(&run, &OVER, &[])), [Purpose::Report]);
        assert_eq!(purposes(&next(&run, &Ended { has_page: true, ..OVER }, &stored)), [Purpose::Compare]);
    }

    /// A copy of a committed run below `to`, whose file `name` is changed by `edit`.
    fn copied(run: &str, to: &Path, name: &str, edit: impl Fn(String) -> String) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(results().join(run)).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
        let path = to.join(name);
        std::fs::write(&path, edit(std::fs::read_to_string(&path).unwrap())).unwrap();
    }

    #[test]
    fn only_a_run_that_compare_takes_is_a_baseline() {
        let run = StoredRun::open(&results().join("h200/table1-guard-again")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let proposed = |run: &StoredRun| purposes(&next(run, &OVER, &PastRun::below(folder.path())));
        let base = folder.path().join("base");
        copied("h200/table1-guard", &base, "samples.csv", |text| text);
        assert_eq!(proposed(&run), [Purpose::Report, Purpose::Compare]);
        // Nothing of a run that was only counted could be compared, and neither could cells that the other has not.
        let mut counted = run.clone();
        counted.results.summary.iter_mut().for_each(|row| row.median_s = None);
        assert!(!proposed(&counted).contains(&Purpose::Compare));
        let mut others = run.clone();
        others.results.summary.iter_mut().for_each(|row| row.n += 1);
        assert!(!proposed(&others).contains(&Purpose::Compare));
        // Nor one whose records were changed since.
        copied("h200/table1-guard", &base, "samples.csv", |text| text.replacen("0.0", "0.1", 1));
        assert!(!proposed(&run).contains(&Purpose::Compare));
    }

    #[test]
    fn a_smoke_run_is_no_baseline() {
        let folder = tempfile::tempdir().unwrap();
        let marked = |text: String| text.replacen('{', "{ \"purpose\": \"smoke\",", 1);
        copied("h200/table1", &folder.path().join("small"), "manifest.json", marked);
        copied("h200/over-cpu", &folder.path().join("usual"), "manifest.json", |text| text);
        assert_eq!(PastRun::below(folder.path()).len(), 1);
    }
}
