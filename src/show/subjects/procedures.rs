//! The time of each kernel of a solve: beside what a model says that it moves, and against a swept parameter as parts of a whole.

use super::sweep::Sweep;
use crate::lists::distinct;
use crate::plot::palette::PARTS;
use crate::plot::{Axis, Bar, Chart, Key, Plot, Quantity, Row, Rows, Scale, seconds_text};
use crate::show::words::id;
use crate::show::{Column, Context, Grid, OneN, digits};
use crate::store::{KernelTimeRow, spelled};
use std::collections::BTreeSet;

/// The kernels of one solve as they were timed, an event before each launch.
pub struct Procedures<'a>(Vec<&'a KernelTimeRow>);

impl<'a> Procedures<'a> {
    /// Of the first graph on which they were timed. None where they were not.
    pub fn of(context: &Context<'a>, column: &Column, n: usize) -> Option<Self> {
        let mut rows = context.kernels(column, n);
        let first = rows.first()?.graph.as_str();
        rows.retain(|row| row.graph == first);
        Some(Self(rows))
    }

    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.0.iter().map(|row| row.kernel.as_str())
    }

    /// The seconds of one of them.
    pub fn seconds_of(&self, kernel: &str) -> Option<f64> {
        Some(self.0.iter().find(|row| row.kernel == kernel)?.seconds)
    }

    fn seconds(&self) -> f64 {
        self.0.iter().map(|row| row.seconds).sum()
    }

    pub fn launches(&self) -> u64 {
        self.0.iter().map(|row| row.launches).sum()
    }

    /// Bytes by the model. None where those of a part are not known.
    fn bytes(&self, of: impl Fn(&KernelTimeRow) -> Option<u64>) -> Option<u64> {
        self.0.iter().map(|row| of(row)).sum()
    }

    /// Those that are loaded and stored.
    pub fn moved_bytes(&self) -> Option<f64> {
        self.bytes(|row| Some(row.loaded_bytes? + row.stored_bytes?)).map(|bytes| bytes as f64)
    }

    /// The one that takes most, and its share.
    fn largest(&self) -> Option<(String, String)> {
        let largest = self.0.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
        Some((spelled(&largest.kernel), format!("{:.0}%", largest.seconds / self.seconds() * 100.0)))
    }
}

/// A table for each implementation and n, a row a set of parameters.
pub fn tables(context: &Context) -> Vec<Grid> {
    let times = &context.run.results.kernel_times;
    let tables: BTreeSet<(&str, usize)> =
        times.iter().map(|row| (row.implementation.as_str(), row.n)).collect();
    tables.into_iter().filter_map(|(implementation, n)| table(context, implementation, n)).collect()
}

fn table(context: &Context, implementation: &str, n: usize) -> Option<Grid> {
    let columns = context.columns.iter().filter(|column| column.implementation == implementation);
    let timed: Vec<(&Column, Procedures)> =
        columns.filter_map(|column| Some((column, Procedures::of(context, column, n)?))).collect();
    let kernels = distinct(timed.iter().flat_map(|(_, solve)| solve.names()));
    let rows = timed.iter().map(|(column, solve)| {
        let gigabytes = |of: fn(&KernelTimeRow) -> Option<u64>| {
            solve.bytes(of).map_or("-".to_string(), |sum| digits(sum as f64 * 1e-9))
        };
        let mut cells = vec![
            column.params.clone(),
            solve.launches().to_string(),
            gigabytes(|row| row.loaded_bytes),
            gigabytes(|row| row.stored_bytes),
            digits(solve.seconds()),
        ];
        cells.extend(kernels.iter().map(|kernel| solve.seconds_of(kernel).map_or(String::new(), digits)));
        cells
    });
    let header = ["parameters", "launches", "GB loaded\n(model)", "GB stored\n(model)", "seconds"];
    let of = OneN {
        implementation: implementation.to_string(),
        n,
        what: "launches, global memory, and seconds by kernel with an event before each launch",
    };
    let header = header.map(str::to_string).into_iter().chain(kernels.iter().map(|kernel| spelled(kernel)));
    Grid::of_n(of, header, rows).unless_empty()
}

/// A figure for every swept parameter whose kernels were timed.
pub fn figures(context: &Context) -> Vec<Plot> {
    Sweep::drawn(context).iter().filter_map(|sweep| figure(context, sweep)).collect()
}

fn figure(context: &Context, sweep: &Sweep) -> Option<Plot> {
    let (implementation, sign, n) = (&sweep.implementation, sweep.sign(), sweep.main_size()?);
    let solves = sweep.plain(n)?.timed.iter();
    let timed: Vec<(u32, Procedures)> =
        solves.filter_map(|one| Some((one.value, Procedures::of(context, one.column, n)?))).collect();
    let ((first, of_first), (last, of_last)) = (timed.first()?, timed.last()?);
    if timed.len() < 2 {
        return None;
    }
    let kernels = distinct(timed.iter().flat_map(|(_, solve)| solve.names()));
    let ink = |kernel: &str| PARTS[kernels.iter().position(|one| *one == kernel).unwrap_or(0) % PARTS.len()];
    let rows = timed.iter().map(|(value, solve)| {
        let mut end = 0.0;
        let mut bars: Vec<Bar> = Vec::new();
        for kernel in &kernels {
            let Some(seconds) = solve.seconds_of(kernel) else { continue };
            let from = end;
            end += seconds;
            bars.push(Bar::new(from, end, ink(kernel), spelled(kernel)));
        }
        if let Some(last) = bars.last_mut() {
            last.text = seconds_text(end);
        }
        Row {
            label: format!("{sign} = {value}"),
            note: format!("{} launches", solve.launches()),
            bars,
            ..Row::default()
        }
    });
    let (kernel, share) = of_first.largest()?;
    let (kernel_at_last, share_at_last) = of_last.largest()?;
    let title = match kernel == kernel_at_last {
        true => format!("{kernel} takes {share} of the time at {sign} = {first}, {share_at_last} at {last}"),
        false => format!(
            "{kernel} takes {share} of the time at {sign} = {first}, {kernel_at_last} {share_at_last} at {last}"
        ),
    };
    Some(Plot {
        id: format!("procedures-{}", id(&sweep.parameter)),
        shows: format!("{implementation}: seconds of each kernel by {sign}, n = {n}"),
        caption:
            "Medians of solves with an event before each launch, which take somewhat longer than without."
                .into(),
        alt: format!(
            "Stacked bars of the seconds of each kernel of {implementation} at n = {n}, a bar for each {sign}: {title}."
        ),
        title,
        source: Some(context.source([n])),
        chart: Chart::Rows(Rows::new(
            Axis::new("Seconds by kernel", Scale::Linear, Quantity::Seconds).including([0.0]),
            rows.collect(),
            kernels.iter().map(|kernel| Key::area(&spelled(kernel), ink(kernel))).collect(),
        )),
    })
}
