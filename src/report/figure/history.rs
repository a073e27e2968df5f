//! Figures of how times changed: each history with its change points.

use super::speed_ups::geometric_mean;
use super::{implementation_style, stem};
use crate::lists::{count_of, distinct, grouped};
use crate::regression::history::{ChangePoint, History, detect_changes};
use crate::report::Exhibit;
use crate::report::draw::palette::{GREEN, MUTED, VERMILLION};
use crate::report::draw::{
    Axis, Chart, Guide, Lines, Mark, Panel, Plot, Point, Quantity, Scale, Series, Shape, Stroke, draw,
};
use crate::report::files::csv;
use crate::report::text::{Grid, in_row, in_text};
use crate::report::words::history::differences;
use crate::store::short_commit;
use jiff::Timestamp;
use repro_base::CellId;
use std::collections::{BTreeMap, BTreeSet};

const SECONDS_A_DAY: f64 = 86_400.0;

/// The medians of one cell, oldest first, and its change points.
struct TimeSeries<'a> {
    cell: CellId,
    times: Vec<(Timestamp, f64)>,
    change_points: Vec<ChangePoint<'a>>,
}

/// The exhibit of each history.
pub fn history(histories: &[History]) -> Vec<Exhibit> {
    histories.iter().enumerate().filter_map(|(at, history)| of_history(at, history)).collect()
}

/// The exhibit of one history; None if it is empty.
fn of_history(at: usize, history: &History) -> Option<Exhibit> {
    let first = history.rows.first()?;
    let gpus: Vec<&str> = distinct(history.rows.iter().map(|row| row.device.as_str()));
    let label = gpus.into_iter().find(|gpu| !gpu.is_empty()).unwrap_or(&first.host_cpu);
    let tracked = detect_changes(&history.rows).into_iter().map(|one| {
        let times = one.rows.iter().filter_map(|row| Some((row.timestamp()?, row.seconds.value)));
        let (cell, times) = (one.rows[0].cell.clone(), times.collect());
        (one.rows[0].is_on_gpu(), TimeSeries { cell, times, change_points: one.change_points })
    });
    let (gpu, cpu): (Vec<_>, Vec<_>) = tracked.partition(|(on_gpu, _)| *on_gpu);
    let name = history.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let devices = [("GPU", gpu), ("CPU", cpu)]
        .map(|(device, cells)| (device, cells.into_iter().map(|(_, one)| one).collect::<Vec<TimeSeries>>()));
    let panels: Vec<Panel> =
        devices.iter().filter_map(|(device, cells)| panel(device, cells, name.clone())).collect();
    let cells: Vec<TimeSeries> = devices.into_iter().flat_map(|(_, cells)| cells).collect();
    let title = format!("The history of {label}");
    let caption = "Each point is the geometric mean over the cells of an implementation, relative to the first entry; a mark is a change that stayed.".to_string();
    let id =
        format!("history-{}{}", stem(label), if at > 0 { format!("-{}", at + 1) } else { String::new() });
    let row = |cell: &CellId, (time, seconds): &(Timestamp, f64)| {
        vec![cell.to_string(), time.to_string(), seconds.to_string()]
    };
    let rows = cells.iter().flat_map(|one| one.times.iter().map(|time| row(&one.cell, time)));
    let csv = csv(["cell", "time", "seconds"].map(String::from), &rows.collect::<Vec<_>>());
    let grid = changes(&title, &cells);
    let plot = Plot { id: id.clone(), title: title.clone(), caption: caption.clone(), panels };
    let figure = (!plot.panels.is_empty()).then(|| draw(&plot));
    Some(Exhibit { id, title, caption, figure, grid, csv, ..Exhibit::default() })
}

/// A table of the change points of all cells, the earliest first.
fn changes(title: &str, cells: &[TimeSeries]) -> Grid {
    let mut all: Vec<&ChangePoint> = cells.iter().flat_map(|one| &one.change_points).collect();
    all.sort_by_key(|change| change.after.timestamp());
    let rows = all.into_iter().map(|change| {
        vec![
            change.after.cell.to_string(),
            change.after.time.get(..10).unwrap_or_default().to_string(),
            format!("{} → {}", in_row(change.level_before_s), in_row(change.level_after_s)),
            in_row(change.ratio()),
            differences(change),
        ]
    });
    let header = ["cell", "date", "seconds", "ratio", "what else changed"];
    Grid::new(format!("{title}: changes that stayed"), header, rows)
}

/// The axis of time, and the place of a run on it: in order if all runs lie within three days, else by date.
fn axis(times: &[Timestamp]) -> (Axis, impl Fn(Timestamp) -> f64) {
    let (first, last) = (times.first().copied(), times.last().copied());
    let span = last.zip(first).map_or(0, |(last, first)| last.as_second() - first.as_second());
    let in_order = (span as f64) < 3.0 * SECONDS_A_DAY;
    let axis = match in_order {
        true => Axis::new("run, in the order of their dates", Scale::Linear, Quantity::Whole),
        false => Axis::new("date of the run", Scale::Linear, Quantity::Day),
    };
    let times = times.to_vec();
    let place = move |time: Timestamp| match in_order {
        true => times.partition_point(|one| *one < time) as f64 + 1.0,
        false => time.as_second() as f64 / SECONDS_A_DAY,
    };
    (axis, place)
}

/// A panel with one line for each implementation. None if there are fewer than two times.
fn panel(heading: &str, cells: &[TimeSeries], source: String) -> Option<Panel> {
    let times: BTreeSet<Timestamp> = cells.iter().flat_map(|one| &one.times).map(|(time, _)| *time).collect();
    let times: Vec<Timestamp> = times.into_iter().collect();
    if times.len() < 2 {
        return None;
    }
    let (x, at) = axis(&times);
    let mut by_name = grouped(cells.iter().map(|one| (one.cell.implementation.as_str(), one)));
    by_name.sort_by_key(|(name, _)| *name);
    let mut lines: Vec<Series> = Vec::new();
    let mut marks: Vec<Series> = Vec::new();
    for (name, cells) in by_name {
        let line = means(&cells);
        let style = implementation_style(name);
        let point = |time: Timestamp, y: f64, told: String| Point {
            x: at(time),
            y,
            low: None,
            high: None,
            told,
            single: false,
        };
        let points = line.iter().map(|(time, y)| point(*time, *y, format!("{name}, {time}: {y:.3}")));
        let mark = Some(Mark { shape: style.shape, filled: true });
        lines.push(Series {
            label: name.into(),
            points: points.collect(),
            ink: style.ink,
            mark,
            stroke: Stroke::Solid,
            thin: false,
        });
        let mut changes: BTreeMap<Timestamp, Vec<&ChangePoint>> = BTreeMap::new();
        for change in cells.iter().flat_map(|one| &one.change_points) {
            if let Some(time) = change.after.timestamp() {
                changes.entry(time).or_default().push(change);
            }
        }
        for (time, changes) in changes {
            let ratio = geometric_mean(changes.iter().map(|change| change.ratio()));
            let is_slower = ratio > 1.0;
            let told = format!(
                "{name}, ×{} in {} at {}",
                in_row(ratio),
                count_of(changes.len(), "cell"),
                short_commit(&changes[0].after.commit)
            );
            let y = line.iter().find(|(known, _)| *known == time).map_or(ratio, |(_, y)| *y);
            let shape = if is_slower { Shape::Up } else { Shape::Down };
            let mark = Some(Mark { shape, filled: true });
            let ink = if is_slower { VERMILLION } else { GREEN };
            let label =
                format!("×{}, {} of {}", in_text(ratio), changes.len(), count_of(cells.len(), "cell"));
            marks.push(Series {
                label,
                points: vec![point(time, y, told)],
                ink,
                mark,
                stroke: Stroke::None,
                thin: false,
            });
        }
    }
    let first = Guide { at: 1.0, label: "the first".into(), ink: MUTED, stroke: Stroke::Dashed };
    // An axis that shows at least changes of 5% keeps noise small.
    let y =
        Axis::new("seconds over those of the first", Scale::Linear, Quantity::Times).including([0.95, 1.05]);
    let chart = Chart::Lines(Lines { x, y, series: [lines, marks].concat(), guides: vec![first] });
    Some(Panel { heading: heading.to_string(), source, chart })
}

/// The geometric mean of the cells at each time, relative to the first time. A cell that joins later does not move the line.
fn means(cells: &[&TimeSeries]) -> Vec<(Timestamp, f64)> {
    let mut entries: BTreeMap<Timestamp, Vec<(usize, f64)>> = BTreeMap::new();
    for (at, one) in cells.iter().enumerate() {
        for (time, seconds) in &one.times {
            entries.entry(*time).or_default().push((at, *seconds));
        }
    }
    let mut bases: Vec<Option<f64>> = vec![None; cells.len()];
    let mut line: Vec<(Timestamp, f64)> = Vec::new();
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
    line
}
