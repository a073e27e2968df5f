//! The words for what a run tells while it goes on.

use crate::measure::{CellEvent, Doing, Event, Observer, RunObserver};
use crate::results::{CellFacts, Facts, StoredRun, SummaryRow, Times, scope_rows};
use crate::show::tables::{line, tables};
use crate::show::whole_percent;
use crate::store::{Derived, Journal, SampleRow, write_rows};
use repro_types::CellId;

impl<T: Observer + ?Sized> RunObserver for T {
    fn event(&mut self, event: Event) {
        self.note(&words(event));
    }

    fn doing(&mut self, doing: Doing, done: usize, of: usize, remaining_s: Option<f64>) {
        self.progress(&doing_words(doing), done, of, remaining_s);
    }

    fn derived(&self, journal: &Journal, cells: &[CellId]) -> Derived {
        let run = StoredRun::of(journal);
        let (results, scopes) = (&run.results, scope_rows(cells, &run.results.times));
        Derived {
            summary: write_rows(&results.summary, true),
            scopes: (!scopes.is_empty()).then(|| write_rows(&scopes, true)),
            table: tables(&run).markdown().into_bytes(),
            host_findings: run.host_findings(),
        }
    }
}

fn words(event: Event) -> String {
    match event {
        Event::NoTelemetry(problem) | Event::PairDiffers(problem) => problem.to_string(),
        Event::Salvaged(kept) => format!(
            "what a kill had torn at the end of samples.csv was cut off and is kept in {}",
            kept.display()
        ),
        Event::Cell(cell, event) => cell_words(cell, event),
        Event::Of(side, event) => format!("{side}: {}", words(*event)),
    }
}

fn cell_words(cell: &CellId, event: CellEvent) -> String {
    let what = match event {
        CellEvent::Measured(journal) => return measured(cell, journal),
        CellEvent::BusyBefore(load) => {
            return format!("other processes use {} of as many cores as {cell} needs", whole_percent(load));
        }
        CellEvent::FirstRunEnded(status, message) => {
            return format!("{cell}, first run: {status}: {message}");
        }
        CellEvent::Impossible(message) => format!("IMPOSSIBLE: {message}"),
        CellEvent::Ended(status, message) => format!("{status}: {message}"),
        CellEvent::NotRepeatable => "not repeated: it cannot be done without the host".into(),
        CellEvent::Counted => "right, and counted".into(),
        CellEvent::DistancesStored(path) => format!("distances in {}", path.display()),
        CellEvent::DistancesExist(path) => format!("{} exists and is left as it is", path.display()),
        CellEvent::DistancesGone => {
            "was measured before, and its distances are not stored: start a new run to have them".into()
        }
    };
    format!("{cell}: {what}")
}

/// The line of a cell, of its own samples alone: a run has as many lines as cells.
fn measured(cell: &CellId, journal: &Journal) -> String {
    let own: Vec<SampleRow> = journal.samples().iter().filter(|row| row.is_of(cell)).cloned().collect();
    let manifest = journal.manifest();
    // Records say other than n³ of undirected graphs and of batches alone.
    let graph = manifest.experiment.graph(&cell.graph);
    let counted = graph.filter(|graph| graph.source.weights().symmetric || graph.source.graphs() > 1);
    let recorded = manifest.environment.as_ref().map_or(&[][..], |environment| &environment.implementations);
    let tasks = counted.map(|_| Facts::of(recorded).tasks(cell.variant(), cell.n, counted));
    line(
        SummaryRow::of(cell, &Times::of(&own), &own, CellFacts { tasks, ..CellFacts::default() }).as_ref(),
        cell,
    )
}

fn doing_words(doing: Doing) -> String {
    match doing {
        Doing::Opening => "opening the device and compiling kernels".into(),
        Doing::Ceilings => "measuring ceilings".into(),
        Doing::Graph(n, "") => format!("n = {n}: making the graph and its reference"),
        Doing::Graph(n, graph) => format!("n = {n}, {graph}: making the graph and its reference"),
        Doing::WarmingUp(cell) => format!("{cell}: warming up"),
        Doing::Sampling(cell, sample) => format!("{cell}: sample {sample}"),
        Doing::Further(cell) => cell.to_string(),
        Doing::Counting(cell) => format!("{cell}: counting on the emulated device"),
        Doing::StoringDistances(cell) => format!("{cell}: storing its distances"),
        Doing::Of(side, doing) => format!("{side}: {}", doing_words(*doing)),
    }
}
