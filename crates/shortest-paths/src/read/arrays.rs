//! Arrays as NumPy stores them, of any type of number, read from a stream as numbers of another.

use super::ReadProblem;
use super::error::{ArrayPosition, Wanted};
use crate::{Weight, room};
use repro_graph::{Element, ElementType, NpyArray, NpyProblem};
use std::io::{self, Read};

/// Bytes read at once: a multiple of the size of every type.
const BUFFER: usize = 64 << 10;

/// A number of an array, as it is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Integer(i128),
    Real(f64),
    /// Of `float32`, which is rounded no more.
    Single(f32),
    Truth(bool),
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(f),
            Self::Real(number) => number.fmt(f),
            Self::Single(number) => number.fmt(f),
            Self::Truth(truth) => truth.fmt(f),
        }
    }
}

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NumberType {
    /// The letter that NumPy has for it.
    kind: u8,
    size: usize,
    big: bool,
}

impl NumberType {
    /// What NumPy writes as `<f4`, `|u1`, `>i8`.
    pub fn of(descr: &str) -> Option<Self> {
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

    /// The weight that a number of this type is; nothing if it is none that `T` holds.
    pub fn weight<T: Weight>(self, number: Number) -> Option<T> {
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
                // It has at most 64 bits. The conversion back is exact or shows that the other was not.
                of_real(number as f64).filter(|weight| weight.to_f64() as i128 == number)
            }
        }
    }
}

/// A vertex or a place in a list.
pub(super) fn count(number: Number) -> Option<usize> {
    match number {
        Number::Integer(number) => usize::try_from(number).ok(),
        _ => None,
    }
}

/// An array whose header was read.
pub(super) struct Array<R> {
    /// What it is called in errors.
    pub name: String,
    pub header: NpyArray,
    pub numbers: NumberType,
    input: R,
}

impl<R: Read> Array<R> {
    pub fn open(name: &str, mut input: R) -> Result<Self, ReadProblem> {
        let name = name.to_string();
        let header = match NpyArray::read(&mut input) {
            Ok(header) => header,
            Err(NpyProblem::Unreadable(error)) => return Err(ReadProblem::Unreadable(error)),
            Err(problem) => return Err(ReadProblem::Array { array: name, problem }),
        };
        match NumberType::of(&header.descr) {
            Some(numbers) => Ok(Self { name, header, numbers, input }),
            None => Err(ReadProblem::NumberType { array: name, descr: header.descr }),
        }
    }

    /// Complains about the shape.
    pub fn unshapely(&self, expected: impl Into<String>) -> ReadProblem {
        let shape = self.header.shape.clone();
        ReadProblem::Shape { array: self.name.clone(), shape, expected: expected.into() }
    }

    /// Numbers that the header promises.
    pub fn promised(&self) -> u128 {
        self.header.shape.iter().fold(1, |all, length| all.saturating_mul(*length as u128))
    }

    /// All numbers in the order of the file, each as `convert` has it. There is nothing after the last.
    pub fn all<T: Copy>(
        mut self,
        wanted: Wanted,
        convert: impl Fn(NumberType, Number) -> Option<T>,
        place: impl Fn(usize) -> ArrayPosition,
    ) -> Result<Vec<T>, ReadProblem> {
        const WHAT: &str = "an array of the file";
        let promised = self.promised();
        room::check(WHAT, promised.saturating_mul(size_of::<T>() as u128))?;
        let mut all: Vec<T> = Vec::new();
        let mut buffer = vec![0; BUFFER];
        let size = self.numbers.size;
        while (all.len() as u128) < promised {
            let left = (promised - all.len() as u128).min((BUFFER / size) as u128) as usize;
            let read = fill(&mut self.input, &mut buffer[..left * size]).map_err(ReadProblem::Unreadable)?;
            if all.capacity() - all.len() < left {
                // An eighth more at a time, and not what the header promises: the file may be cut.
                let more =
                    ((all.len() / 8) as u128).max(left as u128).min(promised - all.len() as u128) as usize;
                let bytes = (all.len() as u128 + more as u128).saturating_mul(size_of::<T>() as u128);
                room::check(WHAT, bytes)?;
                all.try_reserve_exact(more).map_err(|_| crate::SolveError::NotEnoughMemory {
                    what: WHAT,
                    bytes,
                    available: 0,
                })?;
            }
            for bytes in buffer[..read].chunks_exact(size) {
                let number = self.numbers.number(bytes);
                let Some(number) = convert(self.numbers, number) else {
                    let (array, place) = (self.name, place(all.len()));
                    return Err(ReadProblem::Entry { array, place, value: number.to_string(), wanted });
                };
                all.push(number);
            }
            if read < left * size {
                return Err(ReadProblem::Short { array: self.name, found: all.len(), promised });
            }
        }
        if fill(&mut self.input, &mut buffer[..1]).map_err(ReadProblem::Unreadable)? > 0 {
            return Err(ReadProblem::Long { array: self.name, promised });
        }
        Ok(all)
    }
}

/// Reads until the buffer is full or the stream ends.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_type_and_order_are_read() {
        let read = |descr: &str, bytes: &[u8]| NumberType::of(descr).unwrap().number(bytes);
        assert_eq!(read("<i4", &[254, 255, 255, 255]), Number::Integer(-2));
        assert_eq!(read(">i8", &[0, 0, 0, 0, 0, 0, 1, 2]), Number::Integer(258));
        assert_eq!(read("<i8", &[255; 8]), Number::Integer(-1));
        assert_eq!(read("|u1", &[200]), Number::Integer(200));
        assert_eq!(read(">u2", &[1, 0]), Number::Integer(256));
        assert_eq!(read("<u8", &[255; 8]), Number::Integer(u64::MAX.into()));
        assert_eq!(read(">f4", &1.5_f32.to_be_bytes()), Number::Single(1.5));
        assert_eq!(read("<f8", &(-0.1_f64).to_le_bytes()), Number::Real(-0.1));
        assert_eq!(read("|b1", &[1]), Number::Truth(true));
        for unknown in ["<c8", "<f2", "|S3", "<i3", "", "<f16", "=f4", "|i4", "é1"] {
            assert_eq!(NumberType::of(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn a_number_that_the_type_lacks_is_no_weight() {
        let wide = NumberType::of("<i8").unwrap();
        let int = |number: i64| Number::Integer(number.into());
        assert_eq!(wide.weight::<f32>(int(16_777_216)), Some(16_777_216.0));
        assert_eq!(wide.weight::<f32>(int(16_777_217)), None);
        assert_eq!(wide.weight::<f64>(int(i64::MAX)), None);
        assert_eq!(wide.weight::<i32>(int(1 << 28)), None);
        assert_eq!(wide.weight::<i32>(int(-7)), Some(-7));
        assert_eq!(wide.weight::<u16>(int(-7)), None);
        assert_eq!(wide.weight::<u16>(int(32_767)), None);
        let (short, usual) = (NumberType::of("<u2").unwrap(), NumberType::of("<i4").unwrap());
        assert_eq!(short.weight::<u16>(int(32_767)), Some(u16::ABSENT));
        assert_eq!(
            (short.weight::<u16>(int(40_000)), short.weight::<i32>(int(40_000))),
            (None, Some(40_000))
        );
        assert_eq!(usual.weight::<f32>(int((1 << 30) - 1)), Some(f32::INFINITY));
        assert_eq!(usual.weight::<f32>(int(1 << 29)), Some(536_870_912.0));
        assert_eq!(wide.weight::<i32>(Number::Real(2.0)), Some(2));
        assert_eq!(wide.weight::<i32>(Number::Real(2.5)), None);
        assert_eq!(wide.weight::<f32>(Number::Real(0.1)), Some(0.1));
        assert_eq!(wide.weight::<f32>(Number::Real(1e39)), None);
        assert_eq!(wide.weight::<i32>(Number::Single(f32::INFINITY)), Some(i32::ABSENT));
        for none in [f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(wide.weight::<f64>(Number::Real(none)), None);
            assert_eq!(wide.weight::<i32>(Number::Real(none)), None);
        }
    }
}
