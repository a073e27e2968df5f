//! Variables of the environment.

use std::ffi::OsString;
use std::path::PathBuf;

/// The value of a variable. One that is empty counts as not set, as scripts of shells have it.
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Where temporary files lie: `TMPDIR`, or the system's usual folder.
pub fn temporary_folder() -> PathBuf {
    if cfg!(unix) && variable("TMPDIR").is_none() { PathBuf::from("/tmp") } else { std::env::temp_dir() }
}
