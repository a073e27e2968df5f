//! The time of each kernel of a solve against a swept parameter, as parts of a whole.

use super::context::Context;
use super::sweep::{each_swept, main_size, sign};
use super::words::{id, kernel as words};
use crate::lists::distinct;
use crate::report::plot::palette::PARTS;
use crate::report::plot::{Axis, Bar, Chart, Key, Plot, Quantity, Row, Rows, Scale, seconds_text};
use crate::show::TableColumn;
use crate::store::KernelTimeRow;

/// A plot for every swept parameter whose kernels were timed.
pub fn plots(context: &Context) -> Vec<Plot> {
    each_swept(context, plot)
}

fn plot(context: &Context, implementation: &str, parameter: &str) -> Option<Plot> {
    let n = main_size(context, implementation, parameter)?;
    let kernels = |column: &TableColumn, size: usize| {
        let kernels = context.kernels(column, size);
        (size == n && !kernels.is_empty()).then_some(kernels)
    };
    let families = context.columns.families(implementation, parameter, kernels);
    let plain = families.into_iter().find(|family| family.others.is_empty())?;
    let by_value: Vec<(u32, Vec<&KernelTimeRow>)> =
        plain.timed.into_iter().map(|one| (one.value, one.time)).collect();
    if by_value.len() < 2 {
        return None;
    }
    let kernels = distinct(by_value.iter().flat_map(|(_, rows)| rows).map(|row| row.kernel.as_str()));
    let ink = |kernel: &str| PARTS[kernels.iter().position(|one| *one == kernel).unwrap_or(0) % PARTS.len()];
    let sign = sign(parameter);
    let rows = by_value.iter().map(|(value, rows)| {
        let mut end = 0.0;
        let mut bars: Vec<Bar> = Vec::new();
        for kernel in &kernels {
            let Some(row) = rows.iter().find(|row| row.kernel == *kernel) else { continue };
            let from = end;
            end += row.seconds;
            bars.push(Bar::new(from, end, ink(kernel), words(kernel)));
        }
        if let Some(last) = bars.last_mut() {
            last.text = seconds_text(end);
        }
        let launches: u64 = rows.iter().map(|row| row.launches).sum();
        Row {
            label: format!("{sign} = {value}"),
            note: format!("{launches} launches"),
            bars,
            ..Row::default()
        }
    });
    // The kernel that takes most, and its share.
    let largest = |(value, rows): &(u32, Vec<&KernelTimeRow>)| {
        let total: f64 = rows.iter().map(|row| row.seconds).sum();
        let largest = rows.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
        let share = format!("{:.0}%", largest.seconds / total * 100.0);
        Some((*value, words(&largest.kernel), share))
    };
    let (first, kernel, share) = largest(by_value.first()?)?;
    let (last, kernel_at_last, share_at_last) = largest(by_value.last()?)?;
    let title = match kernel == kernel_at_last {
        true => format!("{kernel} takes {share} of the time at {sign} = {first}, {share_at_last} at {last}"),
        false => format!(
            "{kernel} takes {share} of the time at {sign} = {first}, {kernel_at_last} {share_at_last} at {last}"
        ),
    };
    Some(Plot {
        id: format!("procedures-{}", id(parameter)),
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
            kernels.iter().map(|kernel| Key::area(&words(kernel), ink(kernel))).collect(),
        )),
    })
}
