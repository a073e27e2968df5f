//! What is printed of smoke runs.

use crate::lists::{count_of, grouped};
use crate::results::SummaryRow;
use crate::store::{Environment, Status};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// Failures of one experiment that are printed; the records have all.
const MOST_FAILURES: usize = 5;

/// The smoke run of one experiment.
pub struct Ran {
    pub name: String,
    /// Cells.
    pub planned: usize,
    /// One row a cell about which there is something to say.
    pub summary: Vec<SummaryRow>,
    /// Why it did not reach its end.
    pub problem: Option<String>,
    pub took: Duration,
    pub environment: Option<Environment>,
}

impl Ran {
    fn count(&self, of: impl Fn(&&SummaryRow) -> bool) -> usize {
        self.summary.iter().filter(of).count()
    }

    /// Cells that have no result although they should: those that failed.
    fn failed(&self) -> impl Iterator<Item = &SummaryRow> {
        let is_failure =
            |row: &&SummaryRow| !row.is_timed() && !matches!(row.status, Status::Skipped | Status::Counted);
        self.summary.iter().filter(is_failure)
    }

    /// Cells that cannot be run here.
    fn left_out(&self) -> impl Iterator<Item = &SummaryRow> {
        self.summary.iter().filter(|row| !row.is_timed() && row.status == Status::Skipped)
    }

    /// A line, and one below it for each failure and each reason for which cells are left out.
    pub fn text(&self) -> String {
        let counts = [
            (self.count(|row| row.is_timed()), "timed"),
            (self.count(|row| row.status == Status::Counted), "counted"),
            (self.left_out().count(), "left out"),
            (self.failed().count(), "FAILED"),
            (self.planned.saturating_sub(self.summary.len()), "not reached"),
        ];
        let some = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = some.map(|(count, what)| format!("{count} {what}")).collect();
        let seconds = self.took.as_secs_f64();
        let mut text = format!("{:<20} {:<48} {seconds:>6.1} s\n", self.name, counts.join(", "));
        for row in self.failed().take(MOST_FAILURES) {
            let _ = writeln!(text, "  {}: {}: {}", row.cell(), row.status, row.message);
        }
        let more = self.failed().count().saturating_sub(MOST_FAILURES);
        if more > 0 {
            let _ = writeln!(text, "  and {more} more: see its samples.csv");
        }
        for (reason, cells) in self.reasons() {
            let _ = writeln!(text, "  {} left out: {reason}", cells.len());
        }
        if let Some(problem) = &self.problem {
            let _ = writeln!(text, "  {problem}");
        }
        text
    }

    /// Why cells are left out. That there is no device is printed once for all experiments.
    fn reasons(&self) -> Vec<(&str, Vec<()>)> {
        let no_device = self.environment.as_ref().and_then(|known| known.device_problem.as_deref());
        let is_told = |reason: &str| no_device.is_some_and(|problem| reason.starts_with(problem));
        let reasons = self.left_out().map(|row| (row.message.as_str(), ()));
        grouped(reasons.filter(|(reason, ())| !is_told(reason)))
    }
}

/// All of them.
#[derive(Default)]
pub struct Tally {
    experiments: usize,
    cells: usize,
    failed: usize,
    unfinished: Vec<String>,
    /// Where one of them had a look at the machine.
    environment: Option<Environment>,
}

impl Tally {
    pub fn add(&mut self, ran: Ran) {
        self.experiments += 1;
        self.cells += ran.planned;
        self.failed += ran.failed().count();
        if ran.problem.is_some() {
            self.unfinished.push(ran.name);
        }
        self.environment = ran.environment.or(self.environment.take());
    }

    /// Whether every experiment reached its end without a failure.
    pub fn is_right(&self) -> bool {
        self.failed == 0 && self.unfinished.is_empty()
    }

    pub fn text(&self, took: Duration, folder: &Path) -> String {
        let result = match self.is_right() {
            true => "nothing failed".to_string(),
            false => format!("{} failed", count_of(self.failed, "cell")),
        };
        let mut text = format!(
            "{}, {}: {result}, in {:.1} s\n",
            count_of(self.experiments, "experiment"),
            count_of(self.cells, "cell"),
            took.as_secs_f64()
        );
        if !self.unfinished.is_empty() {
            let _ = writeln!(
                text,
                "not finished: {}; --smoke=SECONDS allows more time",
                self.unfinished.join(", ")
            );
        }
        let environment = self.environment.as_ref();
        let why = environment.and_then(|known| known.device_problem.as_ref());
        text += &match (environment.and_then(|known| known.device.as_ref()), why) {
            (Some(device), why) if device.info.emulated => {
                let why = why.map_or_else(String::new, |why| format!(": {why}"));
                format!(
                    "Kernels ran on the emulated device, which checks and counts and does not time{why}\n"
                )
            }
            (None, Some(why)) => format!("Kernels did not run: {why}\n"),
            _ => String::new(),
        };
        let _ = writeln!(text, "records, which no claim is judged by: {}", folder.display());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::StoredRun;

    fn ran(summary: Vec<SummaryRow>, environment: Option<Environment>) -> Ran {
        let (name, planned) = ("programs".to_string(), summary.len());
        Ran { name, planned, summary, problem: None, took: Duration::ZERO, environment }
    }

    #[test]
    fn what_needs_more_devices_than_there_are_is_left_out_with_its_reason_and_has_not_failed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference/h200-x2/scaling");
        let summary = StoredRun::open(&folder).unwrap().results.summary;
        let reason = "needs 4 devices, and the CUDA driver sees 2";
        let left_out = summary.iter().filter(|row| row.message == reason).count();
        let ran = ran(summary, None);
        let text = ran.text();
        assert!(left_out > 0 && text.contains(&format!("\n  {left_out} left out: {reason}\n")), "{text}");
        let mut tally = Tally::default();
        tally.add(ran);
        assert!(tally.is_right() && !text.contains("FAILED"), "{text}");
    }

    #[test]
    fn a_program_counts_as_timed_though_it_has_no_time_of_kernels() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stored/programs");
        let run = StoredRun::open(&folder).unwrap();
        let summary = run.results.summary;
        let ran = ran(summary, None);
        assert!(ran.text().contains(" 5 timed, 1 counted "), "{}", ran.text());
    }

    #[test]
    fn what_is_left_out_has_its_reason_unless_it_is_that_there_is_no_device() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stored/programs");
        let StoredRun { manifest, results, .. } = StoredRun::open(&folder).unwrap();
        let mut environment = manifest.environment.unwrap();
        environment.device_problem = Some("no driver".into());
        let mut summary = results.summary;
        let reasons = ["needs 2 devices", "needs 2 devices", "no driver; smaller sizes are counted"];
        for (row, reason) in summary.iter_mut().zip(reasons) {
            (row.status, row.median_s, row.program_s) = (Status::Skipped, None, None);
            row.message = reason.into();
        }
        let text = ran(summary, Some(environment)).text();
        assert!(text.contains(" 3 left out") && text.contains("\n  2 left out: needs 2 devices\n"), "{text}");
        assert!(!text.contains("no driver"), "{text}");
    }
}
