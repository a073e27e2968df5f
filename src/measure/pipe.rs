//! Lines that a process and its worker write each other, and how long the other end of a pipe has been silent.

use serde::Serialize;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a worker that is the first of a group and its runner write each other between requests and replies: if one of them stands still,
/// the group has to end.
const SIGN_OF_LIFE: &[u8] = b"\n";
/// Between two signs of life.
const BETWEEN_SIGNS: Duration = Duration::from_secs(1);

/// When the other end last wrote something.
#[derive(Clone)]
pub struct Heard(Arc<Mutex<Instant>>);

impl Heard {
    /// It wrote something now.
    pub fn now() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }

    /// It wrote something again.
    pub fn again(&self) {
        *lock(&self.0) = Instant::now();
    }

    /// How long it has been silent, for who looks again and again, and last did at `last_look`. Where that is more than half of `longest` ago,
    /// this process was stopped itself, and has read nothing.
    pub fn silence(&self, last_look: &mut Instant, longest: Duration) -> Duration {
        let pause = last_look.elapsed();
        *last_look += pause;
        let mut heard = lock(&self.0);
        if pause > longest / 2 {
            *heard = *last_look;
        }
        last_look.saturating_duration_since(*heard)
    }
}

/// A message as it is written.
pub fn line_of(message: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Writes a line at once.
pub fn write_line(output: &mut impl Write, line: &[u8]) -> io::Result<()> {
    output.write_all(line)?;
    output.flush()
}

/// Writes signs of life from now on, on a thread of its own, until it cannot `write` to the other end.
pub fn give_signs_of_life(write: impl Fn(&[u8]) -> bool + Send + 'static) {
    std::thread::spawn(move || {
        while write(SIGN_OF_LIFE) {
            std::thread::sleep(BETWEEN_SIGNS);
        }
    });
}

/// Reads lines on a thread of its own, and hands on what `message_of` makes of them. When they end, or nobody takes them, so does the thread,
/// after `at_end`.
pub fn listen<T: Send + 'static>(
    input: impl Read + Send + 'static,
    heard: &Heard,
    message_of: fn(String) -> Option<T>,
    at_end: fn(),
) -> Receiver<T> {
    let (sender, messages) = mpsc::channel();
    let heard = heard.clone();
    std::thread::spawn(move || {
        for line in BufReader::new(input).lines() {
            let Ok(line) = line else { break };
            heard.again();
            if message_of(line).is_some_and(|message| sender.send(message).is_err()) {
                break;
            }
        }
        at_end();
    });
    messages
}

/// Whatever another thread did with it last.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_stopped_itself_takes_nobody_for_silent() {
        let heard = Heard::now();
        let ago = |seconds| Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
        *lock(&heard.0) = ago(8);
        let mut last_look = ago(3);
        assert!(heard.silence(&mut last_look, Duration::from_secs(10)) >= Duration::from_secs(8));
        last_look = ago(6);
        assert_eq!(heard.silence(&mut last_look, Duration::from_secs(10)), Duration::ZERO);
        assert!(last_look.elapsed() < Duration::from_secs(1));
    }
}
