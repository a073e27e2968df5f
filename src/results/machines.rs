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

/// Groups runs that measured something by their machine, those with a GPU first, then in the order of
/// their first run. Runs that measured nothing, those
/// on the emulated device without CPU columns among them, belong to none.
pub fn by_machine(runs: &[StoredRun]) -> Vec<MachineRuns<'_>> {
    let has_times = |run: &&StoredRun| run.results.summary.iter().any(SummaryRow::is_timed);
    let mut sorted: Vec<&StoredRun> = runs.iter().filter(has_times).collect();
    sorted.sort_by(|a, b| (&a.manifest.started, &a.folder).cmp(&(&b.manifest.started, &b.folder)));
    let known = sorted.into_iter().filter_map(|run| Some((run.environment()?.machine(), run)));
    let mut groups = grouped(known);
    // What the papers are about comes first.
    groups.sort_by_key(|(machine, _)| machine.gpu.is_none());
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

/// The most GPUs that one of the runs had, of all its hosts.
fn devices(runs: &[&StoredRun]) -> usize {
    let of_run = |run: &&StoredRun| 1 + run.environment().map_or(0, |of| of.further_devices.len());
    runs.iter().map(of_run).max().unwrap_or(1)
}
