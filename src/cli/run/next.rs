//! What can be done with a run, as commands.

use super::super::runs::quoted;
use crate::results::StoredRun;
use crate::store::Purpose;
use serde::Serialize;
use std::path::Path;

/// A command to go on with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NextCommand {
    /// What it is for: `resume` or `report`.
    pub purpose: &'static str,
    /// For a shell.
    pub command: String,
}

/// What follows a run that `go_on` continues: only what would work.
pub fn next(run: &StoredRun, go_on: &str, has_page: bool) -> Vec<NextCommand> {
    let (repro, folder) = (crate::report::text::this_program(), quoted(&run.folder));
    let mut all = Vec::new();
    let mut add = |purpose, command| all.push(NextCommand { purpose, command });
    if run.manifest.finished.is_none() {
        add("resume", go_on.to_string());
    }
    // A smoke run is judged by nothing.
    if run.manifest.purpose != Purpose::Smoke && !has_page && has_results(run) {
        add("report", format!("{repro} report {folder}"));
    }
    all
}

/// Whether a run has something to show: a time, or what was counted.
pub fn has_results(run: &StoredRun) -> bool {
    run.results.summary.iter().any(|row| row.is_timed()) || !run.results.extra.counts.is_empty()
}

/// What continues the run in `folder`, which knows its experiment where that is not named.
pub fn resume_command(experiment: Option<&str>, folder: &Path) -> String {
    let experiment = experiment.map_or(String::new(), |name| format!(" {name}"));
    format!("{} run{experiment} --resume {}", crate::report::text::this_program(), quoted(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference")
    }

    const GO_ON: &str = "repro run --resume here";

    fn purposes(next: &[NextCommand]) -> Vec<&str> {
        next.iter().map(|one| one.purpose).collect()
    }

    #[test]
    fn a_finished_run_is_reported_unless_it_has_a_page() {
        let mut run = StoredRun::open(&results().join("h200/table1-guard-again")).unwrap();
        assert_eq!(purposes(&next(&run, GO_ON, false)), ["report"]);
        assert_eq!(purposes(&next(&run, GO_ON, true)), [""; 0]);
        let counted_nothing = run.clone().with_samples(Vec::new());
        assert_eq!(purposes(&next(&counted_nothing, GO_ON, false)), [""; 0]);
        run.manifest.purpose = Purpose::Smoke;
        assert_eq!(purposes(&next(&run, GO_ON, false)), [""; 0]);
    }
}
