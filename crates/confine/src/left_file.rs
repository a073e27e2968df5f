//! Files that a program leaves.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a file that a program has left in its folder, to read it: a regular file with one name. No link is followed, no pipe waited for.
///
/// # Errors
/// When there is none, or it is something else: the message is the rest of a sentence about the file.
pub fn open_left_file(path: &Path) -> io::Result<File> {
    let something_else = || io::Error::other("is no regular file: the program has made something else");
    let mut options = File::options();
    options.read(true);
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    let file = options.open(path).map_err(|error| match error.kind() {
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Read;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_regular_file_with_one_name_is_opened_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let refused = |name: &str| open_left_file(&path(name)).unwrap_err().to_string();
        assert_eq!(refused("gone"), "does not exist");
        fs::write(path("file"), "right").unwrap();
        let mut text = String::new();
        open_left_file(&path("file")).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "right");
        std::os::unix::fs::symlink(path("file"), path("link")).unwrap();
        fs::create_dir(path("folder")).unwrap();
        let _listener = UnixListener::bind(path("socket")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap();
        assert!(made.success());
        for name in ["link", "folder", "socket", "pipe"] {
            assert!(refused(name).starts_with("is no regular file"), "{name}: {}", refused(name));
        }
        fs::hard_link(path("file"), path("second")).unwrap();
        assert!(refused("file").starts_with("has 2 names"), "{}", refused("file"));
    }
}
