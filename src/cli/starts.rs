//! Files that a kernel of one's own starts from.

use crate::store::MadeFolders;
use repro_files::write_new;
use repro_terminal::Error;
use std::io;
use std::path::{Path, PathBuf};

/// Writes all files or none, with the folders that are missing. The files are in `folder`, which the user names with `--out`.
///
/// # Errors
/// When one of them is there already or cannot be written.
pub fn write_all(folder: &Path, files: &[(PathBuf, String)]) -> Result<(), Error> {
    let _folders = MadeFolders::make(folder).map_err(|error| {
        format!("cannot make {}: {error}: choose another folder with --out", folder.display())
    })?;
    for (at, (path, text)) in files.iter().enumerate() {
        if let Err(error) = write_new(path, text.as_bytes()) {
            // What was there before is none of those in front of it.
            files[..at].iter().for_each(|(written, _)| drop(std::fs::remove_file(written)));
            let path = path.display();
            return Err(match error.kind() {
                io::ErrorKind::AlreadyExists => {
                    format!("{path} is there already, and stays: choose another name, or another folder with --out")
                }
                _ => format!("cannot write {path}: {error}: choose another folder with --out"),
            }
            .into());
        }
    }
    Ok(())
}

/// `Next:` and each command with its purpose below it.
pub fn next(commands: &[(String, &str)]) -> String {
    let lines = commands.iter().map(|(command, purpose)| format!("  {command}\n      {purpose}\n"));
    format!("Next:\n{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path) -> [(PathBuf, String); 2] {
        ["toml", "cu"].map(|end| (folder.join(format!("own.{end}")), end.to_string()))
    }

    #[test]
    fn where_one_file_cannot_be_written_none_is() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("own.cu"), "mine").unwrap();
        let refused = write_all(folder.path(), &files(folder.path())).unwrap_err().to_string();
        assert!(refused.contains("own.cu is there already"), "{refused}");
        assert!(!folder.path().join("own.toml").exists());
        assert_eq!(std::fs::read_to_string(folder.path().join("own.cu")).unwrap(), "mine");
    }

    #[test]
    fn a_folder_that_was_made_for_nothing_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("a/b");
        let nowhere = [(below.join("no/such/own.toml"), String::new())];
        assert!(write_all(&below, &nowhere).is_err());
        assert!(!folder.path().join("a").exists());
        write_all(&below, &files(&below)).unwrap();
        assert_eq!(std::fs::read_to_string(below.join("own.cu")).unwrap(), "cu");
    }
}
