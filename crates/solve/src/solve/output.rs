//! The files that results go to: their names are checked before anything is read, and the room on their disks before anything is solved.

use super::SolveArgs;
use super::labels::grouped;
use super::sidecar::Description;
use repro_base::files::unfinished;
use repro_base::terminal::Error;
use shortest_paths::write::OutputFormat;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

/// The files of a result.
pub(super) struct OutputFiles {
    /// The file of the distances; standard output if None.
    pub out: Option<PathBuf>,
    pub format: OutputFormat,
    /// Where paths go, if they are asked for.
    pub paths: Option<PathBuf>,
}

impl OutputFiles {
    /// The files that the arguments name, or that follow from them.
    ///
    /// # Errors
    /// The option, the file, and why it cannot be used.
    pub fn of(args: &SolveArgs) -> Result<Self, Error> {
        let out = args.out_file();
        let format = match out {
            Some(file) => OutputFormat::of(file).map_err(|error| format!("--out {error}"))?,
            None => {
                check_standard_output(args.json, io::stdout().is_terminal())?;
                OutputFormat::Npy
            }
        };
        let paths = match (args.paths, &args.paths_out, out) {
            (None, ..) => None,
            (Some(_), Some(file), _) if matches!(OutputFormat::of(file), Ok(OutputFormat::Npy)) => {
                Some(file.clone())
            }
            (Some(_), Some(file), _) => {
                let problem = "paths are stored in a .npy file: choose a name that ends in .npy";
                return Err(format!("--paths-out {}: {problem}", file.display()).into());
            }
            (Some(_), None, None) => {
                return Err(
                    "--paths: the distances go to standard output: name a .npy file by --paths-out".into()
                );
            }
            (Some(kind), None, Some(out)) => Some(out.with_extension(format!("{}.npy", kind.name()))),
        };
        let inputs = inputs(args);
        if let Some(out) = out {
            check("--out", out, &inputs)?;
            // The description has names and chosen vertices.
            check("--out: its description", &Description::beside(out), &inputs)?;
        }
        if let Some(file) = &paths {
            check("--paths-out", file, &inputs)?;
            if out.is_some_and(|out| is_one(file, out)) {
                let problem = "the distances go there: choose another file";
                return Err(format!("--paths-out {}: {problem}", file.display()).into());
            }
        }
        Ok(Self { out: out.map(Path::to_owned), format, paths })
    }
}

/// Refuses distances on standard output if that is a terminal, which would show bytes, or if JSON goes there too.
fn check_standard_output(json: bool, is_terminal: bool) -> Result<(), Error> {
    Err(match (json, is_terminal) {
        (true, _) => {
            "--out - and --json both write to standard output: name a file for --out, or leave --json out"
        }
        (false, true) => "--out - writes a .npy matrix, and standard output is a terminal: send it to a program or a file, as in \
                          `--out - > distances.npy`",
        (false, false) => return Ok(()),
    }
    .into())
}

/// The files that are read, with what they are.
fn inputs(args: &SolveArgs) -> Vec<(&'static str, &Path)> {
    let lists = [("the list of --sources", &args.sources), ("the list of --targets", &args.targets)];
    let lists = lists
        .into_iter()
        .filter_map(|(what, value)| Some((what, Path::new(value.as_deref()?.strip_prefix('@')?))));
    [("the graph", &*args.graph)].into_iter().chain(lists).collect()
}

/// Checks that `file` can be made, and is none of the inputs.
fn check(option: &str, file: &Path, inputs: &[(&str, &Path)]) -> Result<(), Error> {
    let (shown, folder, unfinished) = (file.display(), folder_of(file), unfinished(file));
    let problem = if file.is_dir() {
        format!("{option} {shown} is a directory: choose another name")
    } else if file.exists() && !file.is_file() {
        // A pipe would be replaced by a file, and whoever reads from it would wait for ever.
        format!("{option} {shown} is no file but something else, as a device or a pipe: choose another name")
    } else if !folder.is_dir() {
        format!("{option} {shown}: there is no folder {}: make it, or choose another", folder.display())
    } else if let Some((what, _)) = inputs.iter().find(|(_, input)| is_one(file, input)) {
        format!("{option}: {shown} is {what}, and would be replaced: choose another name")
    } else if unfinished.is_file() || unfinished.is_symlink() {
        // Somebody else's file, a link to one, or what a killed process has left.
        format!(
            "{option} {shown}: until it is whole it is {}, and there is such a file: remove that, or choose another name",
            unfinished.display()
        )
    } else {
        return Ok(());
    };
    Err(problem.into())
}

/// Whether two names are of one file, or will be.
fn is_one(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| {
        let folder = std::fs::canonicalize(folder_of(path)).unwrap_or_default();
        std::fs::canonicalize(path).unwrap_or_else(|_| folder.join(path.file_name().unwrap_or_default()))
    };
    real(one) == real(other)
}

/// The folder that a file is in.
pub(super) fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether files of these sizes fit on their disks, if the system says what is free there. Files of one folder share a disk.
///
/// # Errors
/// Files of a folder, their size, and what is free.
pub(super) fn check_disk(files: &[(&Path, u128)]) -> Result<(), Error> {
    for (file, _) in files {
        let folder = folder_of(file);
        let beside = || files.iter().filter(|(other, _)| folder_of(other) == folder);
        let bytes = beside().fold(0, |sum: u128, (_, bytes)| sum.saturating_add(*bytes));
        if let Some(free) = free_bytes(folder).filter(|free| bytes > u128::from(*free)) {
            let (needed, free) = (grouped(bytes), grouped(free.into()));
            let names: Vec<_> = beside().map(|(file, _)| file.display().to_string()).collect();
            let (names, verb) = (names.join(" and "), if names.len() == 1 { "needs" } else { "need" });
            return Err(format!(
                "{names} {verb} {needed} bytes, and {free} bytes are free on the disk: choose --sources or --targets, or another folder",
            )
            .into());
        }
    }
    Ok(())
}

fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_output_takes_a_matrix_unless_it_is_a_terminal_or_has_json() {
        let refused = |json, is_terminal| check_standard_output(json, is_terminal).unwrap_err().to_string();
        assert!(check_standard_output(false, false).is_ok());
        assert!(refused(false, true).contains("is a terminal: send it to a program or a file"));
        assert!(refused(true, false).contains("name a file for --out"));
    }

    #[test]
    fn files_larger_together_than_their_disk_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("d.npy"), folder.path().join("p.npy"));
        assert!(check_disk(&[(&one, 10), (&two, u128::MAX)]).is_err());
        let part = u128::from(free_bytes(folder.path()).unwrap()) * 2 / 3;
        assert!(check_disk(&[(&one, part)]).is_ok());
        let message = check_disk(&[(&one, part), (&two, part)]).unwrap_err().to_string();
        assert!(message.contains("p.npy need "), "{message}");
    }
}
