//! Where a task suddenly takes much longer than at the size before: marked in the figure, and what the records tell of the reason.

use crate::plot::{Series, significant};
use crate::results::SummaryRow;
use crate::show::words::percent;
use crate::show::{Column, Context};

/// From which factor on. Falls are not looked for: what a solve costs besides its tasks makes them small for every kernel.
const LEAST: f64 = 2.0;

/// A size at which a task takes more than [`LEAST`] times as long as at the one before.
struct Jump<'a> {
    before: usize,
    n: usize,
    factor: f64,
    /// What was measured at both sizes, on every graph of the figure.
    rows: Vec<&'a SummaryRow>,
}

/// All of a column, ascending.
fn jumps<'a>(context: &'a Context, column: &Column) -> Vec<Jump<'a>> {
    let timed = |n: usize| Some((n, context.time(column, n)?.median / (n as f64).powi(3)));
    let times: Vec<(usize, f64)> = context.sizes().into_iter().filter_map(timed).collect();
    let of = |pair: &[(usize, f64)]| {
        let ((before, earlier), (n, later)) = (pair[0], pair[1]);
        let graphs = context.graphs();
        let rows = graphs.iter().flat_map(|graph| [before, n].map(|n| context.row(column, n, graph)));
        (later / earlier > LEAST).then(|| Jump {
            before,
            n,
            factor: later / earlier,
            rows: rows.flatten().collect(),
        })
    };
    times.windows(2).filter_map(of).collect()
}

/// Marks the points of `series` to which a column jumps.
pub fn mark(context: &Context, column: &Column, series: &mut Series) {
    for jump in jumps(context, column) {
        let point = series.points.iter_mut().find(|point| point.x == jump.n as f64);
        if let Some(point) = point {
            point.facts.jump = Some(jump.factor);
        }
    }
}

/// What the records tell of all jumps of `columns`, a sentence each with a space behind it; empty where there are none.
pub fn told(context: &Context, columns: &[&Column]) -> String {
    let all =
        columns.iter().flat_map(|column| jumps(context, column).into_iter().map(move |jump| (column, jump)));
    all.map(|(column, jump)| sentence(context, column, &jump)).collect()
}

fn sentence(context: &Context, column: &Column, jump: &Jump) -> String {
    let Jump { before, n, factor, rows } = jump;
    let name = context.name(column);
    let times = significant(*factor, 2);
    let single = match rows.iter().all(|row| row.samples == 1) {
        true => ", each time of one sample",
        false => "",
    };
    format!(
        "At n = {n} a task takes {name} {times} times as long as at n = {before}{single}: {}. ",
        reason(context, column, rows)
    )
}

/// Why, as far as records show it: a cause that nothing recorded is not guessed.
fn reason(context: &Context, column: &Column, rows: &[&SummaryRow]) -> String {
    if context.run.is_on_device(&column.implementation) {
        return "the records show no cause".to_string();
    }
    let loads: Option<Vec<f64>> = rows.iter().map(|row| row.others_load).collect();
    let most = |loads: Vec<f64>| loads.into_iter().reduce(f64::max);
    if let Some(load) = rows.iter().filter_map(|row| row.under_load()).reduce(f64::max) {
        return format!("others used up to {} of the CPU's cores meanwhile", percent(load));
    }
    match loads.and_then(most) {
        Some(load) => {
            format!(
                "others used at most {} of the CPU's cores, so the cause is another one, not recorded",
                percent(load)
            )
        }
        None => {
            "the cause is not known, since this run recorded neither what others used of the CPU nor misses of its caches"
                .to_string()
        }
    }
}
