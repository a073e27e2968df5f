//! What a run prints when it ends, and the page of its own records.

use super::super::runs::quoted;
use super::claim_summary::{ClaimSummary, at_most};
use super::next::{NextCommand, has_results};
use crate::lists::count_of;
use crate::measure::Outcome;
use crate::published::published_papers;
use crate::report::{self, gaps, head, marks, tables};
use crate::results::{StoredRun, host_findings, scope_rows};
use crate::store::cells;
use repro_base::terminal::{Error, fitted, output, terminal_width};
use std::path::{Path, PathBuf};

/// As many lines as a terminal has; of them those for what marks mean, and for why some cells have no time.
const MOST_LINES: [usize; 3] = [40, 9, 3];
/// Of what a machine without a GPU can say of a run that wanted one.
const MOST_LINES_WITHOUT_GPU: [usize; 3] = [15, 2, 2];
const WITHOUT_GPU: &str = "without a GPU: `repro doctor`, `repro solve --help`, `repro check --help`";
/// Lines of them for the claims, at most.
const MOST_CLAIMS: usize = 14;

/// What there is to say.
pub struct EndText<'a> {
    pub run: &'a StoredRun,
    pub claims: &'a ClaimSummary,
    pub next: &'a [NextCommand],
    pub page: Option<&'a Path>,
}

impl EndText<'_> {
    /// Everything as values.
    ///
    /// # Errors
    /// When a number cannot be written as JSON.
    pub fn json(&self, outcome: Outcome) -> Result<String, Error> {
        let (manifest, results) = (&self.run.manifest, &self.run.results);
        Ok(output::json(&serde_json::json!({
            "out": self.run.folder,
            "interrupted": outcome == Outcome::Interrupted,
            "summary": results.summary,
            "scopes": scope_rows(&cells(manifest), &results.times),
            "kernels": results.extra.kernel_times,
            "counts": results.extra.counts,
            "host_findings": host_findings(&manifest.host_findings, &results.summary),
            "claims": self.claims.claims,
            "claims_in_part": self.claims.in_part,
            "report": self.page,
            "next": self.next,
        }))?)
    }

    /// Everything.
    pub fn all(&self) -> String {
        let tables = tables(self.run).terminal(Some(terminal_width()));
        let claims = self.claims.text(&quoted(&self.run.folder));
        format!("{tables}{claims}{}", lines(&self.below()))
    }

    /// At most forty lines: the verdicts, one table, what its marks mean and what it lacks, and where the rest is. Of a run that wanted a GPU
    /// and had none at most fifteen, with what can be done without one.
    pub fn short(&self) -> String {
        let width = terminal_width();
        let lacks_gpu = self.lacks_gpu();
        let [in_all, of_marks, of_gaps] = if lacks_gpu { MOST_LINES_WITHOUT_GPU } else { MOST_LINES };
        let besides = |more| format!("--all says {} why cells have no time", count_of(more, "reason"));
        let more_marks = |more| format!("--all has {}", count_of(more, "more remark"));
        let mut below = at_most(marks(self.run), of_marks, width, more_marks);
        below.extend(at_most(gaps(&self.run.results.summary), of_gaps, width, besides));
        below.extend(self.below().into_iter().skip(usize::from(lacks_gpu)));
        below.extend(lacks_gpu.then(|| WITHOUT_GPU.to_string()));
        let (above, below) = (lines(&self.above(lacks_gpu)), lines(&below));
        let room = in_all.saturating_sub(fitted(&format!("{above}{below}"), width).lines().count());
        let table = tables(self.run).grids.first().map_or_else(String::new, |grid| grid.within(width, room));
        format!("{above}{table}{below}")
    }

    /// The verdicts, all that was counted as a table or how to count, and where the rest is.
    pub fn counts(&self) -> String {
        let place = self.run.folder.join("counts.csv");
        let why_none = || "no counts: a run with `--device emulated` counts kernels of a GPU\n".into();
        let table = report::counts(self.run, &[]).map(|grid| grid.terminal(Some(terminal_width())));
        let counts = table.map_or_else(why_none, |table| format!("{table}\ncounts: {}\n", place.display()));
        format!("{}{counts}{}", lines(&self.above(false)), lines(&self.below()))
    }

    /// At most three lines: what it decides, where all of it is, and what comes next.
    pub fn brief(&self) -> String {
        let all = self.claims.tally.clone().into_iter().chain(self.below().into_iter().skip(1));
        lines(&all.take(3).collect::<Vec<_>>())
    }

    /// The verdicts and what was run on what, or in brief how many verdicts there are.
    fn above(&self, brief: bool) -> Vec<String> {
        if brief {
            return self.claims.tally.clone().into_iter().collect();
        }
        let claims = self.claims.short(MOST_CLAIMS, terminal_width());
        let gap = (!claims.is_empty()).then(String::new);
        // Which paper it is of stands with all tables.
        claims.into_iter().chain(gap).chain(head(self.run, &[])).collect()
    }

    /// Whether it was to run on a GPU, and there is none.
    fn lacks_gpu(&self) -> bool {
        let is_asked = !self.run.manifest.experiment.device.starts_with("emulated");
        let is_there = self.run.device().is_some() && !self.run.is_emulated();
        is_asked && !is_there && self.run.results.summary.iter().any(|row| self.run.is_on_gpu(row))
    }

    /// Where all tables and figures are, and what comes next.
    fn below(&self) -> Vec<String> {
        let tables = self.run.folder.join("table.md");
        let tables = tables.is_file().then(|| format!("tables: {}", tables.display()));
        let report = self.page.map(|page| format!("report: {}", page.display()));
        // How it goes on stands on standard error, whether or not it comes to this.
        let after = self.next.iter().filter(|one| one.purpose != "resume");
        let after = after.map(|one| format!("next: {}", one.command));
        [String::new()].into_iter().chain(tables).chain(report).chain(after).collect()
    }
}

fn lines(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The page of the report in the folder of a run, which is made of the records and is none of them. Nothing in the folder of a run that
/// `was_over` is changed: it has the page that was made then, or none if its making was stopped. Otherwise it is written; what was in the
/// folder before a new run is somebody else's. A report that cannot be written takes nothing from what was measured: a line says so.
pub fn page(run: &StoredRun, was_over: bool) -> Option<PathBuf> {
    let folder = run.folder.join("report");
    let page = folder.join("index.html");
    if was_over {
        return report::is_whole(&folder).then_some(page);
    }
    if !has_results(run) {
        return None;
    }
    let written = || -> Result<PathBuf, Error> {
        if run.manifest.resumed.is_empty() && folder.exists() {
            return Err(format!("{} was there before the run", folder.display()).into());
        }
        let report = report::assemble(std::slice::from_ref(run), &[], published_papers()?.to_vec(), &[]);
        report::write(&report, &folder)?;
        Ok(page)
    };
    let complain = |problem: &Error| {
        let elsewhere = format!("{} report {}", report::text::this_program(), quoted(&run.folder));
        output::complain(&format!("no report of this run: {problem}; make it elsewhere with: {elsewhere}"));
    };
    written().inspect_err(complain).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A copy of a committed run that was only counted.
    fn counted() -> (tempfile::TempDir, StoredRun) {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("run");
        std::fs::create_dir(&to).unwrap();
        let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference/emulated/structure");
        for entry in std::fs::read_dir(committed).unwrap().map(Result::unwrap) {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
        let run = StoredRun::open(&to).unwrap();
        (folder, run)
    }

    fn records(run: &StoredRun) -> BTreeMap<PathBuf, Vec<u8>> {
        let files = std::fs::read_dir(&run.folder).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.is_file()).map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
    }

    #[test]
    fn a_report_lies_in_the_folder_of_its_run_whose_records_stay() {
        let (_folder, run) = counted();
        let mut without_results = run.clone();
        without_results.results.extra.counts.clear();
        assert_eq!(page(&without_results, false), None);
        assert!(!run.folder.join("report").exists());
        let before = records(&run);
        assert_eq!(page(&run, true), None);
        let written = page(&run, false).unwrap();
        assert_eq!(written, run.folder.join("report/index.html"));
        assert!(std::fs::read_to_string(&written).unwrap().contains("emulated device counted"));
        assert_eq!(page(&run, true), Some(written));
        assert_eq!(records(&run), before);
        // As after a kill in between.
        std::fs::remove_file(run.folder.join("report/claims.json")).unwrap();
        assert_eq!(page(&run, true), None);
        StoredRun::open(&run.folder).unwrap();
    }
}
