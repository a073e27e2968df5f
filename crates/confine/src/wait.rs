//! Waiting for several things at once, until some time.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::os::fd::BorrowedFd;
use std::time::Instant;

/// Which of `ends` can be read, or have ended. Waits until one can or until the time has come; then none.
pub(crate) fn readable<const N: usize>(ends: [Option<BorrowedFd>; N], until: Instant) -> [bool; N] {
    ready(ends, PollFlags::IN, until)
}

/// Whether `end` can be written to, or has no reader any more, before the time comes.
pub(crate) fn writable(end: BorrowedFd, until: Instant) -> bool {
    ready([Some(end)], PollFlags::OUT, until)[0]
}

fn ready<const N: usize>(ends: [Option<BorrowedFd>; N], what: PollFlags, until: Instant) -> [bool; N] {
    let mut polled: Vec<PollFd> =
        ends.iter().flatten().map(|end| PollFd::from_borrowed_fd(*end, what)).collect();
    let left = || Timespec::try_from(until.saturating_duration_since(Instant::now())).ok();
    while poll(&mut polled, left().as_ref()) == Err(Errno::INTR) {}
    let mut answers = polled.iter().map(|end| !end.revents().is_empty());
    ends.map(|end| end.is_some() && answers.next().unwrap_or(false))
}
