//! Files as bytes in memory.

use memmap2::Mmap;
use std::fs::File;
use std::io;

/// The bytes of a file, read when they are looked at.
///
/// Nobody may shorten the file as long as they are: the system ends a process that looks at bytes that are no longer there. Files of the program's own
/// are replaced and never changed.
pub(super) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the bytes are only read, as numbers of which every value is one; who changes the file while it is read gets other numbers, which
    // verification finds.
    unsafe { Mmap::map(file) }
}
