//! The records of a run as they lie in its folder.

use crate::plan::Experiment;
use crate::store::journal::JournalError;
use crate::store::run_files::SAMPLES;
use crate::store::seal::{COUNTS, DEVICES, KERNELS, MANIFEST, REPEATS};
use crate::store::{
    CountRow, DeviceTimeRow, KernelTimeRow, Manifest, RecordError, RepeatsRow, SampleFile, Seal, SealCheck,
    read_json, read_rows,
};
use std::io;
use std::path::Path;

/// The rows of a run beside its samples.
#[derive(Clone, Default)]
pub struct FurtherRows {
    pub counts: Vec<CountRow>,
    pub kernel_times: Vec<KernelTimeRow>,
    pub repeats: Vec<RepeatsRow>,
    pub devices: Vec<DeviceTimeRow>,
}

/// The records as they are read, before anything is derived.
pub struct Records {
    pub manifest: Manifest<Experiment>,
    pub samples: SampleFile,
    pub rows: FurtherRows,
    /// Where it can be read.
    pub seal: Option<Seal>,
    /// What the seal says of the others.
    pub check: SealCheck,
}

/// Reads what is in `folder`.
pub fn read(folder: &Path) -> Result<Records, JournalError> {
    /// Of a run that goes on meanwhile, records and seal may be of two moments.
    const ATTEMPTS: usize = 3;
    let mut attempt = 1;
    loop {
        let before = Seal::read(folder);
        let mut records = read_records(folder)?;
        let after = Seal::read(folder);
        let finished = records.manifest.finished.is_some();
        records.check = SealCheck::of(folder, &before, &after, &records.samples, finished);
        if records.check.is_sound() || before == after || attempt == ATTEMPTS {
            records.seal = before.ok();
            return Ok(records);
        }
        attempt += 1;
    }
}

fn read_records(folder: &Path) -> Result<Records, JournalError> {
    let manifest_path = folder.join(MANIFEST);
    if !manifest_path.exists() {
        return Err(JournalError::Empty(folder.to_path_buf()));
    }
    check_schema(&manifest_path)?;
    let manifest: Manifest<Experiment> = read_json(&manifest_path)?;
    let samples = match SampleFile::read(&folder.join(SAMPLES), manifest.experiment.in_parts) {
        // Stopped before the file was made: no worker had looked at the machine yet.
        Err(RecordError::Read { source, .. })
            if source.kind() == io::ErrorKind::NotFound && manifest.environment.is_none() =>
        {
            SampleFile::default()
        }
        read => read?,
    };
    Ok(Records {
        manifest,
        samples,
        rows: FurtherRows {
            counts: read_rows(&folder.join(COUNTS))?,
            kernel_times: read_rows(&folder.join(KERNELS))?,
            repeats: read_rows(&folder.join(REPEATS))?,
            devices: read_rows(&folder.join(DEVICES))?,
        },
        seal: None,
        check: SealCheck::Missing,
    })
}

/// Looks at the version alone first: anything else may mean something different in another version.
fn check_schema(path: &Path) -> Result<(), JournalError> {
    #[derive(serde::Deserialize)]
    struct Version {
        schema_version: u32,
    }
    let Version { schema_version: found } = read_json(path)?;
    let known = crate::store::SCHEMA_VERSION;
    if (1..=known).contains(&found) {
        return Ok(());
    }
    Err(JournalError::Schema { path: path.to_path_buf(), found, known })
}
