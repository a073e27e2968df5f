//! What a kernel is launched with, as it is written: buffers by what they hold, numbers by their type.

use repro_emulator::{Argument, DeviceMemory, Emulator, EmulatorError, Stream};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};
use std::str::FromStr;

/// What a buffer holds before the first launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Nothing wrote it: to read it is a mistake.
    Unwritten,
    Zeros,
    /// 0, 1, 2, ... as 32-bit integers.
    Numbers,
    /// The same as `float`.
    Floats,
    /// The same as `double`.
    Doubles,
}

/// An argument of a kernel. Sent to the process that launches it as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Given {
    Buffer(Contents, usize),
    Int(i32),
    Uint(u32),
    Long(u64),
    Float(f32),
    Double(f64),
    /// By value, its bytes.
    Struct(Vec<u8>),
}

/// The kinds of arguments, for messages.
const KINDS: &str = "zeros:BYTES, numbers:BYTES, floats:BYTES, doubles:BYTES, unwritten:BYTES, int:N, uint:N, long:N, \
                     float:X, double:X or struct:N,N,...";

/// Bytes that are written at a time.
const CHUNK: usize = 1 << 20;

impl FromStr for Given {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, value) = text.split_once(':').ok_or_else(|| format!("'{text}': expected {KINDS}"))?;
        let buffer = |contents| match value.parse() {
            Ok(bytes) if bytes > 0 => Ok(Self::Buffer(contents, bytes)),
            _ => Err(format!("'{text}': '{value}' is no number of bytes from 1 on")),
        };
        match kind {
            "zeros" => buffer(Contents::Zeros),
            "numbers" => buffer(Contents::Numbers),
            "floats" => buffer(Contents::Floats),
            "doubles" => buffer(Contents::Doubles),
            "unwritten" => buffer(Contents::Unwritten),
            "int" => number(text, value, "whole number of 32 bits").map(Self::Int),
            "uint" => number(text, value, "whole number from 0 to 4294967295").map(Self::Uint),
            "long" => long(text, value).map(Self::Long),
            "float" => number(text, value, "number").map(Self::Float),
            "double" => number(text, value, "number").map(Self::Double),
            "struct" => {
                let words = value.split(',').map(|word| {
                    let signed =
                        || number::<i32>(text, word, "whole number of 32 bits").map(i32::cast_unsigned);
                    word.parse::<u32>().or_else(|_| signed()).map(u32::to_le_bytes)
                });
                Ok(Self::Struct(words.collect::<Result<Vec<_>, _>>()?.concat()))
            }
            _ => Err(format!("'{text}': unknown kind '{kind}', expected {KINDS}")),
        }
    }
}

impl TryFrom<String> for Given {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Given> for String {
    fn from(given: Given) -> Self {
        given.to_string()
    }
}

impl Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Buffer(contents, bytes) => {
                let kind = match contents {
                    Contents::Unwritten => "unwritten",
                    Contents::Zeros => "zeros",
                    Contents::Numbers => "numbers",
                    Contents::Floats => "floats",
                    Contents::Doubles => "doubles",
                };
                write!(f, "{kind}:{bytes}")
            }
            Self::Int(int) => write!(f, "int:{int}"),
            Self::Uint(uint) => write!(f, "uint:{uint}"),
            Self::Long(bits) => write!(f, "long:{bits}"),
            Self::Float(float) => write!(f, "float:{float}"),
            Self::Double(double) => write!(f, "double:{double}"),
            Self::Struct(bytes) => {
                let words = bytes
                    .chunks_exact(4)
                    .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
                let words: Vec<String> = words.map(|word| word.to_string()).collect();
                write!(f, "struct:{}", words.join(","))
            }
        }
    }
}

fn number<T: FromStr>(text: &str, value: &str, what: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("'{text}': '{value}' is no {what}"))
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

    /// A buffer as it is before a launch, where it is one.
    ///
    /// # Errors
    /// When the host has not as much memory.
    pub fn buffer(
        &self,
        emulator: &Emulator,
        stream: &Stream,
    ) -> Result<Option<DeviceMemory>, EmulatorError> {
        let Self::Buffer(contents, bytes) = self else { return Ok(None) };
        let memory = emulator.allocate(*bytes)?;
        contents.fill(&memory, stream);
        Ok(Some(memory))
    }

    /// What goes to the kernel; `memory` is the buffer, where it is one.
    pub fn packed<'a>(&'a self, memory: Option<&'a DeviceMemory>) -> Argument<'a> {
        match self {
            Self::Buffer(..) => memory.map_or(Argument::Bits(0), Argument::Memory),
            Self::Int(int) => Argument::Int(*int),
            Self::Uint(uint) => Argument::Uint(*uint),
            Self::Long(bits) => Argument::Bits(*bits),
            Self::Float(float) => Argument::Float(*float),
            Self::Double(double) => Argument::Double(*double),
            Self::Struct(bytes) => Argument::Struct(bytes),
        }
    }

    /// Refuses what a parameter of so many bytes does not take. Integers may be wider than it.
    pub fn check(&self, place: impl Display, parameter: usize) -> Result<(), String> {
        let (what, bytes, exact) = match self {
            Self::Buffer(..) => ("an address", 8, true),
            Self::Int(_) => ("an int", 4, false),
            Self::Uint(_) => ("an unsigned int", 4, false),
            Self::Long(_) => ("a long long", 8, false),
            Self::Float(_) => ("a float", 4, true),
            Self::Double(_) => ("a double", 8, true),
            Self::Struct(bytes) => ("a struct", bytes.len(), true),
        };
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
    pub fn fill(self, memory: &DeviceMemory, stream: &Stream) {
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
            };
            stream.upload(&chunk, memory, from);
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
            ("numbers:6", Given::Buffer(Contents::Numbers, 6)),
            ("floats:8", Given::Buffer(Contents::Floats, 8)),
            ("doubles:8", Given::Buffer(Contents::Doubles, 8)),
            ("unwritten:1", Given::Buffer(Contents::Unwritten, 1)),
            ("int:-5", Given::Int(-5)),
            ("uint:4294967295", Given::Uint(u32::MAX)),
            ("long:-1", Given::Long(u64::MAX)),
            ("float:-1.5", Given::Float(-1.5)),
            ("double:1e300", Given::Double(1e300)),
            ("float:inf", Given::Float(f32::INFINITY)),
            ("double:-0.1", Given::Double(-0.1)),
            ("struct:1,-1", Given::Struct(vec![1, 0, 0, 0, 255, 255, 255, 255])),
        ] {
            assert_eq!(given.to_string().parse(), Ok(given.clone()));
            assert_eq!(text.parse(), Ok(given));
        }
    }

    #[test]
    fn what_is_none_is_refused_by_name() {
        for (text, part) in [
            ("5", "'5': expected zeros:BYTES"),
            ("ints:5", "unknown kind 'ints'"),
            ("zeros:0", "'0' is no number of bytes"),
            ("zeros:-1", "'-1' is no number of bytes"),
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
