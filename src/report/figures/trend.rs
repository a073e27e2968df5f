//! Several runs of one experiment on one machine, over time.

use super::history::{SECONDS_A_DAY, axis_of_runs};
use crate::lists::{count_of, extremes, geometric_mean};
use crate::plot::palette::MUTED;
use crate::plot::{Axis, Chart, Guide, Lines, Plot, Point, Quantity, Scale, Series, Stroke, significant};
use crate::results::StoredRun;
use crate::show::source;
use crate::show::{look, place};
use repro_types::CellId;
use std::collections::HashMap;

/// Per implementation, the geometric mean of seconds relative to the first run, over the cells that all `runs` measured. None
/// for fewer than two runs, or when they have no cell in common.
pub fn trend(runs: &[&StoredRun]) -> Option<Plot> {
    let mut runs: Vec<(f64, &StoredRun)> =
        runs.iter().filter_map(|run| Some((day(&run.manifest.started)?, *run))).collect();
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    if runs.len() < 2 {
        return None;
    }
    let medians: Vec<HashMap<CellId, f64>> = runs.iter().map(|(_, run)| medians(run)).collect();
    let (first, rest) = medians.split_first()?;
    let common: Vec<&CellId> =
        first.keys().filter(|cell| rest.iter().all(|one| one.contains_key(cell))).collect();
    let mut names: Vec<&str> = common.iter().map(|cell| cell.implementation.as_str()).collect();
    names.sort_by_key(|name| (place(name), *name));
    names.dedup();
    let mut series: Vec<Series> = Vec::new();
    let mut changes: Vec<(String, f64)> = Vec::new();
    for name in names {
        let mut cells: Vec<&CellId> =
            common.iter().filter(|cell| cell.implementation == name).copied().collect();
        // Sums of the same numbers in the same order: the same bytes from the same records.
        cells.sort();
        let relative =
            |of: &HashMap<CellId, f64>| geometric_mean(cells.iter().map(|cell| of[*cell] / first[*cell]));
        let points: Vec<Point> =
            runs.iter().zip(&medians).map(|((day, _), of)| Point::at(*day, relative(of))).collect();
        changes.push((name.to_string(), points.last()?.y));
        series.push(Series::new(name, points, look(name)));
    }
    let (least, most) = extremes(&changes)?;
    let times = |(name, ratio): (String, f64)| match changes.len() {
        1 => format!("×{}", significant(ratio, 4)),
        _ => format!("×{} ({name})", significant(ratio, 4)),
    };
    let mut ends = vec![times(least), times(most)];
    ends.dedup();
    // Runs of a day or two would lie on one date: they stand in their order.
    let is_short = runs.last()?.0 - runs[0].0 < 3.0;
    if is_short {
        for (at, point) in series.iter_mut().flat_map(|one| one.points.iter_mut().enumerate()) {
            point.x = at as f64 + 1.0;
        }
    }
    Some(Plot {
        id: "trend".into(),
        title: format!("The last of {} runs takes {} of the first one's time", runs.len(), ends.join(" to ")),
        shows: format!(
            "{}: seconds from run to run, relative to the first",
            runs[0].1.manifest.experiment.name
        ),
        caption: format!(
            "Each mark is the geometric mean over what all runs measured, {} (medians, scope kernel).",
            count_of(common.len(), "cell")
        ),
        alt: format!(
            "Seconds relative to the first of {} runs, a line for each of {} implementations.",
            runs.len(),
            series.len()
        ),
        source: source::of_runs(&runs.iter().map(|(_, run)| *run).collect::<Vec<_>>()),
        chart: Chart::Lines(Lines {
            x: axis_of_runs(is_short),
            // Noise stays small on an axis that shows changes of some percent.
            y: Axis::new("Seconds over those of the first run", Scale::Linear, Quantity::Times)
                .including([0.95, 1.05]),
            series,
            guides: vec![Guide::new(1.0, "the first run", "first run", MUTED, Stroke::Dashed)],
            keys: Vec::new(),
        }),
    })
}

fn medians(run: &StoredRun) -> HashMap<CellId, f64> {
    let rows = run.results.summary.iter();
    rows.filter_map(|row| Some((row.cell(), row.median_s.filter(|median| *median > 0.0)?))).collect()
}

/// Days since 1970 of a time in RFC 3339.
fn day(text: &str) -> Option<f64> {
    let time: jiff::Timestamp = text.parse().ok()?;
    Some(time.as_second() as f64 / SECONDS_A_DAY)
}
