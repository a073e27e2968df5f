//! Files to read.

use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a regular file to read it; links are followed. Nothing else is waited for: a pipe gives no byte until somebody writes to it.
///
/// # Errors
/// When it cannot be opened, or is no regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let without_waiting = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(without_waiting).open(path)?;
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

/// All bytes of a regular file of at most 256 MiB: a larger sparse file takes little of the disk, but all its size of memory.
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
        // Files of `/proc` say that they are empty.
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
    io::read_to_string(&*read_regular(path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn pipe(path: &Path) {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    }
}
