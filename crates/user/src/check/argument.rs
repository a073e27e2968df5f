//! What a kernel is launched with, as it is written: buffers by what they hold, numbers by their type.

use repro_emulator::{DeviceMemory, Emulator, EmulatorError, Stream};
use repro_graph::{ElementType, NpyHeader};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// One argument of a launch, as it was written on the command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KernelArgument {
    /// A buffer of so many bytes.
    Buffer(Contents, usize),
    /// A value: its bytes, since JSON lacks some numbers such as infinity, and whether its parameter may be narrower, as for an integer.
    Value(Vec<u8>, bool),
}

/// What a buffer holds before the first launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Contents {
    /// Nothing wrote it: to read it is a mistake.
    Unwritten,
    /// What a file holds.
    File(Vec<u8>),
    /// These 32 bits, repeated; where the text leaves the type open, also the type that was assumed and the number, as "int 1".
    Same(u32, Option<String>),
    /// 0, 1, 2, ...
    Rising(ElementType),
    /// Drawn from a seed: integers from 1 to 65,536, or floats from 0 on and below 1,000. With a side, a matrix with a diagonal of zeros.
    Random { element: ElementType, side: Option<usize>, is_symmetric: bool, seed: u64 },
}

/// The kinds of arguments, for messages.
const KINDS: &str = "random:BYTES[:SEED], matrix:N[:SEED] or symmetric:N[:SEED] (and random-floats, random-doubles and so on), zeros:BYTES, \
                     numbers:BYTES, floats:BYTES, doubles:BYTES, unwritten:BYTES, value:BYTES:X, raw:FILE, npy:FILE, int:N, uint:N, long:N, \
                     float:X, double:X or struct:N,N,...";

/// The most bytes of a file that a buffer is filled from.
const FILE_BYTES: u64 = 16 << 20;

/// The seed where none is given.
const SEED: &str = "1";

/// Bytes that are written at a time.
const CHUNK: usize = 1 << 20;

impl FromStr for KernelArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        read(text).map_err(|problem| format!("'{text}': {problem}"))
    }
}

fn read(text: &str) -> Result<KernelArgument, Box<dyn Error>> {
    let (kind, value) = text.split_once(':').ok_or_else(|| format!("expected {KINDS}"))?;
    let (drawn, element) = match kind.rsplit_once('-').unwrap_or((kind, kind)) {
        (drawn, "floats") => (drawn, ElementType::F32),
        (drawn, "doubles") => (drawn, ElementType::F64),
        _ => (kind, ElementType::I32),
    };
    let bytes = |value| number(value, "number of bytes from 1 on").map(NonZeroUsize::get);
    let buffer = |contents, bytes| Ok(KernelArgument::Buffer(contents, bytes));
    let integer = |bytes: &[u8]| Ok(KernelArgument::Value(bytes.to_vec(), true));
    let exact = |bytes: &[u8]| Ok(KernelArgument::Value(bytes.to_vec(), false));
    match kind {
        "zeros" => buffer(Contents::Same(0, None), bytes(value)?),
        "numbers" | "floats" | "doubles" => buffer(Contents::Rising(element), bytes(value)?),
        "unwritten" => buffer(Contents::Unwritten, bytes(value)?),
        "value" => {
            let (size, value) = value.split_once(':').ok_or("expected value:BYTES:X")?;
            let float = |number: f32| (number.to_bits(), "float");
            let (bits, kind) =
                word(value).map(|bits| (bits, "int")).or_else(|_| number(value, "number").map(float))?;
            buffer(Contents::Same(bits, Some(format!("{kind} {value}"))), bytes(size)?)
        }
        "raw" | "npy" => {
            let mut bytes = repro_base::files::read_at_most(value.as_ref(), FILE_BYTES)?;
            if kind == "npy" {
                let other = |_| "no .npy file: raw:FILE takes its bytes as they are";
                let (_, header) = NpyHeader::read(&bytes[..]).map_err(other)?;
                bytes.drain(..header as usize);
            }
            let length = Some(bytes.len()).filter(|length| *length > 0).ok_or("the file is empty")?;
            buffer(Contents::File(bytes), length)
        }
        "int" => integer(&number::<i32>(value, "whole number of 32 bits")?.to_le_bytes()),
        "uint" => integer(&number::<u32>(value, "whole number from 0 to 4294967295")?.to_le_bytes()),
        "long" => {
            let signed = value.parse::<i64>().map(i64::cast_unsigned);
            integer(&signed.or_else(|_| number(value, "whole number of 64 bits"))?.to_le_bytes())
        }
        "float" => exact(&number::<f32>(value, "number")?.to_le_bytes()),
        "double" => exact(&number::<f64>(value, "number")?.to_le_bytes()),
        "struct" => {
            let words = value.split(',').map(|one| Ok(word(one)?.to_le_bytes()));
            exact(&words.collect::<Result<Vec<_>, String>>()?.concat())
        }
        _ => {
            let (size, seed) = value.split_once(':').unwrap_or((value, SEED));
            let seed = number(seed, "whole number from 0 on")?;
            let side = match drawn {
                "random" => None,
                "matrix" | "symmetric" => {
                    Some(number::<NonZeroUsize>(size, "number of rows from 1 on")?.get())
                }
                _ => return Err(format!("unknown kind '{kind}', expected {KINDS}").into()),
            };
            let squared = |side: usize| Ok(side.saturating_mul(side).saturating_mul(element.bytes()));
            let bytes = side.map_or_else(|| bytes(size), squared)?;
            buffer(Contents::Random { element, side, is_symmetric: drawn == "symmetric", seed }, bytes)
        }
    }
}

fn number<T: FromStr>(value: &str, what: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("'{value}' is no {what}"))
}

/// The bits of a whole number that has 32 of them, with a sign or without.
fn word(value: &str) -> Result<u32, String> {
    value.parse().map(i32::cast_unsigned).or_else(|_| number(value, "whole number of 32 bits"))
}

impl KernelArgument {
    /// Bytes of device memory; 0 for a value.
    pub fn buffer_bytes(&self) -> u64 {
        if let Self::Buffer(_, bytes) = self { *bytes as u64 } else { 0 }
    }

    /// The seed of a buffer of random elements.
    pub fn seed(&self) -> Option<u64> {
        if let Self::Buffer(Contents::Random { seed, .. }, _) = self { Some(*seed) } else { None }
    }

    /// What each element of a `value:` buffer was taken for, as "int 1".
    pub fn element(&self) -> Option<&str> {
        if let Self::Buffer(Contents::Same(_, taken_for), _) = self { taken_for.as_deref() } else { None }
    }

    /// Whether a buffer holds random data or a file's; none for a value and an unwritten buffer. With one number, or rising ones, a kernel
    /// may never do what depends on its data.
    pub fn varies(&self) -> Option<bool> {
        match self {
            Self::Value(..) | Self::Buffer(Contents::Unwritten, _) => None,
            Self::Buffer(contents, _) => {
                Some(matches!(contents, Contents::Random { .. } | Contents::File(_)))
            }
        }
    }

    /// The bytes that the kernel gets and, for a buffer, the memory whose address they are, filled for a launch. Random data differ with
    /// `fill`.
    ///
    /// # Errors
    /// When the host has not as much memory.
    pub fn placed(
        &self,
        emulator: &Emulator,
        stream: &Stream,
        fill: u64,
    ) -> Result<(Vec<u8>, Option<DeviceMemory>), EmulatorError> {
        let (contents, bytes) = match self {
            Self::Value(bytes, _) => return Ok((bytes.clone(), None)),
            Self::Buffer(contents, bytes) => (contents, *bytes),
        };
        let memory = emulator.allocate(bytes)?;
        for from in (0..bytes).step_by(CHUNK) {
            let bytes = CHUNK.min(bytes - from);
            let each = |element: &ElementType, number: &dyn Fn(usize) -> f64| -> Vec<u8> {
                let places = from / element.bytes()..(from + bytes).div_ceil(element.bytes());
                places.flat_map(|at| bytes_of(*element, number(at))).collect()
            };
            let chunk = match contents {
                Contents::Unwritten => break,
                Contents::File(all) => all[from..from + bytes].to_vec(),
                Contents::Same(bits, _) => bits.to_le_bytes().repeat(bytes.div_ceil(4)),
                Contents::Rising(element) => each(element, &|at| at as f64),
                Contents::Random { element, side, is_symmetric, seed } => {
                    let (least, span) = if element.is_integer() { (1.0, 65_536.0) } else { (0.0, 1000.0) };
                    let number = |number| least + span * drawn(number, *seed, fill);
                    each(element, &|at| drawn_by(at, *side, *is_symmetric).map_or(0.0, number))
                }
            };
            stream.upload(&chunk[..bytes], &memory, from);
        }
        Ok((memory.address().to_le_bytes().to_vec(), Some(memory)))
    }

    /// Refuses what a parameter of so many bytes does not take.
    pub fn check(&self, number: usize, parameter: usize) -> Result<(), String> {
        let (what, bytes, may_be_cut) = match self {
            Self::Buffer(..) => ("an address", size_of::<u64>(), false),
            Self::Value(bytes, is_integer) => ("a value", bytes.len(), *is_integer),
        };
        if bytes == parameter || (bytes > parameter && may_be_cut) {
            return Ok(());
        }
        Err(format!(
            "--args: argument {number} is {what} of {bytes} bytes, and its parameter has {parameter}: give what the kernel declares"
        ))
    }
}

/// The bytes of a number of this type; of an integer, the low 32 bits.
fn bytes_of(element: ElementType, number: f64) -> Vec<u8> {
    match element {
        ElementType::F32 => (number as f32).to_le_bytes().to_vec(),
        ElementType::F64 => number.to_le_bytes().to_vec(),
        _ => (number as u64 as u32).to_le_bytes().to_vec(),
    }
}

/// Which random number the element at this place gets; none on the diagonal of a matrix, which is zero.
fn drawn_by(at: usize, side: Option<usize>, is_symmetric: bool) -> Option<usize> {
    let Some(side) = side else { return Some(at) };
    let (row, column) = (at / side, at % side);
    let is_turned = is_symmetric && row > column;
    (row != column).then_some(if is_turned { column * side + row } else { at })
}

/// A number from 0 on and below 1, by SplitMix64.
fn drawn(number: usize, seed: u64, fill: u64) -> f64 {
    let from = seed.wrapping_mul(0xd134_2543_de82_ef95);
    let from = from.wrapping_add(fill.wrapping_mul(0xaf25_1af3_b0f0_25b5));
    let mixed = from.wrapping_add((number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ mixed >> 31) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read() {
        let drawn = |element, side, is_symmetric, seed, bytes| {
            KernelArgument::Buffer(Contents::Random { element, side, is_symmetric, seed }, bytes)
        };
        let same = |bits, taken_for: &str| Contents::Same(bits, Some(taken_for.to_string()));
        let same = |bits, taken_for| KernelArgument::Buffer(same(bits, taken_for), 8);
        let rising = |element| KernelArgument::Buffer(Contents::Rising(element), 8);
        let integer = |bytes: &[u8]| KernelArgument::Value(bytes.to_vec(), true);
        let exact = |bytes: &[u8]| KernelArgument::Value(bytes.to_vec(), false);
        for (text, given) in [
            ("zeros:64", KernelArgument::Buffer(Contents::Same(0, None), 64)),
            ("floats:8", rising(ElementType::F32)),
            ("doubles:8", rising(ElementType::F64)),
            ("random-doubles:8:7", drawn(ElementType::F64, None, false, 7, 8)),
            ("matrix:3", drawn(ElementType::I32, Some(3), false, 1, 36)),
            ("symmetric-floats:2:0", drawn(ElementType::F32, Some(2), true, 0, 16)),
            ("value:8:-1", same(u32::MAX, "int -1")),
            ("value:8:4294967295", same(u32::MAX, "int 4294967295")),
            ("value:8:1.5", same(1.5f32.to_bits(), "float 1.5")),
            ("int:-5", integer(&(-5i32).to_le_bytes())),
            ("uint:4294967295", integer(&[255; 4])),
            ("long:-1", integer(&[255; 8])),
            ("long:18446744073709551615", integer(&[255; 8])),
            ("float:-1.5", exact(&(-1.5f32).to_le_bytes())),
            ("double:1e300", exact(&1e300f64.to_le_bytes())),
            ("float:inf", exact(&f32::INFINITY.to_le_bytes())),
            ("double:-0.1", exact(&(-0.1f64).to_le_bytes())),
            ("struct:1,-1", exact(&[1, 0, 0, 0, 255, 255, 255, 255])),
        ] {
            let sent = serde_json::to_string(&given).unwrap();
            assert_eq!(serde_json::from_str::<KernelArgument>(&sent).unwrap(), given);
            assert_eq!(text.parse(), Ok(given));
        }
    }

    #[test]
    fn what_is_none_is_refused_by_name() {
        for (text, part) in [
            ("5", "'5': expected random:BYTES"),
            ("zeros:0", "'0' is no number of bytes"),
            ("zeros:-1", "'-1' is no number of bytes"),
            ("random:0", "'0' is no number of bytes"),
            ("random:8:x", "'x' is no whole number"),
            ("matrix:0", "'0' is no number of rows"),
            ("zeros-floats:8", "unknown kind 'zeros-floats'"),
            ("value:8", "expected value:BYTES:X"),
            ("value:8:x", "'x' is no number"),
            ("raw:/no/such", "No such file"),
            ("npy:/proc/self/status", "no .npy file"),
            ("int:2147483648", "'2147483648' is no whole number"),
            ("float:x", "'x' is no number"),
            ("struct:1,,2", "'' is no whole number"),
        ] {
            let error = text.parse::<KernelArgument>().unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn an_argument_must_have_its_parameters_size_unless_it_is_an_integer_that_is_cut() {
        let check = |text: &str, bytes| text.parse::<KernelArgument>().unwrap().check(2, bytes);
        assert_eq!(
            check("zeros:4", 4).unwrap_err().matches("argument 2 is an address of 8 bytes").count(),
            1
        );
        assert!(
            check("double:1", 4).is_err() && check("int:1", 8).is_err() && check("struct:1,2", 4).is_err()
        );
        assert!(check("long:1", 4).is_ok() && check("int:1", 1).is_ok() && check("struct:1,2", 8).is_ok());
    }
}
