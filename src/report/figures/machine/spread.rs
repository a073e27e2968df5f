//! Every sample of some cells, beside its cell's median: how far they lie apart, outliers, and whether they come in two groups.

use crate::plot::palette::{BAND, GREY, INK};
use crate::plot::{
    Axis, Band, Chart, Guide, Key, Mark, Plot, Quantity, Row, RowPoint, Rows, Scale, Stroke, Trace,
    seconds_text,
};
use crate::results::StoredRun;
use crate::show::source;
use crate::show::words::{list, percent};
use crate::show::{look, place};
use crate::timing::{Estimate, Scope};
use repro_types::CellId;
use std::collections::BTreeMap;

/// Fewer samples say nothing about how they are spread.
const FEWEST: usize = 6;
/// More rows than this are no figure.
const MOST_ROWS: usize = 8;

/// Up to two plots: kernels on the device at one n, and what was timed on the CPU.
pub fn plots(runs: &[&StoredRun]) -> Vec<Plot> {
    let all: Vec<(&StoredRun, Vec<Cell>)> = runs.iter().map(|run| (*run, cells(run))).collect();
    [on_device(&all), on_cpu(&all)].into_iter().flatten().collect()
}

/// The samples of one cell, in the order in which they were taken.
#[derive(Clone)]
struct Cell {
    id: CellId,
    seconds: Vec<f64>,
    median: Estimate,
}

fn cells(run: &StoredRun) -> Vec<Cell> {
    let timed = run.results.times.by(Scope::Kernel);
    let enough = timed.filter(|(_, timed)| timed.samples.len() >= FEWEST && timed.seconds.value > 0.0);
    enough
        .map(|(id, timed)| Cell { id: id.clone(), seconds: timed.samples.clone(), median: timed.seconds })
        .collect()
}

/// As many as there are rows for, in the order of the catalogue and of n.
fn with_most_samples(mut cells: Vec<Cell>) -> Vec<Cell> {
    let order = |cell: &Cell| (place(&cell.id.implementation), cell.id.implementation.clone(), cell.id.n);
    cells.sort_by_key(|cell| (std::cmp::Reverse(cell.seconds.len()), order(cell)));
    cells.truncate(MOST_ROWS);
    cells.sort_by_key(order);
    cells
}

/// Of the run and the n with most samples of different kernels.
fn on_device(all: &[(&StoredRun, Vec<Cell>)]) -> Option<Plot> {
    let mut best: Option<(usize, &StoredRun, Vec<Cell>)> = None;
    for (run, cells) in all {
        let mut by_n: BTreeMap<usize, Vec<Cell>> = BTreeMap::new();
        for cell in cells.iter().filter(|cell| run.is_on_device(&cell.id.implementation)) {
            let of_n = by_n.entry(cell.id.n).or_default();
            // One a kernel: sweeps have figures of their own.
            if of_n.iter().all(|known| known.id.implementation != cell.id.implementation) {
                of_n.push(cell.clone());
            }
        }
        for cells in by_n.into_values().filter(|cells| cells.len() > 2) {
            let samples = cells.iter().map(|cell| cell.seconds.len()).sum();
            if best.as_ref().is_none_or(|(most, ..)| samples > *most) {
                best = Some((samples, run, cells));
            }
        }
    }
    let (_, run, cells) = best?;
    let n = cells.first()?.id.n;
    let label = |cell: &Cell| cell.id.implementation.clone();
    let what = format!("kernels at n = {n}");
    plot("samples", &format!("Every sample of {what}, beside its median"), &what, run, cells, label)
}

/// Of the run whose cells on the CPU have most samples.
fn on_cpu(all: &[(&StoredRun, Vec<Cell>)]) -> Option<Plot> {
    let of = |run: &StoredRun, cells: &[Cell]| -> Vec<Cell> {
        cells.iter().filter(|cell| !run.is_on_device(&cell.id.implementation)).cloned().collect()
    };
    let mut best: Option<(usize, &StoredRun, Vec<Cell>)> = None;
    for (run, cells) in all {
        let cells = with_most_samples(of(run, cells));
        let samples = cells.iter().map(|cell| cell.seconds.len()).sum();
        if cells.len() > 1 && best.as_ref().is_none_or(|(most, ..)| samples > *most) {
            best = Some((samples, run, cells));
        }
    }
    let (_, run, cells) = best?;
    let label = |cell: &Cell| format!("{}\nn = {}", cell.id.implementation, cell.id.n);
    plot("samples-cpu", "Every sample on the CPU, beside its median", "solves on the CPU", run, cells, label)
}

fn plot(
    id: &str,
    shows: &str,
    what: &str,
    run: &StoredRun,
    cells: Vec<Cell>,
    label: impl Fn(&Cell) -> String,
) -> Option<Plot> {
    let cells = with_most_samples(cells);
    if cells.len() < 2 {
        return None;
    }
    let widest = cells.iter().max_by(|a, b| spread(a).total_cmp(&spread(b)))?;
    let narrowest = cells.iter().min_by(|a, b| spread(a).total_cmp(&spread(b)))?;
    let line = |cell: &Cell| label(cell).replace('\n', ", ");
    let grouped: Vec<String> = cells
        .iter()
        .filter_map(|cell| {
            let Groups { below, above, .. } = groups(cell)?;
            Some(format!("{} ({below} and {above} samples)", line(cell)))
        })
        .collect();
    let groups = match grouped.is_empty() {
        true => "No cell has two groups of samples with a gap between them.".to_string(),
        false => format!("Two groups with a gap between them: {}.", list(&grouped)),
    };
    let keys = vec![
        Key::circles("a sample", true, INK, Stroke::None),
        Key::area("the interval of the median", BAND),
    ];
    let span = |cell: &Cell| format!("{} ({})", percent(spread(cell)), line(cell));
    let title = format!("Samples of a cell span {} to {}", span(narrowest), span(widest));
    let rows: Vec<Row> = cells.iter().map(|cell| row(cell, label(cell))).collect();
    Some(Plot {
        id: id.into(),
        alt: format!(
            "All samples of {} {what}, a row each, beside their median. {title}. {groups}",
            rows.len()
        ),
        title,
        shows: shows.into(),
        caption: format!(
            "{groups} A span is from the shortest to the longest sample. Within a row samples stand in the order in which they were taken, downwards. All are of the run {}, scope \
             kernel.",
            run.name()
        ),
        source: Some(source::of_run(run).of_sizes(cells.iter().map(|cell| cell.id.n))),
        chart: Chart::Rows(Rows {
            guides: vec![Guide::new(0.0, "the median", "median", GREY, Stroke::Solid)],
            note_heading: "median, samples, span".into(),
            ..Rows::new(
                Axis::new("Percent above the median of the row's samples", Scale::Linear, Quantity::Percent),
                rows,
                keys,
            )
        }),
    })
}

fn row(cell: &Cell, label: String) -> Row {
    let Cell { seconds, median, .. } = cell;
    let last = (seconds.len().max(2) - 1) as f64;
    let point = |(at, one): (usize, &f64)| {
        RowPoint::at(over_median(*one, median), at as f64 / last, format!("sample {}", at + 1))
    };
    let looks = look(&cell.id.implementation);
    Row {
        label,
        note: format!("{}, {}, {}", seconds_text(median.value), seconds.len(), percent(spread(cell))),
        band: Some(Band {
            low: Some(over_median(median.low, median)),
            high: Some(over_median(median.high, median)),
            text: "interval of the median".into(),
        }),
        traces: vec![Trace {
            name: "percent above the median".into(),
            points: seconds.iter().enumerate().map(point).collect(),
            ink: looks.ink,
            mark: Mark { shape: looks.shape, filled: true },
            stroke: Stroke::None,
        }],
        ..Row::default()
    }
}

/// How far a time is above the median, in percent.
fn over_median(seconds: f64, median: &Estimate) -> f64 {
    (seconds / median.value - 1.0) * 100.0
}

/// The longest over the shortest sample, less 1.
fn spread(cell: &Cell) -> f64 {
    let least = cell.seconds.iter().copied().fold(f64::INFINITY, f64::min);
    cell.seconds.iter().copied().fold(0.0, f64::max) / least - 1.0
}

/// Samples on both sides of a gap.
#[derive(Debug, PartialEq)]
struct Groups {
    below: usize,
    above: usize,
}

/// Two groups, where a gap takes more than a third of what the samples span and at least a fifth of them lie on either side:
/// fewer are outliers.
fn groups(cell: &Cell) -> Option<Groups> {
    let mut sorted = cell.seconds.clone();
    sorted.sort_by(f64::total_cmp);
    let span = sorted.last()? - sorted.first()?;
    let gaps = sorted.windows(2).enumerate().map(|(at, pair)| (at + 1, pair[1] - pair[0]));
    let (below, gap) = gaps.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let above = sorted.len() - below;
    let is_group = |count: usize| count * 5 >= sorted.len() && count > 1;
    // Below a percent it is how finely a clock reads.
    let is_wide = span > 0.01 * cell.median.value && gap > span / 3.0;
    (is_wide && is_group(below) && is_group(above)).then_some(Groups { below, above })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(seconds: &[f64]) -> Cell {
        let median = Estimate::of_median(seconds).unwrap();
        Cell { id: CellId::new("staged-load", 64, "", ""), seconds: seconds.to_vec(), median }
    }

    #[test]
    fn samples_in_two_groups_are_told_from_an_outlier_and_from_an_even_spread() {
        let two = [1.0, 1.2, 1.01, 1.21, 1.0, 1.22, 1.02, 1.2];
        assert_eq!(groups(&cell(&two)), Some(Groups { below: 4, above: 4 }));
        let outlier = [1.0, 1.01, 1.0, 1.02, 1.01, 1.0, 1.5];
        assert_eq!(groups(&cell(&outlier)), None);
        let even = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6];
        assert_eq!(groups(&cell(&even)), None);
        let fine = [1.0, 1.001, 1.0, 1.001, 1.0, 1.001];
        assert_eq!(groups(&cell(&fine)), None);
    }
}
