//! What a report says of a machine.

use super::model::{Hardware, Machine, Tally};
use crate::judge::{ClaimRow, Verdict};
use crate::published::EvidenceKind;
use crate::results::MachineRuns;
use crate::store::{Environment, Together, short_commit};
use std::collections::BTreeSet;

/// What the page says of a machine.
pub fn describe(machine: &MachineRuns, claims: &[ClaimRow]) -> Machine {
    let environments = || machine.runs.iter().filter_map(|run| run.environment());
    let distinct = |of: &dyn Fn(&Environment) -> Option<String>| -> String {
        let all: BTreeSet<String> = environments().filter_map(of).collect();
        all.into_iter().collect::<Vec<_>>().join(", ")
    };
    let dates: Vec<&str> = machine.runs.iter().map(|run| run.manifest.started.as_str()).collect();
    let date = |of: Option<&&str>| of.and_then(|date| date.get(..10)).unwrap_or_default().to_string();
    let (first, last) = (date(dates.iter().min()), date(dates.iter().max()));
    let commits: BTreeSet<String> = machine
        .runs
        .iter()
        .map(|run| {
            let build = &run.manifest.build;
            let short = short_commit(&build.commit);
            if build.dirty { format!("{short} with uncommitted changes") } else { short.to_string() }
        })
        .collect();
    let gpus = distinct(&|environment| {
        let device = environment.gpu()?;
        Some(device.info.uuid.clone())
    });
    let count = gpus.split(", ").filter(|uuid| !uuid.is_empty()).count();
    let measured = if first == last { first } else { format!("{first} to {last}") };
    let facts = [
        (
            "GPU",
            distinct(&|environment| {
                let info = &environment.device.as_ref()?.info;
                (!info.emulated).then(|| format!("{}, {} multiprocessors", info.name, info.multiprocessors))
            }),
        ),
        ("driver", distinct(&|environment| environment.device.as_ref()?.driver.clone())),
        ("kernels compiled by", distinct(&|environment| environment.device.as_ref()?.compiler.clone())),
        (
            "host",
            distinct(&|environment| {
                Some(format!("{}, {} threads", environment.host.cpu, environment.host.threads))
            }),
        ),
        ("several GPUs", distinct(&|environment| together(environment.together.as_ref()?))),
        ("measured", measured.clone()),
        ("commits", commits.into_iter().collect::<Vec<_>>().join(", ")),
        ("runs", machine.runs.iter().map(|run| run.name()).collect::<Vec<_>>().join(", ")),
        (
            "specimens",
            if count > 1 {
                format!("{count} GPUs of this model; no comparison mixes two")
            } else {
                String::new()
            },
        ),
    ];
    Machine {
        label: machine.label.clone(),
        dates: Some(measured).filter(|dates| !dates.is_empty()),
        facts: facts
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.to_string(), value))
            .collect(),
        tally: tally(&machine.label, claims),
    }
}

/// The GPU of a machine; None where it has none, or no run measured a copy in its memory.
pub fn hardware(machine: &MachineRuns) -> Option<Hardware> {
    let environments = || machine.runs.iter().filter_map(|run| run.environment());
    let copies = environments().filter_map(|environment| Some(environment.ceilings.device?.copy_gbs));
    let info = &environments().find_map(Environment::gpu)?.info;
    Some(Hardware {
        label: machine.label.clone(),
        multiprocessors: info.multiprocessors,
        clock_mhz: info.clock_mhz,
        l2_mib: info.l2_bytes >> 20,
        copy_gbs: copies.reduce(f64::max)?,
    })
}

/// How the devices of a run solved together, in one line.
fn together(together: &Together) -> Option<String> {
    let facts: Vec<String> =
        together.facts().into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
    (!facts.is_empty()).then(|| facts.join("; "))
}

/// How many claims got which verdict on a machine, by what the verdicts rest on, without kinds of which none was judged by it.
pub fn tally(machine: &str, claims: &[ClaimRow]) -> Vec<Tally> {
    let row = |kind| {
        let of_kind = claims.iter().filter(|claim| claim.evidence == Some(kind));
        let results = of_kind.flat_map(|claim| &claim.results).filter(|result| result.machine == machine);
        let of = |verdict| (verdict, results.clone().filter(|result| result.verdict == verdict).count());
        let one_sided = results.clone().filter(|result| result.is_one_sided()).count();
        Tally { kind, counts: Verdict::ALL.map(of).to_vec(), one_sided }
    };
    let is_judged = |of: &Tally| of.counts.iter().any(|(_, count)| *count > 0);
    EvidenceKind::ALL.into_iter().map(row).filter(is_judged).collect()
}
