//! The words for what a run tells while it goes on.

use super::{remarks, tables};
use crate::measure::{Activity, CellEvent, Observer, Request, RunEvent, RunObserver, RunProgress};
use crate::report::text::{digits, interval, percent, rate_with_unit};
use crate::results::{CellFacts, StoredRun, SummaryRow, Times, VariantTable, scope_rows};
use crate::store::{BuildRole, DerivedFiles, Journal, SampleRow, Status, write_rows};
use crate::timing::Scope;
use repro_base::CellId;

impl<T: Observer + ?Sized> RunObserver for T {
    fn event(&mut self, side: Option<BuildRole>, event: RunEvent) {
        self.note(&of_side(side, words(event)));
    }

    fn activity(&mut self, side: Option<BuildRole>, activity: Activity, now: RunProgress) {
        self.progress(&of_side(side, activity_words(activity)), now.done, now.of, now.remaining_s);
    }

    fn derived(&self, journal: &Journal, cells: &[CellId]) -> DerivedFiles {
        let run = StoredRun::of(journal);
        let (results, scopes) = (&run.results, scope_rows(cells, &run.results.times));
        DerivedFiles {
            summary: write_rows(&results.summary, true),
            scopes: (!scopes.is_empty()).then(|| write_rows(&scopes, true)),
            table: tables(&run).markdown().into_bytes(),
            host_findings: run.host_findings(),
        }
    }
}

/// The words, after the name of the build where the run is one of a pair.
fn of_side(side: Option<BuildRole>, words: String) -> String {
    if let Some(side) = side { format!("{side}: {words}") } else { words }
}

fn words(event: RunEvent) -> String {
    match event {
        RunEvent::Machine(problem) => problem.to_string(),
        RunEvent::Salvaged(kept) => format!(
            "what a kill had torn at the end of samples.csv was cut off and is kept in {}",
            kept.display()
        ),
        RunEvent::Cell(cell, event) => cell_words(cell, event),
    }
}

fn cell_words(cell: &CellId, event: CellEvent) -> String {
    let what = match event {
        CellEvent::Measured(journal) => return measured(cell, journal),
        CellEvent::Busy(load) => format!("other processes use {} of the cores that it needs", percent(load)),
        CellEvent::Ended(row) => match (row.status, &row.message) {
            (Status::Impossible, message) => format!("IMPOSSIBLE: {message}"),
            (Status::Counted, _) => "right, and counted".into(),
            (status, message) if row.scope == Scope::FirstHost => format!("first run: {status}: {message}"),
            (status, message) => format!("{status}: {message}"),
        },
        CellEvent::NotRepeatable => "not repeated: it cannot be done without the host".into(),
        CellEvent::DistancesStored(path) => format!("distances in {}", path.display()),
        CellEvent::DistancesExist(path) => format!("{} exists and is left as it is", path.display()),
        CellEvent::DistancesGone => {
            "was measured before, and its distances are not stored: start a new run to have them".into()
        }
    };
    format!("{cell}: {what}")
}

/// The line of a cell, made from its own samples alone, since a run has a line for every cell.
fn measured(cell: &CellId, journal: &Journal) -> String {
    let own: Vec<SampleRow> = journal.samples().iter().filter(|row| row.is_of(cell)).cloned().collect();
    let manifest = journal.manifest();
    // By the records, a solve has n³ tasks, except on undirected graphs and batches.
    let graph = manifest.experiment.graph(&cell.graph);
    let counted = graph.filter(|graph| graph.source.weights().symmetric || graph.source.graphs() > 1);
    let recorded = manifest.environment.as_ref().map_or(&[][..], |environment| &environment.implementations);
    let tasks = counted.map(|_| VariantTable::of(recorded).tasks(cell, counted));
    line(
        SummaryRow::new(cell, &Times::of(&own), &own, CellFacts { tasks, ..CellFacts::default() }).as_ref(),
        cell,
    )
}

/// One line about a finished cell.
fn line(summary: Option<&SummaryRow>, cell: &CellId) -> String {
    let Some(row) = summary else { return cell.to_string() };
    let load = |others: f64| {
        let share = percent(others);
        format!(", under load: others used the host's CPU for up to {share} of the time of its cores")
    };
    match (row.median_s, row.ci_low_s, row.ci_high_s, row.tasks_per_s) {
        (Some(median), Some(low), Some(high), Some(rate)) => format!(
            "{cell}: {} s, {}, {}{}{}",
            digits(median),
            sampled(row.samples, low, high),
            rate_with_unit(rate),
            remarks::estimated(row).map(|how| format!(", {how}")).unwrap_or_default(),
            row.under_load().map(load).unwrap_or_default()
        ),
        // Programs have no time of scope `kernel`; theirs are in a table of their own.
        _ if row.message.is_empty() => format!("{cell}: {}", row.status),
        _ => format!("{cell}: {}: {}", row.status, row.message),
    }
}

/// How often a cell was sampled, with the interval of its median; one sample has no interval.
fn sampled(samples: usize, low: f64, high: f64) -> String {
    match samples {
        1 => "one sample".to_string(),
        samples => format!("median of {samples} {}", interval(low, high, digits)),
    }
}

fn activity_words(Activity { request, cell, sample }: Activity) -> String {
    let CellId { n, graph, .. } = cell;
    match request {
        Request::Open(_) => "opening the device and compiling kernels".into(),
        Request::MeasureCeilings { .. } => "measuring ceilings".into(),
        Request::LoadGraph(_) if graph.is_empty() => format!("n = {n}: making the graph and its reference"),
        Request::LoadGraph(_) => format!("n = {n}, {graph}: making the graph and its reference"),
        Request::Prepare { .. } => format!("{cell}: warming up"),
        Request::Sample { .. } => format!("{cell}: sample {sample}"),
        Request::Count { .. } => format!("{cell}: counting on the emulated device"),
        Request::StoreDistances { .. } => format!("{cell}: storing its distances"),
        _ => cell.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures::{cell, measured};

    #[test]
    fn the_line_of_a_cell_says_how_its_time_was_taken() {
        let of = |row: SummaryRow| line(Some(&row), &row.cell());
        let cell = || cell("cpu-naive", "", 1000);
        let one = || measured(cell(), &[2.0]);
        assert_eq!(of(one()), "cpu-naive n = 1000: 2.000 s, one sample, 0.5000 × 10⁹ tasks/s");
        let several = "cpu-naive n = 1000: 2.000 s, median of 6 [2.000, 2.000], 0.5000 × 10⁹ tasks/s";
        assert_eq!(of(measured(cell(), &[2.0; 6])), several);
        let estimated = of(SummaryRow { iterations: Some(16), ..one() });
        let told = ", estimated from 16 of 1000 iterations of k, each of equal work";
        assert!(estimated.ends_with(told), "{estimated}");
        let loaded = of(SummaryRow { others_load: Some(0.43), ..one() });
        let told = ", under load: others used the host's CPU for up to 43% of the time of its cores";
        assert!(loaded.ends_with(told), "{loaded}");
    }
}
