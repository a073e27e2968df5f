//! What a fresh process takes until its first solve has ended.

use crate::results::SummaryRow;
use crate::show::{Column, Context, Grid, digits};
use crate::timing::Scope;
use repro_types::CellId;

/// A row a cell that was solved in a fresh process, milliseconds.
pub fn table(context: &Context) -> Option<Grid> {
    let times = &context.run.results.times;
    let milliseconds = |cell: &CellId, scope: Scope| {
        times.cell(cell).time(scope).map_or("-".to_string(), |time| digits(time.value * 1e3))
    };
    let prepared = context.summary.iter().map(SummaryRow::cell);
    let rows = prepared.filter(|cell| times.cell(cell).time(Scope::FirstPrepare).is_some()).map(|cell| {
        let shown =
            [Scope::FirstLoad, Scope::FirstPrepare, Scope::FirstHost, Scope::FirstKernel, Scope::Kernel];
        let named = [
            Column::of(&cell).name(),
            cell.n.to_string(),
            context.experiment.element_of(&cell.graph).to_string(),
        ];
        named.into_iter().chain(shown.map(|scope| milliseconds(&cell, scope))).collect()
    });
    let header = [
        "implementation",
        "n",
        "type",
        "loading\nkernels",
        "buffers on\nthe device",
        "first solve,\nhost",
        "first solve,\nevents",
        "later solves,\nevents",
    ];
    Grid::new("From a fresh process with a device to the end of its first solve, milliseconds", header, rows)
        .with_keys(3)
        .unless_empty()
}
