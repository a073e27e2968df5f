//! Files in the folder of a program that is not trusted: what it is given, and what it has left.

use repro_base::files::{remove_if_there, write_new};
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Writes a file anew: what has the name is removed first, so that a link is replaced and not followed.
///
/// # Errors
/// When it cannot be made or written.
pub fn write_anew(path: &Path, bytes: &[u8]) -> io::Result<()> {
    remove_if_there(path)?;
    write_new(path, bytes)
}

/// Opens a file that a program has left in its folder, to read it: a regular file with one name. No link is followed, no pipe waited for.
///
/// # Errors
/// When there is none, or it is something else: the message is the rest of a sentence about the file.
pub fn open_left_file(path: &Path) -> io::Result<File> {
    let something_else = || io::Error::other("is no regular file: the program has made something else");
    let without_following = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let opened = OpenOptions::new().read(true).custom_flags(without_following).open(path);
    let file = opened.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(error.kind(), "does not exist"),
        // A link, or a socket.
        _ if path.symlink_metadata().is_ok_and(|about| !about.is_file()) => something_else(),
        _ => io::Error::new(error.kind(), format!("cannot be opened: {error}")),
    })?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(something_else());
    }
    let names = about.nlink();
    if names != 1 {
        return Err(io::Error::other(format!("has {names} names: expected a file with no other")));
    }
    Ok(file)
}

/// All of a file that a program has left, of just this length.
///
/// # Errors
/// As [`open_left_file`], or when it has another length or cannot be read.
pub fn read_whole(path: &Path, into: &mut [u8]) -> io::Result<()> {
    let mut file = open_left_file(path)?;
    if file.metadata()?.len() != into.len() as u64 {
        return Err(io::Error::other(format!("expected a file of {} bytes", into.len())));
    }
    file.read_exact(into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_links_nor_pipes_nor_other_lengths_are_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        write_anew(&path("right"), b"1234").unwrap();
        let mut read = [0; 4];
        read_whole(&path("right"), &mut read).unwrap();
        assert_eq!(&read, b"1234");
        assert!(read_whole(&path("right"), &mut [0; 3]).is_err());
        std::os::unix::fs::symlink(path("right"), path("link")).unwrap();
        assert!(read_whole(&path("link"), &mut read).is_err());
        write_anew(&path("link"), b"5678").unwrap();
        assert_eq!(std::fs::read(path("right")).unwrap(), b"1234");
        pipe(&path("pipe"));
        assert!(read_whole(&path("pipe"), &mut read).is_err());
    }

    #[test]
    fn a_regular_file_with_one_name_is_opened_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let refused = |name: &str| open_left_file(&path(name)).unwrap_err().to_string();
        assert_eq!(refused("gone"), "does not exist");
        std::fs::write(path("file"), "right").unwrap();
        let mut text = String::new();
        open_left_file(&path("file")).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "right");
        std::os::unix::fs::symlink(path("file"), path("link")).unwrap();
        std::fs::create_dir(path("folder")).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        pipe(&path("pipe"));
        for name in ["link", "folder", "socket", "pipe"] {
            assert!(refused(name).starts_with("is no regular file"), "{name}: {}", refused(name));
        }
        std::fs::hard_link(path("file"), path("second")).unwrap();
        assert!(refused("file").starts_with("has 2 names"), "{}", refused("file"));
    }

    fn pipe(path: &Path) {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    }
}
