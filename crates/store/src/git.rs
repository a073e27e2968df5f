//! What git knows of files, asked of the program.

use std::path::Path;
use std::process::Command;

/// Settings with which git starts none of the programs that a repository's configuration may name.
const NO_PROGRAMS: [&str; 3] = ["core.fsmonitor=false", "log.showSignature=false", "core.sshCommand=false"];

/// What `git ARGUMENTS` prints when it is run in `folder`. None when there is no git, no repository, or git refuses.
///
/// The repository may come from anybody, and its configuration names programs: for what watches files, for signatures, and for what fetches objects that are
/// not there. None of them is started.
pub fn git(folder: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new("git")
        .current_dir(folder)
        .arg("--no-pager")
        .args(NO_PROGRAMS.iter().flat_map(|setting| ["-c", setting]))
        .args(arguments)
        // The first is known to git since 2.45; without a protocol older ones fetch nothing either.
        .envs([("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", "none"), ("GIT_TERMINAL_PROMPT", "0")])
        .output()
        .ok()?;
    output.status.success().then_some(output.stdout)
}
