//! What can be done with a run, as commands.

use super::super::runs::quoted;
use crate::regression::{PastRun, check_comparable};
use crate::results::StoredRun;
use crate::store::Purpose;
use crate::timing::Scope;
use serde::Serialize;
use std::path::Path;

/// A command to go on with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NextCommand {
    /// What it is for: `resume`, `report` or `compare`.
    pub purpose: &'static str,
    /// For a shell.
    pub command: String,
}

/// What follows a run that may stand next to one below `results`, and that `go_on` continues: only what would work.
pub fn next(run: &StoredRun, go_on: &str, has_page: bool, results: &Path) -> Vec<NextCommand> {
    let (repro, folder) = (crate::report::text::this_program(), quoted(&run.folder));
    let is_over = run.manifest.finished.is_some();
    // A smoke run is judged by nothing, and is refused by whatever would.
    let is_judged = run.manifest.purpose != Purpose::Smoke;
    let mut all = Vec::new();
    let mut add = |purpose, command| all.push(NextCommand { purpose, command });
    if !is_over {
        add("resume", go_on.to_string());
    }
    if is_judged && !has_page && has_results(run) {
        add("report", format!("{repro} report {folder}"));
    }
    if let Some(base) = (is_judged && is_over).then(|| baseline(run, results)).flatten() {
        add("compare", format!("{repro} compare {} {folder}", quoted(&base.folder)));
    }
    all
}

/// Whether a run has something to show: a time, or what was counted.
pub fn has_results(run: &StoredRun) -> bool {
    run.results.summary.iter().any(|row| row.is_timed()) || !run.results.extra.counts.is_empty()
}

/// The latest run below `results` that `run` can be compared with as `repro compare` would.
fn baseline(run: &StoredRun, results: &Path) -> Option<StoredRun> {
    PastRun::before(run, &PastRun::below(results))
        .find(|base| check_comparable(base, run, Scope::Kernel).is_ok())
}

/// What continues the run in `folder`, which knows its experiment where that is not named.
pub fn resume_command(experiment: Option<&str>, folder: &Path) -> String {
    let experiment = experiment.map_or(String::new(), |name| format!(" {name}"));
    format!("{} run{experiment} --resume {}", crate::report::text::this_program(), quoted(folder))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::store::SampleRow;

    fn results() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference")
    }

    const GO_ON: &str = "repro run --resume here";

    fn purposes(next: &[NextCommand]) -> Vec<&str> {
        next.iter().map(|one| one.purpose).collect()
    }

    #[test]
    fn a_finished_run_is_reported_and_compared_with_the_one_before_on_the_same_machine() {
        let run = StoredRun::open(&results().join("h200/table1-guard-again")).unwrap();
        let all = next(&run, GO_ON, false, &results());
        assert_eq!(purposes(&all), ["report", "compare"]);
        assert!(all[1].command.contains(" compare ") && all[1].command.ends_with("table1-guard-again"));
        assert!(!all[1].command.contains("table1-guard-again "), "not with itself: {}", all[1].command);
        assert_eq!(purposes(&next(&run, GO_ON, false, Path::new("none"))), ["report"]);
        assert_eq!(purposes(&next(&run, GO_ON, true, &results())), ["compare"]);
    }

    /// A copy of a committed run below `to`, whose file `name` is changed by `edit`.
    pub(in crate::cli::run) fn copied(run: &str, to: &Path, name: &str, edit: impl Fn(String) -> String) {
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
        let is_proposed = |run: &StoredRun| {
            let proposed = next(run, GO_ON, true, folder.path());
            assert!(proposed.iter().all(|one| one.purpose == "compare"));
            !proposed.is_empty()
        };
        let base = folder.path().join("base");
        copied("h200/table1-guard", &base, "samples.csv", |text| text);
        assert!(is_proposed(&run));
        // Nothing of a run that was only counted could be compared, and neither could cells that the other has not.
        let counted = run.clone().with_samples(Vec::new());
        assert!(!is_proposed(&counted));
        let other = |row: &SampleRow| SampleRow { n: row.n + 1, ..row.clone() };
        let others = run.clone().with_samples(run.samples.iter().map(other).collect());
        assert!(!is_proposed(&others));
        // Nor one whose records were changed since.
        copied("h200/table1-guard", &base, "samples.csv", |text| text.replacen("0.0", "0.1", 1));
        assert!(!is_proposed(&run));
    }

    #[test]
    fn a_smoke_run_is_no_baseline() {
        let folder = tempfile::tempdir().unwrap();
        let marked = |text: String| text.replacen('{', "{ \"purpose\": \"smoke\",", 1);
        copied("h200-e117a75b/table1", &folder.path().join("small"), "manifest.json", marked);
        copied("h200-e117a75b/over-cpu", &folder.path().join("usual"), "manifest.json", |text| text);
        assert_eq!(PastRun::below(folder.path()).len(), 1);
    }
}
