//! A queue of the emulated device: what is queued is done at once, or kept where a graph is made of it.

use super::device::State;
use super::memory::Memory;
use crate::{Argument, Buffer, DeviceError, Event, HostBuffer, Kernel, Launch, LaunchGraph, Queue, Region};
use std::cell::RefCell;
use std::ffi::c_void;
use std::ops::Range;
use std::rc::Rc;

pub(super) struct EmulatedQueue {
    state: Rc<State>,
}

/// What is done again when a graph is replayed.
enum Step {
    Launch { kernel: Kernel, launch: Launch, values: Vec<u64>, structs: Vec<Option<Vec<u128>>> },
    Copy { from: (Rc<Memory>, Range<usize>), to: (Rc<Memory>, Range<usize>) },
}

/// The steps of a graph, and the device that launches them.
struct Graph(Vec<(Rc<State>, Step)>);

thread_local! {
    /// Of the graph that is being made, on whatever queues its steps are queued.
    static RECORDING: RefCell<Option<Graph>> = const { RefCell::new(None) };
}

impl EmulatedQueue {
    pub fn of(state: Rc<State>) -> Self {
        Self { state }
    }

    /// Does a step now, or keeps it for the graph that is being made.
    fn queue(&self, step: Step) -> Result<(), DeviceError> {
        let rest = RECORDING.with_borrow_mut(|recording| match recording {
            Some(Graph(steps)) => {
                steps.push((self.state.clone(), step));
                None
            }
            None => Some(step),
        });
        rest.map_or(Ok(()), |step| step.run(&self.state))
    }
}

/// A graph would repeat it when the host's memory is gone.
fn check_not_recording(what: &str) -> Result<(), DeviceError> {
    if RECORDING.with_borrow(Option::is_none) {
        return Ok(());
    }
    Err(DeviceError::other(format!("{what} cannot be part of a graph: queue it before or behind")))
}

fn memory_of(buffer: &Buffer) -> Result<&Rc<Memory>, DeviceError> {
    buffer
        .owner
        .downcast_ref::<Rc<Memory>>()
        .ok_or_else(|| DeviceError::other("a buffer of another device: this is a defect of repro"))
}

impl Step {
    fn run(&self, state: &State) -> Result<(), DeviceError> {
        match self {
            Self::Launch { kernel, launch, values, structs } => {
                let pointer = |(value, given): (&u64, &Option<Vec<u128>>)| match given {
                    Some(words) => words.as_ptr().cast_mut().cast::<c_void>(),
                    None => std::ptr::from_ref(value).cast_mut().cast(),
                };
                let pointers: Vec<*mut c_void> = values.iter().zip(structs).map(pointer).collect();
                state.launch(kernel, *launch, &pointers)
            }
            Self::Copy { from: (from, part), to: (to, place) } => {
                from.copy_to(part.clone(), to, place.start);
                to.fill(place.clone());
                Ok(())
            }
        }
    }
}

impl Queue for EmulatedQueue {
    unsafe fn launch(
        &self,
        kernel: &Kernel,
        launch: Launch,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        let structs = arguments.iter().map(|argument| match argument {
            // Sixteen bytes a word: aligned as any struct of a kernel is but those for the tensor unit.
            Argument::Struct(bytes) => Some(
                bytes
                    .chunks(size_of::<u128>())
                    .map(|chunk| {
                        let mut word = [0; size_of::<u128>()];
                        word[..chunk.len()].copy_from_slice(chunk);
                        u128::from_ne_bytes(word)
                    })
                    .collect(),
            ),
            _ => None,
        });
        self.queue(Step::Launch {
            kernel: kernel.clone(),
            launch,
            values: arguments.iter().map(Argument::bits).collect(),
            structs: structs.collect(),
        })
    }

    fn upload(&self, from: &HostBuffer, to: Region) -> Result<(), DeviceError> {
        check_not_recording("a copy to the device")?;
        to.check("a copy to the device", from.bytes())?;
        let memory = memory_of(to.buffer)?;
        memory.write(to.bytes.start, &from.storage()[..to.len()]);
        memory.fill(to.bytes);
        Ok(())
    }

    fn download(&self, from: Region, to: &mut HostBuffer) -> Result<(), DeviceError> {
        check_not_recording("a copy from the device")?;
        from.check("a copy from the device", to.bytes())?;
        to.storage_mut()[..from.len()].copy_from_slice(memory_of(from.buffer)?.bytes_of(from.bytes));
        Ok(())
    }

    fn copy(&self, from: Region, to: Region) -> Result<(), DeviceError> {
        to.check("a copy within the device", from.len())?;
        from.check("a copy within the device", to.len())?;
        from.check_apart(&to)?;
        let [from, to] = [from, to].map(|region| Ok((memory_of(region.buffer)?.clone(), region.bytes)));
        self.queue(Step::Copy { from: from?, to: to? })
    }

    fn event(&self) -> Result<Event, DeviceError> {
        Ok(Event { owner: Box::new(()) })
    }

    fn record(&self, _: &Event) -> Result<(), DeviceError> {
        Ok(())
    }

    fn wait(&self, _: &Event) -> Result<(), DeviceError> {
        // Whatever was recorded is done.
        Ok(())
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
        let graph: &Graph = graph
            .owner
            .downcast_ref()
            .ok_or_else(|| DeviceError::other("a graph of another device: this is a defect of repro"))?;
        graph.0.iter().try_for_each(|(state, step)| step.run(state))
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        self.state.synchronize()
    }
}
