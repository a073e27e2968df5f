//! What a claim says to run measures all that it needs.

use super::invented::{commands, invented, papers_of, resolved};
use super::known::needed;
use super::{CLAIMS, lacks};
use repro::judge::evaluate;
use repro::plan::{DeviceKind, groups};
use repro::published::{Claim, Figure};
use repro::timing::Scope;
use repro_base::CellId;
use std::collections::BTreeSet;

#[test]
fn the_run_that_a_claim_names_plans_every_cell_clock_and_sample_that_its_tests_need() {
    let mut wrong = Vec::new();
    for (paper, claim) in CLAIMS.iter() {
        for test in &claim.tests {
            let run = claim.run_of(test);
            let experiment = resolved(run);
            let kind = match experiment.device.starts_with("emulated") {
                true => DeviceKind::Emulated,
                false => DeviceKind::Gpu,
            };
            let groups = groups(&experiment, kind);
            let planned = groups.into_iter().flat_map(|group| group.cells);
            let cells: Vec<CellId> = planned.filter(|cell| !cell.optional).map(|cell| cell.id).collect();
            let mut missing = needed(&experiment, &cells, test).1;
            let is_counted = kind == DeviceKind::Emulated;
            if test.is_counted() && !is_counted {
                missing.push("counts of the emulated device".to_string());
            }
            if !is_counted && experiment.sampling.min_samples < test.samples {
                missing.push(format!("{} samples", test.samples));
            }
            if experiment.orders < test.orders {
                missing.push(format!("{} orders", test.orders));
            }
            if test.figure == Figure::UnlikePlain && !experiment.between_launches {
                missing.push("a look between launches".to_string());
            }
            let clocks = experiment.clocks;
            let has = |scope: Scope| match scope {
                Scope::CudaGraph => clocks.cuda_graph,
                Scope::Everything => clocks.everything,
                Scope::CopyOutUnsyncedLoaded => clocks.loaded,
                Scope::Kernel | Scope::Device | Scope::Total | Scope::Host => true,
                _ => clocks.host,
            };
            let asked = [Some(test.clock), test.over_clock];
            missing.extend(
                asked.into_iter().flatten().filter(|scope| !has(*scope)).map(|scope| scope.to_string()),
            );
            let by_kernel =
                matches!(test.figure, Figure::KernelSeconds | Figure::KernelShare | Figure::MovedBytes);
            if by_kernel && !clocks.by_kernel {
                missing.push("times by kernel".to_string());
            }
            for what in missing {
                wrong.push(format!("{paper} {}: {run} lacks {what}", claim.id));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Not only the plan: a program that works writes what every claim needs.
#[test]
fn a_run_that_went_well_decides_every_claim_that_names_it() {
    let mut wrong = Vec::new();
    for command in commands() {
        let run = invented(&command, 1);
        for row in evaluate(&papers_of(&command), &[("GPU", &[&run])], &[]) {
            for result in row.results.iter().filter(|result| lacks(result)) {
                wrong.push(format!("{command}: {} {}: {:?}", row.paper, row.id, result.lack));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Whoever has a GPU needs no second run for what is counted. Solves in several orders and looks between launches take a minute, and stay
/// an experiment of their own.
#[test]
fn a_run_on_a_gpu_also_decides_what_its_experiment_has_counted_for_claims() {
    let is_cheap =
        |claim: &Claim| claim.tests.iter().all(|test| test.orders == 0 && test.figure != Figure::UnlikePlain);
    let (mut decided, mut wrong) = (BTreeSet::new(), Vec::new());
    for command in commands().into_iter().filter(|command| command.contains("--device emulated")) {
        let mut papers = papers_of(&command);
        papers.iter_mut().for_each(|paper| paper.claims.retain(is_cheap));
        let name = command.split(' ').next().unwrap();
        if papers.iter().all(|paper| paper.claims.is_empty()) {
            continue;
        }
        let run = invented(name, 1);
        assert!(!run.is_emulated(), "{name}");
        for row in evaluate(&papers, &[("GPU", &[&run])], &[]) {
            for result in &row.results {
                match lacks(result) {
                    true => wrong.push(format!("{name}: {} {}: {:?}", row.paper, row.id, result.lack)),
                    false => drop(decided.insert((row.paper.clone(), row.id.clone()))),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(decided.len() >= 20, "{decided:?}");
}
