//! Who is fastest: implementations in the order of their stored times.
//!
//! Only cells of the same machine, clock, kind of graph, element type and n are compared, and only verified results count.

use crate::graph::{ElementType, RandomEdges, RandomGraph};
use crate::lists::grouped;
use crate::plan::GraphSource;
use crate::results::{ClockTimes, StoredRun, SummaryRow};
use crate::store::{Disturbance, MachineIdentity, MatchKind, SampleRow, Status, Verification};
use crate::timing::{Estimate, Scope};
use repro_base::CellId;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Which cells are ranked, and by what.
#[derive(Clone, Debug, Default)]
pub struct RankOptions {
    /// The part of a solve whose time counts.
    pub scope: Scope,
    /// Only these n; all where it is empty.
    pub sizes: Vec<usize>,
    /// Only these element types; all where it is empty.
    pub elements: Vec<ElementType>,
    /// Whether every set of parameters has its own place; otherwise an implementation has one place, by its fastest set.
    pub every_parameter_set: bool,
    /// Only this many first places among comparable cells; None for all.
    pub top: Option<usize>,
}

impl RankOptions {
    fn wants(&self, n: usize, element: ElementType) -> bool {
        (self.sizes.is_empty() || self.sizes.contains(&n))
            && (self.elements.is_empty() || self.elements.contains(&element))
    }
}

/// Cells of stored runs, fastest first, and the cells that have no place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    pub scope: Scope,
    /// Groups of comparable cells, each fastest first; groups are ordered by machine, clock, element type, then the largest n first.
    pub cells: Vec<RankedCell>,
    /// How many cells are left out because no comparable cell exists: a first place says nothing where there is no second.
    pub alone: usize,
    pub excluded: Vec<ExcludedCell>,
}

/// An implementation with its parameters among cells that it is comparable with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedCell {
    /// The machine's label.
    pub machine: String,
    pub clock: Clock,
    pub graph: GraphSource,
    /// Whether each device had a part of the matrix, generated on that device.
    pub sharded: bool,
    pub element: ElementType,
    pub n: usize,
    /// From 1.
    pub place: usize,
    pub implementation: String,
    /// Whether it is external: given to the run, not part of this program.
    pub external: bool,
    /// The parameters that are not at their defaults.
    pub params: String,
    /// How many sets of parameters were measured, of which this is the fastest.
    pub parameter_sets: usize,
    /// GPUs that share the matrix; 1 on the CPU, too.
    pub devices: usize,
    /// Processes that solved together.
    pub processes: usize,
    /// The median, with its interval.
    pub seconds: Estimate,
    pub tasks_per_s: f64,
    /// Its seconds over those of the first.
    pub over_first: f64,
    /// Whether its interval and that of the first overlap: the samples do not show which is faster.
    pub tied_with_first: bool,
    pub samples: usize,
    /// How its results were compared with the reference: of several ways, the weakest.
    pub verification: Option<Verification>,
    /// How many of the n iterations ran, if not all: then the time is an estimate.
    pub iterations: Option<usize>,
    /// The passing circumstance, such as load, that changed the time of a sample.
    pub disturbance: Option<Disturbance>,
    /// Whether it took turns with another build, which slows small cells.
    pub in_turns: bool,
    /// The run that measured it.
    pub run: String,
}

/// A cell that was run or planned, and has no verified time in the scope.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExcludedCell {
    /// The run's name.
    pub run: String,
    #[serde(flatten)]
    pub cell: CellId,
    /// The status of the cell: `ok` if only this scope has no time.
    pub status: Status,
    /// Why, as the run recorded it.
    pub message: String,
}

/// Ranks what `runs` measured. Runs of one machine are ranked together. A cell without a comparable one is left out, unless there are only
/// such cells, or sizes or every set of parameters were asked for.
pub fn rank(runs: &[StoredRun], options: &RankOptions) -> Ranking {
    let mut groups: Vec<_> =
        by_machine(runs).iter().flat_map(|machine| of_machine(machine, options)).collect();
    let known = groups.len();
    let are_asked_for = options.every_parameter_set || !options.sizes.is_empty();
    if !are_asked_for && groups.iter().any(|cells| cells.len() > 1) {
        groups.retain(|cells| cells.len() > 1);
    }
    let alone = known - groups.len();
    let shown = options.top.unwrap_or(usize::MAX);
    let cells = groups.into_iter().flat_map(|cells| cells.into_iter().take(shown)).collect();
    let excluded = runs.iter().flat_map(|run| excluded_cells(run, options)).collect();
    Ranking { scope: options.scope, cells, alone, excluded }
}

/// The groups of comparable cells of one machine, with their places.
fn of_machine(machine: &MachineRuns, options: &RankOptions) -> Vec<Vec<RankedCell>> {
    let cells = machine.runs.iter().flat_map(|run| timed_cells(run, &machine.label, options));
    let comparable = |cell: RankedCell| {
        let by_size = (cell.clock, cell.element, Reverse(cell.n));
        ((by_size, cell.sharded, without_seed(&cell.graph)), cell)
    };
    let mut groups = grouped(cells.map(comparable));
    groups.sort_by_key(|((by_size, ..), _)| *by_size);
    groups.into_iter().map(|(_, cells)| places(cells, options.every_parameter_set)).collect()
}

/// A graph without what its times do not depend on: its seed, or where its file lies.
fn without_seed(graph: &GraphSource) -> GraphSource {
    match graph {
        GraphSource::Random(random) => GraphSource::Random(RandomGraph { seed: 0, ..random.clone() }),
        GraphSource::Edges(edges) => GraphSource::Edges(RandomEdges { seed: 0, ..edges.clone() }),
        GraphSource::File { digest, .. } => {
            GraphSource::File { path: PathBuf::new(), digest: digest.clone() }
        }
    }
}

/// Every cell of a run that has a time in the scope, before places are given.
fn timed_cells(run: &StoredRun, machine: &str, options: &RankOptions) -> Vec<RankedCell> {
    let experiment = &run.manifest.experiment;
    let together = run.environment().and_then(|environment| environment.together.as_ref());
    let of_cell = |(id, timed): (&CellId, &ClockTimes)| {
        let element = experiment.element_of(&id.graph);
        if !options.wants(id.n, element) || timed.seconds.value <= 0.0 {
            return None;
        }
        let rows = || timed.rows(&run.samples);
        Some(RankedCell {
            machine: machine.to_string(),
            clock: Clock::new(options.scope, run.is_on_device(&id.implementation)),
            graph: run.graph_source(&id.graph)?.clone(),
            sharded: experiment.sharded,
            element,
            n: id.n,
            place: 0,
            implementation: id.implementation.clone(),
            external: experiment.given.iter().any(|given| given.name == id.implementation),
            params: run.results.facts.written_non_default(&id.implementation, &id.params),
            parameter_sets: 1,
            devices: run.results.facts.devices_sharing(id),
            processes: together.map_or(1, |together| together.processes),
            seconds: timed.seconds,
            tasks_per_s: run.tasks(id) / timed.seconds.value,
            over_first: 1.0,
            tied_with_first: false,
            samples: timed.samples.len(),
            verification: weakest(rows().filter_map(|row| row.verification)),
            iterations: rows().find_map(|row| row.iterations),
            disturbance: rows().find_map(SampleRow::disturbance),
            in_turns: run.manifest.pair.is_some(),
            run: run.name(),
        })
    };
    run.results.times.by(options.scope).filter_map(of_cell).collect()
}

/// The weakest verification: one of some rows before one of whole results, then the one with the widest bounds.
fn weakest(all: impl Iterator<Item = Verification>) -> Option<Verification> {
    let widest = |how: MatchKind| if let MatchKind::Bounds { widest } = how { widest } else { -1.0 };
    let by_rows = |a: &Verification, b: &Verification| a.rows.is_some().cmp(&b.rows.is_some());
    all.max_by(|a, b| by_rows(a, b).then(widest(a.how).total_cmp(&widest(b.how))))
}

/// Places for comparable cells by their times. Of runs that measured the same, the newest counts, unpaired runs before paired ones.
fn places(cells: Vec<RankedCell>, every_parameter_set: bool) -> Vec<RankedCell> {
    // What solved the cell, whatever its parameters.
    let solver =
        |cell: &RankedCell| (cell.implementation.clone(), cell.external, cell.devices, cell.processes);
    let variant = |cell: &RankedCell| (solver(cell), cell.params.clone());
    let variants = grouped(cells.into_iter().map(|cell| (variant(&cell), cell)));
    // Runs come oldest first, and `max_by_key` takes the last of equals.
    let preferred = |cells: Vec<RankedCell>| cells.into_iter().max_by_key(|cell| !cell.in_turns);
    let mut cells: Vec<_> = variants.into_iter().filter_map(|(_, all)| preferred(all)).collect();
    cells.sort_by(|a, b| a.seconds.value.total_cmp(&b.seconds.value));
    if !every_parameter_set {
        let solvers = grouped(cells.into_iter().map(|cell| (solver(&cell), cell)));
        let fastest = |sets: Vec<RankedCell>| {
            let parameter_sets = sets.len();
            let mut fastest = sets.into_iter().next()?;
            fastest.parameter_sets = parameter_sets;
            Some(fastest)
        };
        cells = solvers.into_iter().filter_map(|(_, sets)| fastest(sets)).collect();
    }
    let first = cells.first().map(|first| first.seconds);
    let placed = |(at, cell): (usize, RankedCell)| {
        let first = first.unwrap_or(cell.seconds);
        RankedCell {
            place: at + 1,
            over_first: cell.seconds.value / first.value,
            tied_with_first: at > 0 && cell.seconds.low <= first.high,
            ..cell
        }
    };
    cells.into_iter().enumerate().map(placed).collect()
}

/// Every cell of a run that the options ask for and that has no time in the scope.
fn excluded_cells(run: &StoredRun, options: &RankOptions) -> Vec<ExcludedCell> {
    let experiment = &run.manifest.experiment;
    let lacking = run.results.summary.iter().filter(|row| {
        let element = experiment.element_of(&row.graph);
        options.wants(row.n, element) && run.cell(&row.cell()).time(options.scope).is_none()
    });
    let excluded = |row: &SummaryRow| ExcludedCell {
        run: run.name(),
        cell: row.cell(),
        status: row.status,
        message: row.message.clone(),
    };
    lacking.map(excluded).collect()
}

/// The clock that reads a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// Events on the device, around the work that is queued there.
    Events,
    /// The host's clock, around a solve whose end the host waits for.
    Host,
}

impl Clock {
    /// The clock that reads `scope` of a solve on a device, or on the CPU, which has no events.
    pub fn new(scope: Scope, on_device: bool) -> Self {
        match scope {
            Scope::Kernel | Scope::Device | Scope::Total | Scope::CudaGraph if on_device => Self::Events,
            _ => Self::Host,
        }
    }
}

/// The scopes that time a whole solve, in the order of records. The other scopes do not wait for the GPU, time a copy alone, time the first
/// solve of a process or one next to other work, or read a clock that is the program's own or may be set meanwhile.
pub const RANKED_SCOPES: [Scope; 9] = [
    Scope::CudaGraph,
    Scope::HostSynced,
    Scope::Everything,
    Scope::Kernel,
    Scope::Device,
    Scope::Total,
    Scope::Host,
    Scope::ProgramSolve,
    Scope::Program,
];

/// Runs of one machine, oldest first.
pub struct MachineRuns<'a> {
    pub label: String,
    pub runs: Vec<&'a StoredRun>,
}

/// Groups runs that measured something by their machine, machines with a GPU first, then in the order of their first run. As many GPUs of one
/// model, with one driver and compiler in hosts with one model of CPU, are one machine. Runs without a GPU join the only group with a run on the same host; where several groups have such a host, the only one with a
/// run on it of the same commit. Runs that measured nothing, such as those on the emulated device without CPU columns,
/// belong to no machine.
pub fn by_machine(runs: &[StoredRun]) -> Vec<MachineRuns<'_>> {
    let has_times = |run: &&StoredRun| run.results.summary.iter().any(SummaryRow::is_timed);
    let mut sorted: Vec<&StoredRun> = runs.iter().filter(has_times).collect();
    let oldest_first = |a: &&StoredRun, b: &&StoredRun| {
        (&a.manifest.started, &a.folder).cmp(&(&b.manifest.started, &b.folder))
    };
    sorted.sort_by(oldest_first);
    let machine = |run: &StoredRun| {
        let machine = run.environment()?.machine();
        let threads = if machine.gpu.is_some() { 0 } else { machine.threads };
        Some((MachineIdentity { threads, ..machine }, devices(run)))
    };
    let known = sorted.into_iter().filter_map(|run| Some((machine(run)?, run)));
    let (with_gpu, of_cpus): (Vec<_>, Vec<_>) = known.partition(|((machine, _), _)| machine.gpu.is_some());
    let mut groups = grouped(with_gpu);
    let mut alone = Vec::new();
    for (machine, run) in of_cpus {
        let host = |of: &StoredRun| of.environment().map(|here| here.host.clone());
        let shares_host = |other: &StoredRun| host(other) == host(run);
        let shares_commit = |other: &StoredRun| {
            shares_host(other) && other.manifest.build.commit == run.manifest.build.commit
        };
        match the_one_with(&groups, shares_host).or_else(|| the_one_with(&groups, shares_commit)) {
            Some(at) => {
                let others = &mut groups[at].1;
                others.push(run);
                others.sort_by(oldest_first);
            }
            None => alone.push((machine, run)),
        }
    }
    groups.extend(grouped(alone));
    let mut labels: BTreeSet<String> = BTreeSet::new();
    groups
        .into_iter()
        .map(|((MachineIdentity { gpu, driver, cpu, threads, .. }, devices), runs)| {
            let name = match (gpu, devices) {
                (Some(gpu), 1) => gpu,
                (Some(gpu), count) => format!("{count} {gpu}"),
                (None, _) => format!("{cpu}, no GPU, {threads} threads"),
            };
            let with_driver = driver.map_or(name.clone(), |driver| format!("{name}, driver {driver}"));
            let numbered = (2..).map(|count| format!("{with_driver} ({count})"));
            let mut candidates = [name, with_driver.clone()].into_iter().chain(numbered);
            // The numbers are endless, so one is always free.
            let label = candidates.find(|label| !labels.contains(label)).unwrap_or_default();
            labels.insert(label.clone());
            MachineRuns { label, runs }
        })
        .collect()
}

/// The index of the only group of one GPU with such a run. None if there is no such group, or several.
fn the_one_with<M>(groups: &[(M, Vec<&StoredRun>)], is_such: impl Fn(&StoredRun) -> bool) -> Option<usize> {
    let has_such = |at: &usize| groups[*at].1.iter().any(|run| devices(run) == 1 && is_such(run));
    let mut places = (0..groups.len()).filter(has_such);
    places.next().filter(|_| places.next().is_none())
}

/// The GPUs that a run had, over all its hosts.
fn devices(run: &StoredRun) -> usize {
    1 + run.environment().map_or(0, |of| of.further_devices.len())
}
