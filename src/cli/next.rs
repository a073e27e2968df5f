//! What can be done with a run, as commands.

use crate::experiment::{Precedent, StoredRun};
use serde::Serialize;
use std::path::Path;

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

/// What follows a run that was started by the name `experiment`, is over or not, and may stand beside one of `stored`.
pub fn next(run: &StoredRun, experiment: &str, is_over: bool, stored: &[Precedent]) -> Vec<Next> {
    let folder = quoted(&run.folder);
    let has_results = run.results.summary.iter().any(|row| row.is_timed()) || !run.results.counts.is_empty();
    let resume = (!is_over)
        .then(|| Next { purpose: Purpose::Resume, command: resume_command(experiment, &run.folder) });
    let report =
        has_results.then(|| Next { purpose: Purpose::Report, command: format!("repro report {folder}") });
    let before = is_over.then(|| Precedent::before(run, stored)).flatten();
    let compare = before.map(|before| Next {
        purpose: Purpose::Compare,
        command: format!("repro compare {} {folder}", quoted(before)),
    });
    [resume, report, compare].into_iter().flatten().collect()
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
    let path = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:@,".contains(c);
    if !path.is_empty() && path.chars().all(is_plain) {
        path
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference")
    }

    fn purposes(next: &[Next]) -> Vec<Purpose> {
        next.iter().map(|one| one.purpose).collect()
    }

    #[test]
    fn a_finished_run_is_reported_and_compared_with_the_one_before_on_the_same_machine() {
        let run = StoredRun::open(&results().join("h200/table1-again")).unwrap();
        let stored = Precedent::below(&results());
        let all = next(&run, "table1", true, &stored);
        assert_eq!(purposes(&all), [Purpose::Report, Purpose::Compare]);
        assert!(all[1].command.starts_with("repro compare ") && all[1].command.ends_with("table1-again"));
        assert!(!all[1].command.contains("table1-again "), "not with itself: {}", all[1].command);
        assert_eq!(purposes(&next(&run, "table1", true, &[])), [Purpose::Report]);
    }

    #[test]
    fn a_smoke_run_is_no_baseline() {
        let reference = results().join("h200/table1");
        let manifest = std::fs::read_to_string(reference.join("manifest.json")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("run");
        std::fs::create_dir(&below).unwrap();
        std::fs::copy(reference.join("summary.csv"), below.join("summary.csv")).unwrap();
        let with = |marked: &str| {
            std::fs::write(below.join("manifest.json"), manifest.replacen('{', marked, 1)).unwrap();
            let run = StoredRun::open(&results().join("h200/table1-again")).unwrap();
            purposes(&next(&run, "table1", true, &Precedent::below(folder.path())))
        };
        assert_eq!(with("{"), [Purpose::Report, Purpose::Compare]);
        assert_eq!(with("{ \"purpose\": \"smoke\","), [Purpose::Report]);
    }

    #[test]
    fn one_that_was_stopped_is_continued_first() {
        let run = StoredRun::open(&results().join("emulated/structure")).unwrap();
        let all = next(&run, "table1", false, &[]);
        assert_eq!(purposes(&all), [Purpose::Resume, Purpose::Report]);
        assert!(all[0].command.starts_with("repro run table1 --resume "), "{:?}", all[0]);
        assert!(text(&all).starts_with("\nNext:\n  repro run table1 --resume "));
        assert_eq!(text(&[]), "");
        assert_eq!(resume_command("", Path::new("a b")), "repro run --resume 'a b'");
    }

    #[test]
    fn a_path_with_blanks_is_quoted_for_a_shell() {
        assert_eq!(quoted(Path::new("results/runs/a-1")), "results/runs/a-1");
        assert_eq!(quoted(Path::new("my runs/a'b")), "'my runs/a'\\''b'");
    }
}
