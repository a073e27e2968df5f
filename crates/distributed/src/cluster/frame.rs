//! Bytes with a kind and a length, as they travel over a connection: one byte, eight bytes, the bytes themselves.

use std::io::{self, Read, Write};

/// What bytes are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A message of this protocol itself, as JSON.
    Control = 1,
    /// Of [`repro_solvers::Group::send`].
    Message = 2,
    /// Of [`repro_solvers::Group::exchange`].
    Exchange = 3,
    /// What rank 0 asks of all.
    Request = 4,
    /// What it is answered.
    Answer = 5,
    /// Rank 0 asks no more: without bytes, and behind what it asked before.
    NoMoreRequests = 6,
}

impl Kind {
    /// How many kinds carry bytes of the caller; [`Kind::index`] is below it.
    pub const OF_CALLERS: usize = 4;

    fn of(byte: u8) -> Option<Self> {
        [Self::Control, Self::Message, Self::Exchange, Self::Request, Self::Answer, Self::NoMoreRequests]
            .into_iter()
            .find(|kind| *kind as u8 == byte)
    }

    /// The number of a kind that carries bytes of the caller, from 0.
    pub const fn index(self) -> usize {
        (self as usize).saturating_sub(2)
    }

    /// The most bytes of one: more is a mistake of whoever sends them. A list of 16,384 members takes a tenth of the first.
    pub const fn most_bytes(self) -> u64 {
        match self {
            Self::Control => 1 << 24,
            Self::NoMoreRequests => 0,
            _ => 1 << 36,
        }
    }
}

/// Below this, header and bytes leave in one packet.
const SMALL: usize = 1 << 16;
/// Memory is asked for in advance up to this; beyond it, as bytes arrive.
const IN_ADVANCE: u64 = 1 << 24;

/// # Errors
/// When the connection is broken, or the bytes are more than any reader takes.
pub fn write(to: &mut impl Write, kind: Kind, bytes: &[u8]) -> io::Result<()> {
    let length = bytes.len() as u64;
    if length > kind.most_bytes() {
        return Err(too_long(kind, length));
    }
    let mut header = vec![kind as u8];
    header.extend(length.to_le_bytes());
    if bytes.len() <= SMALL {
        header.extend(bytes);
        return to.write_all(&header);
    }
    to.write_all(&header)?;
    to.write_all(bytes)
}

/// # Errors
/// When the connection ends, or what arrives is no frame.
pub fn read(from: &mut impl Read) -> io::Result<(Kind, Vec<u8>)> {
    let mut header = [0; 9];
    from.read_exact(&mut header)?;
    let [kind, length @ ..] = header;
    let kind =
        Kind::of(kind).ok_or_else(|| invalid(format!("a frame of the unknown kind {kind} arrived")))?;
    let length = u64::from_le_bytes(length);
    if length > kind.most_bytes() {
        return Err(too_long(kind, length));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(IN_ADVANCE)).unwrap_or(0));
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok((kind, bytes))
}

fn too_long(kind: Kind, length: u64) -> io::Error {
    invalid(format!("a frame of {length} bytes is more than the {} that one may have", kind.most_bytes()))
}

pub fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Joins lists of bytes to one, each behind its length.
pub fn pack(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(parts.iter().map(|part| part.len() + 8).sum());
    for part in parts {
        packed.extend((part.len() as u64).to_le_bytes());
        packed.extend(part);
    }
    packed
}

/// What [`pack`] joined. None when it is not that.
pub fn unpack(mut packed: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut parts = Vec::new();
    while !packed.is_empty() {
        let (length, rest) = packed.split_first_chunk()?;
        let (part, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        parts.push(part.to_vec());
        packed = rest;
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_every_kind_and_size_arrive_as_they_were_sent() {
        for kind in [Kind::Control, Kind::Message, Kind::Exchange, Kind::Request, Kind::Answer] {
            for size in [0, 1, SMALL, SMALL + 1] {
                let bytes = vec![7; size];
                let mut wire = Vec::new();
                write(&mut wire, kind, &bytes).unwrap();
                assert_eq!(read(&mut wire.as_slice()).unwrap(), (kind, bytes));
            }
        }
    }

    #[test]
    fn hostile_frames_are_refused_before_memory_is_asked_for() {
        let frame = |kind: u8, length: u64| [&[kind][..], &length.to_le_bytes()].concat();
        let message = |wire: &[u8]| read(&mut &*wire).unwrap_err().to_string();
        assert!(message(&frame(2, 1 << 60)).contains("1152921504606846976 bytes is more than"));
        assert!(message(&frame(1, 1 << 30)).contains("is more than the 16777216"));
        assert!(message(&frame(9, 0)).contains("unknown kind 9"));
        // Allowed, but what comes is less.
        let short = read(&mut frame(2, 1 << 36).as_slice()).unwrap_err();
        assert_eq!(short.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn too_much_is_refused_where_it_is_sent() {
        let bytes = vec![0; (1 << 24) + 1];
        assert!(write(&mut Vec::new(), Kind::Control, &bytes).is_err());
    }

    #[test]
    fn packed_lists_are_unpacked_and_torn_ones_refused() {
        for parts in [vec![], vec![vec![]], vec![vec![1, 2], vec![], vec![3; 300]]] {
            assert_eq!(unpack(&pack(&parts)), Some(parts));
        }
        let packed = pack(&[vec![1, 2]]);
        for torn in [&packed[..4], &packed[..9], &u64::MAX.to_le_bytes()] {
            assert_eq!(unpack(torn), None);
        }
    }
}
