//! Stored runs in the form that repositories of research data take: an RO-Crate by the profile Process Run Crate, with a copy of the
//! records.

mod entities;
mod ro_crate;

pub use ro_crate::{About, Author};

use crate::lists::distinct;
use crate::plan::GraphSource;
use crate::results::StoredRun;
use crate::store::{JournalError, MadeFolders, RecordError, json_text};
use entities::RECORDED;
use repro_files::{read_if_there, refuse_links, write_new};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Where a crate has the copy of the records.
const RECORDS: &str = "records";
/// The name of the metadata, by the standard.
const METADATA: &str = "ro-crate-metadata.json";
/// The experiment as it was run, from the manifest.
const EXPERIMENT: &str = "experiment.json";

/// Why a run was not exported. Nothing was then written.
#[derive(Debug, Error)]
pub enum ExportError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("{} has not finished: {how_to_go_on}, or export it as it is with --unsealed", path.display())]
    Unfinished { path: PathBuf, how_to_go_on: String },
    #[error("{} is no empty folder: take away what is there, or choose another with --out", .0.display())]
    Taken(PathBuf),
    #[error("{} is in the folder of the run, which is not changed: choose another with --out", .0.display())]
    Inside(PathBuf),
}

/// A file of a crate.
struct CrateFile {
    /// From the top of the crate, with `/`.
    name: String,
    content: Vec<u8>,
}

/// Writes a crate of the run in `folder` into `out`, which is made. One that is not as it was written or has not finished is exported
/// only where `unsealed` runs are let in. Gives the number of files.
///
/// # Errors
/// When it cannot be read or is not to be used, `out` holds something, or it cannot be written.
pub fn ro_crate(folder: &Path, out: &Path, unsealed: bool, about: &About) -> Result<usize, ExportError> {
    // What a link leads to would be published.
    refuse_links(folder).map_err(|source| RecordError::Read { path: folder.to_path_buf(), source })?;
    let run = StoredRun::open(folder)?;
    if !unsealed && !run.seal.is_sound() {
        return Err(JournalError::Unsealed { path: folder.to_path_buf(), check: run.seal }.into());
    }
    if !unsealed && run.manifest.finished.is_none() {
        let how_to_go_on = run.manifest.how_to_go_on(folder);
        return Err(ExportError::Unfinished { path: folder.to_path_buf(), how_to_go_on });
    }
    check_place(folder, out)?;
    let mut files = records(&run)?;
    let experiment = json_text(&folder.join("manifest.json"), &run.manifest.experiment)?;
    files.push(CrateFile { name: EXPERIMENT.to_string(), content: experiment });
    let metadata = ro_crate::metadata(&run, &files, about);
    files.push(CrateFile { name: METADATA.to_string(), content: json_text(&out.join(METADATA), &metadata)? });
    write(out, &files)?;
    Ok(files.len())
}

/// That `out` is empty or not there, and not in the run's folder.
fn check_place(folder: &Path, out: &Path) -> Result<(), ExportError> {
    let taken = match std::fs::read_dir(out) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    };
    if taken {
        return Err(ExportError::Taken(out.to_path_buf()));
    }
    let absolute = std::path::absolute(out).unwrap_or_else(|_| out.to_path_buf());
    // Links resolved as far up as there is something.
    let real = |path: &Path| path.ancestors().find_map(|above| above.canonicalize().ok());
    match (real(&absolute), folder.canonicalize()) {
        (Some(out_of), Ok(run)) if out_of.starts_with(&run) => Err(ExportError::Inside(out.to_path_buf())),
        _ => Ok(()),
    }
}

/// The files of the run, with the graph where its folder has it.
fn records(run: &StoredRun) -> Result<Vec<CrateFile>, RecordError> {
    let graphs = run.manifest.experiment.graphs.iter().filter_map(|graph| saved_graph(&graph.source));
    let names = distinct(RECORDED.into_iter().map(|(name, _)| name).chain(graphs));
    let read = |name: &str| {
        let path = run.folder.join(name);
        let found = read_if_there(&path).map_err(|source| RecordError::Read { path, source });
        let file = |content| CrateFile { name: format!("{RECORDS}/{name}"), content };
        found.map(|content| content.map(file)).transpose()
    };
    names.into_iter().filter_map(read).collect()
}

/// The name of a graph's file in the run's folder; none where it lies elsewhere, or was generated.
fn saved_graph(source: &GraphSource) -> Option<&str> {
    let GraphSource::File { path, .. } = source else { return None };
    let is_name = path.file_name() == Some(path.as_os_str());
    path.to_str().filter(|_| is_name)
}

/// Writes the files next to `out` and renames their folder, so that there is a whole crate or none.
fn write(out: &Path, files: &[CrateFile]) -> Result<(), RecordError> {
    let failed = |source| RecordError::Write { path: out.to_path_buf(), source };
    let absolute = std::path::absolute(out).map_err(failed)?;
    let parent = absolute.parent().unwrap_or(Path::new("/"));
    let _folders = MadeFolders::make(parent).map_err(failed)?;
    let beside = tempfile::Builder::new().prefix(".repro-export-").tempdir_in(parent).map_err(failed)?;
    // The usual permissions, not those of temporary folders: others may read it.
    let whole = beside.path().join("crate");
    std::fs::create_dir_all(whole.join(RECORDS)).map_err(failed)?;
    for file in files {
        write_new(&whole.join(&file.name), &file.content).map_err(failed)?;
    }
    std::fs::rename(&whole, &absolute).map_err(failed)
}
