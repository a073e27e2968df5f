//! The records of a run as they lie in its folder.

use crate::store::digests;
use crate::store::files::{RecordError, parse_json, read_rows};
use crate::store::further::{COUNTERS, COUNTS, DEVICES, KERNELS, REPEATS};
use crate::store::journal::JournalError;
use crate::store::run_files::{MANIFEST, SAMPLES};
use crate::store::{FurtherRows, Manifest, SampleFile};
use std::io;
use std::path::Path;

/// The records as they are read, before anything is derived.
pub struct Records {
    pub manifest: Manifest,
    pub samples: SampleFile,
    pub rows: FurtherRows,
}

/// Reads what is in `folder`.
///
/// # Errors
/// When there is no run, another version wrote it, a file of it is damaged, or one was changed after the run had finished.
pub fn read(folder: &Path) -> Result<Records, JournalError> {
    let path = folder.join(MANIFEST);
    if !path.exists() {
        return Err(JournalError::Empty(folder.to_path_buf()));
    }
    let text = repro_base::files::read_text(&path).map_err(RecordError::read(&path))?;
    check_schema(&path, &text)?;
    let manifest: Manifest = parse_json(&path, &text)?;
    digests::check(folder, &text, &manifest)?;
    manifest.check().map_err(RecordError::malformed(&path))?;
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
    Ok(Records { manifest, samples, rows })
}

/// Looks at the version alone first: anything else may mean something different in another version.
fn check_schema(path: &Path, text: &str) -> Result<(), JournalError> {
    #[derive(serde::Deserialize)]
    struct Version {
        schema_version: u32,
    }
    let Version { schema_version: found } = parse_json(path, text)?;
    match crate::store::SCHEMA_VERSION {
        known if known == found => Ok(()),
        known => Err(JournalError::Schema { path: path.to_path_buf(), found, known }),
    }
}
