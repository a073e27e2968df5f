//! What a kernel is launched with, as it is written: buffers by what they hold, numbers by their type.

use repro_emulator::{Argument, DeviceMemory, Emulator, EmulatorError, Stream};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::str::FromStr;

/// What a buffer holds before the first launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
        let by_value = |kind, bytes: &[u8]| Ok(Self::Value(kind, bytes.to_vec()));
        match kind {
            "zeros" => buffer(Contents::Zeros),
            "numbers" => buffer(Contents::Numbers),
            "floats" => buffer(Contents::Floats),
            "doubles" => buffer(Contents::Doubles),
            "unwritten" => buffer(Contents::Unwritten),
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
