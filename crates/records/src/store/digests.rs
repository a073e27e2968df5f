//! Digests of the files of a finished run, which its manifest has: whoever reads the run hears of a file that was edited, removed or added
//! since. They stop nobody from taking new ones. They show changes by mistake, and changes that were not declared.

use crate::store::Manifest;
use crate::store::files::{RecordError, json_text};
use crate::store::further::{COUNTERS, COUNTS, DEVICES, KERNELS, REPEATS};
use crate::store::journal::JournalError;
use crate::store::run_files::{MANIFEST, SAMPLES};
use repro_base::files::read_if_there;
use sha2::{Digest, Sha256};
use std::path::Path;

/// The files that a run is read from, in addition to its manifest.
pub const FILES: [&str; 6] = [SAMPLES, COUNTS, KERNELS, REPEATS, DEVICES, COUNTERS];

/// As `sha256sum` writes it.
fn digest(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn digest_of(path: &Path) -> Result<Option<String>, RecordError> {
    let content = read_if_there(path).map_err(RecordError::read(path))?;
    Ok(content.map(|content| digest(&content)))
}

/// The text of `manifest`, which is that of the run in `folder`. One that has finished has the digests of the files as they are now, and its
/// own: that of its text where this digest is left empty.
///
/// # Errors
/// When a file cannot be read.
pub fn manifest_text(folder: &Path, manifest: &mut Manifest) -> Result<Vec<u8>, RecordError> {
    let path = folder.join(MANIFEST);
    if manifest.finished.is_none() {
        return json_text(&path, manifest);
    }
    manifest.digests.clear();
    for name in FILES {
        manifest.digests.extend(digest_of(&folder.join(name))?.map(|digest| (name.to_string(), digest)));
    }
    manifest.digests.insert(MANIFEST.to_string(), String::new());
    let own = digest(&json_text(&path, manifest)?);
    manifest.digests.insert(MANIFEST.to_string(), own);
    json_text(&path, manifest)
}

/// Holds the files in `folder` against the digests that `manifest` has, whose text is `text`. A run that has not finished has none: it is
/// still added to.
///
/// # Errors
/// The first file that was changed, and how.
pub(super) fn check(folder: &Path, text: &str, manifest: &Manifest) -> Result<(), JournalError> {
    if manifest.finished.is_none() {
        return Ok(());
    }
    let changed = |name: &str, change| JournalError::Changed { path: folder.join(name), change };
    let own = manifest.digests.get(MANIFEST).map_or("", String::as_str);
    if digest(text.replacen(own, "", 1).as_bytes()) != own {
        return Err(changed(MANIFEST, "edited"));
    }
    for name in FILES {
        match (manifest.digests.get(name), digest_of(&folder.join(name))?) {
            (Some(_), None) => return Err(changed(name, "removed")),
            (None, Some(_)) => return Err(changed(name, "added")),
            (Some(known), Some(found)) if *known != found => return Err(changed(name, "edited")),
            _ => (),
        }
    }
    Ok(())
}
