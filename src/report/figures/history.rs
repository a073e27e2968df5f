//! What became of a machine's times over its history, and where they stepped.

use crate::lists::{count_of, geometric_mean};
use crate::plot::palette::{GAIN, LOSS, MUTED};
use crate::plot::{
    Axis, Chart, Facts, Guide, Key, Lines, Mark, Plot, Point, Quantity, Scale, Series, SeriesStyle, Shape,
    Source, Stroke,
};
use crate::regression::history::{CellHistory, HistoryRow, Step};
use crate::show::source::day;
use crate::show::{look, place};
use crate::store::short_commit;
use repro_types::CellId;
use std::collections::{BTreeMap, BTreeSet};

pub const SECONDS_A_DAY: f64 = 86_400.0;

/// A cell with its step changes.
pub struct Tracked<'a> {
    pub history: CellHistory<'a>,
    pub steps: Vec<Step<'a>>,
}

/// Per implementation a line of seconds relative to its first entry, the geometric mean over its cells, with a mark where at least
/// half of them stepped; and a thin line with marks of the cell that stepped furthest without the others, if one did. None when
/// all entries are of one time. `device` is `gpu` or `cpu`.
pub fn history(tracked: &[Tracked], device: &str) -> Option<Plot> {
    let times: BTreeSet<jiff::Timestamp> =
        tracked.iter().flat_map(|one| &one.history.rows).filter_map(|row| row.timestamp()).collect();
    let axis = Times::new(times)?;
    let mut by_name: BTreeMap<(usize, &str), Vec<&Tracked>> = BTreeMap::new();
    for one in tracked {
        let name = one.history.cell.implementation.as_str();
        by_name.entry((place(name), name)).or_default().push(one);
    }
    let (mut series, mut marks) = (Vec::new(), Vec::new());
    for ((_, name), cells) in by_name {
        let (line, bases) = means(&cells);
        if line.len() < 2 {
            continue;
        }
        let points = line.iter().map(|(time, y)| Point::at(axis.place(*time), *y)).collect();
        series.push(Series::new(name, points, look(name)));
        let together = together(&cells);
        for (time, steps) in &together {
            let on_line = line.iter().find(|(one, _)| one == time);
            marks.extend(on_line.map(|(_, y)| mark_of(name, steps, Point::at(axis.place(*time), *y))));
        }
        let furthest = |one: &&Tracked| {
            apart(one, &together).iter().map(|step| step.ratio().ln().abs()).fold(0.0, f64::max)
        };
        let stepped = cells.iter().zip(&bases).filter(|(one, _)| !apart(one, &together).is_empty());
        if let Some((one, &base)) = stepped.max_by(|(a, _), (b, _)| furthest(a).total_cmp(&furthest(b))) {
            let cell = one.history.name();
            let line = Series::new(&label_of(&one.history.cell), points_of(one, base, &axis), look(name));
            series.push(Series { name: cell.clone(), thin: true, stroke: Stroke::Dashed, ..line });
            marks.extend(apart(one, &together).into_iter().filter_map(|step| {
                let at = Point::at(axis.place(step.after.timestamp()?), step.after.seconds.value / base);
                Some(mark_of(&cell, &[step], at))
            }));
        }
    }
    let names = series.iter().filter(|one| !one.thin).count();
    let keys = keys(&marks);
    let about_steps = about_steps(!marks.is_empty());
    let title = title(tracked, &device.to_uppercase(), axis.times.len());
    series.extend(marks);
    (names > 0).then(|| Plot {
        id: device.into(),
        title: title.clone(),
        shows: format!("Seconds on the {} over the history, relative to the first entry", device.to_uppercase()),
        caption: format!(
            "Each point is the geometric mean over the cells of an implementation (medians, scope kernel).{about_steps}"
        ),
        alt: format!(
            "Seconds of {} runs relative to the first, a line for each of {names} implementations. {title}.",
            axis.times.len()
        ),
        source: source_of(tracked.iter().flat_map(|one| one.history.rows.iter().copied())),
        chart: Chart::Lines(Lines {
            x: axis_of_runs(axis.in_order),
            // Noise stays small on an axis that shows changes of some percent.
            y: Axis::new("Seconds over those of the first entry", Scale::Linear, Quantity::Times)
                .including([0.95, 1.05]),
            series,
            guides: vec![Guide::new(1.0, "the first entry", "first entry", MUTED, Stroke::Dashed)],
            keys,
        }),
    })
}

/// The axis on which runs stand in their order, or else at their dates.
pub fn axis_of_runs(in_order: bool) -> Axis {
    match in_order {
        true => Axis::new("Run, in the order of their dates", Scale::Linear, Quantity::Whole),
        false => Axis::new("Date of the run", Scale::Linear, Quantity::Day),
    }
}

/// Where runs lie on the axis.
struct Times {
    times: Vec<jiff::Timestamp>,
    /// Runs of a day or two would lie on one date: they stand in their order.
    in_order: bool,
}

impl Times {
    /// None of fewer than two.
    fn new(times: BTreeSet<jiff::Timestamp>) -> Option<Self> {
        let times: Vec<jiff::Timestamp> = times.into_iter().collect();
        let (first, last) = (times.first()?, times.last()?);
        let in_order = ((last.as_second() - first.as_second()) as f64) < 3.0 * SECONDS_A_DAY;
        (times.len() > 1).then_some(Self { times, in_order })
    }

    fn place(&self, time: jiff::Timestamp) -> f64 {
        match self.in_order {
            true => self.times.partition_point(|one| *one < time) as f64 + 1.0,
            false => time.as_second() as f64 / SECONDS_A_DAY,
        }
    }
}

/// The geometric mean of the cells at each time, and the seconds that stand for 1 in each cell: those of its first entry, or, when
/// others were there before, so much less or more that its first entry lies on their line. A cell that joins moves no line.
fn means(cells: &[&Tracked]) -> (Vec<(jiff::Timestamp, f64)>, Vec<f64>) {
    let mut entries: BTreeMap<jiff::Timestamp, Vec<(usize, f64)>> = BTreeMap::new();
    for (at, one) in cells.iter().enumerate() {
        for row in &one.history.rows {
            if let Some(time) = row.timestamp() {
                entries.entry(time).or_default().push((at, row.seconds.value));
            }
        }
    }
    let mut bases: Vec<Option<f64>> = vec![None; cells.len()];
    let mut line: Vec<(jiff::Timestamp, f64)> = Vec::new();
    for (time, entries) in entries {
        let ratios: Vec<f64> =
            entries.iter().filter_map(|(at, seconds)| Some(seconds / bases[*at]?)).collect();
        let before = line.last().map_or(1.0, |(_, y)| *y);
        let mean = if ratios.is_empty() { before } else { geometric_mean(ratios) };
        for (at, seconds) in entries {
            bases[at].get_or_insert(seconds / mean);
        }
        line.push((time, mean));
    }
    (line, bases.into_iter().map(Option::unwrap_or_default).collect())
}

fn points_of(one: &Tracked, base: f64, axis: &Times) -> Vec<Point> {
    let point = |row: &&crate::regression::history::HistoryRow| {
        let (low, high) = (row.seconds.low / base, row.seconds.high / base);
        let ends = row.has_interval().then_some((low, high)).unzip();
        Some(Point {
            x: axis.place(row.timestamp()?),
            y: row.seconds.value / base,
            low: ends.0,
            high: ends.1,
            facts: Facts { samples: Some(row.samples), ..Facts::default() },
        })
    };
    one.history.rows.iter().filter_map(point).collect()
}

/// Steps that at least half of the cells took at once, by their time: the line of all shows them.
fn together<'a>(cells: &[&'a Tracked]) -> BTreeMap<jiff::Timestamp, Vec<&'a Step<'a>>> {
    let mut all: BTreeMap<jiff::Timestamp, Vec<&Step>> = BTreeMap::new();
    for step in cells.iter().flat_map(|one| &one.steps) {
        if let Some(time) = step.after.timestamp() {
            all.entry(time).or_default().push(step);
        }
    }
    all.retain(|_, steps| steps.len() * 2 >= cells.len());
    all
}

/// The other steps of a cell.
fn apart<'a>(one: &'a Tracked, together: &BTreeMap<jiff::Timestamp, Vec<&Step>>) -> Vec<&'a Step<'a>> {
    let shared = |step: &Step| step.after.timestamp().is_some_and(|time| together.contains_key(&time));
    one.steps.iter().filter(|step| !shared(step)).collect()
}

/// A cell beside its line.
fn label_of(cell: &CellId) -> String {
    let more = [&cell.graph, &cell.params].into_iter().filter(|text| !text.is_empty());
    more.fold(format!("{}\nn = {}", cell.implementation, cell.n), |label, text| format!("{label}\n{text}"))
}

/// The mark at `at` for steps of one run; of several, with the mean of their ratios.
fn mark_of(name: &str, steps: &[&Step], at: Point) -> Series {
    let ratio = geometric_mean(steps.iter().map(|step| step.ratio()));
    let confirmed = steps.iter().all(|step| step.confirmed);
    let commit = steps.first().map_or("", |step| short_commit(&step.after.commit));
    let time = steps.first().map_or("", |step| step.after.time.as_str());
    let doubt = if confirmed { "" } else { "?" };
    let cells = if steps.len() > 1 { format!(", {} cells", steps.len()) } else { String::new() };
    let label = format!("×{ratio:.2}{doubt}{cells}");
    let sign = mark(ratio > 1.0, confirmed);
    let looks = SeriesStyle { ink: if ratio > 1.0 { LOSS } else { GAIN }, shape: sign.shape };
    Series {
        name: format!("{name}, step at {commit}, {time}"),
        short: Some(label.clone()),
        mark: Some(sign),
        stroke: Stroke::None,
        ..Series::new(&format!("{label}\n{commit}"), vec![at], looks)
    }
}

fn mark(slower: bool, filled: bool) -> Mark {
    Mark { shape: if slower { Shape::Up } else { Shape::Down }, filled }
}

/// What the marks mean: only those that there are.
fn keys(marks: &[Series]) -> Vec<Key> {
    let all = [
        ("slower from here on", true, true),
        ("slower, not confirmed", true, false),
        ("faster from here on", false, true),
        ("faster, not confirmed", false, false),
    ];
    let key = |(text, slower, filled): (&str, bool, bool)| {
        let sign = mark(slower, filled);
        let ink = if slower { LOSS } else { GAIN };
        let is_there = marks.iter().any(|one| one.mark == Some(sign));
        is_there.then(|| Key { text: text.into(), ink, mark: Some(sign), stroke: Stroke::None })
    };
    all.into_iter().filter_map(key).collect()
}

/// How many steps there were in so many runs, and which went furthest.
fn title(tracked: &[Tracked], device: &str, runs: usize) -> String {
    let steps = || tracked.iter().flat_map(|one| one.steps.iter().map(move |step| (one, step)));
    let far = |step: &Step| step.ratio().ln().abs();
    match steps().max_by(|a, b| far(a.1).total_cmp(&far(b.1))) {
        None => format!("No time on the {device} stepped in {runs} runs"),
        Some((one, step)) => {
            let CellId { implementation, n, .. } = &one.history.cell;
            let changes = count_of(steps().count(), "step change");
            let furthest = if changes.starts_with("1 ") { "" } else { "furthest " };
            format!("{changes} on the {device}, {furthest}{implementation} at n = {n}: ×{:.2}", step.ratio())
        }
    }
}

fn about_steps(drawn: bool) -> &'static str {
    match drawn {
        true => {
            " All step changes are in the table. Marked on a line is what at least half of its cells did at once; a thin line is the \
             cell that stepped furthest without the others of its implementation."
        }
        false => "",
    }
}

/// Entries of a history. They name no run.
fn source_of<'a>(rows: impl Iterator<Item = &'a HistoryRow>) -> Option<Source> {
    let of_one = |row: &HistoryRow| Source {
        devices: vec![row.model().to_string()],
        experiments: BTreeSet::from([row.experiment.clone()]),
        runs: BTreeSet::new(),
        sizes: Some((row.cell.n, row.cell.n)),
        dates: day(&row.time).into_iter().collect(),
        commits: BTreeSet::from([short_commit(&row.commit).to_string()]),
    };
    rows.map(of_one).reduce(Source::and)
}
