//! What older records do not say, and this build knows: the one place where the catalogue is asked what a stored run means.

use crate::VariantFacts;
use repro_plan::solved_on_by;
use repro_solvers::{self as implementation, GivenFile, Implementation, Parameters};
use repro_store::{CountRow, ImplementationRecord};
use repro_timing::SolvedOn;
use std::cell::LazyCell;
use std::sync::Arc;

/// What is known of an implementation with its parameters: what its record says, and else what this build knows of it. `given` are the files
/// that the run keeps.
pub fn facts(
    (name, params): (&str, &str),
    given: &[GivenFile],
    record: Option<&ImplementationRecord>,
) -> VariantFacts {
    let parameters: Option<Parameters> = params.parse().ok();
    // Asked for only where the record does not say.
    let known = LazyCell::new(|| implementation_of(name, given));
    let known = || known.as_ref();
    let abilities = || Some(known()?.method.abilities(parameters.as_ref()?));
    // On the CPU there are no kernels.
    let has_kernels =
        |record: &ImplementationRecord| record.source_hash.is_some() || !record.kernels.is_empty();
    let on_device = || match (known(), record) {
        (None, Some(record)) if !has_kernels(record) => SolvedOn::Cpu,
        (known, _) => solved_on_by(known.map(|known| &**known)),
    };
    let bytes = || Some(known()?.bytes_per_task(parameters.as_ref()?).0);
    let of_paper = || known().and_then(|known| known.traffic.paper).map(|(bytes, _)| bytes);
    let halves = || known().zip(parameters.as_ref()).is_some_and(|(known, set)| known.method.halves(set));
    // Builds that had this parameter did not say what its default was.
    let defaults = || known().map(|known| known.defaults().with("reorder", 0)).unwrap_or_default();
    VariantFacts {
        solved_on: record.and_then(|record| record.solved_on).unwrap_or_else(on_device),
        devices: record.and_then(|record| record.devices).or_else(|| Some(*abilities()?.devices.start())),
        bytes_a_task: record.map(|record| record.bytes_per_task).or_else(bytes),
        bytes_a_task_paper: record.map_or_else(of_paper, |record| record.bytes_per_task_paper),
        halves: record.map_or_else(halves, |record| record.halves),
        defaults: record.and_then(|record| record.defaults.clone()).unwrap_or_else(defaults),
    }
}

/// Tasks of the kernel of a row that does not say them.
pub fn tasks(row: &CountRow) -> Option<u64> {
    let found = implementation::find(&row.cell.implementation)?;
    let parameters = row.cell.params.parse().ok()?;
    implementation::tasks_of(&found, &parameters, &row.kernel, row.cell.n, row.counts.blocks)
}

/// The implementation of this name: by a file that the run keeps, or else of this program.
pub fn implementation_of(name: &str, given: &[GivenFile]) -> Option<Arc<Implementation>> {
    match given.iter().find(|file| file.name == name) {
        Some(file) => repro_external::implementation(file).ok().map(Arc::new),
        None => implementation::find(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_device::emulated::Counts;
    use repro_types::CellId;

    #[test]
    fn a_kernel_that_prepares_has_no_tasks_and_one_that_solves_has_some() {
        let cell = CellId::new("register-blocked", 65, "", "");
        let tasks = |kernel: &str| {
            let counts = Counts { blocks: 4, ..Counts::default() };
            super::tasks(&CountRow::new(&cell, kernel, &counts, None))
        };
        assert!(tasks("begin_64").is_none_or(|tasks| tasks == 0));
        assert!(tasks("solve_tiles_of_64").is_some_and(|tasks| tasks > 0));
        assert_eq!(tasks("of-no-such-name"), None);
    }
}
