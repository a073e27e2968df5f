//! Files and folders that other people may have prepared.
//!
//! - [`NewFile`]: a file that has its name once it is whole. It is always made anew, so that a link with its temporary name is not
//!   followed.
//! - [`write_new`], [`open_to_append`], [`open_lock`]: files that are written where they lie, never through a link.
//! - [`refuse_links`]: that nothing in a folder which is about to be written to leads out of it.
//! - [`open_regular`], [`read_regular`], [`read_if_there`], [`read_text`]: files to read. A pipe or a device is refused, where reading could wait for ever.
//! - [`own_folder`]: a folder that no other user can write to.
//! - [`Scratch`]: a temporary folder, removed on drop; what killed processes left goes at the next start.
//! - [`report_size_limit`]: a write beyond the limit of a file's size is an error, and does not end the process.
//! - [`variable`]: a variable of the environment, of which an empty one is not set.

mod folder;
mod read;
mod write;

pub use folder::{FolderError, Scratch, own_folder, remove_abandoned, temporary_own_folder};
pub use read::{open_regular, read_at_most, read_if_there, read_regular, read_text};
/// Makes a file without a name in a folder, to write and to read, which is gone when the process ends.
pub use tempfile::tempfile_in as scratch_file;
pub use write::{
    NewFile, UNFINISHED, is_at, open_lock, open_to_append, refuse_link, refuse_links, remove_if_there,
    unfinished, write_new,
};

use std::ffi::OsString;
use std::path::PathBuf;

/// The value of a variable of the environment. One that is empty counts as not set, as scripts of shells have it.
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Where temporary files lie: `TMPDIR`, or the system's usual folder.
pub fn temporary_folder() -> PathBuf {
    variable("TMPDIR").map_or("/tmp".into(), PathBuf::from)
}

/// From now on a write beyond the limit of the size of files (`ulimit -f`) is an error of that write, which has a message, and does not end the
/// process. Processes that this one starts have it like that too.
pub fn report_size_limit() {
    // SAFETY: the signal is ignored from now on; there is no handler of ours that could be called, and none of others is replaced that early.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}
