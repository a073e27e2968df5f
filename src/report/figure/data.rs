//! A figure's data: for each machine its series, with the values merged from its runs.

use super::place::{Place, RunView};
use super::quantity::{Records, shown};
use super::read::{Value, of_table};
use crate::lists::distinct;
use crate::plan::{Dimension, DimensionValue, FigureSpec, Quantity};
use crate::report::machines::EMULATED;
use crate::report::text::spelled;
use crate::results::StoredRun;
use crate::store::short_commit;
use std::collections::{BTreeMap, BTreeSet};

/// The runs of one experiment on one machine, the preferred ones first.
pub(super) struct MachineViews<'a> {
    pub label: String,
    pub views: Vec<RunView<'a>>,
}

/// All that a figure or table shows.
pub(super) struct FigureData<'s> {
    pub spec: &'s FigureSpec,
    pub panels: Vec<PanelData>,
}

/// One machine's part of a figure.
pub(super) struct PanelData {
    pub machine: String,
    /// Device, runs, commits, days.
    pub source: String,
    pub series: Vec<SeriesData>,
    /// The ceilings of the machine in the unit of the figure, each with its name.
    pub ceilings: Vec<(f64, String)>,
}

/// One line, or one column of a table.
#[derive(Clone)]
pub(super) struct SeriesData {
    pub quantity: Quantity,
    /// Its place along each of the series' dimensions.
    pub key: Vec<DimensionValue>,
    pub label: String,
    /// The implementation whose colour it has.
    pub implementation: String,
    /// Whether its values are the paper's.
    pub is_published: bool,
    /// The values by x, in the order in which they are shown.
    pub values: Vec<(Vec<DimensionValue>, Value)>,
}

impl SeriesData {
    /// Whether both show the same quantity for the same key, even if one has the paper's values.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        (self.quantity, &self.key) == (other.quantity, &other.key)
    }
}

/// A value, with its quantity and place.
struct Datum<'a> {
    quantity: Quantity,
    place: Place<'a>,
    value: Value,
}

/// The data of a figure on these machines. None if no machine has any.
pub(super) fn data<'s>(spec: &'s FigureSpec, machines: &'s [MachineViews<'s>]) -> Option<FigureData<'s>> {
    let found: Vec<Vec<Vec<Datum>>> = machines.iter().map(|machine| of_machine(spec, machine)).collect();
    let all = || found.iter().flatten().flatten();
    all().next()?;
    let dimensions = series_dimensions(spec);
    let order = Order::new(spec, &dimensions, all());
    let is_count = |one: &SeriesData| shown(one.quantity).records == Records::Counts;
    let mut panels: Vec<PanelData> = Vec::new();
    for (machine, runs) in machines.iter().zip(&found) {
        let series = merged(spec, &dimensions, &order, runs);
        // Counts are the same on every machine: the first machine that has them stands for all.
        let is_repeated = |one: &SeriesData| {
            is_count(one) && panels.iter().any(|panel| panel.series.iter().any(|known| known.is_of(one)))
        };
        let series: Vec<SeriesData> = series.into_iter().filter(|one| !is_repeated(one)).collect();
        if series.is_empty() {
            continue;
        }
        let names: BTreeSet<&str> =
            series.iter().flat_map(|one| one.values.iter().map(|(_, value)| &*value.run)).collect();
        let runs = machine.views.iter().map(|view| view.run).filter(|run| names.contains(&*run.name()));
        let runs: Vec<&StoredRun> = runs.collect();
        let ceilings = runs.first().map(|run| ceilings(spec, run, &series)).unwrap_or_default();
        let source = source(&runs);
        let machine = if series.iter().all(is_count) { EMULATED.to_string() } else { machine.label.clone() };
        panels.push(PanelData { machine, source, series, ceilings });
    }
    add_published(spec, &dimensions, machines, &mut panels);
    Some(FigureData { spec, panels })
}

/// The values that the runs of a machine have for a figure, run by run.
fn of_machine<'a>(spec: &'a FigureSpec, machine: &'a MachineViews) -> Vec<Vec<Datum<'a>>> {
    let of_run = |view: &'a RunView<'a>| {
        let of = |quantity: &Quantity| {
            let quantity = *quantity;
            let places = view.places(spec, quantity).into_iter();
            places.filter_map(move |place| Some(Datum { quantity, value: place.read(quantity)?, place }))
        };
        spec.y.iter().flat_map(of).collect()
    };
    machine.views.iter().map(of_run).collect()
}

fn names_implementation(dimension: &Dimension) -> bool {
    matches!(dimension, Dimension::Implementation | Dimension::Variant)
}

/// The dimensions that tell series apart: the figure's, or else the variant unless that is along x.
fn series_dimensions(spec: &FigureSpec) -> Vec<Dimension> {
    match spec.series.is_empty() && !spec.x.iter().any(names_implementation) {
        true => vec![Dimension::Variant],
        false => spec.series.clone(),
    }
}

/// The order of values along dimensions: texts in the order of the experiment, numbers by size.
struct Order(Vec<String>);

impl Order {
    fn new<'f, 'a: 'f>(
        spec: &FigureSpec,
        dimensions: &[Dimension],
        all: impl Iterator<Item = &'f Datum<'a>>,
    ) -> Self {
        let of_place = |Datum { place, .. }: &Datum| {
            let columns = &place.view.run.manifest.experiment.columns;
            let names = columns.iter().map(|column| column.implementation.clone());
            let places = spec.x.iter().chain(dimensions).filter_map(|dimension| place.at(dimension));
            let texts = places.filter(|value| matches!(value, DimensionValue::Text(_)));
            let clocks = spec.clock.iter().map(ToString::to_string);
            clocks.chain(names).chain(texts.map(|value| text(&value))).collect::<Vec<_>>()
        };
        Self(distinct(all.flat_map(of_place)))
    }

    fn rank(&self, key: &[DimensionValue]) -> Vec<(usize, u64)> {
        let rank = |value: &DimensionValue| match value {
            DimensionValue::Number(number) => (0, *number),
            DimensionValue::Text(text) => {
                (1 + self.0.iter().position(|known| known == text).unwrap_or(usize::MAX - 1), 0)
            }
        };
        key.iter().map(rank).collect()
    }
}

/// The index of the figure's quantity, and the places along the dimensions of its series and of x.
type GroupKey = (usize, Vec<DimensionValue>, Vec<DimensionValue>);

/// The series of one machine; each value is from the first run that has it.
fn merged(
    spec: &FigureSpec,
    dimensions: &[Dimension],
    order: &Order,
    runs: &[Vec<Datum>],
) -> Vec<SeriesData> {
    let by_size = spec.x.contains(&Dimension::N) || dimensions.contains(&Dimension::N);
    let mut all: Vec<SeriesData> = Vec::new();
    for run in runs {
        // Of cells that the figure does not tell apart, those with the largest n and the first parameters count, as a mean over graphs.
        let mut groups: BTreeMap<GroupKey, Vec<&Datum>> = BTreeMap::new();
        for found in run {
            let quantity = spec.y.iter().position(|one| *one == found.quantity).unwrap_or(0);
            let x: Option<Vec<_>> = spec.x.iter().map(|dimension| found.place.at(dimension)).collect();
            // A dimension that an implementation lacks is empty, and tells none of its series apart.
            let none = DimensionValue::Text(String::new());
            let key = dimensions.iter().map(|dimension| found.place.at(dimension).unwrap_or(none.clone()));
            if let Some(x) = x {
                groups.entry((quantity, key.collect(), x)).or_default().push(found);
            }
        }
        for ((quantity, key, x), mut group) in groups {
            let largest = group.iter().map(|found| found.place.cell.n).max().unwrap_or(0);
            group.retain(|found| by_size || found.place.cell.n == largest);
            let first = group[0];
            group.retain(|found| found.place.cell.variant() == first.place.cell.variant());
            let values: Vec<Value> = group.iter().map(|found| found.value.clone()).collect();
            let Some(value) = Value::mean(&values) else { continue };
            let quantity = spec.y[quantity];
            let known = all.iter().position(|one| (one.quantity, &one.key) == (quantity, &key));
            let at = known.unwrap_or_else(|| {
                let label = label(dimensions, &key);
                let implementation = first.place.cell.implementation.clone();
                let (is_published, values) = (false, Vec::new());
                all.push(SeriesData { quantity, key, label, implementation, is_published, values });
                all.len() - 1
            });
            if all[at].values.iter().all(|(known, _)| *known != x) {
                all[at].values.push((x, value));
            }
        }
    }
    all.iter_mut().for_each(|one| one.values.sort_by_cached_key(|(x, _)| order.rank(x)));
    let place = |quantity: Quantity| spec.y.iter().position(|one| *one == quantity);
    all.sort_by_cached_key(|one| (place(one.quantity), order.rank(&one.key)));
    all
}

/// Adds the paper's seconds, or what follows from them, even where no cell was measured: as series that come before the measured ones.
fn add_published(
    spec: &FigureSpec,
    dimensions: &[Dimension],
    machines: &[MachineViews],
    panels: &mut [PanelData],
) {
    let is_by_n = spec.x == [Dimension::N] && dimensions.len() == 1 && names_implementation(&dimensions[0]);
    if !spec.published || !is_by_n {
        return;
    }
    let views = machines.iter().flat_map(|machine| &machine.views);
    let Some((view, table)) = views.filter_map(|view| Some((view, view.table?))).next() else { return };
    for panel in panels {
        let mut published: Vec<SeriesData> = Vec::new();
        for one in &panel.series {
            let facts = view.run.results.facts.any(&one.implementation);
            let bytes = facts.map(|facts| facts.bytes_per_task);
            let bytes = bytes.filter(|_| view.run.is_on_device(&one.implementation));
            let column = table.columns.get(&one.implementation).into_iter().flatten();
            let value = |of: &(usize, f64)| {
                let value = of_table(table, spec, one.quantity, *of, bytes)?;
                let x = vec![DimensionValue::Number(of.0 as u64)];
                Some((x, Value::exact(value, "published".to_string())))
            };
            let values: Vec<_> = column.filter_map(value).collect();
            if !values.is_empty() {
                published.push(SeriesData { is_published: true, values, ..one.clone() });
            }
        }
        panel.series.splice(0..0, published);
    }
}

/// What a series is called.
pub(super) fn label(dimensions: &[Dimension], key: &[DimensionValue]) -> String {
    let known = dimensions.iter().zip(key).filter(|(_, value)| !text(value).is_empty());
    known.map(|(dimension, value)| in_words(dimension, value)).collect::<Vec<_>>().join(", ")
}

/// A place along a dimension, in words that need no heading.
pub(super) fn in_words(dimension: &Dimension, value: &DimensionValue) -> String {
    let text = text(value);
    match dimension {
        Dimension::N => format!("n = {text}"),
        Dimension::EdgesPerVertex => format!("m = {text}n"),
        Dimension::ResidentBlocks => format!("{text} resident"),
        Dimension::Parameter(name) if name == "kappa" => format!("κ = {text}"),
        Dimension::Parameter(name) => format!("{name} = {text}"),
        Dimension::Clock => clock(&text).to_string(),
        Dimension::Kernel => spelled(&text),
        _ => text,
    }
}

/// The heading of a column, or of an axis, for a dimension.
pub(super) fn heading(dimension: &Dimension) -> String {
    match dimension {
        Dimension::EdgesPerVertex => "edges a vertex".to_string(),
        Dimension::ResidentBlocks => "resident blocks".to_string(),
        Dimension::Element => "type".to_string(),
        Dimension::Parameter(name) if name == "kappa" => "κ".to_string(),
        other => other.to_string(),
    }
}

/// A place along a dimension, in words that stand below its heading.
pub(super) fn text(value: &DimensionValue) -> String {
    match value {
        DimensionValue::Number(number) => number.to_string(),
        DimensionValue::Text(text) => text.clone(),
    }
}

/// What a clock enclosed, in a few words.
fn clock(name: &str) -> &str {
    match name {
        "kernel" => "events",
        "total" => "events, with both copies",
        "cuda-graph" => "events, as a CUDA graph",
        "host-synced" => "host, synchronized",
        "host-unsynced" => "host, not synchronized",
        "os-synced" => "operating system, synchronized",
        "everything" => "host, with everything",
        "copy-in-pageable" => "copy in",
        "copy-out-pageable" => "copy back",
        "copy-out-unsynced" => "copy back at once",
        "copy-out-unsynced-loaded" => "copy back at once, beside other work",
        "program-own" => "the program's own",
        "program-solve" => "host, around the solve",
        "program" => "host, around the program",
        "first-load" => "loading kernels",
        "first-prepare" => "buffers on the device",
        "first-host" => "first solve, host",
        "first-kernel" => "first solve, events",
        other => other,
    }
}

/// The ceilings of a run's machine for the quantity of a figure. The limit by issue slots is shown only where a value is above the rate of
/// an addition and a minimum a task.
fn ceilings(spec: &FigureSpec, run: &StoredRun, series: &[SeriesData]) -> Vec<(f64, String)> {
    let ceilings = run.environment().and_then(|known| known.ceilings.device.as_ref());
    let Some(device) = ceilings else { return Vec::new() };
    let measured = series.iter().flat_map(|one| one.values.iter().map(|(_, value)| value.estimate.value));
    let most = measured.fold(0.0, f64::max);
    let all: Vec<(f64, String)> = match spec.y[0] {
        // Several devices together have other ceilings.
        Quantity::TasksASecond if run.environment().is_some_and(|known| known.together.is_none()) => {
            let own = (device.add_min_tasks_per_s, "add + min in registers".to_string());
            let element = run.manifest.experiment.elements().into_iter().next().unwrap_or_default();
            let slots = run.device().and_then(|known| device.tasks_per_s(element, &known.info, None));
            let slots = slots.filter(|_| most > device.add_min_tasks_per_s);
            std::iter::once(own)
                .chain(slots.map(|slots| (slots, format!("{element}, issue slots"))))
                .collect()
        }
        Quantity::GigabytesASecond | Quantity::MovedGigabytesASecond | Quantity::CountedGigabytesASecond => {
            vec![(device.copy_gbs, "a copy in its memory".to_string())]
        }
        _ => Vec::new(),
    };
    // A ceiling that is far above would leave the values no room.
    all.into_iter().filter(|(at, _)| *at < FAR * most).collect()
}

/// A ceiling is shown below this many times the greatest value.
const FAR: f64 = 3.0;

/// Where the values of these runs come from.
pub(super) fn source(runs: &[&StoredRun]) -> String {
    let joined = |all: Vec<String>| distinct(all).join(", ");
    let names = joined(runs.iter().map(|run| run.name()).collect());
    let days = runs.iter().filter_map(|run| Some(run.manifest.started.get(..10)?.to_string()));
    let commits = runs.iter().map(|run| short_commit(&run.manifest.build.commit).to_string());
    format!("{names}; {}; commit {}", joined(days.collect()), joined(commits.collect()))
}

impl FigureData<'_> {
    /// Every x that occurs in `panels`, in order.
    pub(super) fn xs<'d>(&'d self, panels: &'d [PanelData]) -> Vec<&'d Vec<DimensionValue>> {
        let all = panels.iter().flat_map(|panel| &panel.series).flat_map(|one| &one.values);
        let mut known: Vec<&Vec<DimensionValue>> = distinct(all.map(|(x, _)| x));
        // Texts have their order from the series; the numbers that begin an x are put in order here.
        let is_number = |value: &&DimensionValue| matches!(value, DimensionValue::Number(_));
        known.sort_by(|a, b| a.iter().take_while(is_number).cmp(b.iter().take_while(is_number)));
        known
    }
}
