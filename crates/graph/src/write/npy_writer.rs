//! One `.npy` file that several threads or processes write.

use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::blocks::{Block, by_element};
use crate::npy::NpyHeader;
use crate::write::{WriteError, WriteProblem, unwritable};
use crate::{Element, ElementType};
use memmap2::{Advice, MmapMut};
use rayon::prelude::*;
use repro_base::files::NewFile;

/// Writes blocks of a matrix into one `.npy` file, which has a temporary name until it is whole. What [`NpyWriter::begin`] made is removed on drop
/// unless it was finished.
///
/// One process calls [`NpyWriter::begin`]. Then all that have blocks, each with [`NpyWriter::open`], write them and call [`NpyWriter::sync`], in any order.
/// Then one of them calls [`NpyWriter::finish`]. The caller separates these three steps: between them, processes must wait for each other.
#[derive(Debug)]
pub struct NpyWriter {
    file: NewFile,
    element: ElementType,
    rows: usize,
    columns: usize,
    offset: u64,
    /// Numbers that were written as rows so far.
    written: AtomicUsize,
    /// The file mapped into memory, once [`NpyWriter::reserve`] has done that.
    map: Mutex<Option<MmapMut>>,
}

/// Bytes of a whole matrix that a thread hands to the system at once.
const PIECE: usize = 4 << 20;

impl NpyWriter {
    /// Makes the file of a matrix, with its header and room for all numbers.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn begin(path: &Path, rows: usize, columns: usize, element: ElementType) -> Result<Self, WriteError> {
        let header = NpyHeader::new(element, &[rows, columns]).bytes();
        let begin = || -> io::Result<NewFile> {
            let mut file = NewFile::begin(path)?;
            file.file.write_all(&header)?;
            let numbers = (rows as u64)
                .checked_mul(columns as u64)
                .and_then(|all| all.checked_mul(element.bytes() as u64));
            let length = numbers.and_then(|all| all.checked_add(header.len() as u64));
            file.file.set_len(length.ok_or(io::ErrorKind::FileTooLarge)?)?;
            Ok(file)
        };
        Ok(Self::new(begin().map_err(unwritable(path))?, element, rows, columns, header.len()))
    }

    /// Asks the system for the room of all numbers, which takes it some time: then writing only copies, and may come later, when there are
    /// numbers. If it refuses, as on a full disk, writing fails later.
    pub fn reserve(&self) {
        #[cfg(target_os = "linux")]
        if let Ok(metadata) = self.file.file.metadata() {
            use rustix::fs::{FallocateFlags, fallocate, fstatfs};
            /// From statfs(2).
            const TMPFS: u32 = 0x0102_1994;
            let file = &self.file.file;
            // Not every file system can reserve room.
            let is_reserved = fallocate(file, FallocateFlags::empty(), 0, metadata.len()).is_ok();
            if is_reserved && fstatfs(file).is_ok_and(|system| system.f_type as u32 == TMPFS) {
                // SAFETY: this process has made the file under a name of its own and never shortens it.
                let map = unsafe { memmap2::MmapOptions::new().map_mut(file) };
                if let Ok(map) = &map {
                    let pieces = (0..map.len()).into_par_iter().step_by(PIECE);
                    pieces.for_each(|first| {
                        // A page that is not populated here is when it is written to.
                        let _ = map.advise_range(Advice::PopulateWrite, first, PIECE.min(map.len() - first));
                    });
                }
                *self.map.lock().unwrap_or_else(PoisonError::into_inner) = map.ok();
            }
        }
    }

    fn new(file: NewFile, element: ElementType, rows: usize, columns: usize, header: usize) -> Self {
        let (written, map) = (AtomicUsize::new(0), Mutex::default());
        Self { file, element, rows, columns, offset: header as u64, written, map }
    }

    /// Writes row number `row`, counted from 0: each once, in any order, from any number of threads.
    ///
    /// # Errors
    /// When there is no such row, or it cannot be written.
    ///
    /// # Panics
    /// When the numbers are of another type than the file's.
    pub fn write_row<T: Element>(&self, row: usize, numbers: &[T]) -> Result<(), WriteError> {
        if row >= self.rows {
            return Err(WriteProblem::NotARow { row, rows: self.rows }.at(self.path()));
        }
        self.check_numbers(numbers, 1)?;
        self.write_block(
            &Block { rows: row..row + 1, columns: 0..self.columns },
            bytemuck::cast_slice(numbers),
        )
    }

    /// Checks that these are whole `rows`, and counts their numbers.
    fn check_numbers<T: Element>(&self, numbers: &[T], rows: usize) -> Result<(), WriteError> {
        assert_eq!(T::TYPE, self.element, "the type of the file's numbers");
        let (found, expected) = (numbers.len(), self.columns.saturating_mul(rows));
        if found != expected {
            return Err(WriteProblem::Numbers { found, expected }.at(self.path()));
        }
        self.written.fetch_add(found, Ordering::Relaxed);
        Ok(())
    }

    /// Writes all numbers, on all threads of the current rayon pool.
    ///
    /// # Errors
    /// When there are not as many as the matrix has, or they cannot be written.
    ///
    /// # Panics
    /// When the numbers are of another type than the file's.
    pub fn write_whole<T: Element>(&self, numbers: &[T]) -> Result<(), WriteError> {
        self.check_numbers(numbers, self.rows)?;
        let numbers: &[u8] = bytemuck::cast_slice(numbers);
        let row = self.columns * self.element.bytes();
        let rows = (PIECE / row.max(1)).max(1);
        let piece = (rows * row).max(1);
        let mut map = self.map.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(map) = map.as_mut() {
            // The system lets one thread at a time write to a file; mapped memory takes all threads at once.
            let pieces = map[self.offset as usize..].par_chunks_mut(piece).zip(numbers.par_chunks(piece));
            pieces.for_each(|(to, from)| {
                to.copy_from_slice(canonical(self.element, from).as_deref().unwrap_or(from));
            });
            return Ok(());
        }
        numbers.par_chunks(piece).enumerate().try_for_each(|(at, piece)| {
            let first = at * rows;
            self.write_block(
                &Block { rows: first..first + piece.len() / row, columns: 0..self.columns },
                piece,
            )
        })
    }

    /// Opens the file that another process has begun.
    ///
    /// # Errors
    /// When it is not there, or is to hold something else.
    pub fn open(path: &Path, n: usize, element: ElementType) -> Result<Self, WriteError> {
        let wanted = NpyHeader::new(element, &[n, n]).bytes();
        let file = NewFile::join(path).map_err(unwritable(path))?;
        let mut begun = vec![0; wanted.len()];
        file.file.read_exact_at(&mut begun, 0).map_err(unwritable(path))?;
        if begun != wanted {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).escape_debug().to_string();
            let problem = WriteProblem::OtherHeader { begun: text(&begun), wanted: text(&wanted) };
            return Err(problem.at(path));
        }
        Ok(Self::new(file, element, n, n, wanted.len()))
    }

    /// Writes a block: its numbers row after row, without gaps, as a solver leaves them.
    ///
    /// # Errors
    /// When they cannot be written.
    ///
    /// # Panics
    /// When the block is not in the matrix, or has not as many numbers.
    pub fn write_block(&self, block: &Block, numbers: &[u8]) -> Result<(), WriteError> {
        let (rows, n, size) = (self.rows, self.columns, self.element.bytes());
        assert!(block.rows.end <= rows && block.columns.end <= n, "{block:?} is not in {rows} x {n}");
        assert_eq!(Some(numbers.len() / size), block.entries(), "numbers of {block:?}");
        let canonical = canonical(self.element, numbers);
        let numbers = canonical.as_deref().unwrap_or(numbers);
        // Whole rows lie one after the other.
        let rows_at_once = if block.columns.len() == n { block.rows.len() } else { 1 };
        let bytes = rows_at_once * block.columns.len() * size;
        if bytes == 0 {
            return Ok(());
        }
        for (at, rows) in numbers.chunks(bytes).enumerate() {
            let row = block.rows.start + at * rows_at_once;
            let place = self.offset + ((row * n + block.columns.start) * size) as u64;
            self.file.file.write_all_at(rows, place).map_err(unwritable(self.file.path()))?;
        }
        Ok(())
    }

    /// Returns when what this process wrote is on the disk.
    ///
    /// # Errors
    /// When the system cannot.
    pub fn sync(&self) -> Result<(), WriteError> {
        self.file.file.sync_data().map_err(unwritable(self.file.path()))
    }

    /// [`NpyWriter::finish`] of a file that this process has written row by row, or at once.
    ///
    /// # Errors
    /// When rows are missing, or the system cannot.
    pub fn finish_rows(self) -> Result<(), WriteError> {
        let found = self.written.load(Ordering::Relaxed) / self.columns.max(1);
        if found < self.rows && self.columns > 0 {
            return Err(WriteProblem::RowsMissing { found, expected: self.rows }.at(self.path()));
        }
        self.finish()
    }

    /// Gives the file its name. All blocks have to be written and on the disk.
    ///
    /// # Errors
    /// When the system cannot.
    pub fn finish(self) -> Result<(), WriteError> {
        let path = self.file.path().to_path_buf();
        self.file.finish().map_err(unwritable(&path))
    }

    /// The name that the file will have.
    pub fn path(&self) -> &Path {
        self.file.path()
    }
}

/// Numbers with every absent edge written as one value, where solvers leave several; `None` where they already are.
fn canonical(element: ElementType, numbers: &[u8]) -> Option<Vec<u8>> {
    if !element.is_integer() || !element.is_signed() {
        return None;
    }
    // Nearly always there is nothing to do.
    let is_canonical = by_element!(element, T => numbers.chunks_exact(size_of::<T>()).fold(true, |all, number| {
        let number = bytemuck::pod_read_unaligned::<T>(number);
        all & number.canonical().bitwise_eq(number)
    }));
    if is_canonical {
        return None;
    }
    let mut canonical = numbers.to_vec();
    by_element!(element, T => for number in canonical.chunks_exact_mut(size_of::<T>()) {
        let value = bytemuck::pod_read_unaligned::<T>(number).canonical();
        number.copy_from_slice(bytemuck::bytes_of(&value));
    });
    Some(canonical)
}
