//! What foreign programs take. Their times are by the host's clock and stand beside no time by events.

use super::columns::Columns;
use crate::results::ScopeRow;
use crate::show::grid::{Grid, digits};
use crate::timing::Scope;
use repro_types::CellId;

/// A row a cell that a program solved, seconds.
pub fn grid(columns: &Columns, scopes: &[ScopeRow]) -> Option<Grid> {
    let seconds = |cell: &CellId, scope: Scope| {
        let row = scopes.iter().find(|row| row.scope == scope && row.cell() == *cell);
        row.map_or("-".to_string(), |row| digits(row.median_s))
    };
    let rows = scopes.iter().filter(|row| row.scope == Scope::Program).map(|row| {
        let cell = row.cell();
        let element = columns.experiment.element_of(&cell.graph).to_string();
        let named = [cell.implementation.clone(), cell.n.to_string(), element, row.samples.to_string()];
        named.into_iter().chain(Scope::PROGRAM.map(|scope| seconds(&cell, scope))).collect()
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
    use crate::show::tables::fixtures::{cell, experiment, scope};

    #[test]
    fn a_program_has_a_row_with_the_clocks_that_it_has() {
        let experiment = experiment(&[("staged-load", "")], &[""]);
        let cell = cell("staged-load", "", 64);
        let read = [(Scope::ProgramSolve, 0.5), (Scope::Program, 2.0), (Scope::Kernel, 0.001)];
        let scopes = read.map(|(of, seconds)| scope(&cell, of, seconds));
        let shown = grid(&Columns::new(&experiment, &[]), &scopes).unwrap();
        let samples = scopes[0].samples.to_string();
        assert_eq!(shown.rows, [["staged-load", "64", "f32", &samples, "-", "0.5000", "2.000"]]);
        assert!(grid(&Columns::new(&experiment, &[]), &scopes[2..]).is_none());
    }
}
