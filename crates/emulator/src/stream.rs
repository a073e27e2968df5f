//! Streams and events.
//!
//! Queued work is done at once, in the order in which the host queues it. That order is always a legal one, because no
//! event can be waited for before it is recorded. The order that a GPU would guarantee is weaker, and is kept separately
//! for the checker: launches on two streams with no event between them must not touch the same memory.

use crate::clock::ThreadClock;
use crate::finding::{Finding, FindingKind};
use crate::history::{COPY, HappensBefore, QueuePosition};
use crate::messages::other_launch;
use crate::pending_work::{self, StreamClock};
use crate::shadow::{ShadowScope, Violation, WordAccess};
use crate::state::DeviceState;
use crate::{DeviceMemory, EmulatorError, KernelHandle, Launch, PackedArguments};
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A stream of a device. Clones are the same stream.
#[derive(Clone)]
pub struct Stream {
    state: Rc<DeviceState>,
    own: Rc<StreamState>,
}

/// A point in a stream that another can wait for.
#[derive(Clone, Debug, Default)]
pub struct Event(Rc<RefCell<StreamClock>>);

struct StreamState {
    id: u32,
    known: RefCell<StreamClock>,
    /// Serial of the last launch queued, which the next may overlap; 0 where there is none, or a copy came last.
    last: Cell<u32>,
}

/// Numbers of launches and of streams are unique within the process.
static SERIALS: AtomicU32 = AtomicU32::new(1);
static STREAMS: AtomicU32 = AtomicU32::new(1);

impl Stream {
    pub(crate) fn of(state: Rc<DeviceState>) -> Self {
        let id = STREAMS.fetch_add(1, Ordering::Relaxed);
        Self { state, own: Rc::new(StreamState { id, known: RefCell::default(), last: Cell::new(0) }) }
    }

    /// The place of what is queued now: a kernel of this name, or a copy.
    fn enqueue(&self, kernel: &str, overlaps: bool) -> QueuePosition {
        let serial = SERIALS.fetch_add(1, Ordering::Relaxed);
        // Nothing overlaps a copy.
        let in_front = self.own.last.replace(if kernel == COPY { 0 } else { serial });
        if !self.state.checks() {
            return QueuePosition { serial, ..QueuePosition::default() };
        }
        let mut known = self.own.known.borrow_mut();
        let place = pending_work::place(serial, self.own.id, &known, kernel);
        known.insert(self.own.id, serial);
        QueuePosition { overlapped: Some(in_front).filter(|in_front| overlaps && *in_front > 0), ..place }
    }

    /// Runs a kernel. [`Stream::synchronize`] returns its errors.
    ///
    /// # Errors
    /// When the launch or its arguments are not what the kernel or the device takes.
    ///
    /// # Safety
    /// The kernel's code is run as it is: its author is trusted as far as a checker does not watch it.
    pub unsafe fn launch(
        &self,
        kernel: &KernelHandle,
        launch: Launch,
        arguments: &PackedArguments,
    ) -> Result<(), EmulatorError> {
        self.state.launch(kernel, launch, arguments, &self.enqueue(&kernel.name, launch.overlaps_previous))
    }

    /// Copies `from`, host memory, to the device memory `to`, from its byte `at` on.
    ///
    /// # Panics
    /// When the bytes do not fit into `to`.
    pub fn upload(&self, from: &[u8], to: &DeviceMemory, at: usize) {
        self.note_copy(None, Some((to, at..at + from.len())));
        to.0.write(at, from);
        to.0.note_fill(at..at + from.len());
    }

    /// Copies the range `bytes` of `from` to host memory of the same length, and waits for the copy.
    ///
    /// # Panics
    /// When the range is not within `from`, or `to` has another length.
    pub fn download(&self, from: &DeviceMemory, bytes: Range<usize>, to: &mut [u8]) {
        self.note_copy(Some((from, bytes.clone())), None);
        to.copy_from_slice(from.0.bytes_of(bytes));
        pending_work::host_waits(&self.own.known.borrow());
    }

    /// Copies the range `bytes` of `from` to `to`, from its byte `at` on. The two may be the same memory.
    ///
    /// # Panics
    /// When the range is not within `from`, or does not fit into `to`.
    pub fn copy(&self, from: &DeviceMemory, bytes: Range<usize>, to: &DeviceMemory, at: usize) {
        let end = at + bytes.len();
        self.note_copy(Some((from, bytes.clone())), Some((to, at..end)));
        from.0.copy_to(bytes, &to.0, at);
        to.0.note_fill(at..end);
    }

    /// Takes note of what a copy reads and writes, and reports launches that it is not ordered with.
    fn note_copy(
        &self,
        from: Option<(&DeviceMemory, Range<usize>)>,
        to: Option<(&DeviceMemory, Range<usize>)>,
    ) {
        if !self.state.checks() {
            return;
        }
        let place = self.enqueue(COPY, false);
        let before = HappensBefore::of(&place);
        let scope = ShadowScope {
            serial: place.serial,
            keeps: true,
            listed: false,
            before: Some(&before),
            waited: true,
        };
        for (part, writes) in [(from, false), (to, true)] {
            let Some((memory, bytes)) = part else { continue };
            let made = WordAccess { reads: !writes, writes, ..WordAccess::default() };
            let violation = memory.0.record_copy(bytes.clone(), scope, &ThreadClock::default(), made);
            if let Some(Violation::Launches { kernel, other_writes, .. }) = violation.as_deref() {
                let verb = |writes| if writes { "writes" } else { "reads" };
                self.state.findings.borrow_mut().add(Finding {
                    kind: FindingKind::RaceBetweenLaunches,
                    kernel: COPY.to_string(),
                    block: (0, 0, 0),
                    thread: (0, 0, 0),
                    place: None,
                    other: None,
                    details: format!(
                        "{} bytes {} to {} of a buffer of {} bytes, which {} {} with no event between the two",
                        verb(writes),
                        bytes.start,
                        bytes.end,
                        memory.bytes(),
                        other_launch(&place.histories, *kernel),
                        verb(*other_writes),
                    ),
                    times: 1,
                });
            }
        }
    }

    /// From here on the event stands for everything that was queued so far.
    pub fn record(&self, event: &Event) {
        pending_work::end_epoch(self.own.id);
        event.0.borrow_mut().clone_from(&self.own.known.borrow());
    }

    /// What is queued from here on comes after what the event stands for.
    pub fn wait(&self, event: &Event) {
        let mut known = self.own.known.borrow_mut();
        for (stream, serial) in event.0.borrow().iter() {
            let own = known.entry(*stream).or_default();
            *own = (*own).max(*serial);
        }
    }

    /// Waits for everything that was queued.
    ///
    /// # Errors
    /// What the checker found since the last time.
    pub fn synchronize(&self) -> Result<(), EmulatorError> {
        pending_work::host_waits(&self.own.known.borrow());
        self.state.synchronize()
    }
}
