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
/// Runs of a CPU belong to the one GPU that other runs of their host had. Runs that measured nothing, those on the
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
    let with_gpu = groups.len();
    for (machine, runs) in of_cpus {
        let mut hosts = groups[..with_gpu].iter_mut().filter(|(_, others)| share_a_host(&runs, others));
        match (hosts.next(), hosts.next()) {
            (Some((_, others)), None) => {
                others.extend(runs);
                others.sort_by(oldest_first);
            }
            _ => groups.push((machine, runs)),
        }
    }
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

/// Whether two runs, one of either, were on a host of the same description.
fn share_a_host(ones: &[&StoredRun], others: &[&StoredRun]) -> bool {
    let known = |runs: &[&StoredRun]| -> Vec<HostInfo> {
        runs.iter().filter_map(|run| Some(run.environment()?.host.clone())).collect()
    };
    let hosts = known(others);
    known(ones).iter().any(|host| hosts.contains(host))
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
    }
}
