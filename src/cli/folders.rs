//! Where commands may write what is not part of a run.

use super::Error;
use crate::store::is_run;
use std::path::Path;

/// Refuses the folder of a run, whose records nothing else is put beside: a finished run is never altered.
///
/// # Errors
/// When `folder` holds a run. `option` is how it was given, for example `--out`.
pub fn outside_of_runs(option: &str, folder: &Path) -> Result<(), Error> {
    if is_run(folder) {
        let folder = folder.display();
        return Err(
            format!("{option} {folder} holds a run, which is not altered: choose another folder").into()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_holds_a_run_is_refused_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        outside_of_runs("--out", folder.path()).unwrap();
        outside_of_runs("--out", &folder.path().join("not-there")).unwrap();
        std::fs::write(folder.path().join("manifest.json"), "{}").unwrap();
        let refused = outside_of_runs("--out", folder.path()).unwrap_err().to_string();
        assert!(refused.starts_with("--out ") && refused.contains("holds a run"), "{refused}");
    }
}
