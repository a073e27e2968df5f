//! Numbers as NumPy stores them, and an array of any type of them, read from a stream as numbers of another.

use super::NpyHeader;
use crate::read::ReadProblem;
use crate::{Element, ElementType, memory_check};
use std::io::Read;

/// A number of an array, as it is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Integer(i128),
    Real(f64),
    /// A `float32`, kept in its own type, which prints fewer digits.
    Single(f32),
    Truth(bool),
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(f),
            // Not in hundreds of digits.
            Self::Real(number) if number.abs() >= 1e16 => write!(f, "{number:e}"),
            Self::Real(number) => number.fmt(f),
            Self::Single(number) => number.fmt(f),
            Self::Truth(truth) => truth.fmt(f),
        }
    }
}

/// What a `.npy` header calls `descr`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NumberType {
    /// The letter that NumPy has for it.
    kind: u8,
    size: usize,
    big: bool,
}

impl NumberType {
    /// Parses a type as NumPy writes it: `<f4`, `|u1`, `>i8`.
    pub fn parse(descr: &str) -> Option<Self> {
        let [order, kind, size] = *descr.as_bytes() else { return None };
        let size = usize::from(size.checked_sub(b'0')?);
        let is_known = match kind {
            b'f' => matches!(size, 4 | 8),
            b'i' | b'u' => matches!(size, 1 | 2 | 4 | 8),
            b'b' => size == 1,
            _ => false,
        };
        let is_ordered = matches!(order, b'<' | b'>') || (matches!(order, b'|') && size == 1);
        (is_known && is_ordered).then_some(Self { kind, size, big: order == b'>' })
    }

    /// Bytes of a number.
    pub fn bytes(self) -> usize {
        self.size
    }

    /// Whether its bytes are those of a number of this type in the memory of this machine.
    pub fn is_element(self, element: ElementType) -> bool {
        let kind = match element {
            ElementType::F32 | ElementType::F64 => b'f',
            ElementType::I32 => b'i',
            ElementType::U16 => b'u',
        };
        self == Self { kind, size: element.bytes(), big: cfg!(target_endian = "big") }
    }

    /// The number in these bytes, as many as it has.
    pub fn number(self, bytes: &[u8]) -> Number {
        let mut wide = [0; 8];
        for (at, byte) in bytes.iter().take(self.size.min(8)).enumerate() {
            wide[if self.big { self.size - 1 - at } else { at }] = *byte;
        }
        let number = u64::from_le_bytes(wide);
        match (self.kind, self.size) {
            (b'f', 4) => Number::Single(f32::from_bits(number as u32)),
            (b'f', _) => Number::Real(f64::from_bits(number)),
            (b'b', _) => Number::Truth(number != 0),
            (b'i', size) => {
                let unused = 64 - 8 * size as u32;
                Number::Integer((((number << unused) as i64) >> unused).into())
            }
            _ => Number::Integer(number.into()),
        }
    }

    /// The integer of this type that is no arc, by the rule of files that this project writes.
    fn absent(self) -> Option<i128> {
        match (self.kind, self.size) {
            (b'i', 4) => Some(i32::ABSENT.into()),
            (b'u', 2) => Some(u16::ABSENT.into()),
            _ => None,
        }
    }

    /// The weight that a number of this type stands for; `None` if `T` does not hold it.
    pub fn weight<T: Element>(self, number: Number) -> Option<T> {
        let most = T::TYPE.most();
        let of_real = |number: f64| {
            let weight = T::from_f64(number);
            let is_integer =
                !T::TYPE.is_integer() || (number.fract() == 0.0 && (number >= 0.0 || T::TYPE.is_signed()));
            (is_integer && number.abs() <= most).then_some(weight)
        };
        match number {
            Number::Truth(truth) => Some(if truth { T::from_f64(1.0) } else { T::ABSENT }),
            Number::Real(f64::INFINITY) | Number::Single(f32::INFINITY) => Some(T::ABSENT),
            Number::Real(number) => of_real(number),
            Number::Single(number) => of_real(number.into()),
            Number::Integer(number) if self.absent() == Some(number) => Some(T::ABSENT),
            Number::Integer(number) => {
                // An integer of at most 64 bits: converting it back gives the same one only if the conversion was exact.
                of_real(number as f64).filter(|weight| weight.to_f64() as i128 == number)
            }
        }
    }
}

/// The end of an error about a number that is no weight of this type.
pub(super) fn weight_of(element: ElementType) -> String {
    format!("{element} does not hold: choose another element type or mend it")
}

/// The end of an error about a number that is no [`count`].
pub(crate) const NO_COUNT: &str = "is no vertex and no beginning of a row: mend it";

/// A vertex or a place in a list.
pub(crate) fn count(number: Number) -> Option<usize> {
    match number {
        Number::Integer(number) => usize::try_from(number).ok(),
        _ => None,
    }
}

/// Bytes read at once: a multiple of the size of every type.
const BUFFER: usize = 64 << 10;

/// An array whose header was read.
pub(crate) struct Array<R> {
    /// What it is called in errors.
    pub name: String,
    pub header: NpyHeader,
    pub numbers: NumberType,
    /// Bytes before the numbers.
    pub offset: u64,
    input: R,
}

impl<R: Read> Array<R> {
    pub fn open(name: &str, mut input: R) -> Result<Self, ReadProblem> {
        let (header, offset) = NpyHeader::read(&mut input).map_err(|problem| problem.in_array(name))?;
        let name = name.to_string();
        match NumberType::parse(&header.descr) {
            Some(numbers) => Ok(Self { name, header, numbers, offset, input }),
            None => Err(ReadProblem::NumberType { array: name, descr: header.descr }),
        }
    }

    /// All numbers in the order of the file, each as `convert` has it. Refuses bytes after the last.
    pub fn all<T: Copy>(
        mut self,
        wanted: &str,
        convert: impl Fn(Number) -> Option<T>,
    ) -> Result<Vec<T>, ReadProblem> {
        const WHAT: &str = "an array of the file";
        let promised = self.header.entries();
        memory_check::check(WHAT, promised.saturating_mul(size_of::<T>() as u128))?;
        let (mut all, mut buffer) = (Vec::new(), Vec::with_capacity(BUFFER));
        let size = self.numbers.bytes();
        let mut fill = |bytes: usize, buffer: &mut Vec<u8>| {
            buffer.clear();
            self.input.by_ref().take(bytes as u64).read_to_end(buffer).map_err(ReadProblem::Unreadable)
        };
        while (all.len() as u128) < promised {
            let left = (promised - all.len() as u128).min((BUFFER / size) as u128) as usize;
            let read = fill(left * size, &mut buffer)?;
            // Room for what was read, not for what the header promises: the file may be cut.
            let most = usize::try_from(promised - all.len() as u128).unwrap_or(usize::MAX);
            memory_check::grow(WHAT, &mut all, left, most)?;
            for bytes in buffer.chunks_exact(size) {
                let number = self.numbers.number(bytes);
                match convert(number) {
                    Some(converted) => all.push(converted),
                    None => return Err(self.header.unwanted(&self.name, all.len(), number, wanted)),
                }
            }
            if read < left * size {
                return Err(ReadProblem::Short { array: self.name, found: all.len(), promised });
            }
        }
        if fill(1, &mut buffer)? > 0 {
            return Err(ReadProblem::Long { array: self.name, promised });
        }
        Ok(all)
    }

    /// All numbers as weights.
    pub fn weights<T: Element>(self) -> Result<Vec<T>, ReadProblem> {
        let numbers = self.numbers;
        self.all(&weight_of(T::TYPE), |number| numbers.weight(number))
    }
}
