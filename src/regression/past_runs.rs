//! Stored runs that another run may be compared with.

use crate::results::StoredRun;
use crate::store::{Manifest, Purpose, find_runs, read_json};
use std::path::{Path, PathBuf};

/// A stored run of which only the manifest is read: enough to tell whether it may have measured what another did.
pub struct PastRun {
    folder: PathBuf,
    manifest: Manifest,
}

impl PastRun {
    /// All runs in and below `results` whose manifest describes their machine; none where there is no such folder. Smoke runs are left out:
    /// none can be compared with one.
    pub fn below(results: &Path) -> Vec<Self> {
        let read = |folder: PathBuf| {
            let manifest: Manifest = read_json(&folder.join("manifest.json")).ok()?;
            let is_usable = manifest.purpose != Purpose::Smoke && manifest.environment.is_some();
            is_usable.then_some(Self { folder, manifest })
        };
        find_runs(results).unwrap_or_default().into_iter().filter_map(read).collect()
    }

    /// Up to 16 finished, unpaired runs of `stored` that measured the same experiment on the same model before `run` began: the latest
    /// first. Each is read when the iterator reaches it; one that cannot be read is left out.
    pub fn before(run: &StoredRun, stored: &[Self]) -> impl Iterator<Item = StoredRun> {
        /// A folder may have thousands of runs of an experiment at other sizes, and each takes a while to read.
        const MOST: usize = 16;
        // The same model of GPU; without one the same model of CPU and as many threads.
        let model = |of: &Manifest| {
            let of = of.environment.as_ref()?;
            Some((of.model().to_string(), of.gpu().is_none().then_some(of.host.threads)))
        };
        let is_before = |one: &&Self| {
            model(&one.manifest) == model(&run.manifest)
                && one.manifest.experiment.name == run.manifest.experiment.name
                && one.manifest.finished.is_some()
                && one.manifest.pair.is_none()
                && one.manifest.started < run.manifest.started
        };
        let mut before: Vec<&Self> = stored.iter().filter(is_before).collect();
        before.sort_by(|one, other| other.manifest.started.cmp(&one.manifest.started));
        before.into_iter().take(MOST).filter_map(|one| StoredRun::open_measurement(&one.folder).ok())
    }
}
