//! What a kernel is launched with, as it is written: buffers by what they hold, numbers by their type.

use repro_emulator::{Argument, DeviceMemory, Emulator, EmulatorError, Stream};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::str::FromStr;

/// What a buffer holds before the first launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Contents {
    /// Nothing wrote it: to read it is a mistake.
    Unwritten,
    Zeros,
    /// 0, 1, 2, ... as 32-bit integers.
    Numbers,
    /// 0, 1, 2, ... as `float`.
    Floats,
    /// 0, 1, 2, ... as `double`.
    Doubles,
    /// Drawn from a seed.
    Random(Element, Pattern, u64),
    /// A number of four bytes, again and again.
    Value(Kind, [u8; 4]),
    /// Those of a file.
    File(Vec<u8>),
}

/// The type of random elements: whole numbers from 1 to 65,536, or others below 1,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Element {
    Word,
    Float,
    Double,
}

impl Element {
    fn bytes(self) -> usize {
        if self == Self::Double { 8 } else { 4 }
    }
}

/// How random elements hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pattern {
    Each,
    /// A matrix of so many rows and columns with a diagonal of zeros.
    Matrix(usize),
    /// A symmetric matrix with a diagonal of zeros.
    Symmetric(usize),
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Given {
    /// One of so many bytes.
    Buffer(Contents, usize),
    /// By value, its bytes: those of a number may be no number in JSON.
    Value(Kind, Vec<u8>),
}

/// What is given by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    Int,
    Uint,
    Long,
    Float,
    Double,
    Struct,
}

/// The kinds of arguments, for messages.
const KINDS: &str = "random:BYTES[:SEED], matrix:N[:SEED] or symmetric:N[:SEED] (and random-floats, random-doubles and so on), zeros:BYTES, \
                     numbers:BYTES, floats:BYTES, doubles:BYTES, unwritten:BYTES, value:BYTES:X, raw:FILE, npy:FILE, int:N, uint:N, long:N, \
                     float:X, double:X or struct:N,N,...";

/// A file of more is sent to no kernel.
const FILE_BYTES: u64 = 16 << 20;

/// The seed where none is given.
const SEED: u64 = 1;

/// Bytes that are written at a time.
const CHUNK: usize = 1 << 20;

impl FromStr for Given {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, value) = text.split_once(':').ok_or_else(|| format!("'{text}': expected {KINDS}"))?;
        let buffer = |contents| Ok(Self::Buffer(contents, positive(text, value)?));
        let (drawn, element) = match kind.rsplit_once('-') {
            Some((drawn, "floats")) => (drawn, Element::Float),
            Some((drawn, "doubles")) => (drawn, Element::Double),
            _ => (kind, Element::Word),
        };
        let by_value = |kind, bytes: &[u8]| Ok(Self::Value(kind, bytes.to_vec()));
        match kind {
            "zeros" => buffer(Contents::Zeros),
            "numbers" => buffer(Contents::Numbers),
            "floats" => buffer(Contents::Floats),
            "doubles" => buffer(Contents::Doubles),
            "unwritten" => buffer(Contents::Unwritten),
            _ if matches!(drawn, "random" | "matrix" | "symmetric") => random(text, drawn, element, value),
            "value" => {
                let (bytes, value) =
                    value.split_once(':').ok_or_else(|| format!("'{text}': expected value:BYTES:X"))?;
                let word = || word(text, value).map(|it| Contents::Value(Kind::Int, it.to_le_bytes()));
                let unsigned = || number(text, value, "whole number").map(u32::to_le_bytes);
                let unsigned = || unsigned().map(|it| Contents::Value(Kind::Uint, it));
                let float = || number(text, value, "number").map(f32::to_le_bytes);
                let float = || float().map(|it| Contents::Value(Kind::Float, it));
                let contents = word().or_else(|_| unsigned()).or_else(|_| float())?;
                Ok(Self::Buffer(contents, positive(text, bytes)?))
            }
            "raw" | "npy" => file(text, value, kind == "npy"),
            "int" => by_value(Kind::Int, &word(text, value)?.to_le_bytes()),
            "uint" => {
                let uint: u32 = number(text, value, "whole number from 0 to 4294967295")?;
                by_value(Kind::Uint, &uint.to_le_bytes())
            }
            "long" => by_value(Kind::Long, &long(text, value)?.to_le_bytes()),
            "float" => by_value(Kind::Float, &number::<f32>(text, value, "number")?.to_le_bytes()),
            "double" => by_value(Kind::Double, &number::<f64>(text, value, "number")?.to_le_bytes()),
            "struct" => {
                let unsigned_or_signed = |word: &str| {
                    let signed = || self::word(text, word).map(i32::cast_unsigned);
                    word.parse::<u32>().or_else(|_| signed()).map(u32::to_le_bytes)
                };
                let words = value.split(',').map(unsigned_or_signed).collect::<Result<Vec<_>, _>>()?;
                by_value(Kind::Struct, &words.concat())
            }
            _ => Err(format!("'{text}': unknown kind '{kind}', expected {KINDS}")),
        }
    }
}

fn positive(text: &str, value: &str) -> Result<usize, String> {
    let bytes = value.parse().ok().filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| format!("'{text}': '{value}' is no number of bytes from 1 on"))
}

/// `BYTES[:SEED]`, or of a matrix `N[:SEED]`.
fn random(text: &str, kind: &str, element: Element, value: &str) -> Result<Given, String> {
    let (size, seed) = match value.split_once(':') {
        Some((size, seed)) => (size, number(text, seed, "whole number from 0 on")?),
        None => (value, SEED),
    };
    if kind == "random" {
        return Ok(Given::Buffer(Contents::Random(element, Pattern::Each, seed), positive(text, size)?));
    }
    let side = number::<usize>(text, size, "number of rows")?;
    let bytes = side.checked_mul(side).and_then(|entries| entries.checked_mul(element.bytes()));
    let bytes = bytes.filter(|bytes| *bytes > 0);
    let pattern = if kind == "matrix" { Pattern::Matrix(side) } else { Pattern::Symmetric(side) };
    let bytes = bytes.ok_or_else(|| format!("'{text}': '{size}' is no number of rows from 1 on"))?;
    Ok(Given::Buffer(Contents::Random(element, pattern, seed), bytes))
}

/// The bytes of a file, those of a `.npy` file behind its header.
fn file(text: &str, path: &str, npy: bool) -> Result<Given, String> {
    let unreadable = |error: &dyn Display| format!("'{text}': {error}");
    let mut bytes =
        repro_files::read_at_most(path.as_ref(), FILE_BYTES).map_err(|error| unreadable(&error))?;
    if npy {
        let header = match bytes.get(..12) {
            Some([0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, low, high, ..]) => {
                10 + usize::from(u16::from_le_bytes([*low, *high]))
            }
            Some([0x93, b'N', b'U', b'M', b'P', b'Y', 2 | 3, _, a, b, c, d]) => {
                12 + u32::from_le_bytes([*a, *b, *c, *d]) as usize
            }
            _ => return Err(unreadable(&"no .npy file: raw:FILE takes its bytes as they are")),
        };
        bytes.drain(..header.min(bytes.len()));
    }
    if bytes.is_empty() {
        return Err(unreadable(&"the file is empty"));
    }
    let length = bytes.len();
    Ok(Given::Buffer(Contents::File(bytes), length))
}

fn number<T: FromStr>(text: &str, value: &str, what: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("'{text}': '{value}' is no {what}"))
}

fn word(text: &str, value: &str) -> Result<i32, String> {
    number(text, value, "whole number of 32 bits")
}

fn long(text: &str, value: &str) -> Result<u64, String> {
    let signed = || number::<i64>(text, value, "whole number of 64 bits").map(i64::cast_unsigned);
    value.parse::<u64>().or_else(|_| signed())
}

impl Given {
    /// Bytes of device memory.
    pub fn buffer_bytes(&self) -> usize {
        match self {
            Self::Buffer(_, bytes) => *bytes,
            _ => 0,
        }
    }

    /// The seed of a buffer of random elements.
    pub fn seed(&self) -> Option<u64> {
        match self {
            Self::Buffer(Contents::Random(_, _, seed), _) => Some(*seed),
            _ => None,
        }
    }

    /// What each element of a buffer of one number was taken for.
    pub fn element(&self) -> Option<String> {
        match self {
            Self::Buffer(Contents::Value(Kind::Float, bytes), _) => {
                Some(format!("float {:?}", f32::from_le_bytes(*bytes)))
            }
            Self::Buffer(Contents::Value(Kind::Uint, bytes), _) => {
                Some(format!("unsigned int {}", u32::from_le_bytes(*bytes)))
            }
            Self::Buffer(Contents::Value(_, bytes), _) => Some(format!("int {}", i32::from_le_bytes(*bytes))),
            _ => None,
        }
    }

    /// Whether it is a buffer of one number or of rising ones, on which a kernel may store nothing that depends on its data.
    pub fn is_plain(&self) -> bool {
        use Contents::{Doubles, Floats, Numbers, Value, Zeros};
        matches!(self, Self::Buffer(Zeros | Numbers | Floats | Doubles | Value(..), _))
    }

    /// Whether it is a buffer of data that differ.
    pub fn is_varied(&self) -> bool {
        matches!(self, Self::Buffer(Contents::Random(..) | Contents::File(_), _))
    }

    /// A buffer as it is before a launch, where it is one; what is random differs with `fill`.
    ///
    /// # Errors
    /// When the host has not as much memory.
    pub fn buffer(
        &self,
        emulator: &Emulator,
        stream: &Stream,
        fill: u64,
    ) -> Result<Option<DeviceMemory>, EmulatorError> {
        let Self::Buffer(contents, bytes) = self else { return Ok(None) };
        let memory = emulator.allocate(*bytes)?;
        contents.fill(&memory, stream, fill);
        Ok(Some(memory))
    }

    /// What goes to the kernel; `memory` is the buffer, where it is one.
    pub fn packed<'a>(&'a self, memory: Option<&'a DeviceMemory>) -> Argument<'a> {
        match self {
            Self::Buffer(..) => memory.map_or(Argument::Bits(0), Argument::Memory),
            Self::Value(_, bytes) => Argument::Struct(bytes),
        }
    }

    /// Refuses what a parameter of so many bytes does not take. Integers may be wider than it.
    pub fn check(&self, place: impl Display, parameter: usize) -> Result<(), String> {
        let (what, exact) = match self {
            Self::Buffer(..) => ("an address", true),
            Self::Value(Kind::Int, _) => ("an int", false),
            Self::Value(Kind::Uint, _) => ("an unsigned int", false),
            Self::Value(Kind::Long, _) => ("a long long", false),
            Self::Value(Kind::Float, _) => ("a float", true),
            Self::Value(Kind::Double, _) => ("a double", true),
            Self::Value(Kind::Struct, _) => ("a struct", true),
        };
        let bytes = if let Self::Value(_, bytes) = self { bytes.len() } else { size_of::<u64>() };
        if bytes == parameter || (!exact && bytes > parameter) {
            return Ok(());
        }
        Err(format!(
            "--args: argument {place} is {what} of {bytes} bytes, and its parameter has {parameter}: give what the kernel declares"
        ))
    }
}

impl Contents {
    /// Writes a buffer as it is before the first launch.
    pub fn fill(&self, memory: &DeviceMemory, stream: &Stream, fill: u64) {
        let elements =
            |from: usize, bytes: usize, size: usize, element: &dyn Fn(usize) -> Vec<u8>| -> Vec<u8> {
                (from / size..(from + bytes).div_ceil(size)).flat_map(element).take(bytes).collect()
            };
        for from in (0..memory.bytes()).step_by(CHUNK) {
            let bytes = CHUNK.min(memory.bytes() - from);
            let chunk = match self {
                Self::Unwritten => return,
                Self::Zeros => vec![0; bytes],
                Self::Numbers => elements(from, bytes, 4, &|i| (i as u32).to_le_bytes().to_vec()),
                Self::Floats => elements(from, bytes, 4, &|i| (i as f32).to_le_bytes().to_vec()),
                Self::Doubles => elements(from, bytes, 8, &|i| (i as f64).to_le_bytes().to_vec()),
                Self::Random(element, pattern, seed) => {
                    let drawn = |i| element.drawn(pattern.number(i), *seed, fill);
                    elements(from, bytes, element.bytes(), &drawn)
                }
                Self::Value(_, word) => elements(from, bytes, 4, &|_| word.to_vec()),
                Self::File(all) => all[from..from + bytes].to_vec(),
            };
            stream.upload(&chunk, memory, from);
        }
    }
}

impl Pattern {
    /// By which number an element is drawn; none of a zero.
    fn number(self, at: usize) -> Option<usize> {
        let (side, symmetric) = match self {
            Self::Each => return Some(at),
            Self::Matrix(side) => (side, false),
            Self::Symmetric(side) => (side, true),
        };
        let (row, column) = (at / side, at % side);
        let turned = if symmetric && row > column { column * side + row } else { at };
        (row != column).then_some(turned)
    }
}

impl Element {
    /// By SplitMix64.
    fn drawn(self, number: Option<usize>, seed: u64, fill: u64) -> Vec<u8> {
        let step = |number: usize| {
            let from = seed.wrapping_mul(0xd134_2543_de82_ef95);
            let from = from.wrapping_add(fill.wrapping_mul(0xaf25_1af3_b0f0_25b5));
            from.wrapping_add((number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        };
        let share = number.map_or(0.0, |number| {
            let mixed = step(number);
            let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((mixed ^ mixed >> 31) >> 11) as f64 / (1_u64 << 53) as f64
        });
        match self {
            Self::Word => number.map_or(0, |_| 1 + (share * 65_536.0) as u32).to_le_bytes().to_vec(),
            Self::Float => (share as f32 * 1000.0).to_le_bytes().to_vec(),
            Self::Double => (share * 1000.0).to_le_bytes().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read() {
        for (text, given) in [
            ("zeros:64", Given::Buffer(Contents::Zeros, 64)),
            ("floats:8", Given::Buffer(Contents::Floats, 8)),
            ("doubles:8", Given::Buffer(Contents::Doubles, 8)),
            ("random-doubles:8:7", Given::Buffer(Contents::Random(Element::Double, Pattern::Each, 7), 8)),
            ("matrix:3", Given::Buffer(Contents::Random(Element::Word, Pattern::Matrix(3), 1), 36)),
            (
                "symmetric-floats:2:0",
                Given::Buffer(Contents::Random(Element::Float, Pattern::Symmetric(2), 0), 16),
            ),
            ("value:8:-1", Given::Buffer(Contents::Value(Kind::Int, [255; 4]), 8)),
            ("value:8:1.5", Given::Buffer(Contents::Value(Kind::Float, 1.5f32.to_le_bytes()), 8)),
            ("int:-5", Given::Value(Kind::Int, (-5i32).to_le_bytes().to_vec())),
            ("uint:4294967295", Given::Value(Kind::Uint, vec![255; 4])),
            ("long:-1", Given::Value(Kind::Long, vec![255; 8])),
            ("float:-1.5", Given::Value(Kind::Float, (-1.5f32).to_le_bytes().to_vec())),
            ("double:1e300", Given::Value(Kind::Double, 1e300f64.to_le_bytes().to_vec())),
            ("float:inf", Given::Value(Kind::Float, f32::INFINITY.to_le_bytes().to_vec())),
            ("double:-0.1", Given::Value(Kind::Double, (-0.1f64).to_le_bytes().to_vec())),
            ("struct:1,-1", Given::Value(Kind::Struct, vec![1, 0, 0, 0, 255, 255, 255, 255])),
        ] {
            let sent = serde_json::to_string(&given).unwrap();
            assert_eq!(serde_json::from_str::<Given>(&sent).unwrap(), given);
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
            ("matrix:9999999999", "'9999999999' is no number of rows"),
            ("value:8", "expected value:BYTES:X"),
            ("value:8:x", "'x' is no number"),
            ("raw:/no/such", "No such file"),
            ("npy:/proc/self/status", "no .npy file"),
            ("int:2147483648", "'2147483648' is no whole number"),
            ("float:x", "'x' is no number"),
            ("struct:1,,2", "'' is no whole number"),
        ] {
            let error = text.parse::<Given>().unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn an_argument_must_have_its_parameters_size_unless_it_is_an_integer_that_is_cut() {
        let check = |text: &str, bytes| text.parse::<Given>().unwrap().check(2, bytes);
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
