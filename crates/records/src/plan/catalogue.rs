//! What is known of implementations by their names: the one file of records that asks the catalogue.

use super::known_names;
use repro_base::{CellId, Parameters};
use repro_graph::ElementType;
use repro_solvers::{
    self as implementation, Implementation, ImplementationFile, ImplementationRef, SolverThreads, check_batch,
};
use repro_timing::SolvedOn;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

/// What no implementation of this process is called.
#[derive(Debug, Error)]
#[error("unknown implementation '{0}'")]
pub struct UnknownImplementation(String);

/// The implementation of this name.
///
/// # Errors
/// What may be meant, when there is none.
pub fn implementation_named(name: &str) -> Result<Arc<Implementation>, String> {
    let known = || known_names(name, &implementation::names());
    implementation::find(name).ok_or_else(|| format!("unknown implementation '{name}': {}", known()))
}

/// The parameters of an implementation with what they are where none is set; none of one that is not known.
pub(super) fn defaults_of(implementation: &str) -> Parameters {
    implementation::find(implementation).map(|known| known.defaults()).unwrap_or_default()
}

/// The files of the implementations that the user brought, or of all that a file describes, those of experiments among them.
pub(super) fn given_files(of_experiments: bool) -> Vec<ImplementationFile> {
    let listed = || implementation::catalogue().iter().filter_map(|known| known.given.clone()).collect();
    if of_experiments { implementation::given_files() } else { listed() }
}

/// Makes the implementation in a file known by its name, in no list.
pub(super) fn register_file(path: &Path) -> Result<(), String> {
    let given = repro_user::read(path).map_err(|error| error.to_string())?;
    repro_user::register_unlisted(&given).map_err(|error| error.to_string())
}

/// An implementation with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    pub implementation: ImplementationRef,
    pub parameters: Parameters,
}

impl Variant {
    /// The implementation of this name, which this process need not know.
    pub fn new(implementation: &str, parameters: &Parameters) -> Self {
        Self { implementation: ImplementationRef::find(implementation), parameters: parameters.clone() }
    }

    /// That its parameters are those of its implementation, if that is known.
    ///
    /// # Errors
    /// What would have to change.
    pub fn check(&self) -> Result<(), String> {
        self.implementation.known().map_or(Ok(()), |known| known.check(&self.parameters))
    }

    /// What keeps it from `n` vertices, if it is known.
    ///
    /// # Errors
    /// What would have to change.
    pub fn fits(&self, n: usize) -> Result<(), String> {
        self.implementation.known().map_or(Ok(()), |known| known.fits(n, &self.parameters))
    }

    /// What keeps it from `n` vertices and distances of this type, if it is known.
    ///
    /// # Errors
    /// What would have to change.
    pub fn solves(&self, n: usize, element: ElementType) -> Result<(), String> {
        self.fits(n)?;
        self.implementation.known().map_or(Ok(()), |known| known.takes(element, &self.parameters))
    }

    /// What keeps it from so many graphs at once, if it is known.
    ///
    /// # Errors
    /// What solves them.
    pub fn takes_batch(&self, graphs: usize) -> Result<(), String> {
        let known = self.implementation.known();
        check_batch(graphs, known.is_none_or(|known| known.capabilities(&self.parameters).solves_batches))
    }

    /// Whether it is known to have the parameter of this name.
    pub fn takes(&self, parameter: &str) -> bool {
        let known = self.implementation.known();
        known.is_some_and(|known| known.parameters.iter().any(|one| one.name == parameter))
    }

    /// Whether it is no part of this program.
    pub fn is_external(&self) -> bool {
        self.implementation.known().is_some_and(|known| known.given.is_some())
    }

    /// The implementation.
    ///
    /// # Errors
    /// When this process does not know it.
    pub fn known(&self) -> Result<&Arc<Implementation>, UnknownImplementation> {
        self.implementation.known().ok_or_else(|| UnknownImplementation(self.implementation.to_string()))
    }

    /// Whether it is known to need a device.
    pub fn needs_device(&self) -> bool {
        self.implementation.needs_device()
    }

    /// What it is solved on; what is not known, on a device.
    pub fn solved_on(&self) -> SolvedOn {
        solved_on_by(self.implementation.known().map(|known| &**known))
    }

    /// Whether it is known to be a program that takes a GPU itself.
    pub fn takes_gpu(&self) -> bool {
        self.implementation.known().is_some_and(|known| known.capabilities(&self.parameters).takes_gpu)
    }

    /// When its cells are run: first what needs a device, last what has one core, since one sample of it can take longer than all of a GPU's.
    pub(super) fn turn(&self) -> usize {
        let known = self.implementation.known();
        match known.and_then(|known| known.capabilities(&self.parameters).host_threads) {
            _ if self.needs_device() || self.takes_gpu() => 0,
            Some(SolverThreads::One) => 2,
            _ => 1,
        }
    }

    /// How many devices it is known to need.
    pub fn devices(&self) -> usize {
        self.implementation.known().map_or(0, |known| known.devices(&self.parameters))
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let parameters = self.parameters.to_string();
        if parameters.is_empty() {
            return write!(f, "{}", self.implementation);
        }
        write!(f, "{} ({parameters})", self.implementation)
    }
}

/// What an implementation is solved on. One that this build does not know is taken to run on a device: in every version only the
/// baselines ran on the CPU.
fn solved_on_by(known: Option<&Implementation>) -> SolvedOn {
    if known.is_none_or(Implementation::needs_device) { SolvedOn::Device } else { SolvedOn::Cpu }
}

/// Whether what records call `implementation` runs on a device.
pub fn runs_on_device(implementation: &str) -> bool {
    solved_on_by(implementation::find(implementation).as_deref()) == SolvedOn::Device
}

/// What a cell is solved on, which says how many samples it needs.
pub fn solved_on(cell: &CellId) -> SolvedOn {
    solved_on_by(implementation::find(&cell.implementation).as_deref())
}

/// Tasks of one solve of a cell: n³, or n² for each of the iterations that its parameters let it run.
pub fn tasks_of(cell: &CellId) -> f64 {
    let some = cell.params.split(';').find_map(|one| one.strip_prefix("iterations=")?.parse::<f64>().ok());
    let n = cell.n as f64;
    n * n * some.map_or(n, |some| some.min(n))
}
