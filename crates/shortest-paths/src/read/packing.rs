//! Files as they are, or packed with gzip or Zstandard.

use super::ReadProblem;
use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// Files can be hundreds of megabytes: fewer and larger reads.
const BUFFER: usize = 256 << 10;

/// The format is recognised by so many bytes.
const START: u64 = 4 << 10;

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// With gzip.
    Gzip,
    /// With Zstandard.
    Zstd,
}

impl Packing {
    fn of(start: &[u8]) -> Self {
        match start {
            [0x1f, 0x8b, ..] => Self::Gzip,
            // The second is a frame that is to be skipped; some programs begin with one.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            _ => Self::Plain,
        }
    }

    /// The program that unpacks.
    pub(super) fn tool(self) -> &'static str {
        match self {
            Self::Plain => "cat",
            Self::Gzip => "gunzip",
            Self::Zstd => "unzstd",
        }
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(match self {
            Self::Plain => "nothing",
            Self::Gzip => "gzip",
            Self::Zstd => "Zstandard",
        })
    }
}

/// What is in a file.
pub(super) struct Input {
    pub packing: Packing,
    /// How it starts.
    pub start: Vec<u8>,
    /// All of it, the start included.
    pub stream: Box<dyn BufRead>,
}

/// Opens a file and unpacks it while it is read.
pub(super) fn open(path: &Path) -> Result<Input, ReadProblem> {
    let file = File::open(path).map_err(ReadProblem::Unreadable)?;
    if file.metadata().is_ok_and(|about| about.is_dir()) {
        return Err(ReadProblem::Directory);
    }
    let (start, packed) = started(file).map_err(ReadProblem::Unreadable)?;
    let packing = Packing::of(&start);
    let unpacked = match packing {
        Packing::Plain if start.is_empty() => return Err(ReadProblem::Empty),
        Packing::Plain => return Ok(Input { packing, start, stream: packed }),
        Packing::Gzip => started(MultiGzDecoder::new(packed)),
        Packing::Zstd => started(Frames::new(packed)),
    };
    let (start, stream) = unpacked.map_err(|error| ReadProblem::Packed { packing, error })?;
    match Packing::of(&start) {
        Packing::Plain if start.is_empty() => Err(ReadProblem::Empty),
        Packing::Plain => Ok(Input { packing, start, stream }),
        packing => Err(ReadProblem::PackedTwice { packing }),
    }
}

/// A pipe hands out what there is, which may be less than what its format can be recognised by.
fn started(mut input: impl Read + 'static) -> io::Result<(Vec<u8>, Box<dyn BufRead>)> {
    let mut start = Vec::new();
    input.by_ref().take(START).read_to_end(&mut start)?;
    let all = Cursor::new(start.clone()).chain(BufReader::with_capacity(BUFFER, input));
    Ok((start, Box::new(all)))
}

/// The frames of a Zstandard file, one after the other. Their checksums are compared.
struct Frames {
    packed: Box<dyn BufRead>,
    decoder: FrameDecoder,
    /// Whether the decoder is in a frame.
    inside: bool,
}

impl Frames {
    fn new(packed: Box<dyn BufRead>) -> Self {
        Self { packed, decoder: FrameDecoder::new(), inside: false }
    }

    /// Goes on to the next frame that holds something; `false` at the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.packed.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.packed) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut skipped = self.packed.by_ref().take(length.into());
                    if io::copy(&mut skipped, &mut io::sink())? < u64::from(length) {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(false)
    }
}

impl Read for Frames {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.inside {
                self.inside = self.begin()?;
                if !self.inside {
                    return Ok(0);
                }
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.packed, one).map_err(io::Error::other)?;
            }
            let read = self.decoder.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            let stored = self.decoder.get_checksum_from_data();
            if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the checksum of a frame is wrong"));
            }
            self.inside = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        Frames::new(Box::new(Cursor::new(packed.to_vec()))).read_to_end(&mut all).map(|_| all)
    }

    #[test]
    fn frames_are_read_one_after_the_other_and_others_skipped() {
        let frame = |text: &[u8]| compress_to_vec(text, CompressionLevel::Fastest);
        let skipped = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 7, 7, 7];
        let all = [&skipped[..], &frame(b"one "), &frame(b""), &skipped, &frame(b"two"), &skipped].concat();
        assert_eq!(unpack(&all).unwrap(), b"one two");
        assert!(unpack(&all[..all.len() - 1]).is_err());
    }

    #[test]
    fn a_frame_that_was_cut_or_changed_is_refused() {
        let text: Vec<u8> = (0..5000_u32).flat_map(|i| (i * i).to_le_bytes()).collect();
        let packed = compress_to_vec(&text[..], CompressionLevel::Fastest);
        assert_eq!(unpack(&packed).unwrap(), text);
        for length in [5, packed.len() / 2, packed.len() - 1] {
            assert!(unpack(&packed[..length]).is_err(), "{length}");
        }
        let mut changed = packed.clone();
        *changed.last_mut().unwrap() ^= 1;
        assert!(unpack(&changed).unwrap_err().to_string().contains("checksum"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>, at in 0_usize..200, change: u8) {
            let _ = unpack(&[&[0x28, 0xb5, 0x2f, 0xfd][..], &bytes].concat());
            let mut packed = compress_to_vec(&[b'x'; 300][..], CompressionLevel::Fastest);
            if let Some(byte) = packed.get_mut(at) {
                *byte ^= change;
            }
            let _ = unpack(&packed);
        }
    }
}
