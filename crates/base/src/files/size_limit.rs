//! The limit of the size of files.

/// From now on a write beyond the limit of the size of files (`ulimit -f`) is an error of that write, which has a message, and does not end the
/// process. Processes that this one starts have it like that too.
pub fn report_size_limit() {
    #[cfg(unix)]
    // SAFETY: the signal is ignored from now on; there is no handler of ours that could be called, and none of others is replaced that early.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}
