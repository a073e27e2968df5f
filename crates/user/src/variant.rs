//! An implementation with its parameters.

use repro_base::Parameters;
use repro_device::DeviceError;
use repro_graph::ElementType;
use repro_solvers::{Implementation, ImplementationRef, check_batch};
use repro_timing::ProcessorKind;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

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

    /// Checks that its implementation takes these parameters, if this process knows it.
    ///
    /// # Errors
    /// What would have to change.
    pub fn check(&self) -> Result<(), String> {
        self.implementation.known().map_or(Ok(()), |known| known.check(&self.parameters))
    }

    /// Checks that its implementation, if known, solves graphs of `n` vertices.
    ///
    /// # Errors
    /// What would have to change.
    pub fn fits(&self, n: usize) -> Result<(), String> {
        self.implementation.known().map_or(Ok(()), |known| known.fits(n, &self.parameters))
    }

    /// Checks that its implementation, if known, solves graphs of `n` vertices with distances of this type.
    ///
    /// # Errors
    /// What would have to change.
    pub fn solves(&self, n: usize, element: ElementType) -> Result<(), String> {
        self.fits(n)?;
        self.implementation.known().map_or(Ok(()), |known| known.takes(element, &self.parameters))
    }

    /// Checks that its implementation, if known, solves so many graphs at once.
    ///
    /// # Errors
    /// What solves them instead.
    pub fn takes_batch(&self, graphs: usize) -> Result<(), String> {
        let known = self.implementation.known();
        check_batch(graphs, known.is_none_or(|known| known.capabilities(&self.parameters).solves_batches))
    }

    /// Whether its implementation is known and comes from a file, not from this program.
    pub fn is_external(&self) -> bool {
        self.implementation.known().is_some_and(|known| known.given.is_some())
    }

    /// The implementation.
    ///
    /// # Errors
    /// When this process does not know it.
    pub fn known(&self) -> Result<&Arc<Implementation>, DeviceError> {
        let unknown = || DeviceError::other(format!("unknown implementation '{}'", self.implementation));
        self.implementation.known().ok_or_else(unknown)
    }

    /// Whether it is known to need a device.
    pub fn needs_device(&self) -> bool {
        self.implementation.needs_device()
    }

    /// The processor that solves it: a device if this build does not know the name, since in every version only baselines ran on the CPU.
    pub fn solved_on(&self) -> ProcessorKind {
        let on_device = self.implementation.known().is_none_or(|known| known.needs_device());
        if on_device { ProcessorKind::Device } else { ProcessorKind::Cpu }
    }

    /// Whether it is known to be a program that takes a GPU itself.
    pub fn takes_gpu(&self) -> bool {
        self.implementation.known().is_some_and(|known| known.capabilities(&self.parameters).takes_gpu)
    }

    /// How many devices it needs; 0 where its implementation is not known.
    pub fn devices(&self) -> usize {
        self.implementation.known().map_or(0, |known| known.devices(&self.parameters))
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.parameters.is_empty() {
            true => write!(f, "{}", self.implementation),
            false => write!(f, "{} ({})", self.implementation, self.parameters),
        }
    }
}
