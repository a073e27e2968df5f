//! What records of before do not say, and this build knows: the one place where the catalogue is asked what a stored run means.

use crate::implementation::{self, GivenFile, Implementation, Parameters};
use crate::results::VariantFacts;
use crate::store::{CountRow, ImplementationRecord};
use crate::timing::SolvedOn;
use std::sync::Arc;

/// What is known of an implementation with its parameters: what its record says, and else what this build knows of it. `given` are the files
/// that the run keeps.
pub fn facts(
    (name, params): (&str, &str),
    given: &[GivenFile],
    record: Option<&ImplementationRecord>,
) -> VariantFacts {
    let parameters: Option<Parameters> = params.parse().ok();
    let known = of_file(name, given).or_else(|| implementation::find(name));
    let known = || known.as_ref();
    let abilities = || Some(known()?.method.abilities(parameters.as_ref()?));
    // On the CPU there are no kernels.
    let has_kernels =
        |record: &ImplementationRecord| record.source_hash.is_some() || !record.kernels.is_empty();
    let on_device = || match (known(), record) {
        (Some(known), _) => solved_on(known),
        (None, Some(record)) if !has_kernels(record) => SolvedOn::Cpu,
        (None, _) => SolvedOn::Device,
    };
    let bytes = || Some(known()?.bytes_per_task(parameters.as_ref()?).0);
    let of_paper = || known().and_then(|known| known.traffic.paper).map(|(bytes, _)| bytes);
    let defaults = || known().map(|known| known.defaults()).unwrap_or_default();
    VariantFacts {
        solved_on: record.and_then(|record| record.solved_on).unwrap_or_else(on_device),
        devices: record.and_then(|record| record.devices).or_else(|| Some(*abilities()?.devices.start())),
        bytes_a_task: record.map(|record| record.bytes_per_task).or_else(bytes),
        bytes_a_task_paper: record.map_or_else(of_paper, |record| record.bytes_per_task_paper),
        defaults: record.and_then(|record| record.defaults.clone()).unwrap_or_else(defaults),
    }
}

/// Whether this build knows it to run on a device. What it does not know is taken to: in every version only the baselines ran on the CPU.
pub fn is_on_device(implementation: &str) -> bool {
    implementation::find(implementation).is_none_or(|known| known.needs_device())
}

/// Tasks of the kernel of a row that does not say them.
pub fn tasks(row: &CountRow) -> Option<u64> {
    let found = implementation::find(&row.cell.implementation)?;
    let parameters = row.cell.params.parse().ok()?;
    implementation::tasks_of(&found, &parameters, &row.kernel, row.cell.n, row.counts.blocks)
}

fn of_file(name: &str, given: &[GivenFile]) -> Option<Arc<Implementation>> {
    let file = given.iter().find(|file| file.name == name)?;
    file.implementation().ok().map(Arc::new)
}

fn solved_on(known: &Arc<Implementation>) -> SolvedOn {
    if known.needs_device() { SolvedOn::Device } else { SolvedOn::Cpu }
}
