//! `manifest.json`: everything about a run that is not a sample.

use super::{Build, Environment, HostWarning};
use crate::plan::{self, CellGroup, DeviceKind, Experiment};
use jiff::Timestamp;
use repro_base::CellId;
use repro_base::lists::is_default;
use repro_base::text::{hides, quoted};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The version that this build reads and writes. Raised when a reader of the last version would misunderstand the new one
/// (`docs/record-formats.md`).
pub const SCHEMA_VERSION: u32 = 3;

/// What a run is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// To measure.
    #[default]
    Measurement,
    /// To see that everything works, at sizes too small to judge anything by.
    Smoke,
}

/// Which of the two builds of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum BuildRole {
    /// The old build.
    Base,
    New,
}

/// A run whose samples were taken next to those of another build, sample by sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairMember {
    /// Shared by both runs, and by no other.
    pub id: String,
    /// Which one this run is.
    pub side: BuildRole,
}

/// The whole manifest. `experiment` is the experiment as it was resolved from file and options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub schema_version: u32,
    /// A measurement where it is not given.
    #[serde(default, skip_serializing_if = "is_default")]
    pub purpose: Purpose,
    pub experiment: Experiment,
    pub command_line: Vec<String>,
    /// RFC 3339, UTC.
    pub started: String,
    /// The times at which the run was continued.
    pub resumed: Vec<String>,
    /// When every cell was done; none while cells are missing or failed. From then on nothing alters the run.
    pub finished: Option<String>,
    pub build: Build,
    /// None until the first worker has looked at the machine.
    pub environment: Option<Environment>,
    /// None where one build was run alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<PairMember>,
    /// The number of the first graph that implementations from files are timed on, which is added to the experiment's seed: drawn when a
    /// worker is first opened for one. None where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub substitute_seed: Option<u64>,
    /// Findings on its host: those noted as it went on and, once it has finished, those that follow from its samples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host_findings: Vec<HostWarning>,
    /// SHA-256 of each file of a finished run, by its name; of this file with this digest left empty. None before it has finished.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub digests: BTreeMap<String, String>,
}

impl Manifest {
    /// The manifest of a measurement that is about to start.
    pub fn new(build: Build, experiment: Experiment, command_line: Vec<String>, started: String) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            purpose: Purpose::Measurement,
            experiment,
            command_line,
            started,
            resumed: Vec::new(),
            finished: None,
            build,
            environment: None,
            pair: None,
            substitute_seed: None,
            host_findings: Vec::new(),
            digests: BTreeMap::new(),
        }
    }

    /// Refuses a manifest that contradicts itself.
    ///
    /// # Errors
    /// When the run would have finished before it was started, or the name or title of its experiment has control characters.
    pub(super) fn check(&self) -> Result<(), String> {
        let Experiment { name, title, .. } = &self.experiment;
        if let Some(text) = [name, title].into_iter().find(|text| text.contains(hides)) {
            return Err(format!("{text:?} has control characters, which no run writes: measure again"));
        }
        let time = |text: &str| text.parse::<Timestamp>().ok();
        let (start, end) = (&self.started, self.finished.as_ref().unwrap_or(&self.started));
        if time(end).zip(time(start)).is_some_and(|(end, start)| end < start) {
            let why = "a clock was set back while it ran; measure again";
            return Err(format!("finished = {end} is before started = {start}: {why}"));
        }
        Ok(())
    }

    /// How to continue this run, which lies in `folder` and has not finished.
    pub fn how_to_go_on(&self, folder: &Path) -> String {
        let folder = quoted(&folder.display().to_string());
        match &self.pair {
            Some(_) => "repro track measures both builds anew".to_string(),
            None => format!("repro run --resume {folder} goes on with it"),
        }
    }
}

/// The groups of a run in the order in which they are run, as [`plan::groups`] has them for its device.
pub fn groups(manifest: &Manifest) -> Vec<CellGroup> {
    plan::groups(&manifest.experiment, device_kind(manifest))
}

/// The cells of a run in the order of tables, as [`plan::cells`] has them.
pub fn cells(manifest: &Manifest) -> Vec<CellId> {
    plan::cells(&manifest.experiment, device_kind(manifest))
}

fn device_kind(manifest: &Manifest) -> DeviceKind {
    let device = manifest.environment.as_ref().and_then(|environment| environment.device.as_ref());
    match device {
        None => DeviceKind::None,
        Some(device) if device.info.emulated => DeviceKind::Emulated,
        Some(_) => DeviceKind::Gpu,
    }
}
