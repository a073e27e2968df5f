//! The page of a run's own records, which it ends with.

use super::super::next;
use crate::published::published_papers;
use crate::report;
use crate::results::StoredRun;
use repro_base::terminal::output::complain;
use std::path::{Path, PathBuf};

/// Its folder in that of the run. It is made of the records and is none of them.
const FOLDER: &str = "report";

/// The page of a run that had finished before: nothing in its folder is changed, so it has the one that was made then, or none if its
/// making was stopped.
pub fn there(run: &StoredRun) -> Option<PathBuf> {
    let folder = folder_of(run);
    report::is_whole(&folder).then(|| page_in(&folder))
}

/// Writes the report of a run that was just measured and gives its page. In the folder of a run that `is_new` whatever was there before is
/// somebody else's. A report that cannot be written takes nothing from what was measured: a line says so.
pub fn write(run: &StoredRun, is_new: bool) -> Option<PathBuf> {
    if !next::has_results(run) {
        return None;
    }
    let folder = folder_of(run);
    match written(run, &folder, is_new) {
        Ok(()) => Some(page_in(&folder)),
        Err(problem) => {
            let run = next::quoted(&run.folder);
            complain(&format!(
                "no report of this run: {problem}; make it elsewhere with: repro report {run}"
            ));
            None
        }
    }
}

fn folder_of(run: &StoredRun) -> PathBuf {
    run.folder.join(FOLDER)
}

fn page_in(folder: &Path) -> PathBuf {
    folder.join("index.html")
}

fn written(run: &StoredRun, folder: &Path, is_new: bool) -> Result<(), String> {
    if is_new && folder.exists() {
        return Err(format!("{} was there before the run", folder.display()));
    }
    let papers = published_papers().map_err(|error| error.to_string())?;
    let report = report::assemble(std::slice::from_ref(run), &[], papers, &[]);
    report::write(&report, folder).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A copy of a committed run that was only counted.
    fn counted() -> (tempfile::TempDir, StoredRun) {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference/emulated/structure");
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("run");
        std::fs::create_dir(&to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
        let run = StoredRun::open(&to).unwrap();
        (folder, run)
    }

    fn records(run: &StoredRun) -> BTreeMap<PathBuf, Vec<u8>> {
        let files = std::fs::read_dir(&run.folder).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.is_file()).map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
    }

    #[test]
    fn a_report_lies_in_the_folder_of_its_run_whose_records_stay() {
        let (_folder, run) = counted();
        let before = records(&run);
        assert_eq!(there(&run), None);
        let page = write(&run, true).unwrap();
        assert_eq!(page, run.folder.join("report/index.html"));
        assert!(std::fs::read_to_string(&page).unwrap().contains("emulated device counted"));
        assert_eq!(there(&run), Some(page));
        assert_eq!(records(&run), before);
        // As after a kill in between.
        std::fs::remove_file(run.folder.join("report/claims.json")).unwrap();
        assert_eq!(there(&run), None);
        StoredRun::open(&run.folder).unwrap();
    }

    #[test]
    fn a_run_without_results_has_no_report() {
        let (_folder, mut run) = counted();
        run.results.extra.counts.clear();
        assert_eq!(write(&run, true), None);
        assert!(!run.folder.join("report").exists());
    }
}
