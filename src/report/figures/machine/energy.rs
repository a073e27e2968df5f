//! What a solve takes in joules, and how many tasks a joule does.

use crate::graph::ElementType;
use crate::lists::{extremes, grouped};
use crate::plot::palette::MUTED;
use crate::plot::{
    Axis, Chart, Facts, Key, Lines, Mark, Plot, Point, Quantity, Scale, Series, Stroke, significant,
};
use crate::results::{
    EnergySource as Source, LONG_ENOUGH_S, StoredRun, joules_by_counter, joules_by_reading,
};
use crate::show::source;
use crate::show::words::{list, percent};
use crate::show::{look, place};
use crate::timing::{Estimate, Scope, median};
use repro_types::CellId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Two plots of the same data. None where fewer than two kernels, or two sizes, have an energy.
pub fn plots(runs: &[&StoredRun]) -> Vec<Plot> {
    let mut lines = lines(runs);
    // A mark by itself in another type has nothing of its source to be compared with.
    lines.retain(|line| line.element == ElementType::F32 || line.source == Source::Counter);
    let sizes = || lines.iter().flat_map(|line| line.joules.keys().copied());
    if lines.len() < 2 || sizes().min() == sizes().max() {
        return Vec::new();
    }
    let used: Vec<&StoredRun> =
        runs.iter().copied().filter(|run| !counters(run).is_empty() || !readings(run).is_empty()).collect();
    let source = || source::of_runs(&used).map(|source| source.of_sizes(sizes()));
    let sources = sources(runs, &lines);
    let first_type = |line: &&Line| line.element == ElementType::F32;
    let plain: Vec<&Line> = lines.iter().filter(first_type).collect();
    let chart = |y: Axis, lines: &[&Line], of: &dyn Fn(usize, Estimate) -> Estimate| {
        let series = lines.iter().map(|line| line.series(of)).collect();
        let keys = match lines.iter().any(|line| line.source == Source::Reading) {
            true => {
                let key = |text: &str, filled| Key::circles(text, filled, MUTED, Stroke::None);
                vec![key("the GPU's energy counter", true), key("power reading times seconds", false)]
            }
            false => Vec::new(),
        };
        Chart::Lines(Lines { keys, ..Lines::by_n(y, series, Vec::new()) })
    };
    let all: Vec<&Line> = lines.iter().collect();
    let alt = |what: &str, lines: &[&Line]| {
        let names: Vec<String> = lines.iter().map(|line| line.name()).collect();
        format!("{what} against n, a line or mark for each of {}.", list(&names))
    };
    let efficiency = |n: usize, joules: Estimate| {
        let tasks = (n as f64).powi(3);
        Estimate { value: tasks / joules.value, low: tasks / joules.high, high: tasks / joules.low }
    };
    vec![
        Plot {
            id: "joules".into(),
            title: dearest(&plain),
            shows: "Joules a solve by n, f32".into(),
            caption: sources,
            alt: alt("Joules a solve", &plain),
            source: source(),
            chart: chart(
                Axis::new("joules a solve, f32", Scale::Log, Quantity::Joules),
                &plain,
                &|_, joules| joules,
            ),
        },
        Plot {
            id: "tasks-a-joule".into(),
            title: best(&lines, &efficiency),
            shows: "Tasks a joule by n".into(),
            caption: "A task is one relaxation: n³ a solve. Where the numbers come from is told below the joules a solve.".into(),
            alt: alt("Tasks a joule", &all),
            source: source(),
            chart: chart(
                Axis::new("10⁹ tasks a joule", Scale::Log, Quantity::TasksPerJoule),
                &all,
                &efficiency,
            ),
        },
    ]
}

/// The energy of one kernel in one type of distance.
struct Line {
    implementation: String,
    params: String,
    element: ElementType,
    source: Source,
    /// Joules a solve by n, from the least to the most of several runs or samples.
    joules: BTreeMap<usize, Estimate>,
    /// How many samples there are by n; none by the counter, which is read over many solves.
    samples: BTreeMap<usize, usize>,
}

impl Line {
    fn name(&self) -> String {
        let params = if self.params.is_empty() { String::new() } else { format!(" ({})", self.params) };
        match self.element {
            ElementType::F32 => format!("{}{params}", self.implementation),
            element => format!("{}{params}, {element}", self.implementation),
        }
    }

    fn series(&self, of: &dyn Fn(usize, Estimate) -> Estimate) -> Series {
        let point = |(&n, &joules): (&usize, &Estimate)| {
            let Estimate { value, low, high } = of(n, joules);
            let end = |end: f64| (low < high).then_some(end);
            let facts = Facts { samples: self.samples.get(&n).copied(), ..Facts::default() };
            Point { x: n as f64, y: value, low: end(low), high: end(high), facts }
        };
        let looks = look(&self.implementation);
        let stroke = match self.element {
            ElementType::F32 => Stroke::Solid,
            ElementType::I32 => Stroke::Dashed,
            _ => Stroke::Dotted,
        };
        let name = self.name();
        let short = format!("{}\n{}", self.implementation, self.element);
        Series {
            mark: Some(Mark { shape: looks.shape, filled: self.source == Source::Counter }),
            stroke,
            short: Some(short),
            name: name.clone(),
            ..Series::new(&name.replace(" (", "\n("), self.joules.iter().map(point).collect(), looks)
        }
    }
}

/// Which kernel, with which parameters, in which type, and by which means.
type Variant = (String, String, ElementType, Source);

/// A line for each kernel and type: with the parameters that take least at the largest n, and by the counter where there is one.
fn lines(runs: &[&StoredRun]) -> Vec<Line> {
    let all = runs.iter().flat_map(|run| counters(run).into_iter().chain(readings(run)));
    let mut lines: Vec<Line> = grouped(all.map(|(variant, n, joules)| (variant, (n, joules))))
        .into_iter()
        .map(|((implementation, params, element, source), found)| {
            let found = grouped(found);
            let joules = found.iter().filter_map(|(n, all)| Some((*n, between(all)?))).collect();
            let sampled = found.iter().filter(|_| source == Source::Reading);
            let samples = sampled.map(|(n, all)| (*n, all.len())).collect();
            Line { implementation, params, element, source, joules, samples }
        })
        .collect();
    lines.sort_by(|a, b| key_of(a).cmp(&key_of(b)).then(at_largest(a).total_cmp(&at_largest(b))));
    // The first of a kernel and type is by the counter, and of those the one with most sizes and then the least energy.
    lines.dedup_by(|b, a| (&a.implementation, a.element) == (&b.implementation, b.element));
    lines
}

fn key_of(line: &Line) -> (usize, String, ElementType, Source, Reverse<usize>) {
    let name = line.implementation.clone();
    (place(&name), name, line.element, line.source, Reverse(line.joules.len()))
}

fn at_largest(line: &Line) -> f64 {
    line.joules.values().next_back().map_or(f64::INFINITY, |joules| joules.value)
}

/// The median of all, from the least to the most.
fn between(all: &[f64]) -> Option<Estimate> {
    let finite = all.iter().all(|one| one.is_finite() && *one > 0.0);
    median(all).filter(|_| finite).map(|value| Estimate::among(value, all.iter().copied()))
}

fn element_of(run: &StoredRun, graph: &str) -> Option<ElementType> {
    run.manifest.experiment.graph(graph).map(|one| one.element)
}

/// What a run has of joules a solve, by the variant whose they are.
fn of_run(run: &StoredRun, source: Source, found: Vec<(CellId, f64)>) -> Vec<(Variant, usize, f64)> {
    let of_cell = |(cell, joules): (CellId, f64)| {
        // Solves of undirected graphs may do half of the tasks: their joules are of something else.
        let element =
            element_of(run, &cell.graph).filter(|_| !run.manifest.experiment.is_undirected(&cell.graph))?;
        Some(((cell.implementation, cell.params, element, source), cell.n, joules))
    };
    found.into_iter().filter_map(of_cell).collect()
}

fn counters(run: &StoredRun) -> Vec<(Variant, usize, f64)> {
    of_run(run, Source::Counter, joules_by_counter(run))
}

fn readings(run: &StoredRun) -> Vec<(Variant, usize, f64)> {
    of_run(run, Source::Reading, joules_by_reading(run))
}

/// Which solve takes least and which most at one n.
fn dearest(lines: &[&Line]) -> String {
    let at = |n: usize| -> Vec<(&str, f64)> {
        let energy =
            lines.iter().filter_map(|line| Some((line.implementation.as_str(), line.joules.get(&n)?.value)));
        energy.collect()
    };
    let sizes: BTreeSet<usize> = lines.iter().flat_map(|line| line.joules.keys().copied()).collect();
    let n = sizes.into_iter().max_by_key(|n| (at(*n).len(), *n)).unwrap_or_default();
    let joules = |(name, joules): (&str, f64)| format!("{} J ({name})", significant(joules, 3));
    match extremes(&at(n)) {
        Some((least, most)) if least.0 != most.0 => {
            format!("At n = {n} a solve takes {} to {}", joules(least), joules(most))
        }
        Some((only, _)) => format!("At n = {n} a solve takes {}", joules(only)),
        None => "No solve in f32 has an energy".to_string(),
    }
}

/// Who does most tasks with a joule, and who fewest.
fn best(lines: &[Line], efficiency: &dyn Fn(usize, Estimate) -> Estimate) -> String {
    let of = |line: &Line| match line.element {
        ElementType::F32 => line.implementation.clone(),
        element => format!("{} in {element}", line.implementation),
    };
    let tasks = |line: &Line| -> Vec<(String, f64)> {
        line.joules.iter().map(|(n, joules)| (of(line), efficiency(*n, *joules).value)).collect()
    };
    let all: Vec<(String, f64)> = lines.iter().flat_map(tasks).collect();
    let said = |tasks: f64| format!("{} × 10⁹", Quantity::TasksPerJoule.text(tasks));
    extremes(&all).map_or(String::new(), |(least, most)| {
        format!(
            "{} does up to {} tasks a joule, {} as few as {}",
            most.0,
            said(most.1),
            least.0,
            said(least.1)
        )
    })
}

/// Where the numbers come from and how well they are known.
fn sources(runs: &[&StoredRun], lines: &[Line]) -> String {
    let mut said = String::new();
    let of = |source| lines.iter().filter(move |line| line.source == source);
    if of(Source::Counter).next().is_some() {
        said += "Filled marks are by the GPU's own energy counter over solves one after another, with a copy of the graph within the \
                 device before each. ";
        let apart =
            of(Source::Counter).flat_map(|line| line.joules.iter().map(move |(n, joules)| (line, n, joules)));
        let widest = apart.map(|(line, n, joules)| (joules.high / joules.low - 1.0, line, n));
        if let Some((apart, line, n)) =
            widest.filter(|(apart, ..)| *apart > 0.0).max_by(|a, b| a.0.total_cmp(&b.0))
        {
            said += &format!(
                "Where several runs have one cell, they lie up to {} apart ({} at n = {n}); marks are medians and bars span all. ",
                percent(apart),
                line.name()
            );
        }
    }
    if of(Source::Reading).next().is_some() {
        said += &format!(
            "Open marks are the driver's power reading times the seconds of a sample, only of solves of at least {LONG_ENOUGH_S} s: \
             the reading is a mean over about a second. Bars span all samples. "
        );
    }
    if let Some((watts, counter, name, n)) = too_low(runs) {
        said += &format!(
            "Of shorter solves it says too little: {} W beside {} W by the counter for {name} at n = {n}.",
            significant(watts, 3),
            significant(counter, 3)
        );
    }
    said.trim_end().to_string()
}

/// The cell whose power readings fall most short of what the counter shows: both in W, the kernel, and n.
fn too_low(runs: &[&StoredRun]) -> Option<(f64, f64, String, usize)> {
    let cells = runs.iter().flat_map(|run| {
        run.results.repeats.iter().filter_map(|row| {
            let counter = row.joules.filter(|_| row.seconds > 0.0)? / row.seconds;
            let cell = row.cell();
            let rows = run.samples.iter().filter(|one| one.scope == Scope::Kernel && one.cell() == cell);
            let watts: Vec<f64> = rows.filter_map(|one| one.power_w).collect();
            Some((median(&watts)?, counter, row.implementation.clone(), row.n))
        })
    });
    cells.min_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1))).filter(|(watts, counter, ..)| watts < counter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn run(name: &str) -> StoredRun {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference/h200").join(name);
        StoredRun::open(&folder).unwrap()
    }

    #[test]
    fn short_solves_have_an_energy_by_the_counter_alone() {
        let energy = run("frontier-energy");
        assert!(readings(&energy).is_empty(), "no solve of it takes a second");
        let counted = counters(&energy);
        assert_eq!(counted.len(), energy.results.repeats.len());
        let of = |name: &str, n: usize| {
            let is = |(variant, at, _): &&(Variant, usize, f64)| {
                variant.0 == name && variant.2 == ElementType::F32 && *at == n
            };
            counted.iter().find(is).map(|(.., joules)| *joules)
        };
        assert!((of("staged-load", 4096).unwrap() - 1370.67 / 244.0).abs() < 1e-6);
        assert_eq!(of("staged-load", 1024), None);
    }
}
