//! Files that are written in folders which somebody else may have prepared: under a temporary name until they are whole, or where they lie.

use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What a name ends in until the file is whole. A process that is killed may leave one.
pub const UNFINISHED: &str = ".new";

/// Where `path` lies until it is whole.
pub fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(UNFINISHED);
    path.with_file_name(name)
}

/// Whether `path` still leads to `file`, which was opened there.
///
/// # Errors
/// When nothing is there, or the system does not say.
pub fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let (here, there) = (file.metadata()?, std::fs::symlink_metadata(path)?);
    Ok((here.dev(), here.ino()) == (there.dev(), there.ino()))
}

/// A file that gets its name with [`Self::finish`]. Dropped before, nothing is left of it, and an older file of that name stays.
#[derive(Debug)]
pub struct NewFile {
    pub file: File,
    path: PathBuf,
    /// Whether this process has begun it, and it has not got its name yet.
    removes: bool,
}

impl NewFile {
    /// Begins the file `path`, under its temporary name. What has that name is removed first, and is neither written to nor followed: a
    /// process that was killed left it, or somebody prepared a link.
    ///
    /// # Errors
    /// When it cannot be made, also where a folder has the temporary name.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let beside = unfinished(path);
        remove_if_there(&beside)?;
        Ok(Self { file: File::create_new(beside)?, path: path.to_path_buf(), removes: true })
    }

    /// Opens what another process has begun, to write to it too. Dropped, it stays as it is.
    ///
    /// # Errors
    /// When it is not there, or a link.
    pub fn join(path: &Path) -> io::Result<Self> {
        let file = without_following(OpenOptions::new().read(true).write(true)).open(unfinished(path))?;
        Ok(Self { file, path: path.to_path_buf(), removes: false })
    }

    /// The name that it will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name when all of it is on the disk.
    ///
    /// # Errors
    /// When the system cannot, or another process has begun the same file meanwhile.
    pub fn finish(self) -> io::Result<()> {
        self.file.sync_all()?;
        // Opened before: an error afterwards would leave a file of that name.
        let folder = File::open(self.path.parent().unwrap_or(Path::new("")).join("."))?;
        self.finish_unflushed()?;
        folder.sync_all()
    }

    /// Gives it its name while the system still writes it to the disk: a killed process leaves the old file or the new one, and so does a
    /// power cut on most file systems.
    ///
    /// # Errors
    /// As [`Self::finish`].
    pub fn finish_unflushed(mut self) -> io::Result<()> {
        let beside = unfinished(&self.path);
        if !is_at(&self.file, &beside)? {
            return Err(io::Error::other("another process writes the same file"));
        }
        std::fs::rename(beside, &self.path)?;
        self.removes = false;
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // The error that came before is the one to report.
        if self.removes && is_at(&self.file, &unfinished(&self.path)).unwrap_or(false) {
            let _ = std::fs::remove_file(unfinished(&self.path));
        }
    }
}

/// `options` that refuse a link, and do not wait for somebody at the other end of a pipe.
fn without_following(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
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
    File::create_new(path)?.write_all(bytes).inspect_err(|_| drop(std::fs::remove_file(path)))
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
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            return refused("it is a link, and nothing is written through one: put the file itself there");
        }
        opened => opened?,
    };
    let about = file.metadata()?;
    match about.is_file() {
        false => refused("it is no regular file"),
        true if about.nlink() > 1 => {
            refused("it has a second name elsewhere, where it would change too: put a copy of it there")
        }
        true => Ok(file),
    }
}

/// Makes sure that `path`, if it is there, is no link.
///
/// # Errors
/// That it is one.
pub fn refuse_link(path: &Path) -> io::Result<()> {
    if path.is_symlink() { Err(leads_elsewhere(path, "a link")) } else { Ok(()) }
}

fn leads_elsewhere(path: &Path, what: &str) -> io::Error {
    let path = path.display();
    io::Error::other(format!("{path} is {what}, and could lead what is written here elsewhere: remove it"))
}

/// Makes sure that what is written below `folder` stays there. Nothing is wrong with a folder that does not exist.
///
/// # Errors
/// The first link, pipe, socket or device below it, or that it cannot be read.
pub fn refuse_links(folder: &Path) -> io::Result<()> {
    for entry in walkdir::WalkDir::new(folder).min_depth(1) {
        let entry = match entry.map_err(io::Error::from) {
            // Gone meanwhile, or never there.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entry => entry?,
        };
        let kind = entry.file_type();
        if !kind.is_dir() && !kind.is_file() {
            let what = if kind.is_symlink() { "a link" } else { "no regular file" };
            return Err(leads_elsewhere(entry.path(), what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_file_has_its_name_once_it_is_whole_and_leaves_nothing_when_it_is_dropped_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let mut file = NewFile::begin(&path).unwrap();
        file.file.write_all(b"old").unwrap();
        assert!(!path.exists());
        file.finish().unwrap();
        let mut file = NewFile::begin(&path).unwrap();
        file.file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        // A folder in the way stays.
        std::fs::create_dir(unfinished(&path)).unwrap();
        assert!(NewFile::begin(&path).is_err() && unfinished(&path).is_dir());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn a_link_with_the_temporary_name_is_replaced_and_what_it_leads_to_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (path, elsewhere) = (folder.path().join("record"), folder.path().join("elsewhere"));
        std::fs::write(&elsewhere, "theirs").unwrap();
        symlink(&elsewhere, unfinished(&path)).unwrap();
        assert!(NewFile::join(&path).is_err());
        let mut file = NewFile::begin(&path).unwrap();
        file.file.write_all(b"ours").unwrap();
        file.finish_unflushed().unwrap();
        assert_eq!(std::fs::read(&elsewhere).unwrap(), b"theirs");
        assert_eq!(std::fs::read(&path).unwrap(), b"ours");
        assert!(!path.is_symlink());
    }

    #[test]
    fn of_two_writers_of_one_file_the_first_is_told_and_takes_nothing_of_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let first = NewFile::begin(&path).unwrap();
        let mut second = NewFile::begin(&path).unwrap();
        assert!(first.finish_unflushed().unwrap_err().to_string().contains("another process"));
        second.file.write_all(b"whole").unwrap();
        second.finish_unflushed().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
    }

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
