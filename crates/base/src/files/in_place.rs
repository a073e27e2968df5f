//! Files that are changed where they lie, in folders that somebody else may have prepared.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// `options` for a file that is no link.
pub(crate) fn without_following(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    return with_flags(options, rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK);
    #[cfg(not(unix))]
    options
}

/// `options` by which a pipe without anybody at its other end is refused or read as empty instead of waited for.
pub(crate) fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    return with_flags(options, rustix::fs::OFlags::NONBLOCK);
    #[cfg(not(unix))]
    options
}

#[cfg(unix)]
fn with_flags(options: &mut OpenOptions, flags: rustix::fs::OFlags) -> &mut OpenOptions {
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits().cast_signed())
}

/// Writes a file anew: what has the name is removed first, so that a link is replaced and not followed.
///
/// # Errors
/// When it cannot be made or written.
pub fn write_anew(path: &Path, bytes: &[u8]) -> io::Result<()> {
    remove_if_there(path)?;
    write_new(path, bytes)
}

/// Removes a file or a link; nothing is wrong where there is none.
///
/// # Errors
/// When it cannot be removed.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Writes a file that must not be there yet. It is removed again where it cannot be written to its end.
///
/// # Errors
/// When something has that name, a link too, or it cannot be written.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    create_new(path)?.write_all(bytes).inspect_err(|_| drop(std::fs::remove_file(path)))
}

/// Makes a file that must not be there yet.
///
/// # Errors
/// When something has that name, a link too, or it cannot be made.
pub fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

/// Makes a file that must not be there yet, and that no other user can read.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.read(true).write(true).create_new(true).open(path)
}

/// Opens a file to read it and to append to it, made if it is not there.
///
/// # Errors
/// When it cannot be opened, is a link or no regular file, or has a second name: what is appended would be elsewhere too.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    checked(without_following(OpenOptions::new().read(true).append(true).create(true)).open(path))
}

/// Opens a file for its lock alone, made if it is not there. Nothing of it is changed.
///
/// # Errors
/// As [`open_to_append`].
pub fn open_lock(path: &Path) -> io::Result<File> {
    checked(without_following(OpenOptions::new().write(true).create(true).truncate(false)).open(path))
}

fn checked(opened: io::Result<File>) -> io::Result<File> {
    let refused = |problem: &str| Err(io::Error::other(problem));
    let file = match opened {
        #[cfg(unix)]
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            return refused("it is a link, and nothing is written through one: put the file itself there");
        }
        opened => opened?,
    };
    let about = file.metadata()?;
    if !about.is_file() {
        return refused("it is no regular file");
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(&about) > 1 {
        return refused("it has a second name elsewhere, where it would change too: put a copy of it there");
    }
    Ok(file)
}

/// Makes sure that `path`, if it is there, is no link.
///
/// # Errors
/// That it is one.
pub fn refuse_link(path: &Path) -> io::Result<()> {
    if path.is_symlink() {
        return Err(io::Error::other(format!(
            "{} is a link, and could lead what is written here elsewhere: remove it",
            path.display()
        )));
    }
    Ok(())
}

/// Makes sure that what is written below `folder` stays there. Nothing is wrong with a folder that does not exist.
///
/// # Errors
/// The first link, pipe, socket or device below it, or that it cannot be read.
pub fn refuse_links(folder: &Path) -> io::Result<()> {
    let mut unvisited = vec![folder.to_path_buf()];
    while let Some(folder) = unvisited.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let kind = match entry.file_type() {
                // Gone meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                kind => kind?,
            };
            if kind.is_dir() {
                unvisited.push(entry.path());
            } else if !kind.is_file() {
                let what = if kind.is_symlink() { "a link" } else { "no regular file" };
                return Err(io::Error::other(format!(
                    "{} is {what}, and could lead what is written here elsewhere: remove it",
                    entry.path().display()
                )));
            }
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn nothing_is_appended_through_a_link_or_to_a_file_of_two_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("theirs"), "theirs").unwrap();
        symlink(path("theirs"), path("link")).unwrap();
        symlink(path("absent"), path("dangling")).unwrap();
        std::fs::hard_link(path("theirs"), path("second")).unwrap();
        for name in ["link", "dangling", "second", "."] {
            assert!(open_to_append(&path(name)).is_err(), "{name}");
            assert!(open_lock(&path(name)).is_err(), "{name}");
        }
        assert!(!path("absent").exists());
        open_to_append(&path("own")).unwrap().write_all(b"a").unwrap();
        open_to_append(&path("own")).unwrap().write_all(b"b").unwrap();
        open_lock(&path("own")).unwrap();
        assert_eq!(std::fs::read(path("own")).unwrap(), b"ab");
    }

    #[test]
    fn a_link_is_found_however_deep_it_lies_and_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(deep.join("file"), "").unwrap();
        refuse_links(folder.path()).unwrap();
        refuse_links(&folder.path().join("absent")).unwrap();
        symlink("/", deep.join("out")).unwrap();
        refuse_link(&folder.path().join("absent")).unwrap();
        refuse_link(&deep).unwrap();
        assert!(refuse_link(&deep.join("out")).is_err());
        let problem = refuse_links(folder.path()).unwrap_err().to_string();
        assert!(problem.contains("a/b/out is a link"), "{problem}");
    }
}
