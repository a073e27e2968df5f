//! Where an implementation comes from: whose it is, what it follows, how much code its kernels are.

use crate::device::KernelSource;
use crate::graph::ElementType;
use crate::implementation::{self, Implementation, ImplementationFile, Parameters, Target};
use crate::plan::implementation_of;
use crate::store::ImplementationRecord;
use serde::Serialize;
use std::sync::Arc;

/// Whose an implementation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Of this program.
    Ours,
    /// Brought by someone else.
    External,
}

impl Origin {
    /// The one place that decides it, of an implementation of a run that keeps these files. Whatever this program's catalogue does not
    /// name is external, too.
    pub fn of(implementation: &str, given: &[ImplementationFile]) -> Self {
        let is_given = given.iter().any(|one| one.name == implementation);
        let is_ours = |known: Arc<Implementation>| known.given.is_none();
        match implementation::find(implementation).is_some_and(is_ours) && !is_given {
            true => Self::Ours,
            false => Self::External,
        }
    }
}

/// How much code kernels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Lines {
    /// Of the kernel file with the headers that it reaches; neither blank lines nor comments.
    pub count: usize,
    /// Whether the source that they were counted in is known to be the one that ran.
    pub as_run: bool,
}

impl Lines {
    /// Of the kernels behind a record, for distances of this type. None on the CPU, and where the source is not at hand.
    pub fn of(
        record: &ImplementationRecord,
        given: &[ImplementationFile],
        element: ElementType,
    ) -> Option<Self> {
        let hashed = source(record, given, Target::default())?.hash();
        let counted = source(record, given, Target { element, ..Target::default() })?;
        let as_run = record.source_hash.as_ref() == Some(&hashed);
        Some(Self { count: counted.lines_of_code(), as_run })
    }
}

/// Whether kernels, as far as their source is at hand, may move bytes by asynchronous copies, which stored counts leave out.
pub(super) fn may_copy_asynchronously(record: &ImplementationRecord, given: &[ImplementationFile]) -> bool {
    let Some(source) = source(record, given, Target::default()) else { return false };
    let text = source.expanded();
    ["cp.async", "memcpy_async"].iter().any(|copy| text.contains(copy))
}

/// The kernel source of an implementation as far as it is at hand: the run's own, or that of this program.
fn source(
    record: &ImplementationRecord,
    given: &[ImplementationFile],
    target: Target,
) -> Option<KernelSource> {
    let found = implementation_of(&record.implementation, given)?;
    let parameters: Parameters = record.params.parse().ok()?;
    // Another build may have had other parameters.
    found.check(&parameters).ok()?;
    Some(found.kernels(target, &parameters)?.source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::SolvedOn;

    fn record(implementation: &str, params: &str, source_hash: Option<String>) -> ImplementationRecord {
        ImplementationRecord {
            implementation: implementation.into(),
            params: params.into(),
            source: String::new(),
            bytes_per_task: 0.0,
            traffic_model: String::new(),
            bytes_per_task_paper: None,
            traffic_model_paper: None,
            source_hash,
            kernels: Vec::new(),
            stored_code: Vec::new(),
            solved_on: SolvedOn::Device,
            devices: 1,
            halves: false,
            defaults: Parameters::default(),
            problem: None,
            external: None,
            gpu: None,
        }
    }

    #[test]
    fn a_kernel_of_ours_has_its_lines_and_whether_they_are_those_that_ran() {
        let of = |hash: Option<String>| {
            Lines::of(&record("staged-load", "", hash), &[], ElementType::F32).unwrap()
        };
        let embedded = source(&record("staged-load", "", None), &[], Target::default()).unwrap();
        let same = of(Some(embedded.hash()));
        assert!(same.count > 50 && same.count < 500 && same.as_run, "{same:?}");
        assert!(!of(Some("another".into())).as_run);
        assert!(!of(None).as_run);
    }

    #[test]
    fn kernels_with_asynchronous_copies_are_known_by_their_source() {
        let of = |name| may_copy_asynchronously(&record(name, "", None), &[]);
        assert_eq!(["register-blocked", "staged-load", "of-a-user"].map(of), [true, false, false]);
    }

    #[test]
    fn what_is_not_in_the_catalogue_is_external() {
        assert_eq!(Origin::of("katz-kider", &[]), Origin::Ours);
        assert_eq!(Origin::of("of-a-user", &[]), Origin::External);
    }

    #[test]
    fn what_a_run_keeps_the_file_of_is_external_and_has_its_lines() {
        let kernel = include_str!("../../tests/cheats/honest.toml").replace("\"honest\"", "\"katz-kider\"");
        let file = ImplementationFile {
            file: "own.toml".into(),
            folder: "/".into(),
            name: "katz-kider".into(),
            text: kernel,
            sources: vec![("honest.cu".into(), "int a; // one\n\nint b;\n".into())],
            cubin: None,
        };
        let given = std::slice::from_ref(&file);
        assert_eq!(Origin::of("katz-kider", given), Origin::External);
        let lines = Lines::of(&record("katz-kider", "", None), given, ElementType::F32).unwrap();
        assert_eq!(lines.count, 2);
    }
}
