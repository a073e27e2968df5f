//! Which runs are of one machine.

use crate::lists::grouped;
use crate::results::{StoredRun, SummaryRow};
use crate::store::MachineIdentity;
use std::collections::BTreeSet;

/// Runs of one machine, oldest first.
pub struct MachineRuns<'a> {
    pub label: String,
    pub runs: Vec<&'a StoredRun>,
}

/// Groups runs that measured something by their machine, machines with a GPU first, then in the order of their first run.
/// Runs without a GPU join the only group with a run on the same host; where several groups have such a host, the only one with a
/// run on it of the same commit. Runs that measured nothing, such as those on the emulated device without CPU columns,
/// belong to no machine.
pub fn by_machine(runs: &[StoredRun]) -> Vec<MachineRuns<'_>> {
    let has_times = |run: &&StoredRun| run.results.summary.iter().any(SummaryRow::is_timed);
    let mut sorted: Vec<&StoredRun> = runs.iter().filter(has_times).collect();
    let oldest_first = |a: &&StoredRun, b: &&StoredRun| {
        (&a.manifest.started, &a.folder).cmp(&(&b.manifest.started, &b.folder))
    };
    sorted.sort_by(oldest_first);
    let known = sorted.into_iter().filter_map(|run| Some((run.environment()?.machine(), run)));
    let (with_gpu, of_cpus): (Vec<_>, Vec<_>) = known.partition(|(machine, _)| machine.gpu.is_some());
    let mut groups = grouped(with_gpu);
    let mut alone = Vec::new();
    for (machine, run) in of_cpus {
        let host = |of: &StoredRun| of.environment().map(|here| here.host.clone());
        let shares_host = |other: &StoredRun| host(other) == host(run);
        let shares_commit = |other: &StoredRun| {
            shares_host(other) && other.manifest.build.commit == run.manifest.build.commit
        };
        match the_one_with(&groups, shares_host).or_else(|| the_one_with(&groups, shares_commit)) {
            Some(at) => {
                let others = &mut groups[at].1;
                others.push(run);
                others.sort_by(oldest_first);
            }
            None => alone.push((machine, run)),
        }
    }
    groups.extend(grouped(alone));
    let mut labels: BTreeSet<String> = BTreeSet::new();
    let hosts: Vec<(Option<String>, usize)> =
        groups.iter().map(|(machine, _)| (machine.gpu.clone(), machine.threads)).collect();
    groups
        .into_iter()
        .map(|(MachineIdentity { gpu, driver, cpu, threads, .. }, runs)| {
            let is_alike = |host: &&(Option<String>, usize)| **host == (gpu.clone(), threads);
            let is_only_host = hosts.iter().filter(is_alike).count() == 1;
            let name = match (gpu, devices(&runs)) {
                (Some(gpu), 1) => gpu,
                (Some(gpu), count) => format!("{count} {gpu}"),
                (None, _) => format!("{cpu}, no GPU"),
            };
            let with_driver = driver.map_or(name.clone(), |driver| format!("{name}, driver {driver}"));
            let with_threads = is_only_host.then(|| format!("{name} with {threads} CPU threads"));
            let numbered = (2..).map(|count| format!("{with_driver} ({count})"));
            let apart = with_threads.into_iter().chain([with_driver.clone()]);
            let mut candidates = [name].into_iter().chain(apart).chain(numbered);
            // The numbers are endless, so one is always free.
            let label = candidates.find(|label| !labels.contains(label)).unwrap_or_default();
            labels.insert(label.clone());
            MachineRuns { label, runs }
        })
        .collect()
}

/// The index of the only group with such a run. None if there is no such group, or several.
fn the_one_with<M>(groups: &[(M, Vec<&StoredRun>)], is_such: impl Fn(&StoredRun) -> bool) -> Option<usize> {
    let has_such = |at: &usize| groups[*at].1.iter().any(|run| is_such(run));
    let mut places = (0..groups.len()).filter(has_such);
    places.next().filter(|_| places.next().is_none())
}

/// The most GPUs that one run had, over all its hosts.
fn devices(runs: &[&StoredRun]) -> usize {
    let of_run = |run: &&StoredRun| 1 + run.environment().map_or(0, |of| of.further_devices.len());
    runs.iter().map(of_run).max().unwrap_or(1)
}
