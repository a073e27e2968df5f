//! What foreign programs take. Their times are by the host's clock and stand beside no time by events.

use super::columns::Columns;
use crate::results::Times;
use crate::show::{Grid, digits};
use crate::timing::Scope;
use repro_types::CellId;

/// A row a cell that a program solved, seconds.
pub fn grid(columns: &Columns, times: &Times) -> Option<Grid> {
    let seconds = |cell: &CellId, scope: Scope| {
        times.cell(cell).time(scope).map_or("-".to_string(), |time| digits(time.value))
    };
    let rows = columns.summary.iter().filter_map(|row| {
        let cell = row.cell();
        let samples = times.cell(&cell).timed(Scope::Program)?.samples.len();
        let element = columns.experiment.element_of(&cell.graph).to_string();
        let named = [cell.implementation.clone(), cell.n.to_string(), element, samples.to_string()];
        Some(named.into_iter().chain(Scope::PROGRAM.map(|scope| seconds(&cell, scope))).collect())
    });
    let header = ["program", "n", "type", "samples", "solve,\nits own clock", "solve,\nhost", "whole,\nhost"];
    Grid::new(
        "Foreign programs by the clock of the host, which is none of the events above: medians in seconds",
        header,
        rows,
    )
    .with_keys(3)
    .unless_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::tables::fixtures::{cell, experiment, measured, scope};

    #[test]
    fn a_program_has_a_row_with_the_clocks_that_it_has() {
        let experiment = experiment(&[("staged-load", "")], &[""]);
        let cell = cell("staged-load", "", 64);
        let read = [(Scope::ProgramSolve, 0.5), (Scope::Program, 2.0), (Scope::Kernel, 0.001)];
        let scopes = read.map(|(of, seconds)| scope(&cell, of, seconds));
        let summary = [measured(cell, &[1.0])];
        let shown = grid(&Columns::new(&experiment, &summary), &Times::of(&scopes)).unwrap();
        assert_eq!(shown.rows, [["staged-load", "64", "f32", "1", "-", "0.5000", "2.000"]]);
        assert!(grid(&Columns::new(&experiment, &summary), &Times::of(&scopes[2..])).is_none());
    }
}
