//! Whose kernels are looked at.

use crate::device::KernelSource;
use crate::implementation::{Implementation, Parameters, Target, catalogue};
use std::sync::Arc;

/// An implementation with parameters, or a kernel file without one.
#[derive(Clone)]
pub struct Subject {
    /// The implementation's name.
    pub name: String,
    pub parameters: Parameters,
    pub source: KernelSource,
    /// None: compiled alone, and not run.
    pub implementation: Option<Arc<Implementation>>,
}

impl Subject {
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
        let file = |name: &str, source: KernelSource| Self {
            name: name.to_string(),
            parameters: Parameters::default(),
            source,
            implementation: None,
        };
        let catalogue = catalogue();
        let of_catalogue = catalogue.iter().flat_map(Self::of);
        let files = [file("layout", KernelSource::LAYOUT), file("ceilings", KernelSource::CEILINGS)];
        of_catalogue.chain(files).collect()
    }

    fn of(implementation: &Arc<Implementation>) -> Vec<Self> {
        implementation
            .verified_parameters()
            .filter_map(|parameters| Self::new(implementation, &parameters))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_parameters_are_subjects_of_their_own() {
        let all = Subject::all();
        let generalized = all.iter().filter(|subject| subject.name == "generalized-blocked");
        let hashes: std::collections::BTreeSet<_> =
            generalized.map(|subject| subject.source.hash()).collect();
        assert_eq!(hashes.len(), 6);
        assert!(all.iter().all(|subject| !subject.name.starts_with("cpu-")));
        assert!(all.iter().any(|subject| subject.name == "layout" && subject.implementation.is_none()));
    }
}
