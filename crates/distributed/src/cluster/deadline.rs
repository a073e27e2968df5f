//! A connection whose every read and write together end at one moment, so that bytes which trickle in do not prolong it.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A connection until a moment. What is still to be read or written then fails with [`io::ErrorKind::TimedOut`].
pub struct Deadline<'a> {
    connection: &'a TcpStream,
    until: Instant,
}

impl<'a> Deadline<'a> {
    pub const fn new(connection: &'a TcpStream, until: Instant) -> Self {
        Self { connection, until }
    }

    fn rest(&self) -> io::Result<Option<Duration>> {
        let rest = self.until.saturating_duration_since(Instant::now());
        if rest.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(rest)) }
    }
}

impl Read for Deadline<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.connection.set_read_timeout(self.rest()?)?;
        self.connection.read(bytes)
    }
}

impl Write for Deadline<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.connection.set_write_timeout(self.rest()?)?;
        self.connection.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.connection.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, TcpListener};
    use std::thread;

    #[test]
    fn bytes_that_trickle_in_do_not_prolong_a_read() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let reader = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut trickler, _) = listener.accept().unwrap();
        let trickle = thread::spawn(move || {
            for _ in 0..100 {
                thread::sleep(Duration::from_millis(20));
                if trickler.write_all(&[0]).is_err() {
                    break;
                }
            }
        });
        let begun = Instant::now();
        let read = Deadline::new(&reader, begun + Duration::from_millis(200)).read_exact(&mut [0; 100]);
        assert!(read.is_err());
        assert!(begun.elapsed() < Duration::from_millis(900), "{:?}", begun.elapsed());
        drop(reader);
        trickle.join().unwrap();
    }
}
