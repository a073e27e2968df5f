//! The records of a run as they lie in its folder.

use crate::further::COUNTERS;
use crate::journal::JournalError;
use crate::run_files::SAMPLES;
use crate::seal::{COUNTS, DEVICES, KERNELS, MANIFEST, REPEATS};
use crate::{FurtherRows, Manifest, RecordError, SampleFile, Seal, SealCheck, read_json, read_rows};
use std::io;
use std::path::Path;

/// The records as they are read, before anything is derived.
pub struct Records {
    pub manifest: Manifest,
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
        let (manifest, samples, rows) = read_records(folder)?;
        let after = Seal::read(folder);
        let check = SealCheck::of(folder, &before, &after, &samples, manifest.finished.is_some());
        if check.is_sound() || before == after || attempt == ATTEMPTS {
            return Ok(Records { manifest, samples, rows, seal: before.ok(), check });
        }
        attempt += 1;
    }
}

fn read_records(folder: &Path) -> Result<(Manifest, SampleFile, FurtherRows), JournalError> {
    let manifest_path = folder.join(MANIFEST);
    if !manifest_path.exists() {
        return Err(JournalError::Empty(folder.to_path_buf()));
    }
    check_schema(&manifest_path)?;
    let manifest: Manifest = read_json(&manifest_path)?;
    let samples = match SampleFile::read(&folder.join(SAMPLES), manifest.experiment.sharded) {
        // Stopped before the file was made: no worker had looked at the machine yet.
        Err(RecordError::Read { source, .. })
            if source.kind() == io::ErrorKind::NotFound && manifest.environment.is_none() =>
        {
            SampleFile::default()
        }
        read => read?,
    };
    let rows = FurtherRows {
        counts: read_rows(&folder.join(COUNTS))?,
        kernel_times: read_rows(&folder.join(KERNELS))?,
        repeats: read_rows(&folder.join(REPEATS))?,
        devices: read_rows(&folder.join(DEVICES))?,
        counters: read_rows(&folder.join(COUNTERS))?,
    };
    Ok((manifest, samples, rows))
}

/// Looks at the version alone first: anything else may mean something different in another version.
fn check_schema(path: &Path) -> Result<(), JournalError> {
    #[derive(serde::Deserialize)]
    struct Version {
        schema_version: u32,
    }
    let Version { schema_version: found } = read_json(path)?;
    let known = crate::SCHEMA_VERSION;
    if (1..=known).contains(&found) {
        return Ok(());
    }
    Err(JournalError::Schema { path: path.to_path_buf(), found, known })
}
