//! Lines that a process and its worker write each other.

use serde::Serialize;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc::{self, Receiver};

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

/// Reads lines on a thread of its own, and hands on what `message_of` makes of them. When they end, or nobody takes them, so does the thread,
/// after `at_end`.
pub fn listen<T: Send + 'static>(
    input: impl Read + Send + 'static,
    message_of: fn(String) -> Option<T>,
    at_end: fn(),
) -> Receiver<T> {
    let (sender, messages) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(input).lines() {
            let Ok(line) = line else { break };
            if message_of(line).is_some_and(|message| sender.send(message).is_err()) {
                break;
            }
        }
        at_end();
    });
    messages
}
