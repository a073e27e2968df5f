//! A queue of the emulated device: a stream of the emulator. While a graph is captured, its steps are stored instead of run.

use crate::device::downcast_handle;
use crate::{
    Argument, Buffer, BufferSlice, DeviceError, Event, HostBuffer, Kernel, Launch, LaunchGraph, PitchedRows,
    Queue,
};
use repro_emulator::{DeviceMemory, PackedArguments, Stream};
use std::any::Any;
use std::cell::RefCell;
use std::ops::Range;

pub(super) struct EmulatedQueue {
    stream: Stream,
}

/// What is done again when a graph is replayed.
enum GraphNode {
    Launch { kernel: Kernel, launch: Launch, arguments: PackedArguments },
    Copy { from: (DeviceMemory, Range<usize>), to: (DeviceMemory, usize) },
    Record(repro_emulator::Event),
    Wait(repro_emulator::Event),
}

/// The steps of a graph, and the stream that each was queued on.
struct Graph(Vec<(Stream, GraphNode)>);

thread_local! {
    /// The graph that this thread captures: it takes the steps of all queues.
    static RECORDING: RefCell<Option<Graph>> = const { RefCell::new(None) };
}

impl EmulatedQueue {
    pub fn of(stream: Stream) -> Self {
        Self { stream }
    }

    /// Does a step now, or keeps it for the graph that is being made.
    fn run_or_keep(&self, step: GraphNode) -> Result<(), DeviceError> {
        let rest = RECORDING.with_borrow_mut(|recording| match recording {
            Some(Graph(steps)) => {
                steps.push((self.stream.clone(), step));
                None
            }
            None => Some(step),
        });
        rest.map_or(Ok(()), |step| step.run(&self.stream))
    }
}

/// Refuses a copy from or to the host while a graph is captured: a replay could find the host's memory freed.
fn check_not_recording(what: &str) -> Result<(), DeviceError> {
    if RECORDING.with_borrow(Option::is_none) {
        return Ok(());
    }
    Err(DeviceError::other(format!("{what} cannot be part of a graph: queue it before or after the graph")))
}

fn memory_of(buffer: &Buffer) -> Result<&DeviceMemory, DeviceError> {
    downcast_handle(&*buffer.owner, "a buffer")
}

impl GraphNode {
    fn run(&self, stream: &Stream) -> Result<(), DeviceError> {
        match self {
            Self::Launch { kernel, launch, arguments } => {
                // SAFETY: whoever queued it promised that the kernel may run so.
                unsafe { stream.launch(kernel.handle()?, *launch, arguments)? }
            }
            Self::Copy { from: (from, part), to: (to, at) } => stream.copy(from, part.clone(), to, *at),
            Self::Record(event) => stream.record(event),
            Self::Wait(event) => stream.wait(event),
        }
        Ok(())
    }
}

impl Queue for EmulatedQueue {
    unsafe fn launch(
        &self,
        kernel: &Kernel,
        launch: Launch,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        let given: Vec<_> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Struct(bytes) => repro_emulator::ArgumentValue::Struct(bytes),
                other => repro_emulator::ArgumentValue::Bits(other.bits()),
            })
            .collect();
        self.run_or_keep(GraphNode::Launch {
            kernel: kernel.clone(),
            launch,
            arguments: PackedArguments::new(&given),
        })
    }

    fn upload_rows(&self, from: &HostBuffer, to: BufferSlice, rows: PitchedRows) -> Result<(), DeviceError> {
        check_not_recording("a copy to the device")?;
        to.check_rows("a copy to the device", rows, from.bytes())?;
        let (memory, host) = (memory_of(to.buffer)?, &from.storage()[..rows.host_bytes()]);
        if rows.are_adjacent() {
            self.stream.upload(host, memory, to.bytes.start);
            return Ok(());
        }
        for (row, bytes) in host.chunks_exact(rows.bytes).enumerate() {
            self.stream.upload(bytes, memory, to.bytes.start + row * rows.pitch);
        }
        Ok(())
    }

    fn download_rows(
        &self,
        from: BufferSlice,
        to: &mut HostBuffer,
        rows: PitchedRows,
    ) -> Result<(), DeviceError> {
        check_not_recording("a copy from the device")?;
        from.check_rows("a copy from the device", rows, to.bytes())?;
        let (memory, host) = (memory_of(from.buffer)?, &mut to.storage_mut()[..rows.host_bytes()]);
        let start = from.bytes.start;
        if rows.are_adjacent() {
            self.stream.download(memory, start..start + host.len(), host);
            return Ok(());
        }
        for (row, bytes) in host.chunks_exact_mut(rows.bytes).enumerate() {
            let start = start + row * rows.pitch;
            self.stream.download(memory, start..start + rows.bytes, bytes);
        }
        Ok(())
    }

    fn copy(&self, from: BufferSlice, to: BufferSlice) -> Result<(), DeviceError> {
        to.check("a copy within the device", from.bytes())?;
        from.check("a copy within the device", to.bytes())?;
        from.check_apart(&to)?;
        let (source, target) = (memory_of(from.buffer)?.clone(), memory_of(to.buffer)?.clone());
        self.run_or_keep(GraphNode::Copy { from: (source, from.bytes), to: (target, to.bytes.start) })
    }

    fn event(&self) -> Result<Event, DeviceError> {
        Ok(Event { owner: Box::new(repro_emulator::Event::default()) })
    }

    fn record(&self, event: &Event) -> Result<(), DeviceError> {
        self.run_or_keep(GraphNode::Record(
            downcast_handle::<repro_emulator::Event>(&*event.owner, "an event")?.clone(),
        ))
    }

    fn wait(&self, event: &Event) -> Result<(), DeviceError> {
        self.run_or_keep(GraphNode::Wait(
            downcast_handle::<repro_emulator::Event>(&*event.owner, "an event")?.clone(),
        ))
    }

    fn capture(
        &self,
        queue: &mut dyn FnMut() -> Result<(), DeviceError>,
    ) -> Result<LaunchGraph, DeviceError> {
        RECORDING.set(Some(Graph(Vec::new())));
        let queued = queue();
        let graph = RECORDING.take();
        queued?;
        Ok(LaunchGraph { owner: Box::new(graph.unwrap_or(Graph(Vec::new()))) })
    }

    unsafe fn replay(&self, graph: &LaunchGraph) -> Result<(), DeviceError> {
        let graph: &Graph = downcast_handle(&*graph.owner, "a graph")?;
        graph.0.iter().try_for_each(|(stream, step)| step.run(stream))
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        Ok(self.stream.synchronize()?)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
