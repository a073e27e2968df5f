//! Where results go: looked at before anything is read, and asked for room before anything is solved.

use super::Arguments;
use super::out::Out;
use super::shown::grouped;
use super::stored::Description;
use repro_files::unfinished;
use repro_terminal::Error;
use shortest_paths::write::OutputFormat;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

/// The files of a result.
pub(super) struct Places {
    pub out: Out,
    pub format: OutputFormat,
    /// Where paths go, if they are asked for.
    pub paths: Option<PathBuf>,
}

impl Places {
    /// By the arguments.
    ///
    /// # Errors
    /// The option, the file, and what it cannot be.
    pub fn of(arguments: &Arguments) -> Result<Self, Error> {
        let out = Out::of(&arguments.out, arguments.json, io::stdout().is_terminal())?;
        let format = match out.file() {
            Some(file) => OutputFormat::of(file).map_err(|error| format!("--out {error}"))?,
            None => OutputFormat::Npy,
        };
        let paths = match (arguments.paths, &arguments.paths_out, out.file()) {
            (None, ..) => None,
            (Some(_), Some(file), _) => Some(npy(file)?),
            (Some(_), None, None) => {
                return Err(
                    "--paths: the distances go to standard output: name a .npy file by --paths-out".into()
                );
            }
            (Some(kind), None, Some(out)) => Some(out.with_extension(format!("{}.npy", kind.name()))),
        };
        let places = Self { out, format, paths };
        let inputs = inputs(arguments);
        if let Some(out) = places.out.file() {
            check("--out", out, &inputs)?;
            // Names and chosen vertices go there.
            check("--out: its description", &Description::place(out), &inputs)?;
        }
        if let Some(file) = &places.paths {
            check("--paths-out", file, &inputs)?;
            if places.out.file().is_some_and(|out| is_one(file, out)) {
                return Err(format!(
                    "--paths-out {}: the distances go there: choose another file",
                    file.display()
                )
                .into());
            }
        }
        Ok(places)
    }
}

fn npy(file: &Path) -> Result<PathBuf, Error> {
    match OutputFormat::of(file) {
        Ok(OutputFormat::Npy) => Ok(file.to_owned()),
        _ => Err(format!(
            "--paths-out {}: paths are stored in a .npy file: choose a name that ends in .npy",
            file.display()
        )
        .into()),
    }
}

/// The files that are read, with what they are.
fn inputs(arguments: &Arguments) -> Vec<(&'static str, &Path)> {
    let chosen =
        [("the list of --sources", &arguments.sources), ("the list of --targets", &arguments.targets)];
    let lists = chosen.into_iter().filter_map(|(what, value)| {
        let file = value.as_deref()?.strip_prefix('@')?;
        Some((what, Path::new(file)))
    });
    [("the graph", &*arguments.graph)].into_iter().chain(lists).collect()
}

/// Whether a file can be made here that is none of the input.
fn check(option: &str, file: &Path, inputs: &[(&str, &Path)]) -> Result<(), Error> {
    let shown = file.display();
    if file.is_dir() {
        return Err(format!("{option} {shown} is a directory: choose another name").into());
    }
    // A device or a pipe would be replaced by a file, and whoever reads from it would wait for ever.
    if file.exists() && !file.is_file() {
        return Err(format!(
            "{option} {shown} is no file but something else, as a device or a pipe: choose another name"
        )
        .into());
    }
    let folder = folder_of(file);
    if !folder.is_dir() {
        return Err(format!(
            "{option} {shown}: there is no folder {}: make it, or choose another",
            folder.display()
        )
        .into());
    }
    if let Some((what, _)) = inputs.iter().find(|(_, input)| is_one(file, input)) {
        return Err(format!("{option}: {shown} is {what}, and would be replaced: choose another name").into());
    }
    let unfinished = unfinished(file);
    // Somebody else's, a link to it, or what a process that was killed has left.
    if unfinished.is_file() || unfinished.is_symlink() {
        let unfinished = unfinished.display();
        return Err(format!(
            "{option} {shown}: until it is whole it is {unfinished}, and there is such a file: remove that, or choose another name"
        )
        .into());
    }
    Ok(())
}

/// Whether two names are of one file, or will be.
fn is_one(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| {
        let folder = std::fs::canonicalize(folder_of(path)).unwrap_or_default();
        std::fs::canonicalize(path).unwrap_or_else(|_| folder.join(path.file_name().unwrap_or_default()))
    };
    real(one) == real(other)
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether files of these sizes fit on their disks, if their sizes are known.
///
/// # Errors
/// The file, its size, and what is free.
pub(super) fn check_disk(files: &[(&Path, u128)]) -> Result<(), Error> {
    let Some((first, _)) = files.first() else { return Ok(()) };
    let all: u128 = files.iter().map(|(_, bytes)| bytes).fold(0, |sum, bytes| sum.saturating_add(*bytes));
    // Files of one result nearly always share a disk; each is held against its own as well.
    let checks = files.iter().map(|(file, bytes)| (*file, *bytes)).chain([(*first, all)]);
    for (file, bytes) in
        checks.filter(|(file, _)| folder_of(file) == folder_of(first)).chain(files.iter().copied())
    {
        let Some(free) = free_bytes(folder_of(file)) else { continue };
        if bytes > free.into() {
            return Err(format!(
                "{} needs {} bytes, and {} bytes are free on its disk: choose --sources or --targets, or another folder",
                file.display(),
                grouped(bytes),
                grouped(free.into())
            )
            .into());
        }
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

#[cfg(not(target_os = "linux"))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

/// The name of the file system that a file is on, where the system tells: how long it takes to write depends on it.
#[cfg(target_os = "linux")]
pub(super) fn file_system(file: &Path) -> Option<&'static str> {
    // From statfs(2).
    const KNOWN: [(u32, &str); 12] = [
        (0xef53, "ext4"),
        (0x0102_1994, "tmpfs"),
        (0x794c_7630, "overlayfs"),
        (0x5846_5342, "XFS"),
        (0x9123_683e, "Btrfs"),
        (0x2fc1_2fc1, "ZFS"),
        (0x6969, "NFS"),
        (0x6573_5546, "FUSE"),
        (0x0bd0_0bd0, "Lustre"),
        (0xff53_4d42, "CIFS"),
        (0xf2f5_2010, "F2FS"),
        (0x0102_1997, "9p"),
    ];
    let found = rustix::fs::statfs(folder_of(file)).ok()?.f_type as u32;
    KNOWN.iter().find(|(number, _)| *number == found).map(|(_, name)| *name)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn file_system(_: &Path) -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_larger_than_its_disk_is_refused_with_both_sizes() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("d.npy"), folder.path().join("p.npy"));
        assert!(check_disk(&[(&one, 10), (&two, 10)]).is_ok());
        let message = check_disk(&[(&one, u128::MAX)]).unwrap_err().to_string();
        assert!(
            message.contains("d.npy needs 340,282,366,920,938,463,463,374,607,431,768,211,455 bytes, and "),
            "{message}"
        );
        let free = u128::from(free_bytes(folder.path()).unwrap());
        assert!(check_disk(&[(&one, free * 2 / 3), (&two, free * 2 / 3)]).is_err());
    }
}
