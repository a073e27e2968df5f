//! Whose kernels are counted.

use super::metric::KernelKey;
use crate::device::KernelSource;
use crate::implementation::{Implementation, Parameters, Target, catalogue};
use std::sync::Arc;

/// An implementation with parameters, or a kernel file without one.
#[derive(Clone)]
pub struct CountTarget {
    /// The implementation's name.
    pub name: String,
    pub parameters: Parameters,
    pub source: KernelSource,
    /// None: compiled alone, and not run.
    pub implementation: Option<Arc<Implementation>>,
}

impl CountTarget {
    /// An implementation, which need not be of the catalogue. None where it has no kernels.
    pub fn new(implementation: &Arc<Implementation>, parameters: &Parameters) -> Option<Self> {
        let target = Target { element: implementation.usual_element(), ..Target::default() };
        Some(Self {
            name: implementation.name.to_string(),
            parameters: parameters.clone(),
            source: implementation.kernels(target, parameters)?.source,
            implementation: Some(implementation.clone()),
        })
    }

    /// Every implementation that has kernels, with its defaults and with the other parameters that it is verified with, and
    /// the kernels that no implementation owns.
    pub fn all() -> Vec<Self> {
        let targets_of = |implementation: &Arc<Implementation>| -> Vec<Self> {
            let all = implementation.verified_parameters();
            all.filter_map(|parameters| Self::new(implementation, &parameters)).collect()
        };
        let shared = [("layout", KernelSource::LAYOUT), ("ceilings", KernelSource::CEILINGS)];
        let shared = shared.map(|(name, source)| Self {
            name: name.to_string(),
            parameters: Parameters::default(),
            source,
            implementation: None,
        });
        catalogue().iter().flat_map(targets_of).chain(shared).collect()
    }

    /// The name of one of its kernels in the baseline.
    pub(super) fn key(&self, kernel: &str) -> KernelKey {
        KernelKey {
            implementation: self.name.clone(),
            params: self.parameters.to_string(),
            kernel: kernel.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_parameters_are_targets_of_their_own() {
        let all = CountTarget::all();
        let generalized = all.iter().filter(|target| target.name == "generalized-blocked");
        let hashes: std::collections::BTreeSet<_> = generalized.map(|target| target.source.hash()).collect();
        assert_eq!(hashes.len(), 6);
        assert!(all.iter().all(|target| !target.name.starts_with("cpu-")));
        assert!(all.iter().any(|target| target.name == "layout" && target.implementation.is_none()));
    }
}
