//! What a kernel is launched with, as it is written: buffers by what they hold, numbers by their type.

use repro_emulator::{Argument, DeviceMemory, Emulator, EmulatorError, Stream};
use repro_graph::NpyHeader;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::str::FromStr;

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KernelArgument {
    /// One of so many bytes.
    Buffer(Contents, usize),
    /// By value: what it is, and its bytes, since those of a number may be no number in JSON.
    Value(String, Vec<u8>),
}

/// What a buffer holds before the first launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Contents {
    /// Nothing wrote it: to read it is a mistake.
    Unwritten,
    /// Bytes of zeros.
    Zeros,
    /// What a file holds.
    File(Vec<u8>),
    /// These 32 bits, again and again, and the number that they were taken for, with its type.
    Same(u32, String),
    /// 0, 1, 2, ...
    Rising(ElementKind),
    /// Drawn from a seed: whole numbers from 1 to 65,536, or others below 1,000.
    Random { kind: ElementKind, pattern: Pattern, seed: u64 },
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

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ElementKind {
    Int,
    Float,
    Double,
}

/// The kinds of arguments, for messages.
const KINDS: &str = "random:BYTES[:SEED], matrix:N[:SEED] or symmetric:N[:SEED] (and random-floats, random-doubles and so on), zeros:BYTES, \
                     numbers:BYTES, floats:BYTES, doubles:BYTES, unwritten:BYTES, value:BYTES:X, raw:FILE, npy:FILE, int:N, uint:N, long:N, \
                     float:X, double:X or struct:N,N,...";

/// By value, what may be wider than its parameter.
const INTEGERS: [&str; 3] = ["an int", "an unsigned int", "a long long"];

/// A file of more is sent to no kernel.
const FILE_BYTES: u64 = 16 << 20;

/// The seed where none is given.
const SEED: u64 = 1;

/// Bytes that are written at a time.
const CHUNK: usize = 1 << 20;

impl FromStr for KernelArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        read(text).map_err(|problem| format!("'{text}': {problem}"))
    }
}

fn read(text: &str) -> Result<KernelArgument, String> {
    let (kind, value) = text.split_once(':').ok_or_else(|| format!("expected {KINDS}"))?;
    let (drawn, element) = match kind.rsplit_once('-') {
        Some((drawn, "floats")) => (drawn, ElementKind::Float),
        Some((drawn, "doubles")) => (drawn, ElementKind::Double),
        _ => (kind, ElementKind::Int),
    };
    let buffer = |contents, bytes| Ok(KernelArgument::Buffer(contents, positive(bytes)?));
    let by_value = |what: &str, bytes: &[u8]| Ok(KernelArgument::Value(what.to_string(), bytes.to_vec()));
    let [int, uint, long] = INTEGERS;
    match kind {
        "zeros" => buffer(Contents::Zeros, value),
        "numbers" => buffer(Contents::Rising(ElementKind::Int), value),
        "floats" => buffer(Contents::Rising(ElementKind::Float), value),
        "doubles" => buffer(Contents::Rising(ElementKind::Double), value),
        "unwritten" => buffer(Contents::Unwritten, value),
        _ if matches!(drawn, "random" | "matrix" | "symmetric") => random(drawn, element, value),
        "value" => {
            let (bytes, value) = value.split_once(':').ok_or("expected value:BYTES:X")?;
            let float = |number: f32| (number.to_bits(), format!("float {number:?}"));
            let (bits, taken_for) = word(value).or_else(|_| number(value, "number").map(float))?;
            buffer(Contents::Same(bits, taken_for), bytes)
        }
        "raw" | "npy" => file(value, kind == "npy"),
        "int" => by_value(int, &number::<i32>(value, "whole number of 32 bits")?.to_le_bytes()),
        "uint" => by_value(uint, &number::<u32>(value, "whole number from 0 to 4294967295")?.to_le_bytes()),
        "long" => {
            let signed = value.parse::<i64>().map(i64::cast_unsigned);
            let bits = signed.or_else(|_| number(value, "whole number of 64 bits"))?;
            by_value(long, &bits.to_le_bytes())
        }
        "float" => by_value("a float", &number::<f32>(value, "number")?.to_le_bytes()),
        "double" => by_value("a double", &number::<f64>(value, "number")?.to_le_bytes()),
        "struct" => {
            let words = value.split(',').map(|one| Ok(word(one)?.0.to_le_bytes()));
            by_value("a struct", &words.collect::<Result<Vec<_>, String>>()?.concat())
        }
        _ => Err(format!("unknown kind '{kind}', expected {KINDS}")),
    }
}

fn positive(value: &str) -> Result<usize, String> {
    let bytes = value.parse().ok().filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| format!("'{value}' is no number of bytes from 1 on"))
}

/// `BYTES[:SEED]`, or of a matrix `N[:SEED]`.
fn random(drawn: &str, kind: ElementKind, value: &str) -> Result<KernelArgument, String> {
    let (size, seed) = match value.split_once(':') {
        Some((size, seed)) => (size, number(seed, "whole number from 0 on")?),
        None => (value, SEED),
    };
    let (pattern, bytes) = if drawn == "random" {
        (Pattern::Each, positive(size)?)
    } else {
        let side = number::<usize>(size, "number of rows")?;
        let bytes = side.checked_mul(side).and_then(|entries| entries.checked_mul(kind.bytes()));
        let bytes = bytes.filter(|bytes| *bytes > 0);
        let pattern = if drawn == "matrix" { Pattern::Matrix(side) } else { Pattern::Symmetric(side) };
        (pattern, bytes.ok_or_else(|| format!("'{size}' is no number of rows from 1 on"))?)
    };
    Ok(KernelArgument::Buffer(Contents::Random { kind, pattern, seed }, bytes))
}

/// The bytes of a file, those of a `.npy` file behind its header.
fn file(path: &str, npy: bool) -> Result<KernelArgument, String> {
    let mut bytes =
        repro_files::read_at_most(path.as_ref(), FILE_BYTES).map_err(|error| error.to_string())?;
    if npy {
        let (_, header) =
            NpyHeader::read(&bytes[..]).map_err(|_| "no .npy file: raw:FILE takes its bytes as they are")?;
        bytes.drain(..header as usize);
    }
    if bytes.is_empty() {
        return Err("the file is empty".into());
    }
    let length = bytes.len();
    Ok(KernelArgument::Buffer(Contents::File(bytes), length))
}

fn number<T: FromStr>(value: &str, what: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("'{value}' is no {what}"))
}

/// The bits of a whole number that has 32 of them, with a sign or without, and the number with its type.
fn word(value: &str) -> Result<(u32, String), String> {
    if let Ok(number) = value.parse::<i32>() {
        return Ok((number.cast_unsigned(), format!("int {number}")));
    }
    number(value, "whole number of 32 bits").map(|number| (number, format!("unsigned int {number}")))
}

impl KernelArgument {
    /// Bytes of device memory.
    pub fn buffer_bytes(&self) -> u64 {
        if let Self::Buffer(_, bytes) = self { *bytes as u64 } else { 0 }
    }

    /// The seed of a buffer of random elements.
    pub fn seed(&self) -> Option<u64> {
        if let Self::Buffer(Contents::Random { seed, .. }, _) = self { Some(*seed) } else { None }
    }

    /// What each element of a buffer of one number was taken for.
    pub fn element(&self) -> Option<String> {
        if let Self::Buffer(Contents::Same(_, taken_for), _) = self { Some(taken_for.clone()) } else { None }
    }

    /// Whether it is a buffer of one number or of rising ones, on which a kernel may store nothing that depends on its data.
    pub fn is_plain(&self) -> bool {
        matches!(self, Self::Buffer(Contents::Zeros | Contents::Same(..) | Contents::Rising(_), _))
    }

    /// Whether it is a buffer of data that differ.
    pub fn is_varied(&self) -> bool {
        matches!(self, Self::Buffer(Contents::Random { .. } | Contents::File(_), _))
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
            let each = |kind: &ElementKind, number: &dyn Fn(usize) -> f64| -> Vec<u8> {
                let places = from / kind.bytes()..(from + bytes).div_ceil(kind.bytes());
                places.flat_map(|at| kind.element(number(at))).take(bytes).collect()
            };
            let chunk = match contents {
                Contents::Unwritten => break,
                Contents::Zeros => vec![0; bytes],
                Contents::File(all) => all[from..from + bytes].to_vec(),
                Contents::Same(bits, _) => bits.to_le_bytes().into_iter().cycle().take(bytes).collect(),
                Contents::Rising(kind) => each(kind, &|at| at as f64),
                Contents::Random { kind, pattern, seed } => each(kind, &|at| {
                    let share = pattern.number(at).map(|number| drawn(number, *seed, fill));
                    let span = |share| {
                        if *kind == ElementKind::Int { 1.0 + share * 65_536.0 } else { share * 1000.0 }
                    };
                    share.map_or(0.0, span)
                }),
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
        let (what, bytes) = match self {
            Self::Buffer(..) => ("an address", size_of::<u64>()),
            Self::Value(what, bytes) => (&**what, bytes.len()),
        };
        if bytes == parameter || (bytes > parameter && INTEGERS.contains(&what)) {
            return Ok(());
        }
        Err(format!(
            "--args: argument {place} is {what} of {bytes} bytes, and its parameter has {parameter}: give what the kernel declares"
        ))
    }
}

impl ElementKind {
    fn bytes(self) -> usize {
        if self == Self::Double { 8 } else { 4 }
    }

    /// The bytes of a number, of a whole one the low 32 bits.
    fn element(self, number: f64) -> Vec<u8> {
        match self {
            Self::Float => (number as f32).to_le_bytes().to_vec(),
            Self::Double => number.to_le_bytes().to_vec(),
            Self::Int => (number as u64 as u32).to_le_bytes().to_vec(),
        }
    }
}

impl Pattern {
    /// By which number an element is drawn; none of a zero.
    fn number(self, at: usize) -> Option<usize> {
        let (Self::Matrix(side) | Self::Symmetric(side)) = self else { return Some(at) };
        let (row, column) = (at / side, at % side);
        let is_turned = matches!(self, Self::Symmetric(_)) && row > column;
        (row != column).then_some(if is_turned { column * side + row } else { at })
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
        let drawn = |kind, pattern, seed, bytes| {
            KernelArgument::Buffer(Contents::Random { kind, pattern, seed }, bytes)
        };
        let same =
            |bits, taken_for: &str| KernelArgument::Buffer(Contents::Same(bits, taken_for.to_string()), 8);
        let rising = |kind| KernelArgument::Buffer(Contents::Rising(kind), 8);
        let value = |what: &str, bytes: &[u8]| KernelArgument::Value(what.to_string(), bytes.to_vec());
        for (text, given) in [
            ("zeros:64", KernelArgument::Buffer(Contents::Zeros, 64)),
            ("floats:8", rising(ElementKind::Float)),
            ("doubles:8", rising(ElementKind::Double)),
            ("random-doubles:8:7", drawn(ElementKind::Double, Pattern::Each, 7, 8)),
            ("matrix:3", drawn(ElementKind::Int, Pattern::Matrix(3), 1, 36)),
            ("symmetric-floats:2:0", drawn(ElementKind::Float, Pattern::Symmetric(2), 0, 16)),
            ("value:8:-1", same(u32::MAX, "int -1")),
            ("value:8:4294967295", same(u32::MAX, "unsigned int 4294967295")),
            ("value:8:1.5", same(1.5f32.to_bits(), "float 1.5")),
            ("int:-5", value("an int", &(-5i32).to_le_bytes())),
            ("uint:4294967295", value("an unsigned int", &[255; 4])),
            ("long:-1", value("a long long", &[255; 8])),
            ("long:18446744073709551615", value("a long long", &[255; 8])),
            ("float:-1.5", value("a float", &(-1.5f32).to_le_bytes())),
            ("double:1e300", value("a double", &1e300f64.to_le_bytes())),
            ("float:inf", value("a float", &f32::INFINITY.to_le_bytes())),
            ("double:-0.1", value("a double", &(-0.1f64).to_le_bytes())),
            ("struct:1,-1", value("a struct", &[1, 0, 0, 0, 255, 255, 255, 255])),
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
