//! Ends of pipes: waiting for several at once, until some time, and reading what a program prints.

use crate::confine::exit::ExitCause;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

const CHUNK: usize = 64 << 10;

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

/// What a program prints, read as far as it may print.
pub(crate) struct Output<P> {
    /// None once its end was read.
    pipe: Option<P>,
    /// For messages.
    name: &'static str,
    /// How many bytes may be read.
    limit: u64,
    /// How many were read.
    read: u64,
    /// Bytes that were read and that nobody has taken.
    pub unread: Vec<u8>,
}

impl<P: Read + AsFd> Output<P> {
    pub fn new(pipe: Option<P>, name: &'static str, limit: u64) -> Self {
        Self { pipe, name, limit, read: 0, unread: Vec::new() }
    }

    /// Where it can be waited for; none once its end was read.
    pub fn end(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Reads what is there.
    ///
    /// # Errors
    /// When it is more than the program may print.
    pub fn read(&mut self) -> Result<(), ExitCause> {
        let mut chunk = [0; CHUNK];
        let taken = self.pipe.as_mut().and_then(|pipe| pipe.read(&mut chunk).ok()).unwrap_or(0);
        if taken == 0 {
            self.pipe = None;
        }
        self.unread.extend_from_slice(&chunk[..taken]);
        self.read += taken as u64;
        if self.read > self.limit {
            let what = format_args!("printed more on {} than", self.name);
            return Err(ExitCause::over(what, self.limit));
        }
        Ok(())
    }
}
