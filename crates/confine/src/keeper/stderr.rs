//! The end of what a program prints on standard error.

use std::collections::VecDeque;

/// The last bytes of a stream, and how many there were.
pub(super) struct Tail {
    kept: VecDeque<u8>,
    limit: usize,
    pub bytes: u64,
}

impl Tail {
    pub fn new(limit: usize) -> Self {
        Self { kept: VecDeque::new(), limit, bytes: 0 }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.kept.extend(&bytes[bytes.len().saturating_sub(self.limit)..]);
        let too_many = self.kept.len().saturating_sub(self.limit);
        self.kept.drain(..too_many);
    }

    pub fn text(&self) -> String {
        let bytes: Vec<u8> = self.kept.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_and_all_is_counted() {
        let mut tail = Tail::new(4);
        for part in ["ab", "cde", "", "f"] {
            tail.push(part.as_bytes());
        }
        assert_eq!((tail.text().as_str(), tail.bytes), ("cdef", 6));
        tail.push(b"0123456789");
        assert_eq!((tail.text().as_str(), tail.bytes), ("6789", 16));
    }
}
