//! Whose kernels are looked at.

use crate::device::KernelSource;
use crate::implementation::{Implementation, Parameters, Schedule, catalogue};

/// A schedule with parameters, or a kernel file without a schedule.
#[derive(Clone)]
pub struct Subject {
    /// The implementation's name.
    pub name: String,
    pub parameters: Parameters,
    pub source: KernelSource,
    /// None: compiled alone, and not run.
    pub schedule: Option<&'static dyn Schedule>,
}

impl Subject {
    /// `schedule` under `name`, which need not be one of the catalogue.
    pub fn new(name: &str, parameters: &Parameters, schedule: &'static dyn Schedule) -> Self {
        Self {
            name: name.to_string(),
            parameters: parameters.clone(),
            source: schedule.source(parameters),
            schedule: Some(schedule),
        }
    }

    /// Every implementation that has kernels, with its defaults and with the other parameters that it is verified with, and
    /// the kernels that no implementation owns.
    pub fn all() -> Vec<Self> {
        let file = |name: &str, source: KernelSource| Self {
            name: name.to_string(),
            parameters: Parameters::default(),
            source,
            schedule: None,
        };
        let of_catalogue = catalogue().iter().flat_map(|implementation| Self::of(implementation));
        let files = [file("layout", KernelSource::LAYOUT), file("ceilings", KernelSource::CEILINGS)];
        of_catalogue.chain(files).collect()
    }

    fn of(implementation: &Implementation) -> Vec<Self> {
        let Some(schedule) = implementation.schedule() else { return Vec::new() };
        let parameters = std::iter::once(Parameters::default()).chain(schedule.also_checked());
        parameters.map(|parameters| Self::new(implementation.name, &parameters, schedule)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_parameters_are_subjects_of_their_own() {
        let all = Subject::all();
        let generalized = all.iter().filter(|subject| subject.name == "generalized-blocked");
        let files: std::collections::BTreeSet<_> = generalized.map(|subject| subject.source.file).collect();
        assert_eq!(files.len(), 3);
        assert!(all.iter().all(|subject| !subject.name.starts_with("cpu-")));
        assert!(all.iter().any(|subject| subject.name == "layout" && subject.schedule.is_none()));
    }
}
