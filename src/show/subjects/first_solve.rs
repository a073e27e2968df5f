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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures::{cell, experiment, measured, run, scope, with_times};

    #[test]
    fn a_row_has_what_was_read_in_milliseconds_and_a_stroke_for_what_was_not() {
        let experiment = experiment(&[("staged-load", "")], &[""]);
        let cell = cell("staged-load", "", 64);
        let read = [(Scope::FirstPrepare, 0.002), (Scope::FirstLoad, 0.5), (Scope::Kernel, 0.001)];
        let scopes = read.map(|(of, seconds)| scope(&cell, of, seconds));
        let run = run(experiment, vec![measured(cell, &[1.0])]);
        let with = |scopes| with_times(run.clone(), scopes);
        let shown = table(&Context::new(&with(&scopes), &[])).unwrap();
        assert_eq!(shown.rows, [["staged-load", "64", "f32", "500.0", "2.000", "-", "-", "1.000"]]);
        assert!(table(&Context::new(&with(&scopes[1..]), &[])).is_none());
    }
}
