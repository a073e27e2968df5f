//! What a run recorded of its implementations in addition to their times, so that no build has to know them to read it.

use crate::before;
use repro_plan::{NamedGraph, runs_on_device};
use repro_store::Manifest;
use repro_timing::SolvedOn;
use repro_types::Parameters;
use repro_types::tasks::halved;
use std::collections::BTreeMap;

/// Of one implementation with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantFacts {
    pub solved_on: SolvedOn,
    /// The devices that it takes: 0 on the CPU. None where nothing says.
    pub devices: Option<usize>,
    /// Bytes that a task moves by its model. None where nothing says.
    pub bytes_a_task: Option<f64>,
    /// Bytes that a task moves as its paper counted, where that counted otherwise.
    pub bytes_a_task_paper: Option<f64>,
    /// Whether it does half of the tasks of an undirected graph.
    pub halves: bool,
    /// What its parameters are where none is set.
    pub defaults: Parameters,
}

/// Of all implementations of a run: by name, then by parameters as records write them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts(BTreeMap<String, BTreeMap<String, VariantFacts>>);

impl Facts {
    /// Of the run's columns and of what it recorded of them. What older records do not say is filled in.
    pub fn of(manifest: &Manifest) -> Self {
        let records = manifest.environment.iter().flat_map(|environment| &environment.implementations);
        let recorded = records.map(|one| (one.implementation.clone(), one.params.clone(), Some(one)));
        let columns = manifest.experiment.columns.iter();
        let planned = columns.map(|one| (one.implementation.clone(), one.parameters.to_string(), None));
        let mut all = Self::default();
        for (name, params, record) in recorded.chain(planned) {
            let facts = || before::facts((&name, &params), &manifest.experiment.given, record);
            all.0.entry(name.clone()).or_default().entry(params.clone()).or_insert_with(facts);
        }
        all
    }

    /// Of an implementation with these parameters. None where the run has no such column.
    pub fn variant(&self, (implementation, params): (&str, &str)) -> Option<&VariantFacts> {
        self.0.get(implementation)?.get(params)
    }

    /// Tasks of a solve of `n` vertices: all n³, or of an undirected graph those of each pair of vertices once; of a batch, those of all
    /// its graphs.
    pub fn tasks(&self, variant: (&str, &str), n: usize, graph: Option<&NamedGraph>) -> f64 {
        let undirected = graph.is_some_and(|graph| graph.source.weights().symmetric);
        let of_one = match undirected && self.variant(variant).is_some_and(|facts| facts.halves) {
            true => halved(n),
            false => (n as f64).powi(3),
        };
        of_one * graph.map_or(1, |graph| graph.source.graphs()) as f64
    }

    /// Of an implementation with whatever parameters.
    pub fn any(&self, implementation: &str) -> Option<&VariantFacts> {
        self.0.get(implementation)?.values().next()
    }

    /// Whether an implementation ran on a device, or would have.
    pub fn is_on_device(&self, implementation: &str) -> bool {
        match self.any(implementation) {
            Some(facts) => facts.solved_on == SolvedOn::Device,
            None => runs_on_device(implementation),
        }
    }

    /// How many devices share a matrix: 1 of what needs none or is not known.
    pub fn devices_sharing(&self, variant: (&str, &str)) -> usize {
        self.variant(variant).and_then(|facts| facts.devices).unwrap_or(1).max(1)
    }

    /// Parameters without those that are what they would be anyway.
    pub fn non_default(&self, implementation: &str, parameters: &Parameters) -> Parameters {
        match self.any(implementation) {
            Some(facts) => parameters.without(&facts.defaults),
            None => parameters.clone(),
        }
    }

    /// Parameters as records write them, without those that are what they would be anyway; unchanged where they cannot be parsed.
    pub fn written_non_default(&self, implementation: &str, params: &str) -> String {
        match params.parse() {
            Ok(set) => self.non_default(implementation, &set).to_string(),
            Err(_) => params.to_string(),
        }
    }

    /// The names of the implementations, in their order.
    pub fn implementations(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{experiment, manifest};
    use std::path::Path;

    fn facts(columns: &[(&str, &str)]) -> Facts {
        Facts::of(&manifest(experiment(columns, &[""])))
    }

    #[test]
    fn what_shares_its_matrix_with_nobody_or_is_not_known_counts_as_one_device() {
        repro_distributed::register();
        let all = [("distributed-blocked", "devices=4"), ("staged-load", ""), ("cpu-naive", "")];
        let facts = facts(&[all[0], all[1], all[2], ("of-another-build", "devices=4")]);
        assert_eq!(all.map(|variant| facts.devices_sharing(variant)), [4, 1, 1]);
        assert_eq!(facts.devices_sharing(("of-another-build", "devices=4")), 1);
        assert_eq!(facts.devices_sharing(("in-no-column", "")), 1);
    }

    #[test]
    fn what_nobody_knows_ran_on_a_device_and_has_no_defaults() {
        let facts = facts(&[("of-another-build", "x=1"), ("cpu-naive", "")]);
        assert!(facts.is_on_device("of-another-build") && !facts.is_on_device("cpu-naive"));
        assert_eq!(facts.written_non_default("of-another-build", "x=1"), "x=1");
        assert_eq!(facts.written_non_default("cpu-naive", "iterations=0"), "");
        assert_eq!(facts.written_non_default("cpu-naive", "no parameters"), "no parameters");
    }

    #[test]
    fn what_a_record_says_counts_and_not_what_this_build_knows() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/reference/h200/table1");
        let mut run = crate::StoredRun::open(&folder).unwrap();
        let environment = run.manifest.environment.as_mut().unwrap();
        for record in &mut environment.implementations {
            record.implementation = format!("{}-of-another-build", record.implementation);
            (record.solved_on, record.devices) = (Some(SolvedOn::Cpu), Some(0));
            (record.defaults, record.bytes_per_task) = (Some([("x", 1)].into()), 7.0);
        }
        let mut without_kernels = environment.implementations[1].clone();
        without_kernels.implementation = "without-kernels".into();
        (without_kernels.solved_on, without_kernels.source_hash) = (None, None);
        without_kernels.kernels.clear();
        environment.implementations.push(without_kernels);
        let facts = Facts::of(&run.manifest);
        assert!(!facts.is_on_device("without-kernels"), "on the CPU there are no kernels");
        let name = "staged-load-of-another-build";
        let known = facts.variant((name, "")).unwrap();
        assert_eq!((known.solved_on, known.bytes_a_task, known.devices), (SolvedOn::Cpu, Some(7.0), Some(0)));
        assert_eq!(facts.written_non_default(name, "x=1;y=2"), "y=2");
    }
}
