//! Programs in comparisons: they have clocks of their own, and no time of theirs is held against one of a kernel.

use crate::results::StoredRun;
use crate::timing::Scope;
use repro_types::CellId;
use std::collections::{BTreeMap, BTreeSet};

/// The clocks of a program that are compared, the one that is preferred first.
pub(super) const PROGRAMS_COMPARED: [Scope; 2] = [Scope::ProgramSolve, Scope::Program];

/// The scopes that are looked at where `asked` was asked for: it alone where programs have it, else those of programs too.
pub(super) fn scopes_beside(asked: Scope) -> impl Iterator<Item = Scope> {
    let of_programs = PROGRAMS_COMPARED.into_iter().filter(move |_| !Scope::PROGRAM.contains(&asked));
    std::iter::once(asked).chain(of_programs)
}

/// By which scope each cell of a pair of runs is compared, where `asked` was asked for: cells of programs by the first of their clocks that
/// both runs have, all others by `asked`. Cells without a time of that scope are not among them.
pub(super) fn scope_of_cells(base: &StoredRun, new: &StoredRun, asked: Scope) -> BTreeMap<CellId, Scope> {
    let read = |run: &'_ StoredRun, scope| {
        run.results.times.by(scope).map(|(cell, _)| cell.clone()).collect::<Vec<_>>()
    };
    let mut all = BTreeMap::new();
    // What is preferred comes last, and what both have after what one has.
    let scopes: Vec<Scope> = scopes_beside(asked).collect();
    for &scope in scopes.iter().rev() {
        all.extend(read(base, scope).into_iter().chain(read(new, scope)).map(|cell| (cell, scope)));
    }
    for &scope in scopes.iter().rev() {
        let in_both = read(new, scope).into_iter().filter(|cell| base.cell(cell).time(scope).is_some());
        all.extend(in_both.map(|cell| (cell, scope)));
    }
    all
}

/// How many cells both runs have a time of, and none of the scope that they would be compared by.
pub(super) fn left_out(base: &StoredRun, new: &StoredRun, compared: &BTreeMap<CellId, Scope>) -> usize {
    let timed = |run: &StoredRun| -> BTreeSet<CellId> {
        run.results.summary.iter().filter(|row| row.is_timed()).map(|row| row.cell()).collect()
    };
    timed(base).intersection(&timed(new)).filter(|cell| !compared.contains_key(cell)).count()
}
