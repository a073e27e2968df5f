//! An array of NumPy, of any type of number, read from a stream as numbers of another.

use super::number::{Number, weight_of};
use super::{NpyHeader, NumberType};
use crate::read::ReadProblem;
use crate::{Element, memory_check};
use std::io::Read;

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

    /// All numbers in the order of the file, each as `convert` has it. There is nothing after the last.
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
            // Not what the header promises: the file may be cut.
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
