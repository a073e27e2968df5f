//! What is known of implementations by their names: the only file of this crate that asks the solvers' catalogue.

use super::Variant;
use repro_base::lists::nearest;
use repro_base::{CellId, Parameters};
use repro_solvers::{Implementation, ImplementationFile, SolverThreads, catalogue, find, names};
use repro_timing::ProcessorKind;
use std::sync::Arc;

/// The implementation of this name.
///
/// # Errors
/// When there is none: the message suggests what may be meant.
pub fn implementation_named(name: &str) -> Result<Arc<Implementation>, String> {
    let known = || suggestion(name, &names());
    find(name).ok_or_else(|| format!("unknown implementation '{name}': {}", known()))
}

/// The default value of each parameter of an implementation; empty for an unknown one.
pub fn defaults_of(implementation: &str) -> Parameters {
    find(implementation).map(|known| known.defaults()).unwrap_or_default()
}

/// The files of the user's implementations; with `of_experiments`, also those that experiments bring.
pub fn given_files(of_experiments: bool) -> Vec<ImplementationFile> {
    let listed = || catalogue().iter().filter_map(|known| known.given.clone()).collect();
    if of_experiments { repro_solvers::given_files() } else { listed() }
}

/// What a cell is solved on, which says how many samples it needs.
pub fn solved_on(cell: &CellId) -> ProcessorKind {
    Variant::new(&cell.implementation, &Parameters::default()).solved_on()
}

/// Where an implementation stands in the catalogue. None of one that this build does not know.
pub fn place_in_catalogue(implementation: &str) -> Option<usize> {
    names().iter().position(|name| name == implementation)
}

/// Whether the implementation of this name in records runs on a device.
pub fn runs_on_device(implementation: &str) -> bool {
    Variant::new(implementation, &Parameters::default()).solved_on() == ProcessorKind::Device
}

/// Tasks of one solve of a cell: n³, or n² for each of the iterations that its parameters let it run.
pub fn tasks_of(cell: &CellId) -> f64 {
    let some = cell.params.split(';').find_map(|one| one.strip_prefix("iterations=")?.parse::<f64>().ok());
    let n = cell.n as f64;
    n * n * some.map_or(n, |some| some.min(n))
}

/// What `name`, which is not in `known`, may mean: the nearest of those if one is near, or else all.
pub fn suggestion<T: AsRef<str>>(name: &str, known: &[T]) -> String {
    match nearest(name, &known.iter().map(AsRef::as_ref).collect::<Vec<_>>()) {
        Some(nearest) => format!("did you mean {nearest}? `repro list` has all names"),
        None => format!("expected one of {}", known.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")),
    }
}

/// When cells of a variant are run: 0, first, for what needs a device; 2, last, for solvers on one core, whose one sample can take longer
/// than all of a GPU's.
pub(super) fn run_rank(of: &Variant) -> usize {
    let known = of.implementation.known();
    match known.and_then(|known| known.capabilities(&of.parameters).host_threads) {
        _ if of.needs_device() || of.takes_gpu() => 0,
        Some(SolverThreads::One) => 2,
        _ => 1,
    }
}
