//! Where commands may write.

use crate::store::is_run;
use clap::builder::{PathBufValueParser, TypedValueParser};
use repro_base::terminal::Error;
use repro_base::text::hides;
use std::path::{Path, PathBuf};

/// Reads the name of a folder for runs, which tables, pages and advice show.
pub fn folder_name() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.to_string_lossy().contains(hides) {
        false => Ok(path),
        true => Err(format!("{path:?}: expected a name of one line without control characters")),
    })
}

/// Refuses the folder of a run and all below it: nothing else is put next to its records, since a finished run is never altered.
///
/// # Errors
/// When `folder`, or one that it is in, holds a run. `option` is how it was given, for example `--out`.
pub fn outside_of_runs(option: &str, folder: &Path) -> Result<(), Error> {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    // What is there already, whatever links and `..` lead to it.
    let there = whole.ancestors().find_map(|folder| folder.canonicalize().ok()).unwrap_or_default();
    let Some(run) = there.ancestors().find(|folder| is_run(folder)) else { return Ok(()) };
    let place =
        if is_run(folder) { "holds a run".to_string() } else { format!("is in the run {}", run.display()) };
    Err(format!("{option} {} {place}, which is not altered: choose another folder", folder.display()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_holds_a_run_or_is_in_one_is_refused_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        outside_of_runs("--out", folder.path()).unwrap();
        outside_of_runs("--out", &folder.path().join("not-there")).unwrap();
        std::fs::write(folder.path().join("manifest.json"), "{}").unwrap();
        let refused = outside_of_runs("--out", folder.path()).unwrap_err().to_string();
        assert!(refused.starts_with("--out ") && refused.contains("holds a run"), "{refused}");
        let refused = outside_of_runs("--out", &folder.path().join("below/it")).unwrap_err().to_string();
        assert!(refused.contains("below/it is in the run /"), "{refused}");
        std::fs::create_dir(folder.path().join("below")).unwrap();
        outside_of_runs("--out", &folder.path().join("below/../../beside")).unwrap();
    }
}
