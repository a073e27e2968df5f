//! What a kernel is launched with, as it is written: buffers by what they hold, numbers by their type.

use repro_emulator::{Argument, DeviceMemory, Emulator, EmulatorError, Stream};
use repro_graph::NpyHeader;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// What a buffer holds before the first launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Contents {
    /// Nothing wrote it: to read it is a mistake.
    Unwritten,
    Zeros,
    /// Elements of this type by this rule.
    Each(ScalarType, Rule),
    /// Those of a file.
    File(Vec<u8>),
}

/// How an element follows from its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rule {
    /// These bytes, again and again.
    Same([u8; 4]),
    /// 0, 1, 2, ...
    Rising,
    /// Drawn from a seed: whole numbers from 1 to 65,536, or others below 1,000.
    Random(Pattern, u64),
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
pub enum KernelArgument {
    /// One of so many bytes.
    Buffer(Contents, usize),
    /// By value, its bytes: those of a number may be no number in JSON.
    Value(ScalarType, Vec<u8>),
}

/// The type of a value or an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScalarType {
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

/// What an `int`, an `unsigned int` and either of them hold.
const INT: RangeInclusive<i128> = i32::MIN as i128..=i32::MAX as i128;
const UINT: RangeInclusive<i128> = 0..=u32::MAX as i128;
const WORD: RangeInclusive<i128> = *INT.start()..=*UINT.end();

impl FromStr for KernelArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, value) = text.split_once(':').ok_or_else(|| format!("'{text}': expected {KINDS}"))?;
        let each = |kind, rule, bytes| Ok(Self::Buffer(Contents::Each(kind, rule), positive(text, bytes)?));
        let (drawn, element) = match kind.rsplit_once('-') {
            Some((drawn, "floats")) => (drawn, ScalarType::Float),
            Some((drawn, "doubles")) => (drawn, ScalarType::Double),
            _ => (kind, ScalarType::Int),
        };
        let by_value = |kind, bytes: &[u8]| Ok(Self::Value(kind, bytes.to_vec()));
        match kind {
            "zeros" => Ok(Self::Buffer(Contents::Zeros, positive(text, value)?)),
            "numbers" => each(ScalarType::Int, Rule::Rising, value),
            "floats" => each(ScalarType::Float, Rule::Rising, value),
            "doubles" => each(ScalarType::Double, Rule::Rising, value),
            "unwritten" => Ok(Self::Buffer(Contents::Unwritten, positive(text, value)?)),
            _ if matches!(drawn, "random" | "matrix" | "symmetric") => random(text, drawn, element, value),
            "value" => {
                let (bytes, value) =
                    value.split_once(':').ok_or_else(|| format!("'{text}': expected value:BYTES:X"))?;
                let (kind, word) = match value.parse().ok().filter(|number| WORD.contains(number)) {
                    Some(number) => {
                        (if INT.contains(&number) { ScalarType::Int } else { ScalarType::Uint }, word(number))
                    }
                    None => (ScalarType::Float, number::<f32>(text, value, "number")?.to_le_bytes()),
                };
                each(kind, Rule::Same(word), bytes)
            }
            "raw" | "npy" => file(text, value, kind == "npy"),
            "int" => by_value(ScalarType::Int, &word(integer(text, value, INT, "of 32 bits")?)),
            "uint" => by_value(ScalarType::Uint, &word(integer(text, value, UINT, "from 0 to 4294967295")?)),
            "long" => {
                let range = i64::MIN.into()..=u64::MAX.into();
                by_value(ScalarType::Long, &integer(text, value, range, "of 64 bits")?.to_le_bytes()[..8])
            }
            "float" => by_value(ScalarType::Float, &number::<f32>(text, value, "number")?.to_le_bytes()),
            "double" => by_value(ScalarType::Double, &number::<f64>(text, value, "number")?.to_le_bytes()),
            "struct" => {
                let words = value.split(',').map(|one| integer(text, one, WORD, "of 32 bits").map(word));
                by_value(ScalarType::Struct, &words.collect::<Result<Vec<_>, _>>()?.concat())
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
fn random(text: &str, drawn: &str, element: ScalarType, value: &str) -> Result<KernelArgument, String> {
    let (size, seed) = match value.split_once(':') {
        Some((size, seed)) => (size, number(text, seed, "whole number from 0 on")?),
        None => (value, SEED),
    };
    let (pattern, bytes) = if drawn == "random" {
        (Pattern::Each, positive(text, size)?)
    } else {
        let side = number::<usize>(text, size, "number of rows")?;
        let bytes = side.checked_mul(side).and_then(|entries| entries.checked_mul(element.bytes()));
        let bytes = bytes.filter(|bytes| *bytes > 0);
        let pattern = if drawn == "matrix" { Pattern::Matrix(side) } else { Pattern::Symmetric(side) };
        (pattern, bytes.ok_or_else(|| format!("'{text}': '{size}' is no number of rows from 1 on"))?)
    };
    Ok(KernelArgument::Buffer(Contents::Each(element, Rule::Random(pattern, seed)), bytes))
}

/// The bytes of a file, those of a `.npy` file behind its header.
fn file(text: &str, path: &str, npy: bool) -> Result<KernelArgument, String> {
    let unreadable = |error: &dyn Display| format!("'{text}': {error}");
    let mut bytes =
        repro_files::read_at_most(path.as_ref(), FILE_BYTES).map_err(|error| unreadable(&error))?;
    if npy {
        let (_, header) = NpyHeader::read(&bytes[..])
            .map_err(|_| unreadable(&"no .npy file: raw:FILE takes its bytes as they are"))?;
        bytes.drain(..header as usize);
    }
    if bytes.is_empty() {
        return Err(unreadable(&"the file is empty"));
    }
    let length = bytes.len();
    Ok(KernelArgument::Buffer(Contents::File(bytes), length))
}

fn number<T: FromStr>(text: &str, value: &str, what: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("'{text}': '{value}' is no {what}"))
}

fn integer(text: &str, value: &str, range: RangeInclusive<i128>, which: &str) -> Result<i128, String> {
    let number = value.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("'{text}': '{value}' is no whole number {which}"))
}

/// The low 32 bits.
fn word(number: i128) -> [u8; 4] {
    (number as u32).to_le_bytes()
}

impl KernelArgument {
    /// Bytes of device memory.
    pub fn buffer_bytes(&self) -> usize {
        if let Self::Buffer(_, bytes) = self { *bytes } else { 0 }
    }

    fn rule(&self) -> Option<(ScalarType, Rule)> {
        if let Self::Buffer(Contents::Each(kind, rule), _) = self { Some((*kind, *rule)) } else { None }
    }

    /// The seed of a buffer of random elements.
    pub fn seed(&self) -> Option<u64> {
        if let (_, Rule::Random(_, seed)) = self.rule()? { Some(seed) } else { None }
    }

    /// What each element of a buffer of one number was taken for.
    pub fn element(&self) -> Option<String> {
        Some(match self.rule()? {
            (ScalarType::Float, Rule::Same(bytes)) => format!("float {:?}", f32::from_le_bytes(bytes)),
            (ScalarType::Uint, Rule::Same(bytes)) => format!("unsigned int {}", u32::from_le_bytes(bytes)),
            (_, Rule::Same(bytes)) => format!("int {}", i32::from_le_bytes(bytes)),
            _ => return None,
        })
    }

    /// Whether it is a buffer of one number or of rising ones, on which a kernel may store nothing that depends on its data.
    pub fn is_plain(&self) -> bool {
        let is_zero = matches!(self, Self::Buffer(Contents::Zeros, _));
        is_zero || self.rule().is_some() && self.seed().is_none()
    }

    /// Whether it is a buffer of data that differ.
    pub fn is_varied(&self) -> bool {
        self.seed().is_some() || matches!(self, Self::Buffer(Contents::File(_), _))
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
        for from in (0..*bytes).step_by(CHUNK) {
            let bytes = CHUNK.min(bytes - from);
            let chunk: Vec<u8> = match contents {
                Contents::Unwritten => break,
                Contents::Zeros => vec![0; bytes],
                Contents::File(all) => all[from..from + bytes].to_vec(),
                Contents::Each(kind, rule) => {
                    let places = from / kind.bytes()..(from + bytes).div_ceil(kind.bytes());
                    places.flat_map(|at| rule.element(*kind, at, fill)).take(bytes).collect()
                }
            };
            stream.upload(&chunk, &memory, from);
        }
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
            Self::Value(ScalarType::Int, _) => ("an int", false),
            Self::Value(ScalarType::Uint, _) => ("an unsigned int", false),
            Self::Value(ScalarType::Long, _) => ("a long long", false),
            Self::Value(ScalarType::Float, _) => ("a float", true),
            Self::Value(ScalarType::Double, _) => ("a double", true),
            Self::Value(ScalarType::Struct, _) => ("a struct", true),
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

impl ScalarType {
    /// Of an element.
    fn bytes(self) -> usize {
        if self == Self::Double { 8 } else { 4 }
    }
}

impl Rule {
    fn element(self, kind: ScalarType, at: usize, fill: u64) -> Vec<u8> {
        match (kind, self) {
            (_, Self::Same(bytes)) => bytes.to_vec(),
            (ScalarType::Float, Self::Rising) => (at as f32).to_le_bytes().to_vec(),
            (ScalarType::Double, Self::Rising) => (at as f64).to_le_bytes().to_vec(),
            (_, Self::Rising) => (at as u32).to_le_bytes().to_vec(),
            (_, Self::Random(pattern, seed)) => {
                let share = pattern.number(at).map(|number| drawn(number, seed, fill));
                match kind {
                    ScalarType::Float => (share.unwrap_or(0.0) as f32 * 1000.0).to_le_bytes().to_vec(),
                    ScalarType::Double => (share.unwrap_or(0.0) * 1000.0).to_le_bytes().to_vec(),
                    _ => share.map_or(0, |share| 1 + (share * 65_536.0) as u32).to_le_bytes().to_vec(),
                }
            }
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
        let drawn = |kind, pattern, seed| Contents::Each(kind, Rule::Random(pattern, seed));
        for (text, given) in [
            ("zeros:64", KernelArgument::Buffer(Contents::Zeros, 64)),
            ("floats:8", KernelArgument::Buffer(Contents::Each(ScalarType::Float, Rule::Rising), 8)),
            ("doubles:8", KernelArgument::Buffer(Contents::Each(ScalarType::Double, Rule::Rising), 8)),
            ("random-doubles:8:7", KernelArgument::Buffer(drawn(ScalarType::Double, Pattern::Each, 7), 8)),
            ("matrix:3", KernelArgument::Buffer(drawn(ScalarType::Int, Pattern::Matrix(3), 1), 36)),
            (
                "symmetric-floats:2:0",
                KernelArgument::Buffer(drawn(ScalarType::Float, Pattern::Symmetric(2), 0), 16),
            ),
            ("value:8:-1", KernelArgument::Buffer(Contents::Each(ScalarType::Int, Rule::Same([255; 4])), 8)),
            (
                "value:8:1.5",
                KernelArgument::Buffer(
                    Contents::Each(ScalarType::Float, Rule::Same(1.5f32.to_le_bytes())),
                    8,
                ),
            ),
            ("int:-5", KernelArgument::Value(ScalarType::Int, (-5i32).to_le_bytes().to_vec())),
            ("uint:4294967295", KernelArgument::Value(ScalarType::Uint, vec![255; 4])),
            ("long:-1", KernelArgument::Value(ScalarType::Long, vec![255; 8])),
            ("float:-1.5", KernelArgument::Value(ScalarType::Float, (-1.5f32).to_le_bytes().to_vec())),
            ("double:1e300", KernelArgument::Value(ScalarType::Double, 1e300f64.to_le_bytes().to_vec())),
            ("float:inf", KernelArgument::Value(ScalarType::Float, f32::INFINITY.to_le_bytes().to_vec())),
            ("double:-0.1", KernelArgument::Value(ScalarType::Double, (-0.1f64).to_le_bytes().to_vec())),
            ("struct:1,-1", KernelArgument::Value(ScalarType::Struct, vec![1, 0, 0, 0, 255, 255, 255, 255])),
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
            ("matrix:9999999999", "'9999999999' is no number of rows"),
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
