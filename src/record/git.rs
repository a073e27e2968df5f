//! What git knows of files, asked of the program.

use std::path::Path;
use std::process::Command;

/// What `git ARGUMENTS` prints when it is run in `folder`. None when there is no git, no repository, or git refuses.
pub fn git(folder: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new("git").current_dir(folder).args(arguments).output().ok()?;
    output.status.success().then_some(output.stdout)
}
