//! An array of NumPy, of any type of number, read from a stream as numbers of another.

use super::{NpyHeader, NpyProblem, NumberType};
use crate::read::{ExpectedNumber, ReadProblem};
use crate::{Element, memory_check};
use std::io::{self, Read};

/// Bytes read at once: a multiple of the size of every type.
const BUFFER: usize = 64 << 10;

/// An array whose header was read.
pub(crate) struct Array<R> {
    /// What it is called in errors.
    pub name: String,
    pub header: NpyHeader,
    pub numbers: NumberType,
    input: R,
}

impl<R: Read> Array<R> {
    pub fn open(name: &str, mut input: R) -> Result<Self, ReadProblem> {
        let name = name.to_string();
        let header = match NpyHeader::read(&mut input) {
            Ok((header, _)) => header,
            Err(NpyProblem::Unreadable(error)) => return Err(ReadProblem::Unreadable(error)),
            Err(problem) => return Err(ReadProblem::Array { array: name, problem }),
        };
        match NumberType::parse(&header.descr) {
            Some(numbers) => Ok(Self { name, header, numbers, input }),
            None => Err(ReadProblem::NumberType { array: name, descr: header.descr }),
        }
    }

    /// All numbers in the order of the file, each as `convert` has it. There is nothing after the last.
    pub fn all<T: Copy>(
        mut self,
        wanted: ExpectedNumber,
        convert: impl Fn(NumberType, &[u8]) -> Option<T>,
    ) -> Result<Vec<T>, ReadProblem> {
        const WHAT: &str = "an array of the file";
        let promised = self.header.entries();
        memory_check::check(WHAT, promised.saturating_mul(size_of::<T>() as u128))?;
        let mut all: Vec<T> = Vec::new();
        let mut buffer = vec![0; BUFFER];
        let size = self.numbers.bytes();
        while (all.len() as u128) < promised {
            let left = (promised - all.len() as u128).min((BUFFER / size) as u128) as usize;
            let read = fill(&mut self.input, &mut buffer[..left * size]).map_err(ReadProblem::Unreadable)?;
            // Not what the header promises: the file may be cut.
            let most = usize::try_from(promised - all.len() as u128).unwrap_or(usize::MAX);
            memory_check::grow(WHAT, &mut all, left, most)?;
            for bytes in buffer[..read].chunks_exact(size) {
                let Some(number) = convert(self.numbers, bytes) else {
                    let (array, place) = (self.name, self.header.place(all.len()));
                    let value = self.numbers.number(bytes).to_string();
                    return Err(ReadProblem::Entry { array, place, value, wanted });
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

    /// All numbers as weights.
    pub fn weights<T: Element>(self) -> Result<Vec<T>, ReadProblem> {
        self.all(ExpectedNumber::Weight(T::TYPE), |numbers, bytes| numbers.weight(numbers.number(bytes)))
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
