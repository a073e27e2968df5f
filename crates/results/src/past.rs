//! Stored runs that another run may be compared with.

use crate::{StoredRun, SummaryRow};
use repro_store::{Environment, Manifest, Purpose, find_runs, read_json, read_rows};
use repro_types::CellId;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A stored run, as far as it is read to tell whether it measured what another did.
pub struct PastRun {
    folder: PathBuf,
    manifest: Manifest,
    /// Of the manifest.
    environment: Environment,
    summary: Vec<SummaryRow>,
}

impl PastRun {
    /// Of all runs in and below `results` that can be read and measured something; nothing where there is no such folder. Smoke runs are
    /// left out: none can be compared with one.
    pub fn below(results: &Path) -> Vec<Self> {
        let read = |folder: PathBuf| {
            let manifest: Manifest = read_json(&folder.join("manifest.json")).ok()?;
            if manifest.purpose == Purpose::Smoke {
                return None;
            }
            let summary = read_rows(&folder.join("summary.csv")).ok()?;
            let environment = manifest.environment.clone()?;
            Some(Self { folder, manifest, environment, summary })
        };
        find_runs(results).unwrap_or_default().into_iter().filter_map(read).collect()
    }

    /// The folders of those of `stored` that measured the same experiment on the same model before `run` began, and timed a cell that it
    /// timed, too: the latest first.
    pub fn before<'a>(run: &StoredRun, stored: &'a [Self]) -> Vec<&'a Path> {
        let Some(here) = run.environment() else { return Vec::new() };
        let timed: BTreeSet<CellId> = timed_cells(&run.results.summary).collect();
        let is_before = |one: &&Self| {
            is_like(here, &one.environment)
                && one.manifest.experiment.name == run.manifest.experiment.name
                && one.manifest.finished.is_some()
                && one.manifest.pair.is_none()
                && one.manifest.started < run.manifest.started
                && timed_cells(&one.summary).any(|cell| timed.contains(&cell))
        };
        let mut before: Vec<&Self> = stored.iter().filter(is_before).collect();
        before.sort_by(|one, other| other.manifest.started.cmp(&one.manifest.started));
        before.into_iter().map(|one| one.folder.as_path()).collect()
    }
}

fn timed_cells(summary: &[SummaryRow]) -> impl Iterator<Item = CellId> {
    summary.iter().filter(|row| row.is_timed()).map(SummaryRow::cell)
}

/// Whether both have the same model of GPU; without one the same model of CPU and as many threads.
fn is_like(here: &Environment, there: &Environment) -> bool {
    let models = |of: &Environment| {
        let host = || (of.host.cpu.clone(), of.host.threads);
        of.gpu().map_or_else(|| (None, Some(host())), |device| (Some(device.info.name.clone()), None))
    };
    models(here) == models(there)
}
