//! Trees of shortest paths on a device, by distances that are there: `kernels/shortest_path_trees.cu` has the algorithm.

use crate::weights::{check, int, too_large};
use repro_device::{
    Argument, Buffer, Device, DeviceError, Event, HostBuffer, Kernel, KernelSource, Launch, PitchedRows,
    Priority, Queue,
};
use repro_graph::{Element, ElementType};
use shortest_paths::{Arcs, PathSentinels};
use std::ops::Range;

const THREADS: u32 = 1024;
/// Vertices whose membership in a set is in one word.
const WORD: usize = 32;
/// Sets of vertices that a block keeps.
const SETS: usize = 3;

/// What a device needs to grow the trees of one graph, by the distances that lie there.
pub struct TreeKernel<'a> {
    device: &'a dyn Device,
    distances: &'a Buffer,
    /// From the first number of a row of distances to that of the next, in numbers.
    pitch: usize,
    sentinels: PathSentinels,
    kernel: Kernel,
    n: usize,
    shared_bytes: u32,
    offsets: Buffer,
    tails: Buffer,
    weights: Buffer,
    /// Two buffers of predecessors: one is copied out while the other is written.
    rows: [Buffer; 2],
    grown: [Event; 2],
    copies: Box<dyn Queue>,
    /// For each vertex the first one whose distance from it is not right; n where all are.
    wrong: Buffer,
}

impl<'a> TreeKernel<'a> {
    /// Bytes on a device for `m` arcs between `n` vertices, and twice the trees of `rows` sources.
    pub fn bytes(element: ElementType, n: usize, m: usize, rows: usize) -> u64 {
        let words = 2 * n + 1 + m + 2 * n * rows;
        4 * words as u64 + (m * element.bytes()) as u64
    }

    /// Puts the arcs, by the vertex where they end, on the device, and makes room twice for the trees of `sources` sources.
    /// `rows` says how the distances lie.
    ///
    /// # Errors
    /// When the device refuses, there are more arcs than it counts, or the distances are not those of as many vertices.
    pub fn prepare<T: Element>(
        device: &'a dyn Device,
        incoming: &Arcs<T>,
        sentinels: PathSentinels,
        distances: &'a Buffer,
        rows: PitchedRows,
        sources: usize,
    ) -> Result<Self, DeviceError> {
        let (n, element) = (incoming.n(), T::TYPE);
        check(distances, distances, rows, element)?;
        if rows.count != n {
            return Err(DeviceError::other(format!(
                "no distances of {n} vertices: this is a defect of repro"
            )));
        }
        i32::try_from(incoming.m()).map_err(too_large)?;
        let offsets: Vec<u32> = incoming.offsets().iter().map(|first| *first as u32).collect();
        let sets = SETS * n.div_ceil(WORD) * size_of::<u32>();
        let with_row = sets + n * element.bytes();
        let fits = with_row as u64 <= device.info().shared_bytes_per_block;
        let (name, shared) =
            if fits { ("shortest_path_trees", with_row) } else { ("shortest_path_trees_large", sets) };
        let kernels = device.load(&KernelSource::TREES.for_element(element), &[name])?;
        let kernel = kernels.into_iter().next().ok_or_else(|| DeviceError::other("no kernel was loaded"))?;
        let put = |bytes: &[u8]| {
            // No device has buffers of no bytes.
            let buffer = device.allocate(bytes.len().max(size_of::<u32>()))?;
            let mut host = device.allocate_host(bytes.len().max(size_of::<u32>()))?;
            host.numbers_mut()[..bytes.len()].copy_from_slice(bytes);
            device.queue().upload(&host, buffer.whole())?;
            device.queue().synchronize()?;
            Ok::<_, DeviceError>(buffer)
        };
        let row_bytes = n * sources.clamp(1, n) * size_of::<i32>();
        Ok(Self {
            device,
            distances,
            pitch: rows.pitch / element.bytes(),
            sentinels,
            kernel,
            n,
            shared_bytes: u32::try_from(shared).map_err(too_large)?,
            offsets: put(bytemuck::cast_slice(&offsets))?,
            tails: put(bytemuck::cast_slice(incoming.heads()))?,
            weights: put(bytemuck::cast_slice(incoming.weights()))?,
            rows: [device.allocate(row_bytes)?, device.allocate(row_bytes)?],
            grown: [device.queue().event()?, device.queue().event()?],
            copies: device.new_queue(Priority::Usual)?,
            wrong: put(bytemuck::cast_slice(&vec![n as u32; n]))?,
        })
    }

    /// Queues, as piece `number`, the trees of the sources `sources` and their copy to the beginning of `to`: n predecessors for each source, the
    /// sentinels at itself and where no path leads. Piece `number` - 2 has to have arrived, because this one takes its room.
    ///
    /// # Errors
    /// When a device refuses, or these are more sources than there is room for.
    pub fn launch_trees(
        &self,
        number: usize,
        sources: Range<usize>,
        to: &mut HostBuffer,
    ) -> Result<(), DeviceError> {
        let queue = self.device.queue();
        let bytes = sources.len() * self.n * size_of::<i32>();
        if sources.end > self.n || bytes > self.rows[0].bytes() {
            return Err(DeviceError::other(format!(
                "no room for the trees of {sources:?}: this is a defect of repro"
            )));
        }
        let (room, grown) = (&self.rows[number % 2], &self.grown[number % 2]);
        let blocks = u32::try_from(sources.len()).map_err(too_large)?;
        let launch = Launch {
            dynamic_shared_bytes: self.shared_bytes,
            ..Launch::new((blocks, 1, 1), (THREADS, 1, 1))
        };
        let arguments = [
            Argument::Buffer(self.distances),
            int(self.pitch)?,
            int(self.n)?,
            int(sources.start)?,
            Argument::Buffer(&self.offsets),
            Argument::Buffer(&self.tails),
            Argument::Buffer(&self.weights),
            Argument::Buffer(room),
            Argument::Within(&self.wrong, sources.start * size_of::<i32>()),
            Argument::Int(self.sentinels.diagonal),
            Argument::Int(self.sentinels.unreachable),
        ];
        // SAFETY: the arguments are the kernel's parameters. Its reads stay within the arcs, whose offsets and vertices `Arcs` vouches for, and within
        // the rows of distances by what was compared, and a block writes n entries of the room and one of `wrong`, which have room for all sources.
        unsafe { queue.launch(&self.kernel, launch, &arguments) }?;
        queue.record(grown)?;
        self.copies.wait(grown)?;
        self.copies.download(room.part(0..bytes), to)
    }

    /// Waits for all trees. Returns the first source with a wrong distance, and the vertex, if there is one: the trees are of no use then.
    ///
    /// # Errors
    /// What went wrong on the device.
    pub fn first_wrong(&self) -> Result<Option<(usize, usize)>, DeviceError> {
        let (device, queue) = (self.device, self.device.queue());
        let mut wrong = device.allocate_host(self.wrong.bytes())?;
        queue.download(self.wrong.whole(), &mut wrong)?;
        queue.synchronize()?;
        let vertices = wrong.numbers::<u32>().iter().map(|&vertex| vertex as usize);
        Ok(vertices.enumerate().find(|&(_, vertex)| vertex < self.n))
    }
}
