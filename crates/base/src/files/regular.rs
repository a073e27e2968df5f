//! Files to read.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use crate::files::in_place::{without_following, without_waiting};

/// Opens a regular file to read it; links are followed. Nothing else is waited for: a pipe gives no byte until somebody writes to it.
///
/// # Errors
/// When it cannot be opened, or is no regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let file = without_waiting(OpenOptions::new().read(true)).open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !about.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    Ok(file)
}

/// No record that this program writes is as large, by far.
const MOST_BYTES: u64 = 256 << 20;

/// All bytes of a regular file of at most 256 MiB: a file of many holes costs nobody room but its reader.
///
/// # Errors
/// As [`open_regular`], or when it is larger or cannot be read.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    read_at_most(path, MOST_BYTES)
}

/// Reads a regular file; none where there is no such file.
///
/// # Errors
/// As [`read_regular`], but for a file that is not there.
pub fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match read_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}

/// Reads a regular file of at most so many bytes.
///
/// # Errors
/// As [`open_regular`], or when it is larger or cannot be read.
pub fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let (found, mut bytes) = (file.metadata()?.len(), Vec::new());
    if found <= most {
        // Files of the system say that they are empty.
        file.take(most + 1).read_to_end(&mut bytes)?;
    }
    let found = found.max(bytes.len() as u64);
    if found > most {
        let most = most >> 20;
        return Err(io::Error::other(format!(
            "it has {found} bytes or more, and no more than {most} MiB are read"
        )));
    }
    Ok(bytes)
}

/// All of a regular file as text.
///
/// # Errors
/// As [`read_regular`], or when it is no UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_regular(path)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}

/// Opens a file that a program has left in its folder, to read it: a regular file with one name. No link is followed, no pipe waited for.
///
/// # Errors
/// When there is none, or it is something else: the message is the rest of a sentence about the file.
pub fn open_left_file(path: &Path) -> io::Result<File> {
    let something_else = || io::Error::other("is no regular file: the program has made something else");
    let file =
        without_following(OpenOptions::new().read(true)).open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => io::Error::new(error.kind(), "does not exist"),
            // A link, or a socket.
            _ if path.symlink_metadata().is_ok_and(|about| !about.is_file()) => something_else(),
            _ => io::Error::new(error.kind(), format!("cannot be opened: {error}")),
        })?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(something_else());
    }
    #[cfg(unix)]
    {
        let names = std::os::unix::fs::MetadataExt::nlink(&about);
        if names != 1 {
            return Err(io::Error::other(format!("has {names} names: expected a file with no other")));
        }
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::files::write_anew;

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

    #[test]
    fn a_pipe_is_refused_at_once_and_a_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "text").unwrap();
        assert_eq!(read_text(&path("file")).unwrap(), "text");
        pipe(&path("pipe"));
        assert!(read_regular(&path("pipe")).unwrap_err().to_string().contains("no regular file"));
        assert!(read_regular(Path::new("/dev/zero")).is_err());
        File::create(path("holes")).unwrap().set_len(6 << 30).unwrap();
        assert!(read_regular(&path("holes")).unwrap_err().to_string().contains("256 MiB"));
        std::fs::write(path("file"), vec![0; (1 << 20) + 1]).unwrap();
        assert!(read_at_most(&path("file"), 1 << 20).unwrap_err().to_string().contains("1 MiB"));
        assert_eq!(read_regular(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(read_regular(&path("absent")).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(read_if_there(&path("absent")).unwrap(), None);
    }
}
