//! A process that a launcher started with others, to solve together with them.

use crate::cluster::{Launch, LaunchError, Processes, Settings};
use repro_files::variable;
use repro_store::Build;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Who this process is among several that were started together; none where it was started alone.
///
/// # Errors
/// When a launcher's variables make no sense, or others have access to the secret of the start.
pub fn launched() -> Result<Option<Launch>, LaunchError> {
    // What is no Unicode is a wrong value and not an absent one.
    let launch = Launch::from_environment(|name| Some(variable(name)?.to_string_lossy().into_owned()))?;
    Ok(launch.filter(|launch| launch.size > 1))
}

/// What the processes of a group, all of this build, expect of each other when they wait so long for all to come.
pub fn settings(build: &Build, join: Duration) -> Settings {
    Settings { join, ..Settings::of_build(format!("{} {} {}", build.version, build.commit, build.profile)) }
}

/// Joins the others. From then on this process ends with one line and code 1 when another is lost.
///
/// # Errors
/// When the others do not come, or there are none.
pub fn join(settings: Settings) -> io::Result<Arc<Processes>> {
    let launch = launched().map_err(io::Error::other)?;
    let launch = launch.ok_or_else(|| io::Error::other("no launcher started this process with others"))?;
    Ok(Arc::new(Processes::join(&launch, settings).map_err(io::Error::other)?))
}
