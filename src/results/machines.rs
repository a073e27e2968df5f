//! Which runs are of one machine.

use crate::lists::grouped;
use crate::results::{StoredRun, SummaryRow};
use crate::store::{HostInfo, MachineIdentity};
use std::collections::BTreeSet;

/// Runs of one machine, oldest first.
pub struct MachineRuns<'a> {
    pub label: String,
    pub runs: Vec<&'a StoredRun>,
}

/// Groups runs that measured something by their machine, those with a GPU first, then in the order of their first run.
/// Runs of a CPU belong to the one GPU that other runs of their host had; where hosts of several are described alike, to that of
/// which a run is of the same commit. Runs that measured nothing, those on the
/// emulated device without CPU columns among them, belong to none.
pub fn by_machine(runs: &[StoredRun]) -> Vec<MachineRuns<'_>> {
    let has_times = |run: &&StoredRun| run.results.summary.iter().any(SummaryRow::is_timed);
    let mut sorted: Vec<&StoredRun> = runs.iter().filter(has_times).collect();
    let oldest_first = |a: &&StoredRun, b: &&StoredRun| {
        (&a.manifest.started, &a.folder).cmp(&(&b.manifest.started, &b.folder))
    };
    sorted.sort_by(oldest_first);
    let known = sorted.into_iter().filter_map(|run| Some((run.environment()?.machine(), run)));
    let (mut groups, of_cpus): (Vec<_>, Vec<_>) =
        grouped(known).into_iter().partition(|(machine, _)| machine.gpu.is_some());
    // One by one: hosts of several GPUs may have the same CPU, and other memory.
    let mut alone = Vec::new();
    for (machine, run) in of_cpus
        .into_iter()
        .flat_map(|(machine, runs)| runs.into_iter().map(move |run| (machine.clone(), run)))
    {
        let at = |is_one: fn(&StoredRun, &StoredRun) -> bool| -> Vec<usize> {
            let groups = groups.iter().enumerate();
            groups
                .filter(|(_, (_, others))| others.iter().any(|other| is_one(run, other)))
                .map(|(at, _)| at)
                .collect()
        };
        match (&at(share_a_host)[..], &at(share_a_host_and_a_commit)[..]) {
            (&[at], _) | (_, &[at]) => {
                let others = &mut groups[at].1;
                others.push(run);
                others.sort_by(oldest_first);
            }
            _ => alone.push((machine, run)),
        }
    }
    groups.extend(grouped(alone));
    let mut labels: BTreeSet<String> = BTreeSet::new();
    groups
        .into_iter()
        .map(|(MachineIdentity { gpu, driver, cpu, .. }, runs)| {
            let name = match (gpu, devices(&runs)) {
                (Some(gpu), 1) => gpu,
                (Some(gpu), count) => format!("{count} {gpu}"),
                (None, _) => format!("{cpu}, no GPU"),
            };
            let with_driver = driver.map_or(name.clone(), |driver| format!("{name}, driver {driver}"));
            let numbered = (2..).map(|count| format!("{with_driver} ({count})"));
            let mut candidates = [name, with_driver.clone()].into_iter().chain(numbered);
            // The endless numbers always have one that is free.
            let label = candidates.find(|label| !labels.contains(label)).unwrap_or_default();
            labels.insert(label.clone());
            MachineRuns { label, runs }
        })
        .collect()
}

/// Whether two runs were on hosts of the same description.
fn share_a_host(one: &StoredRun, other: &StoredRun) -> bool {
    let host = |run: &StoredRun| -> Option<HostInfo> { Some(run.environment()?.host.clone()) };
    host(one).is_some_and(|known| host(other) == Some(known))
}

fn share_a_host_and_a_commit(one: &StoredRun, other: &StoredRun) -> bool {
    share_a_host(one, other) && one.manifest.build.commit == other.manifest.build.commit
}

/// The most GPUs that one of the runs had, of all its hosts.
fn devices(runs: &[&StoredRun]) -> usize {
    let of_run = |run: &&StoredRun| 1 + run.environment().map_or(0, |of| of.further_devices.len());
    runs.iter().map(of_run).max().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(runs: &[&str]) -> Vec<String> {
        let open =
            |run: &&str| StoredRun::open(&std::path::Path::new("results/reference").join(run)).unwrap();
        let runs: Vec<StoredRun> = runs.iter().map(open).collect();
        by_machine(&runs).into_iter().map(|machine| machine.label).collect()
    }

    #[test]
    fn a_run_of_a_cpu_belongs_to_the_gpu_of_its_host_alone() {
        assert_eq!(labels(&["h200/cpu-cache", "h200/table1"]), ["NVIDIA H200"]);
        let alone = "Intel(R) Xeon(R) Processor, no GPU";
        assert_eq!(labels(&["h200/cpu-cache", "h100/table1"]), ["NVIDIA H100 80GB HBM3", alone]);
        assert_eq!(labels(&["h200/cpu-cache"]), [alone]);
        let both = ["h200/cpu-cache", "h200/table1", "h100/cpu-cache", "h100/table1", "h200/table1-guard"];
        assert_eq!(labels(&both), ["NVIDIA H200", "NVIDIA H100 80GB HBM3"]);
    }
}
