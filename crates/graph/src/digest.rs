//! A short name for a whole result, so that equal results are recognised without being kept.

use super::Element;
use std::path::Path;
use std::{fmt, io};

/// The first 128 bits of the BLAKE3 hash of a result; prints as 32 hexadecimal digits.
///
/// Equal digests mean equal bits for all practical purposes. The reverse is honest too: two correct results of one
/// graph of integers have equal bits, as `Reference` explains, -0.0 included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest([u8; 16]);

/// The digest of the little-endian bits of `result`, computed on all threads.
pub fn digest<T: Element>(result: &[T]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    // CUDA machines are little-endian, and so are the bytes of a result.
    hasher.update_rayon(bytemuck::cast_slice(result));
    let mut short = [0; 16];
    hasher.finalize_xof().fill(&mut short);
    Digest(short)
}

/// The BLAKE3 hash of the bytes of the file at `path`, in hexadecimal digits. They are read by all threads, and not kept in memory.
///
/// # Errors
/// When it cannot be read.
pub fn file_digest(path: &Path) -> io::Result<String> {
    Ok(blake3::Hasher::new().update_mmap_rayon(path)?.finalize().to_hex().to_string())
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_the_start_of_blake3_over_the_little_endian_bits() {
        for numbers in [vec![1.0_f32, -0.0, f32::INFINITY], vec![1.5; 300_000]] {
            let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            let expected = blake3::hash(&bytes).to_hex();
            assert_eq!(digest(&numbers).to_string(), expected[..32]);
        }
    }
}
