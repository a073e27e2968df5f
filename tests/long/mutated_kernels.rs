//! Mistakes made in the real kernels must show on the emulated device: a barrier taken away as a race, an index that is off
//! by one as a finding or a wrong result. `mutations.toml` lists them.

use crate::common::mutated::{mutated, solve_on, source_of, with_one_replaced};
use crate::common::{emulated, part};
use repro::device::emulated::{EmulatedDevice, FindingKind, Instruments};
use repro::graph::{DistanceMatrix, RandomGraph, generate};
use repro::implementation::{Parameters, cpu_parallel};
use serde::Deserialize;
use std::rc::Rc;

#[derive(Deserialize)]
struct Mutations {
    subject: Vec<Subject>,
}

/// Whose kernels are changed, how, and with which parameters they run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Subject {
    implementations: Vec<String>,
    #[serde(default)]
    parameters: Parameters,
    /// Three tiles a side, the last one padded.
    #[serde(default = "three_tiles")]
    n: usize,
    #[serde(default)]
    undirected: bool,
    #[serde(default)]
    shows: Shows,
    count: Option<usize>,
    #[serde(default)]
    unseen: Vec<usize>,
    mutations: Vec<(String, String)>,
}

fn three_tiles() -> usize {
    70
}

/// How a mutation shows.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Shows {
    #[default]
    Anyhow,
    RaceInBlock,
    RaceBetweenBlocks,
    Wrong,
}

impl Subject {
    fn graph(&self) -> DistanceMatrix {
        generate(&RandomGraph { undirected: self.undirected, ..RandomGraph::complete(11) }, self.n).unwrap()
    }

    fn solved(&self) -> Vec<f32> {
        let mut distances = self.graph().as_slice().to_vec();
        cpu_parallel::solve(&mut distances, self.n);
        distances
    }
}

/// The kernels of an implementation with their headers in place, without what is not compiled of the text that several share.
fn text_of(implementation: &str, Subject { parameters, undirected, .. }: &Subject) -> String {
    let is_two_phase = implementation == "two-phase";
    // As `rest_tile.cuh` is compiled for default parameters.
    let known = [
        ("#ifdef ONE_ELEMENT", is_two_phase),
        ("#ifdef REST_THREADS", parameters.to_string().contains("rest-threads")),
        ("#if TILE_PLACE == IN_REGISTER", is_two_phase),
        ("#if TILE_PLACE != IN_REGISTER", !is_two_phase),
        ("#if TILE_PLACE == FORCED_IN_SHARED", false),
    ];
    let mut open: Vec<Option<bool>> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for line in source_of(implementation, parameters).expanded().lines() {
        let is_compiled = open.iter().all(|part| part.unwrap_or(true));
        let is_own = match (line, open.last().copied().flatten()) {
            ("#else", Some(part)) => {
                open.pop();
                open.push(Some(!part));
                true
            }
            ("#endif", of) => {
                open.pop();
                of.is_some()
            }
            _ if line.starts_with("#if") => {
                let part = known.iter().find(|(condition, _)| line == *condition).map(|(_, is)| *is);
                open.push(part);
                part.is_some()
            }
            _ => false,
        };
        lines.push(if is_compiled && !is_own { line.to_string() } else { String::new() });
    }
    let compiled_for = if *undirected { "#define SYMMETRIC 1\n" } else { "" };
    format!("{compiled_for}{}\n", lines.join("\n"))
}

/// Whether kernels of `text`, by the schedule of an implementation, show as they should: without a mutation there is nothing to see.
fn is_as_expected(
    device: &Rc<EmulatedDevice>,
    name: &str,
    subject: &Subject,
    (text, shows): (String, Option<Shows>),
    expected: &[f32],
) -> bool {
    let changed = mutated(name, &subject.parameters, text);
    let (_, found) = solve_on(device, &changed, &subject.parameters, &subject.graph());
    let is_right = found.iter().map(|one| one.to_bits()).eq(expected.iter().map(|one| one.to_bits()));
    let findings = device.take_findings();
    let has = |kind| findings.iter().any(|finding| finding.kind == kind);
    let is_clean = findings.is_empty() && is_right;
    match shows {
        None => is_clean,
        Some(Shows::Anyhow) => !is_clean,
        Some(Shows::RaceInBlock) => has(FindingKind::RaceInBlock),
        Some(Shows::RaceBetweenBlocks) => has(FindingKind::RaceBetweenBlocks),
        Some(Shows::Wrong) => !is_right,
    }
}

/// Texts of kernels with how each shows, and what was changed: as they are, which must be clean, and with each mutation.
fn texts_of(implementation: &str, subject: &Subject) -> Vec<(String, Option<Shows>, String)> {
    let text = text_of(implementation, subject);
    let mut all = vec![(text.clone(), None, "nothing".to_string())];
    for (old, new) in &subject.mutations {
        let occurrences = text.matches(old).count();
        let is_counted = subject.count.is_none_or(|count| count == occurrences);
        assert!(occurrences > 0 && is_counted, "{implementation} has {occurrences} times '{old}'");
        all.extend((0..occurrences).map(|index| {
            let shows = (!subject.unseen.contains(&index)).then_some(subject.shows);
            let changed = format!("occurrence {index} of '{old}' as '{new}'");
            (with_one_replaced(&text, index, old, new), shows, changed)
        }));
    }
    all
}

/// Of all mutations those of this run's part.
#[test]
#[ignore = "long"]
fn every_mutation_shows_as_it_should_and_nothing_without_one() {
    let device = Rc::new(emulated(Instruments::CHECK));
    let (part, mut place, mut surprises) = (part(), 0, Vec::new());
    for subject in toml::from_str::<Mutations>(include_str!("mutations.toml")).unwrap().subject {
        let expected = subject.solved();
        for implementation in &subject.implementations {
            for (text, shows, changed) in texts_of(implementation, &subject) {
                place += 1;
                if !part.has(place) {
                    continue;
                }
                if !is_as_expected(&device, implementation, &subject, (text, shows), &expected) {
                    let Subject { parameters, n, .. } = &subject;
                    surprises.push(format!("{implementation} ({parameters}), n = {n}: {changed}"));
                }
            }
        }
    }
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
}
