//! Files to read.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use crate::in_place::{without_following, without_waiting};

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

/// All bytes of a regular file.
///
/// # Errors
/// As [`open_regular`], or when it cannot be read.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open_regular(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
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

/// All of a regular file of just this length, which a program that is not trusted has left: a link is not followed.
///
/// # Errors
/// When there is no such file, or it cannot be read.
pub fn read_whole(path: &Path, into: &mut [u8]) -> io::Result<()> {
    let mut file = without_following(OpenOptions::new().read(true)).open(path)?;
    let about = file.metadata()?;
    if !about.is_file() || about.len() != into.len() as u64 {
        return Err(io::Error::other(format!("expected a file of {} bytes", into.len())));
    }
    file.read_exact(into)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::write_anew;

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
        assert_eq!(read_regular(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(read_regular(&path("absent")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
