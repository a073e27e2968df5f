//! Where the numbers of one side of a comparison come from.

use crate::results::StoredRun;
use crate::store::Environment;
use serde::Serialize;

/// One run of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunSummary {
    pub name: String,
    /// How it goes on, where it has not finished.
    #[serde(skip)]
    pub how_to_go_on: String,
    pub experiment: String,
    /// When it was started.
    pub started: String,
    pub commit: String,
    pub dirty: bool,
    pub finished: bool,
    pub gpu: Option<String>,
    pub gpu_uuid: Option<String>,
    pub driver: Option<String>,
    pub compiler: Option<String>,
    pub host: Option<String>,
}

impl RunSummary {
    pub(super) fn of(run: &StoredRun) -> Self {
        let environment = run.environment();
        let device = environment.and_then(Environment::gpu);
        Self {
            name: run.name(),
            how_to_go_on: run.manifest.how_to_go_on(&run.folder),
            experiment: run.manifest.experiment.name.clone(),
            started: run.manifest.started.clone(),
            commit: run.manifest.build.commit.clone(),
            dirty: run.manifest.build.dirty,
            finished: run.manifest.finished.is_some(),
            gpu: device.map(|device| device.info.name.clone()),
            gpu_uuid: device.map(|device| device.info.uuid.clone()),
            driver: device.and_then(|device| device.driver.clone()),
            compiler: device.and_then(|device| device.compiler.clone()),
            host: environment.map(|environment| environment.host.cpu.clone()),
        }
    }
}
