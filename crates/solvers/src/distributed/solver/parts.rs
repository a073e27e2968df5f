//! How a part comes to its device and back, some rows at a time; and the checksums of parts: those that a digest is the sum of, and those
//! by which a matrix is found symmetric.

use super::device_shard::DeviceShard;
use super::kernels::DIGEST_THREADS;
use super::plan::AxisShare;
use crate::{Block, BlockSink};
use repro_device::{Argument, Device, DeviceError, HostBuffer, Launch};
use repro_graph::{BlockError, Blocks, Element, ElementType, by_element};
use std::ops::Range;
use std::rc::Rc;

/// Bytes that are copied at a time: enough for the full speed of the link.
const BYTES_AT_A_TIME: usize = 64 << 20;

/// Page-locked memory for copies.
pub struct StagingBuffer {
    /// Two, so that one is filled while the other is copied. Made for the largest part so far.
    buffers: Vec<HostBuffer>,
    device: Rc<dyn Device>,
}

/// Fills numbers with absent edges.
fn clear(element: ElementType, bytes: &mut [u8]) {
    by_element!(element, T => bytemuck::cast_slice_mut::<u8, T>(bytes).fill(T::ABSENT));
}

fn unreadable(error: BlockError) -> DeviceError {
    DeviceError::other(error.to_string())
}

impl StagingBuffer {
    pub fn new(device: &Rc<dyn Device>) -> Self {
        Self { buffers: Vec::new(), device: device.clone() }
    }

    /// The rows that are copied at a time, with room for them.
    fn rows(&mut self, lane: &DeviceShard) -> Result<usize, DeviceError> {
        let pitch = lane.pitch_bytes().max(1);
        let rows = (BYTES_AT_A_TIME / pitch).clamp(1, lane.plan.block());
        if self.buffers.first().is_none_or(|buffer| buffer.bytes() < rows * pitch) {
            let buffer = || self.device.allocate_host(rows * pitch);
            self.buffers = vec![buffer()?, buffer()?];
        }
        Ok(rows)
    }

    /// The rows of each step: where they are in the matrix, and on the device; those that fill up the last tile are in no matrix.
    fn steps(lane: &DeviceShard, rows: usize) -> Vec<(Range<usize>, Range<usize>)> {
        let mut steps = Vec::new();
        for block in lane.rows.blocks() {
            let (in_matrix, on_device) = (lane.rows.in_matrix(block), lane.rows.on_device(block));
            let padded = lane.plan.tiles_of(block) * lane.plan.tile;
            for first in (0..padded).step_by(rows) {
                let end = padded.min(first + rows);
                let in_matrix_row = |row: usize| in_matrix.end.min(in_matrix.start + row);
                steps.push((in_matrix_row(first)..in_matrix_row(end), on_device + first..on_device + end));
            }
        }
        steps
    }

    /// Puts the blocks of a graph on a device.
    pub fn load(&mut self, lane: &DeviceShard, graph: &dyn Blocks) -> Result<(), DeviceError> {
        let rows = self.rows(lane)?;
        let (pitch, bytes) = (lane.pitch_bytes(), graph.element().bytes());
        let pieces = lane.columns.pieces();
        for (at, (in_matrix, on_device)) in Self::steps(lane, rows).into_iter().enumerate() {
            let host = &mut self.buffers[at % 2];
            // Waits for the earlier copy.
            let numbers = &mut host.numbers_mut::<u8>()[..on_device.len() * pitch];
            if in_matrix.len() < on_device.len() || lane.columns.vertices() < lane.columns.padded() {
                clear(graph.element(), numbers);
            }
            if !in_matrix.is_empty() {
                for (columns, first) in &pieces {
                    let into = &mut numbers[first * bytes..];
                    graph
                        .read(in_matrix.clone(), columns.clone(), pitch / bytes, into)
                        .map_err(unreadable)?;
                }
            }
            lane.main()
                .upload(host, lane.memory.matrix.part(on_device.start * pitch..on_device.end * pitch))?;
        }
        lane.main().synchronize()
    }

    /// Gives the blocks on a device.
    pub fn store(&mut self, lane: &DeviceShard, take: &mut BlockSink) -> Result<(), DeviceError> {
        let rows = self.rows(lane)?;
        let pitch = lane.pitch_bytes();
        let bytes = pitch / lane.columns.padded().max(1);
        let pieces = lane.columns.pieces();
        let mut apart = Vec::new();
        for (in_matrix, on_device) in Self::steps(lane, rows).into_iter().filter(|(rows, _)| !rows.is_empty())
        {
            let host = &mut self.buffers[0];
            let start = on_device.start * pitch;
            lane.main().download(lane.memory.matrix.part(start..start + in_matrix.len() * pitch), host)?;
            let numbers = &host.numbers::<u8>()[..in_matrix.len() * pitch];
            for (columns, first) in &pieces {
                let block = Block { rows: in_matrix.clone(), columns: columns.clone() };
                if columns.len() * bytes == pitch {
                    take(&block, numbers)?;
                    continue;
                }
                apart.clear();
                for row in numbers.chunks_exact(pitch) {
                    apart.extend_from_slice(&row[first * bytes..(first + columns.len()) * bytes]);
                }
                take(&block, &apart)?;
            }
        }
        Ok(())
    }
}

/// A whole matrix in host memory, row-major.
pub struct HostMatrix<'a> {
    pub n: usize,
    pub element: ElementType,
    pub numbers: &'a [u8],
}

impl Blocks for HostMatrix<'_> {
    fn n(&self) -> usize {
        self.n
    }

    fn element(&self) -> ElementType {
        self.element
    }

    fn read_row(&self, row: usize, columns: Range<usize>, into: &mut [u8]) -> Result<(), BlockError> {
        let from = (row * self.n + columns.start) * self.element.bytes();
        into.copy_from_slice(&self.numbers[from..from + into.len()]);
        Ok(())
    }
}

/// A whole matrix in host memory, row-major, that blocks are written to.
pub struct MatrixMut<'a> {
    pub n: usize,
    pub element: ElementType,
    pub numbers: &'a mut [u8],
}

impl MatrixMut<'_> {
    pub fn write(&mut self, block: &Block, numbers: &[u8]) {
        let bytes = self.element.bytes();
        let width = block.columns.len() * bytes;
        for (row, numbers) in block.rows.clone().zip(numbers.chunks_exact(width)) {
            let at = (row * self.n + block.columns.start) * bytes;
            self.numbers[at..at + width].copy_from_slice(numbers);
        }
    }
}

/// What the numbers of all parts add up to, modulo 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    Digest,
    /// 0 for a symmetric matrix; for any other, 0 by chance once in 2^64.
    Asymmetry,
}

/// The sum of the checksums that these devices have begun.
///
/// # Errors
/// When a device refuses the work.
pub fn total(lanes: &[DeviceShard]) -> Result<u64, DeviceError> {
    lanes.iter().try_fold(0_u64, |all, lane| {
        let mut host = lane.memory.host_sum.borrow_mut();
        lane.main().download(lane.memory.sum.whole(), &mut host)?;
        lane.main().synchronize()?;
        Ok(all.wrapping_add(host.numbers::<u64>()[0]))
    })
}

impl DeviceShard {
    /// Queues the checksum of this part.
    ///
    /// # Errors
    /// When the device refuses the work.
    pub fn begin_sum(&self, sum: Checksum) -> Result<(), DeviceError> {
        let mut host = self.memory.host_sum.borrow_mut();
        host.numbers_mut::<u64>().fill(0);
        self.main().upload(&host, self.memory.sum.whole())?;
        let line = |side: AxisShare| {
            let numbers = [self.plan.block() as i32, side.devices as i32, side.own as i32];
            bytemuck::cast::<_, [u8; 12]>(numbers)
        };
        let (down, across) = (line(self.rows), line(self.columns));
        let [rows, columns, pitch] = [self.rows.vertices(), self.columns.vertices(), self.columns.padded()]
            .map(|value| Argument::Int(value as i32));
        let arguments = [
            Argument::Buffer(&self.memory.matrix),
            rows,
            columns,
            pitch,
            Argument::Long(self.plan.n as i64),
            Argument::Struct(&down),
            Argument::Struct(&across),
            Argument::Int((sum == Checksum::Asymmetry).into()),
            Argument::Buffer(&self.memory.sum),
        ];
        let launch = Launch::rows_of(self.rows.vertices().clamp(1, 1024), 1, DIGEST_THREADS);
        // SAFETY: the kernel reads the vertices of the part and adds to one number.
        unsafe { self.main().launch(&self.kernels.digest, launch, &arguments) }
    }
}
