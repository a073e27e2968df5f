//! A stream that fails once.

use std::io::{self, Seek, SeekFrom, Write};

/// Hands bytes on until that fails, and from there on takes all others for nothing, as if they were written. The writer of archives tries to
/// complete one when it is dropped, and prints on the standard error stream if it cannot, which a library must not.
#[derive(Debug)]
pub(super) struct Latched<W> {
    inner: W,
    failed: bool,
    /// Where the next byte goes, which the writer of archives asks for after a failure as well.
    at: u64,
    end: u64,
}

impl<W: Write + Seek> Latched<W> {
    /// Of a stream at whose beginning nothing was written yet.
    pub fn new(inner: W) -> Self {
        Self { inner, failed: false, at: 0, end: 0 }
    }

    /// The stream, if nothing failed.
    pub fn into_inner(self) -> io::Result<W> {
        if self.failed { Err(io::Error::other("an earlier write failed")) } else { Ok(self.inner) }
    }

    fn attempt<R>(&mut self, instead: R, run: impl FnOnce(&mut W) -> io::Result<R>) -> io::Result<R> {
        if self.failed {
            return Ok(instead);
        }
        let done = run(&mut self.inner);
        // An interrupted write is tried again.
        self.failed = done.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        done
    }
}

impl<W: Write + Seek> Write for Latched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.attempt(bytes.len(), |inner| match inner.write(bytes) {
            Ok(0) if !bytes.is_empty() => Err(io::ErrorKind::WriteZero.into()),
            written => written,
        })?;
        self.at += written as u64;
        self.end = self.end.max(self.at);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt((), Write::flush)
    }
}

impl<W: Write + Seek> Seek for Latched<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(by) => self.end.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        let place = place.ok_or(io::ErrorKind::InvalidInput)?;
        self.at = self.attempt(place, |inner| inner.seek(to))?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_failure_nothing_fails_but_the_end() {
        let mut room = [0; 3];
        let mut stream = Latched::new(io::Cursor::new(&mut room[..]));
        stream.write_all(b"abc").unwrap();
        assert_eq!(stream.seek(SeekFrom::End(-1)).unwrap(), 2);
        stream.write_all(b"C").unwrap();
        assert!(stream.write_all(b"d").is_err());
        stream.write_all(b"ef").unwrap();
        stream.flush().unwrap();
        assert_eq!(stream.stream_position().unwrap(), 5);
        assert_eq!(stream.seek(SeekFrom::End(-4)).unwrap(), 1);
        assert!(stream.into_inner().is_err());
        assert_eq!(&room, b"abC");
    }
}
