//! A matrix in ordinary memory to a device and back, through page-locked buffers.
//!
//! To page-lock a whole matrix takes longer than to copy it, and a second matrix would take its memory again. So two small buffers are
//! locked, once, and rows pass through them. All threads of the pool fill and empty them.

use rayon::ThreadPool;
use rayon::prelude::*;
use repro_device::{Device, DeviceError, HostBuffer, Queue};
use repro_solvers::DeviceSolve;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Bytes of each of the two buffers, unless the matrix is smaller or a row is larger.
pub const PIECE_BYTES: usize = 32 << 20;

/// Bytes that one thread copies at a time.
const CHUNK: usize = 1 << 20;

/// Two page-locked buffers for whole rows.
pub(crate) struct Buffers([HostBuffer; 2]);

impl Buffers {
    /// For the rows of a matrix of this many bytes.
    pub fn new(device: &dyn Device, row_bytes: usize, rows: usize) -> Result<Self, DeviceError> {
        let bytes = row_bytes * rows_a_piece(row_bytes).min(rows);
        Ok(Self([device.allocate_host(bytes)?, device.allocate_host(bytes)?]))
    }

    fn fits(&self, row_bytes: usize, rows: usize) -> bool {
        self.0[0].bytes() >= row_bytes * rows_a_piece(row_bytes).min(rows)
    }

    /// `kept`, if it is large enough, or new ones in its place.
    pub fn ready<'a>(
        kept: &'a mut Option<Self>,
        device: &dyn Device,
        row_bytes: usize,
        rows: usize,
    ) -> Result<&'a mut Self, DeviceError> {
        let usable = kept.take().filter(|buffers| buffers.fits(row_bytes, rows));
        let usable = match usable {
            Some(buffers) => buffers,
            None => Self::new(device, row_bytes, rows)?,
        };
        Ok(kept.insert(usable))
    }
}

pub(crate) fn rows_a_piece(row_bytes: usize) -> usize {
    (PIECE_BYTES / row_bytes.max(1)).max(1)
}

/// Ranges of rows that make up all `rows`.
fn pieces(rows: usize, row_bytes: usize) -> impl Iterator<Item = Range<usize>> {
    let each = rows_a_piece(row_bytes);
    (0..rows).step_by(each).map(move |first| first..rows.min(first + each))
}

/// Where the time of a solve on a device went, in seconds by the host's clock. Preparation, in which kernels are compiled at their first
/// use, is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parts {
    /// Of the copies to the device and back, and of what waited for pages that were touched longer than kernels ran.
    pub copies: f64,
    /// Of the kernels.
    pub kernels: f64,
}

/// Solves the matrix of `rows` rows in place, with copies on the threads of `pool`. While kernels run, these threads touch the pages of `touched`.
/// Returns where the time went, or nothing if it ended early because `cancelled` was set.
///
/// # Errors
/// What a device refuses.
pub(crate) fn solve(
    solve: &mut DeviceSolve,
    queue: &dyn Queue,
    buffers: &mut Buffers,
    (matrix, rows): (&mut [u8], usize),
    touched: &mut [i32],
    cancelled: &AtomicBool,
    pool: &ThreadPool,
) -> Result<Option<Parts>, DeviceError> {
    let row_bytes = matrix.len() / rows.max(1);
    let bytes = |piece: &Range<usize>| piece.start * row_bytes..piece.end * row_bytes;
    let begun = Instant::now();
    for (number, piece) in pieces(rows, row_bytes).enumerate() {
        if cancelled.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let buffer = &mut buffers.0[number % 2];
        copy(pool, &matrix[bytes(&piece)], buffer.numbers_mut());
        solve.copy_in(piece, buffer)?;
    }
    queue.synchronize()?;
    let copied_in = Instant::now();
    let solved = pool.in_place_scope(|beside| {
        beside.spawn(|_| touch(touched));
        solve.solve()?;
        queue.synchronize().map(|()| Instant::now())
    })?;
    let copy_out = |_, piece, buffer: &mut HostBuffer| solve.copy_out(piece, buffer);
    if !take_out(copy_out, buffers, matrix, row_bytes, cancelled, pool)? {
        return Ok(None);
    }
    let kernels = (solved - copied_in).as_secs_f64();
    Ok(Some(Parts { copies: begun.elapsed().as_secs_f64() - kernels, kernels }))
}

/// Has `fill` queue copies of pieces, by number and rows of `row_bytes` bytes, to the buffers, and empties these into `matrix` while the next are on the way. False
/// if it ended early because `cancelled` was set.
///
/// # Errors
/// What a device refuses.
pub(crate) fn take_out(
    mut fill: impl FnMut(usize, Range<usize>, &mut HostBuffer) -> Result<(), DeviceError>,
    buffers: &mut Buffers,
    matrix: &mut [u8],
    row_bytes: usize,
    cancelled: &AtomicBool,
    pool: &ThreadPool,
) -> Result<bool, DeviceError> {
    let bytes = |piece: &Range<usize>| piece.start * row_bytes..piece.end * row_bytes;
    let rows = matrix.len() / row_bytes.max(1);
    let mut before: Option<(usize, Range<usize>)> = None;
    for (number, piece) in pieces(rows, row_bytes).enumerate() {
        if cancelled.load(Ordering::Relaxed) {
            return Ok(false);
        }
        fill(number, piece.clone(), &mut buffers.0[number % 2])?;
        if let Some((number, piece)) = before.replace((number, piece)) {
            copy(pool, buffers.0[number % 2].numbers(), &mut matrix[bytes(&piece)]);
        }
    }
    if let Some((number, piece)) = before {
        copy(pool, buffers.0[number % 2].numbers(), &mut matrix[bytes(&piece)]);
    }
    Ok(true)
}

/// Writes a number to each page, so that the system has found room for all when they are filled.
fn touch(numbers: &mut [i32]) {
    const PAGE: usize = 4096 / size_of::<i32>();
    let chunks = numbers.par_chunks_mut(CHUNK / size_of::<i32>());
    chunks.for_each(|chunk| chunk.iter_mut().step_by(PAGE).for_each(|first| *first = -1));
}

/// As many bytes as both have, on all threads of the pool.
fn copy(pool: &ThreadPool, from: &[u8], to: &mut [u8]) {
    pool.install(|| {
        let chunks = to.par_chunks_mut(CHUNK).zip(from.par_chunks(CHUNK));
        chunks.for_each(|(to, from)| {
            let both = to.len().min(from.len());
            to[..both].copy_from_slice(&from[..both]);
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_whole_rows_and_together_all_of_them() {
        for (rows, row_bytes) in
            [(1, 4), (5, PIECE_BYTES), (5, PIECE_BYTES + 1), (4, PIECE_BYTES / 3), (7, 0)]
        {
            let all: Vec<_> = pieces(rows, row_bytes).collect();
            assert!(all.iter().all(|piece| !piece.is_empty()));
            assert!(all.windows(2).all(|two| two[0].end == two[1].start));
            assert_eq!((all[0].start, all[all.len() - 1].end), (0, rows));
        }
        assert_eq!(pieces(4, PIECE_BYTES / 3).next(), Some(0..3));
    }
}
