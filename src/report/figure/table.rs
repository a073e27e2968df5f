//! A figure's data as a table and as CSV.

use super::data::{FigureData, PanelData, SeriesData, heading, in_words, text};
use super::quantity::{number, shown};
use super::read::Value;
use crate::lists::distinct;
use crate::plan::{Dimension, DimensionValue, Quantity};
use crate::report::text::{ESTIMATE, Grid, UNDER_LOAD};
use crate::report::words::short_label;
use crate::store::write_rows;
use serde::Serialize;

/// A column of numbers: its machine and series.
struct Column<'d> {
    panel: &'d PanelData,
    series: &'d SeriesData,
}

/// The table of a figure: one row an x, one column a series. Of several machines, each has its column under its series, beside one of
/// published values; of one machine, cells read `published / here`.
pub(super) fn grid(data: &FigureData) -> Grid {
    let spec = data.spec;
    let several = data.panels.len() > 1;
    let columns = columns(data, several);
    let is_one_series = distinct(columns.iter().map(|column| &column.series.label)).len() == 1;
    let title = |column: &Column| match (spec.y.len() > 1, is_one_series || column.series.label.is_empty()) {
        (false, _) => column.series.label.clone(),
        (true, true) => shown(column.series.quantity).heading.to_string(),
        (true, false) => format!("{}\n{}", shown(column.series.quantity).heading, column.series.label),
    };
    let titles: Vec<String> =
        std::iter::repeat_n(String::new(), spec.x.len()).chain(columns.iter().map(title)).collect();
    let groups = titles.chunk_by(|a, b| a == b).map(|alike| (alike[0].clone(), alike.len()));
    let named = columns.iter().map(|column| match (several, column.series.is_published) {
        (true, true) => "published".to_string(),
        (true, false) => short_label(&column.panel.machine),
        (false, _) => title(column),
    });
    let header = spec.x.iter().map(heading).chain(named);
    let rows = data.xs(&data.panels).into_iter().map(|x| {
        let named = spec.x.iter().zip(x).map(|(dimension, value)| match dimension {
            Dimension::Kernel | Dimension::Clock => in_words(dimension, value),
            _ => text(value),
        });
        let cells = columns.iter().map(|column| match several {
            true => cell_of(column.series, x),
            false => beside_published(column, x),
        });
        named.chain(cells).collect::<Vec<String>>()
    });
    let is_beside =
        !several && data.panels.iter().any(|panel| panel.series.iter().any(|one| one.is_published));
    let beside = if is_beside { ": published / here" } else { "" };
    let mut grid = Grid::new(format!("{}{beside}", spec.title), header, rows).with_keys(spec.x.len());
    if several {
        grid.groups = groups.collect();
    }
    grid
}

/// The columns of all machines, those of one series beside each other. Published values are the same for all machines, so they are taken
/// once; of one machine they share the column of what was measured.
fn columns<'d>(data: &'d FigureData, several: bool) -> Vec<Column<'d>> {
    let mut columns: Vec<Column> = Vec::new();
    for (at, panel) in data.panels.iter().enumerate() {
        for series in panel.series.iter().filter(|one| !one.is_published || several && at == 0) {
            let last = columns.iter().rposition(|known| known.series.is_of(series));
            let end = last.map_or(columns.len(), |last| last + 1);
            columns.insert(end, Column { panel, series });
        }
    }
    columns
}

fn cell_of(series: &SeriesData, x: &[DimensionValue]) -> String {
    let found = series.values.iter().find(|(at, _)| at == x);
    found.map_or(String::new(), |(_, value)| cell(series, value))
}

/// A cell with what is published in front, as far as the paper has it.
fn beside_published(column: &Column, x: &[DimensionValue]) -> String {
    let here = cell_of(column.series, x);
    let is_it = |one: &&SeriesData| one.is_published && one.is_of(column.series);
    let published = column.panel.series.iter().find(is_it).map(|one| cell_of(one, x));
    match published.filter(|text| !text.is_empty()) {
        Some(published) => format!("{published} / {}", if here.is_empty() { "-" } else { &here }),
        None => here,
    }
}

fn cell(series: &SeriesData, value: &Value) -> String {
    // As the paper prints it.
    let text = match series.is_published && series.quantity == Quantity::Seconds {
        true => value.estimate.value.to_string(),
        false => number(series.quantity, value.estimate.value),
    };
    let estimate = if value.is_estimated { format!("{ESTIMATE} ") } else { String::new() };
    let load = if value.is_under_load { format!(" {UNDER_LOAD}") } else { String::new() };
    format!("{estimate}{text}{load}")
}

/// A value of a figure as its CSV file has it.
#[derive(Serialize)]
struct ValueRow<'d> {
    machine: &'d str,
    run: &'d str,
    series: &'d str,
    x: String,
    quantity: Quantity,
    value: f64,
    /// The interval; none of what is exact.
    low: Option<f64>,
    high: Option<f64>,
    samples: Option<usize>,
    estimated: bool,
    published: Option<f64>,
}

/// Every value of a figure.
pub(super) fn csv(data: &FigureData) -> Vec<u8> {
    let mut rows = Vec::new();
    for (panel, one) in data.panels.iter().flat_map(|panel| panel.series.iter().map(move |one| (panel, one)))
    {
        rows.extend(one.values.iter().map(|(x, value)| {
            let (low, high) = value.interval().unzip();
            ValueRow {
                machine: &panel.machine,
                run: &value.run,
                series: &one.label,
                x: x.iter().map(text).collect::<Vec<_>>().join("; "),
                quantity: one.quantity,
                value: value.estimate.value,
                low,
                high,
                samples: value.samples,
                estimated: value.is_estimated,
                published: value.published,
            }
        }));
    }
    write_rows(&rows, true)
}
