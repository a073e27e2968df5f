//! Where every run's numbers come from, in full.

use super::table;
use crate::implementation::Pinned;
use crate::lists::distinct;
use crate::report::model::Topic;
use crate::results::StoredRun;
use crate::show::{digits, rate};
use crate::timing::Estimate;

/// A row a fact, a column a run.
pub fn topic(runs: &[StoredRun]) -> Topic {
    let facts: Vec<Vec<(&str, String)>> = runs.iter().map(of_run).collect();
    let names = distinct(facts.iter().flatten().map(|(name, _)| *name));
    let rows = names.iter().map(|name| {
        let of = |facts: &Vec<(&str, String)>| {
            facts.iter().find(|(known, _)| known == name).map_or(String::new(), |(_, value)| value.clone())
        };
        std::iter::once(name.to_string()).chain(facts.iter().map(of)).collect()
    });
    let runs: Vec<String> = runs.iter().map(StoredRun::name).collect();
    let header: Vec<&str> = std::iter::once("").chain(runs.iter().map(String::as_str)).collect();
    let table = table("environments", "Machines, devices and builds", &header, rows.collect());
    super::topic("environment", "Environment in full", table.into_iter().collect())
}

fn of_run(run: &StoredRun) -> Vec<(&'static str, String)> {
    let manifest = &run.manifest;
    let mut facts = vec![
        ("started", manifest.started.clone()),
        ("finished", manifest.finished.clone().unwrap_or_else(|| "not finished".to_string())),
    ];
    if !manifest.resumed.is_empty() {
        facts.push(("continued", manifest.resumed.join(", ")));
    }
    let dirty = if manifest.build.dirty { ", uncommitted changes" } else { "" };
    facts.push(("repro", format!("{}, {}{dirty}", manifest.build.version, manifest.build.profile)));
    facts.push(("commit", manifest.build.commit.clone()));
    let Some(environment) = run.environment() else { return facts };
    let host = &environment.host;
    facts.extend([
        ("CPU", format!("{}, {} threads", host.cpu, host.threads)),
        ("SIMD", host.simd.join(", ")),
        ("memory, GiB", gib(host.memory_bytes)),
        ("operating system", format!("{}, kernel {}", host.os, host.kernel)),
    ]);
    if let Some(pinning) = &environment.pinning {
        facts.push(("one thread pinned to core", pinned(&pinning.one)));
        facts.push(("all threads pinned to cores", pinned(&pinning.all)));
    }
    if let Some(why) = &environment.device_problem {
        facts.push(("no device", why.clone()));
    }
    if let Some(device) = &environment.device {
        let info = &device.info;
        facts.extend([
            ("device", info.name.clone()),
            ("device UUID", info.uuid.clone()),
            ("compute capability", format!("{}.{}", info.compute_capability.0, info.compute_capability.1)),
            ("multiprocessors", info.multiprocessors.to_string()),
            ("device memory, GiB", gib(info.memory_bytes)),
            ("L2 cache, MiB", (info.l2_bytes >> 20).to_string()),
            ("highest clock, MHz", info.clock_mhz.to_string()),
            ("driver", device.driver.clone().unwrap_or_else(|| "unknown".to_string())),
            ("CUDA of the driver", info.driver_cuda.clone()),
            ("kernels compiled by", device.compiler.clone().unwrap_or_else(|| "nothing".to_string())),
        ]);
    }
    if let Some(together) = &environment.together {
        facts.extend(together.facts());
    }
    let ceilings = &environment.ceilings;
    if let Some(device) = ceilings.device {
        facts.push(("copy, GB/s", digits(device.copy_gbs)));
        facts.push(("add + min, 10⁹ tasks/s", rate(device.add_min_tasks_per_s)));
        if let Some(latency) = device.chained_load {
            let of = |seconds: Estimate| format!("{:.0}", 1e9 * seconds.value);
            facts
                .push(("a load, the slowest multiprocessor alone at it, ns", of(latency.one_multiprocessor)));
            facts.push(("a load, all multiprocessors at it, ns", of(latency.all_multiprocessors)));
        }
    }
    facts.extend(ceilings.cpu_core_tasks_per_s.map(|core| ("one core, 10⁹ tasks/s", rate(core))));
    facts.extend(ceilings.cpu_tasks_per_s.map(|all| ("all cores, 10⁹ tasks/s", rate(all))));
    facts
}

/// Which cores, or why none.
fn pinned(pinned: &Pinned) -> String {
    let cores: Vec<String> = pinned.cores.iter().map(ToString::to_string).collect();
    let others = |others: &Vec<usize>| {
        let others: Vec<String> = others.iter().map(ToString::to_string).collect();
        format!(", which shares a processor core with {}", others.join(", "))
    };
    let shares = pinned.shares_with.as_ref().filter(|others| !others.is_empty()).map(others);
    match &pinned.problem {
        Some(problem) => format!("none: {problem}"),
        None => format!("{}{}", cores.join(", "), shares.unwrap_or_default()),
    }
}

fn gib(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / f64::from(1 << 30))
}
