//! Lists by time.

use super::clock::Clock;
use super::kind::GraphKind;
use super::origin::{Lines, Origin};
use super::{Options, listed, newest, precedence};
use crate::graph::ElementType;
use crate::implementation::Parameters;
use crate::lists::{distinct, grouped};
use crate::measure::floor_of;
use crate::plan::implementation_of;
use crate::results::{EnergySource, MachineRuns, StoredRun, Timed, joules_by_counter, joules_by_reading};
use crate::store::{Compared, SampleRow, Verification, is_loaded, short_commit};
use crate::timing::{Estimate, Scope, median};
use repro_types::CellId;
use serde::Serialize;
use std::cmp::Ordering;

/// Times that may be compared, fastest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct List {
    /// The machine's label.
    pub machine: String,
    pub clock: Clock,
    pub scope: Scope,
    pub graph: GraphKind,
    pub n: usize,
    pub element: ElementType,
    /// Whether each device had a part of the matrix, which was made there.
    pub sharded: bool,
    pub entries: Vec<TimedEntry>,
    /// How many more there are, which were not asked for.
    pub further: usize,
}

impl List {
    /// How many implementations it has; a place that was not asked for counts as one.
    pub fn implementations(&self) -> usize {
        distinct(self.entries.iter().map(|entry| &entry.implementation)).len() + self.further
    }
}

/// A place in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimedEntry {
    /// From 1.
    pub rank: usize,
    /// Whether its interval and that of the place above overlap: the samples do not show which is faster.
    pub overlaps_above: bool,
    pub implementation: String,
    /// Those that are not at their defaults.
    pub params: String,
    /// How many other sets of parameters of it were slower.
    pub slower_params: usize,
    pub origin: Origin,
    /// That it ran on together; 0 on the CPU.
    pub devices: usize,
    /// That solved together.
    pub processes: usize,
    /// Tasks over the seconds, with the interval of the median.
    pub tasks_per_s: Estimate,
    /// The median, with its interval.
    pub seconds: Estimate,
    /// In use; one has no interval.
    pub samples: usize,
    /// Of the rate of the first.
    pub of_first: f64,
    /// The shortest time that the machine allows over the time that it took; the median of the samples. None where no ceiling is known, or
    /// not what bounds the implementation.
    pub of_floor: Option<f64>,
    pub energy: Option<Energy>,
    pub lines: Option<Lines>,
    /// The paper and place that it follows, or what its author states.
    pub source: Option<String>,
    /// How its results were compared: of several ways the one that shows least.
    pub verification: Option<Verification>,
    /// Where only some of the n iterations ran: the time is an estimate.
    pub iterations: Option<usize>,
    /// What others used of the host, where it was so much that the time was measured under load.
    pub others_load: Option<f64>,
    /// The run that the time is of.
    pub run: String,
    pub commit: String,
}

/// What a solve takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Energy {
    pub joules: f64,
    pub source: EnergySource,
}

/// What the times of a list have in common, other than machine and scope.
#[derive(Clone, PartialEq)]
struct Key {
    clock: Clock,
    sharded: bool,
    graph: GraphKind,
    element: ElementType,
    n: usize,
}

/// What is the same cell in several runs: the implementation, its parameters, and the processes that solve together.
type Variant = (String, String, usize);

/// What one run measured of a cell.
struct Measured<'a> {
    run: &'a StoredRun,
    id: CellId,
    rows: Vec<&'a SampleRow>,
    seconds: Estimate,
}

/// The lists of one machine.
pub(super) fn lists(machine: &MachineRuns, options: &Options) -> Vec<List> {
    let all = machine.runs.iter().flat_map(|run| measured(run, options));
    let placed = |entries: Vec<TimedEntry>| placed(entries, options.every_parameter);
    let list = |(key, entries, further)| {
        let Key { clock, sharded, graph, element, n } = key;
        let (machine, scope) = (machine.label.clone(), options.scope);
        List { machine, clock, scope, graph, n, element, sharded, entries, further }
    };
    let mut lists: Vec<List> = listed(all, options.top, entry, placed).map(list).collect();
    lists.sort_by(|a, b| {
        let by_clock = (a.clock, a.sharded).cmp(&(b.clock, b.sharded));
        by_clock.then(a.graph.in_order(&b.graph)).then((a.element, b.n).cmp(&(b.element, a.n)))
    });
    lists
}

/// Every cell of a run that has valid samples, with where it belongs.
fn measured<'a>(run: &'a StoredRun, options: &Options) -> Vec<(Key, Variant, Measured<'a>)> {
    let experiment = &run.manifest.experiment;
    let processes = run.environment().and_then(|of| of.together.as_ref()).map_or(1, |of| of.processes);
    let of_cell = |(id, timed): (&'a CellId, &'a Timed)| {
        let element = experiment.element_of(&id.graph);
        let clock = Clock::of(options.scope, run.is_on_device(&id.implementation))?;
        if !options.wants(id.n, element) {
            return None;
        }
        let graph = GraphKind::of(run.graph_source(&id.graph)?);
        let seconds = Some(timed.seconds).filter(|seconds| seconds.value > 0.0)?;
        let rows = timed.rows(&run.samples).collect();
        let params = run.results.facts.written_non_default(&id.implementation, &id.params);
        let key = Key { clock, sharded: experiment.sharded, graph, element, n: id.n };
        let variant = (id.implementation.clone(), params, processes);
        Some((key, variant, Measured { run, id: id.clone(), rows, seconds }))
    };
    run.results.times.by(options.scope).filter_map(of_cell).collect()
}

/// The place of a cell, still without rank. All of `found` are of this cell, each from another run.
fn entry(key: &Key, variant: &Variant, found: &[Measured]) -> Option<TimedEntry> {
    let newest = newest(found.iter().map(|one| one.run))?;
    let best = found.iter().max_by_key(|one| precedence(one.run, one.rows.len(), newest))?;
    let Measured { run, id, rows, seconds, .. } = best;
    let tasks = run.tasks(id);
    let (implementation, params, processes) = variant.clone();
    let on_cpu = !run.is_on_device(&id.implementation);
    let devices = if on_cpu { 0 } else { run.results.facts.devices_sharing(id.variant()) };
    let known = run.environment().and_then(|environment| environment.implementation(id.variant()));
    let given = &run.manifest.experiment.given;
    let load = rows.iter().filter_map(|row| row.others_load).reduce(f64::max);
    Some(TimedEntry {
        rank: 0,
        overlaps_above: false,
        slower_params: 0,
        origin: Origin::of(&implementation, given),
        devices,
        processes,
        tasks_per_s: Estimate::exact(tasks).over(*seconds),
        seconds: *seconds,
        samples: rows.len(),
        of_first: 1.0,
        of_floor: of_floor(run, id, key, rows),
        energy: (devices == 1).then(|| energy(found, best)).flatten(),
        lines: known.and_then(|record| Lines::of(record, given, key.element)),
        source: known.map(|record| record.source.clone()).filter(|source| !source.is_empty()),
        verification: weakest(rows.iter().filter_map(|row| row.verification)),
        iterations: rows.iter().find_map(|row| row.iterations),
        others_load: load.filter(|load| is_loaded(*load)),
        run: run.name(),
        commit: short_commit(&run.manifest.build.commit).to_string(),
        implementation,
        params,
    })
}

/// The floor of each sample, at the clock that it had, over its seconds; the median of all.
fn of_floor(run: &StoredRun, cell: &CellId, key: &Key, rows: &[&SampleRow]) -> Option<f64> {
    let known = implementation_of(&cell.implementation, &run.manifest.experiment.given)?;
    let parameters: Parameters = cell.params.parse().ok()?;
    known.check(&parameters).ok()?;
    let problem = run.manifest.experiment.graph(&cell.graph)?.problem(key.n);
    let environment = run.environment()?;
    let share = |row: &&SampleRow| {
        let (floor, _) = floor_of(&known, &parameters, &problem, row.sm_mhz, environment);
        Some(floor.seconds / row.seconds?)
    };
    median(&rows.iter().filter_map(share).collect::<Vec<f64>>()).filter(|share| *share > 0.0)
}

/// The one that shows least: rows before all entries, then the widest way of comparing.
pub(super) fn weakest(all: impl Iterator<Item = Verification>) -> Option<Verification> {
    let order = |of: &Verification| match of.how {
        Compared::Exact => (of.rows.is_some(), 0, 0.0),
        Compared::Bounds { widest } => (of.rows.is_some(), 1, widest),
    };
    // Widths are finite, as they are read.
    all.max_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(Ordering::Equal))
}

/// Sorted by time, with what follows from the order. Each implementation has its fastest parameters alone unless each set is wanted.
fn placed(mut entries: Vec<TimedEntry>, every_parameter: bool) -> Vec<TimedEntry> {
    let order = |a: &TimedEntry, b: &TimedEntry| {
        let by_time = a.seconds.value.total_cmp(&b.seconds.value);
        by_time.then_with(|| (&a.implementation, &a.params).cmp(&(&b.implementation, &b.params)))
    };
    entries.sort_by(order);
    if !every_parameter {
        let of = |entry: &TimedEntry| (entry.implementation.clone(), entry.devices, entry.processes);
        let by_implementation = grouped(entries.drain(..).map(|entry| (of(&entry), entry)));
        entries.extend(by_implementation.into_iter().filter_map(|(_, mut all)| {
            let slower_params = all.len() - 1;
            (!all.is_empty()).then(|| TimedEntry { slower_params, ..all.swap_remove(0) })
        }));
    }
    let first = entries.first().map_or(0.0, |first| first.seconds.value);
    let mut above: Option<Estimate> = None;
    for (at, entry) in entries.iter_mut().enumerate() {
        entry.rank = at + 1;
        entry.of_first = first / entry.seconds.value;
        entry.overlaps_above = above.is_some_and(|above| entry.seconds.low <= above.high);
        above = Some(entry.seconds);
    }
    entries
}

/// What a solve takes: by the counter, of all runs with the same kernels as `best`; else by the readings of `best`.
fn energy(found: &[Measured], best: &Measured) -> Option<Energy> {
    let joules = |one: &Measured, all: fn(&StoredRun) -> Vec<(CellId, f64)>| -> Vec<f64> {
        all(one.run).into_iter().filter(|(cell, _)| *cell == one.id).map(|(_, joules)| joules).collect()
    };
    let hash = |one: &Measured| one.run.source_hash(&one.id.implementation, &one.id.params).map(String::from);
    let same_kernels = found.iter().filter(|one| hash(one) == hash(best));
    let counted: Vec<f64> = same_kernels.flat_map(|one| joules(one, joules_by_counter)).collect();
    let of = |joules: &[f64], source| Some(Energy { joules: median(joules)?, source });
    of(&counted, EnergySource::Counter)
        .or_else(|| of(&joules(best, joules_by_reading), EnergySource::Reading))
        .filter(|energy| energy.joules.is_finite() && energy.joules > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::by_machine;
    use std::path::Path;

    fn run(name: &str) -> StoredRun {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference/h200").join(name);
        StoredRun::open(&folder).unwrap()
    }

    fn lists_of(runs: &[StoredRun], options: &Options) -> Vec<List> {
        by_machine(runs).iter().flat_map(|machine| lists(machine, options)).collect()
    }

    #[test]
    fn what_has_no_time_of_its_kernels_has_a_place_by_another_scope() {
        let mut run = run("table1");
        let mut samples = std::mem::take(&mut run.samples);
        samples.retain(|row| row.n != 1024 || row.scope == Scope::Kernel);
        samples.iter_mut().filter(|row| row.n == 1024).for_each(|row| row.scope = Scope::Program);
        let run = run.with_samples(samples);
        let by = |scope| {
            let options = Options { scope, sizes: vec![1024], ..Options::default() };
            crate::ranking::rank(std::slice::from_ref(&run), &options)
        };
        let ranking = by(Scope::Program);
        let lists: Vec<_> = ranking.lists.iter().map(|list| (list.clock, list.entries.len() > 1)).collect();
        assert_eq!(lists, [(Clock::Host, true)]);
        assert_eq!(ranking.left_out, [], "a cell with a place is not left out");
        assert_eq!(by(Scope::Kernel).lists, []);
    }

    /// An entry of a list: a variant and its seconds.
    fn entry(implementation: &str, params: &str, (low, value, high): (f64, f64, f64)) -> TimedEntry {
        let seconds = Estimate { value, low, high };
        TimedEntry {
            rank: 0,
            overlaps_above: false,
            implementation: implementation.into(),
            params: params.into(),
            slower_params: 0,
            origin: Origin::Ours,
            devices: 1,
            processes: 1,
            tasks_per_s: seconds,
            seconds,
            samples: 6,
            of_first: 1.0,
            of_floor: None,
            energy: None,
            lines: None,
            source: None,
            verification: None,
            iterations: None,
            others_load: None,
            run: String::new(),
            commit: String::new(),
        }
    }

    #[test]
    fn the_fastest_parameters_have_the_place_and_overlapping_intervals_are_marked() {
        let all = || {
            vec![
                entry("slow", "", (3.9, 4.0, 4.1)),
                entry("swept", "x=1", (1.9, 2.0, 2.1)),
                entry("swept", "x=2", (0.9, 1.0, 1.1)),
                entry("close", "", (1.05, 1.25, 1.3)),
            ]
        };
        let digest = |entries: &[TimedEntry]| -> Vec<_> {
            let digest = |one: &TimedEntry| {
                (one.rank, one.params.clone(), one.slower_params, one.of_first, one.overlaps_above)
            };
            entries.iter().map(digest).collect()
        };
        let best = all();
        let best = placed(best, false);
        let expected = [
            (1, "x=2".to_string(), 1, 1.0, false),
            (2, String::new(), 0, 0.8, true),
            (3, String::new(), 0, 0.25, false),
        ];
        assert_eq!(digest(&best), expected);
        let each = all();
        let each = placed(each, true);
        assert_eq!(digest(&each).iter().map(|one| one.0).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(each[2].params, "x=1");
    }

    #[test]
    fn an_implementation_on_more_devices_has_a_place_of_its_own() {
        let two = TimedEntry { devices: 2, ..entry("shared", "devices=2", (0.5, 0.5, 0.5)) };
        let all = vec![entry("shared", "", (1.0, 1.0, 1.0)), two];
        let all = placed(all, false);
        assert_eq!(all.iter().map(|one| one.devices).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn the_verification_that_shows_least_is_told() {
        let bounds = |widest| Verification { how: Compared::Bounds { widest }, rows: None };
        let rows = Verification { rows: Some(32), ..Verification::EXACT };
        let of = |all: &[Verification]| weakest(all.iter().copied());
        assert_eq!(of(&[bounds(0.1), Verification::EXACT, bounds(0.2)]), Some(bounds(0.2)));
        assert_eq!(of(&[bounds(0.2), rows, Verification::EXACT]), Some(rows));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn only_one_machine_kind_of_graph_n_type_and_clock_is_in_a_list() {
        let runs = ["frontier-energy", "table1", "densities", "negative"].map(run);
        let lists = lists_of(&runs, &Options::default());
        let keys: Vec<_> = lists
            .iter()
            .map(|list| (list.clock, list.graph.to_string(), list.n, list.element, list.machine.clone()))
            .collect();
        assert!(keys.iter().enumerate().all(|(at, key)| !keys[..at].contains(key)));
        let kinds: std::collections::BTreeSet<&String> = keys.iter().map(|key| &key.1).collect();
        assert!(kinds.len() >= 4, "{kinds:?}");
        let is_right = |list: &List| {
            let sorted = list.entries.is_sorted_by(|a, b| a.seconds.value <= b.seconds.value);
            sorted && list.entries.iter().all(|one| one.of_floor.is_none_or(|share| share < 1.03))
        };
        assert!(lists.iter().all(is_right));
    }

    #[test]
    fn energy_is_by_the_counter_where_it_was_read_and_by_readings_of_long_solves_else() {
        let runs = ["frontier-energy", "limits"].map(run);
        let lists = lists_of(&runs, &Options::default());
        let of = |n: usize, name: &str| {
            let all = lists
                .iter()
                .filter(|list| (list.n, list.element, list.clock) == (n, ElementType::F32, Clock::Events));
            all.flat_map(|list| &list.entries).find(|one| one.implementation == name).unwrap().energy
        };
        let counted = of(4096, "staged-load").unwrap();
        assert_eq!(counted.source, EnergySource::Counter);
        assert!((counted.joules - 1370.67 / 244.0).abs() < 1e-6, "{counted:?}");
        assert_eq!(of(16384, "harish-narayanan").unwrap().source, EnergySource::Reading);
        assert_eq!(of(2048, "harish-narayanan"), None);
    }

    #[test]
    fn the_first_places_and_how_many_more_there_are() {
        let options = Options { sizes: vec![1024], top: Some(1), ..Options::default() };
        let lists = lists_of(&[run("table1")], &options);
        assert!(
            lists.iter().all(|list| list.n == 1024 && list.entries.len() == 1 && list.entries[0].rank == 1)
        );
        assert_eq!(lists[0].further, 3);
        let other = Options { elements: vec![ElementType::I32], ..Options::default() };
        assert_eq!(lists_of(&[run("table1")], &other), []);
    }

    #[test]
    fn a_run_in_turn_with_another_build_counts_only_where_nothing_else_does() {
        let options = Options { sizes: vec![1024], ..Options::default() };
        let (alone, paired) = (run("table1"), run("table1-beside-itself-new"));
        assert!(alone.manifest.pair.is_none() && paired.manifest.pair.is_some());
        let runs_of = |runs: &[StoredRun]| -> Vec<String> {
            let lists = lists_of(runs, &options);
            let events = lists.iter().filter(|list| list.clock == Clock::Events);
            events.flat_map(|list| &list.entries).map(|one| one.run.clone()).collect()
        };
        assert!(runs_of(&[alone.clone(), paired.clone()]).iter().all(|run| run == "table1"));
        assert!(runs_of(&[paired]).iter().all(|run| run == "table1-beside-itself-new"));
    }
}
