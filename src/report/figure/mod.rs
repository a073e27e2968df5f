//! Figures and tables as experiments declare them: one engine for all.

mod data;
mod history;
mod place;
mod plot;
mod quantity;
mod read;
mod speed_ups;
mod table;

pub use history::history;
pub use speed_ups::speed_ups;

use super::machines::EMULATED;
use super::words::short_label;
use crate::lists::{distinct, grouped};
use crate::plan::place_in_catalogue;
use crate::plan::{
    Dimension, ExperimentFile, FigureKind, FigureSpec, NamedGraph, Quantity, built_in_experiments,
};
use crate::published::PublishedPaper;
use crate::ranking::MachineRuns;
use crate::report::draw::{self, Plot, SeriesStyle};
use crate::report::text::Grid;
use crate::report::{Exhibit, ExperimentPage, RunLine};
use crate::results::{StoredRun, SummaryRow};
use crate::store::{Status, short_commit};
use crate::timing::Scope;
use data::{MachineViews, data};
use place::RunView;
use rayon::prelude::*;
use repro_base::CellId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A page for each experiment of these runs, in the order of the papers' story; experiments without a place in it come last, by name. Runs
/// that were only counted belong to the emulated device.
pub fn experiment_pages(
    machines: &[MachineRuns],
    counted: &[&StoredRun],
    papers: &[PublishedPaper],
) -> Vec<ExperimentPage> {
    let timed = || machines.iter().flat_map(|machine| machine.runs.iter().map(|run| (&*machine.label, *run)));
    let is_timed = |run: &StoredRun| timed().any(|(_, known)| std::ptr::eq(known, run));
    let alone = counted.iter().filter(|run| !is_timed(run)).map(|run| (EMULATED, *run));
    let displays = built_in_experiments();
    let mut experiments: BTreeMap<(u32, &str), Vec<(&str, &StoredRun)>> = BTreeMap::new();
    for (machine, run) in timed().chain(alone) {
        let display = displays.iter().find(|display| is_of(run, display));
        let name = display.map_or(&run.manifest.experiment.name, |display| &display.name);
        let order = display.and_then(|display| display.report.order).unwrap_or(u32::MAX);
        experiments.entry((order, name)).or_default().push((machine, run));
    }
    let pages = experiments.into_par_iter().map(|((_, name), runs)| {
        page(name, displays.iter().find(|display| display.name == name), runs, papers)
    });
    pages.collect()
}

/// The tables that are printed at the end of a run, the most important first.
pub fn tables(run: &StoredRun, papers: &[PublishedPaper]) -> Vec<Grid> {
    let displays = built_in_experiments();
    let display = displays.iter().find(|display| is_of(run, display));
    let graphs = display.map(|display| display.graphs(None)).unwrap_or_default();
    let all = specs(display, &[run]);
    let grids = |of_tables: bool| -> Vec<Grid> {
        let specs = all.iter().filter(|spec| (spec.kind == FigureKind::Table) == of_tables);
        specs.filter_map(|spec| grid_of(run, papers, &graphs, spec)).collect()
    };
    let tables = grids(true);
    // Without tables, a terminal shows the numbers of the figures.
    if tables.is_empty() { grids(false) } else { tables }
}

/// What the emulated device counted in a run: a row a kernel, at the largest n of its implementation. None if nothing was counted.
pub fn counts(run: &StoredRun, papers: &[PublishedPaper]) -> Option<Grid> {
    let title = "Counted on the emulated device; a task is one of the kernel's own";
    let caption = "Ways are the most steps in which a load from shared memory is served.";
    let table = FigureKind::Table;
    let mut spec = spec("counts", table, title, caption, &Dimension::Variant, Quantity::Launches);
    spec.x.push(Dimension::Kernel);
    use Quantity as Q;
    spec.y.extend([Q::Blocks, Q::GlobalBytesATask, Q::SectorBytesATask]);
    spec.y.extend([Q::WorstLoadSteps32, Q::WorstLoadSteps16, Q::UnlikePlain]);
    grid_of(run, papers, &[], &spec)
}

/// A figure or table of one quantity over one dimension, of all cells, by the clock around the launches.
fn spec(id: &str, kind: FigureKind, title: &str, caption: &str, x: &Dimension, y: Quantity) -> FigureSpec {
    let [id, title, caption] = [id, title, caption].map(str::to_string);
    FigureSpec { id, kind, title, caption, x: vec![x.clone()], y: vec![y], ..FigureSpec::default() }
}

/// A table of one run. None if the run has no values for it.
fn grid_of(
    run: &StoredRun,
    papers: &[PublishedPaper],
    graphs: &[NamedGraph],
    spec: &FigureSpec,
) -> Option<Grid> {
    let views = vec![RunView::new(run, papers, graphs)];
    let machines = [MachineViews { label: String::new(), views }];
    Some(table::grid(&data(spec, &machines)?))
}

/// Whether a run is of this experiment, or of a former one that this one replaces.
fn is_of(run: &StoredRun, display: &ExperimentFile) -> bool {
    let name = &run.manifest.experiment.name;
    display.name == *name || display.report.takes_over.contains(name)
}

/// Sorts runs: the experiment's own before those of its parts, among which the build that measured most comes first; then the fullest; of
/// equally full runs, the latest.
fn put_in_order(experiment: &str, runs: &mut [&StoredRun]) {
    let mut cells: BTreeMap<&str, usize> = BTreeMap::new();
    for run in runs.iter() {
        *cells.entry(&run.manifest.build.commit).or_default() += run.results.summary.len();
    }
    let main = cells.into_iter().max_by_key(|(_, cells)| *cells).map(|(commit, _)| commit.to_string());
    runs.sort_by_cached_key(|run| {
        let is_part = run.manifest.experiment.name != experiment;
        let is_other = is_part && main.as_ref() != Some(&run.manifest.build.commit);
        (is_part, is_other, Reverse((run.results.summary.len(), run.manifest.started.clone())))
    });
}

/// The runs whose cells are shown: the first run of each experiment, and further runs of the same build with cells that no run before has.
/// Graphs of one name may differ between runs: what they are made from tells them apart.
fn views<'a>(
    runs: &[&'a StoredRun],
    papers: &'a [PublishedPaper],
    graphs: &'a [NamedGraph],
) -> Vec<RunView<'a>> {
    let mut builds: BTreeMap<(&str, Vec<String>), &str> = BTreeMap::new();
    let mut known: BTreeSet<(u8, CellId)> = BTreeSet::new();
    let shown = runs.iter().filter(|run| {
        let (experiment, commit) = (&run.manifest.experiment, &*run.manifest.build.commit);
        let made_from = |graph: &NamedGraph| format!("{:?} {}", graph.source, graph.element);
        let own_graphs = experiment.graphs.iter().map(made_from).collect();
        if *builds.entry((&experiment.name, own_graphs)).or_insert(commit) != commit {
            return false;
        }
        let results = &run.results;
        let ended = results.summary.iter().filter(|row| row.status != Status::Skipped);
        let counted = results.extra.counts.iter().map(|row| (1, row.cell.clone()));
        let by_kernel = results.extra.kernel_times.iter().map(|row| (2, row.cell.clone()));
        let repeats = results.extra.repeats.iter().map(|row| (3, row.cell.clone()));
        let counters = results.extra.counters.iter().map(|row| (4, row.cell.clone()));
        let own = ended.map(|row| (0, row.cell())).chain(counted).chain(by_kernel).chain(repeats);
        let own: Vec<(u8, CellId)> = own.chain(counters).collect();
        let is_new = |(kind, cell): (u8, CellId)| {
            let graph = experiment.graph(&cell.graph).map(made_from).unwrap_or_default();
            known.insert((kind, CellId { graph, ..cell }))
        };
        own.into_iter().map(is_new).filter(|is_new| *is_new).count() > 0
    });
    shown.map(|run| RunView::new(run, papers, graphs)).collect()
}

/// The figures to show: those of the program's own experiment, else those that the runs declare, else seconds and rates by what varies.
fn specs(display: Option<&ExperimentFile>, runs: &[&StoredRun]) -> Vec<FigureSpec> {
    let of_runs = || runs.iter().map(|run| &run.manifest.experiment.figures).find(|all| !all.is_empty());
    let declared = display.map(|display| &display.figures).filter(|all| !all.is_empty()).or_else(of_runs);
    declared.cloned().unwrap_or_else(|| usual(runs))
}

/// Seconds and rates against n; or, with a single n, against the parameter with most values, or else for each implementation.
fn usual(runs: &[&StoredRun]) -> Vec<FigureSpec> {
    let rows = || runs.iter().flat_map(|run| run.results.summary.iter().filter(|row| row.is_timed()));
    let sizes: BTreeSet<usize> = rows().map(|row| row.n).collect();
    let mut values: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for set in rows().filter_map(|row| row.params.parse::<repro_base::Parameters>().ok()) {
        for (name, value) in set.iter() {
            values.entry(name.to_string()).or_default().insert(value);
        }
    }
    let swept = values.into_iter().filter(|(_, values)| values.len() > 1);
    let swept = swept.max_by_key(|(_, values)| values.len()).map(|(name, _)| name);
    let (x, kind) = match (sizes.len(), swept) {
        (2.., _) => (Dimension::N, FigureKind::Lines),
        (_, Some(name)) => (Dimension::Parameter(name), FigureKind::Lines),
        _ => (Dimension::Implementation, FigureKind::Bars),
    };
    let medians = "Medians by the clock around a kernel's launches, or around what a program was asked for.";
    let rate = "A task is one relaxation, n³ in a solve.";
    let of = |id, title, caption, y| FigureSpec {
        clock: vec![Scope::Kernel, Scope::ProgramSolve, Scope::Program],
        ..spec(id, kind, title, caption, &x, y)
    };
    vec![
        of("seconds", "Seconds of one solve", medians, Quantity::Seconds),
        of("tasks-a-second", "Tasks a second", rate, Quantity::TasksASecond),
    ]
}

/// The page of `runs`, each with its machine's label. Title and paper are those of the program's own experiment, else of the first run.
fn page(
    name: &str,
    display: Option<&ExperimentFile>,
    runs: Vec<(&str, &StoredRun)>,
    papers: &[PublishedPaper],
) -> ExperimentPage {
    let first = &runs[0].1.manifest.experiment;
    let (title, paper) =
        display.map_or((&first.title, &first.paper), |display| (&display.title, &display.paper));
    let graphs = display.map(|display| display.graphs(None)).unwrap_or_default();
    let mut machines = grouped(runs);
    machines.iter_mut().for_each(|(_, runs)| put_in_order(name, runs));
    let views = machines
        .iter()
        .map(|(label, runs)| MachineViews { label: label.to_string(), views: views(runs, papers, &graphs) });
    let views: Vec<MachineViews> = views.collect();
    let of_machines = || machines.iter().flat_map(|(label, runs)| runs.iter().map(|run| (*label, *run)));
    let specs = specs(display, &of_machines().map(|(_, run)| run).collect::<Vec<_>>());
    ExperimentPage {
        name: stem(name),
        title: title.clone(),
        paper: paper.clone(),
        runs: of_machines().map(|(label, run)| line(label, run)).collect(),
        exhibits: specs.par_iter().filter_map(|spec| exhibit(name, spec, &views)).collect(),
        notices: Vec::new(),
    }
}

fn exhibit(experiment: &str, spec: &FigureSpec, machines: &[MachineViews]) -> Option<Exhibit> {
    let data = data(spec, machines)?;
    let id = format!("{}-{}", stem(experiment), spec.id);
    let is_figure = spec.kind != FigureKind::Table;
    let figure = is_figure.then(|| plot::plot(&data, &id)).filter(is_drawn);
    let values = data.panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.values);
    let grid = table::grid(&data);
    Some(Exhibit {
        // A table's title also explains the signs in its cells.
        title: if is_figure { spec.title.clone() } else { grid.title.clone() },
        sources: data.panels.iter().map(|of| (short_label(&of.machine), of.source.clone())).collect(),
        runs: distinct(values.map(|(_, value)| value.run.clone())),
        caption: spec.caption.clone(),
        figure: figure.map(|plot| draw::draw(&plot)),
        grid,
        csv: table::csv(&data),
        front: spec.front,
        id,
    })
}

/// The look of `implementation` in every picture, by its place in the catalogue; one that this build does not know is black.
fn implementation_style(implementation: &str) -> SeriesStyle {
    draw::series_style(place_in_catalogue(implementation).unwrap_or(usize::MAX))
}

/// Whether a plot is worth drawing: lines with one mark each show less than their numbers.
fn is_drawn(plot: &Plot) -> bool {
    plot.panels.iter().any(|panel| match &panel.chart {
        draw::Chart::Lines(lines) => lines.series.iter().any(|one| one.points.len() > 1),
        draw::Chart::Rows(rows) => !rows.rows.is_empty(),
    })
}

fn line(machine: &str, run: &StoredRun) -> RunLine {
    let summary = &run.results.summary;
    RunLine {
        name: run.name(),
        machine: machine.to_string(),
        date: run.manifest.started.get(..10).unwrap_or_default().to_string(),
        commit: short_commit(&run.manifest.build.commit).to_string(),
        cells: summary.iter().filter(|row| SummaryRow::is_timed(row)).count(),
        samples: summary.iter().map(|row| row.samples).sum(),
    }
}

/// The name as a part of file names and addresses: lower-case letters, digits and hyphens.
pub(super) fn stem(name: &str) -> String {
    let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    let stem: String = letters.collect();
    let stem = stem.trim_matches('-').to_string();
    if stem.is_empty() { "run".to_string() } else { stem }
}
