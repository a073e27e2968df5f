//! Trees of shortest paths on a device, by distances that are there: `kernels/shortest_path_trees.cu` has the algorithm.

use super::weight_range::{int, too_large};
use repro_device::{
    Argument, Buffer, Device, DeviceError, Event, HostBuffer, Kernel, KernelSource, Launch, Priority, Queue,
    Rows,
};
use repro_graph::ElementType;
use std::ops::Range;

const THREADS: u32 = 1024;
/// Vertices whose membership in a set is in one word.
const WORD: usize = 32;
/// Sets of vertices that a block keeps.
const SETS: usize = 3;

/// The arcs of a graph by the vertex where they end.
#[derive(Clone, Copy, Debug)]
pub struct IncomingArcs<'a> {
    /// For each vertex the place of its first arc, and behind them the number of arcs: n + 1 entries that never fall.
    pub offsets: &'a [u32],
    /// Where each arc begins, ascending among the arcs of a vertex.
    pub tails: &'a [u32],
    /// Their weights, in the bytes of the distances' type.
    pub weights: &'a [u8],
}

impl IncomingArcs<'_> {
    /// What kernels rely on: they look up nothing beyond the arrays.
    fn check(&self, element: ElementType) -> Result<(), DeviceError> {
        let n = self.offsets.len().saturating_sub(1);
        let m = self.tails.len();
        let holds = n > 0
            && self.offsets.windows(2).all(|two| two[0] <= two[1])
            && self.offsets.first() == Some(&0)
            && self.offsets.last().is_some_and(|&last| last as usize == m)
            && self.tails.iter().all(|&tail| (tail as usize) < n)
            && self.weights.len() == m * element.bytes()
            && i32::try_from(m).is_ok();
        let what = || DeviceError::other("arcs that do not belong together: this is a defect of repro");
        holds.then_some(()).ok_or_else(what)
    }
}

/// What a device needs to grow the trees of one graph.
pub struct TreeKernel {
    kernel: Kernel,
    n: usize,
    shared_bytes: u32,
    offsets: Buffer,
    tails: Buffer,
    weights: Buffer,
    /// The predecessors of so many rows each: one is copied out while the other is written.
    rows: [Buffer; 2],
    grown: [Event; 2],
    copies: Box<dyn Queue>,
    /// For each vertex the first one whose distance from it is not right; n where all are.
    wrong: Buffer,
}

impl TreeKernel {
    /// Bytes on a device for `m` arcs between `n` vertices, and twice the trees of `rows` sources.
    pub fn bytes(element: ElementType, n: usize, m: usize, rows: usize) -> u64 {
        let words = 2 * n + 1 + m + 2 * n * rows;
        4 * words as u64 + (m * element.bytes()) as u64
    }

    /// Puts the arcs on the device, and makes room twice for the trees of `rows` sources.
    ///
    /// # Errors
    /// When the device refuses, or the arcs do not belong together.
    pub fn prepare(
        device: &dyn Device,
        element: ElementType,
        arcs: IncomingArcs,
        rows: usize,
    ) -> Result<Self, DeviceError> {
        arcs.check(element)?;
        let n = arcs.offsets.len() - 1;
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
        let row_bytes = n * rows.clamp(1, n) * size_of::<i32>();
        Ok(Self {
            kernel,
            n,
            shared_bytes: u32::try_from(shared).map_err(too_large)?,
            offsets: put(bytemuck::cast_slice(arcs.offsets))?,
            tails: put(bytemuck::cast_slice(arcs.tails))?,
            weights: put(arcs.weights)?,
            rows: [device.allocate(row_bytes)?, device.allocate(row_bytes)?],
            grown: [device.queue().event()?, device.queue().event()?],
            copies: device.new_queue(Priority::Usual)?,
            wrong: put(bytemuck::cast_slice(&vec![n as u32; n]))?,
        })
    }

    /// Queues, as piece `number`, the trees of the sources `sources` by `distances`, which lie on the device as `rows` has it, and their copy to the beginning of
    /// `to`: n predecessors for each source, `diagonal` at itself and `unreachable` where no path leads. The piece before the one before has
    /// to have arrived, because this one takes its room.
    ///
    /// # Errors
    /// When a device refuses, or these are more sources than there is room for.
    pub fn launch_trees(
        &self,
        device: &dyn Device,
        (distances, rows, element): (&Buffer, Rows, ElementType),
        number: usize,
        sources: Range<usize>,
        (diagonal, unreachable): (i32, i32),
        to: &mut HostBuffer,
    ) -> Result<(), DeviceError> {
        let bytes = sources.len() * self.n * size_of::<i32>();
        let holds = rows.bytes == self.n * element.bytes()
            && sources.end <= rows.count
            && rows.device_bytes() <= distances.bytes();
        if sources.end > self.n || bytes > self.rows[0].bytes() || !holds {
            return Err(DeviceError::other(format!(
                "no room for the trees of {sources:?}: this is a defect of repro"
            )));
        }
        let (room, grown) = (&self.rows[number % 2], &self.grown[number % 2]);
        let blocks = u32::try_from(sources.len()).map_err(too_large)?;
        let launch =
            Launch { dynamic_shared_bytes: self.shared_bytes, ..Launch::of((blocks, 1, 1), (THREADS, 1, 1)) };
        let arguments = [
            Argument::Buffer(distances),
            int(rows.pitch / element.bytes())?,
            int(self.n)?,
            int(sources.start)?,
            Argument::Buffer(&self.offsets),
            Argument::Buffer(&self.tails),
            Argument::Buffer(&self.weights),
            Argument::Buffer(room),
            Argument::Within(&self.wrong, sources.start * size_of::<i32>()),
            Argument::Int(diagonal),
            Argument::Int(unreachable),
        ];
        // SAFETY: the arguments are the kernel's parameters. Its reads stay within the arcs by `Incoming::check` and within the rows of
        // distances by what was compared here, and a block writes n entries of the room and one of `wrong`, which have room for all sources.
        unsafe { device.queue().launch(&self.kernel, launch, &arguments) }?;
        device.queue().record(grown)?;
        self.copies.wait(grown)?;
        self.copies.download(room.part(0..bytes), to)
    }

    /// Waits for all trees. The first source with a distance that is not right, and the vertex, if there is one: what was grown is no
    /// proof then.
    ///
    /// # Errors
    /// What went wrong on the device.
    pub fn first_wrong(&self, device: &dyn Device) -> Result<Option<(usize, usize)>, DeviceError> {
        let mut wrong = device.allocate_host(self.wrong.bytes())?;
        device.queue().download(self.wrong.whole(), &mut wrong)?;
        device.queue().synchronize()?;
        let vertices = wrong.numbers::<u32>().iter().map(|&vertex| vertex as usize);
        Ok(vertices.enumerate().find(|&(_, vertex)| vertex < self.n))
    }
}
