//! Streams: what is queued is done at once, in an order that events allow, since none is waited for before it was recorded.

use crate::emulator::State;
use crate::{Arguments, DeviceMemory, EmulatorError, Kernel, Launch};
use std::ops::Range;
use std::rc::Rc;

/// A stream of a device.
#[derive(Clone)]
pub struct Stream {
    state: Rc<State>,
}

/// A point in a stream that another can wait for.
#[derive(Clone, Debug, Default)]
pub struct Event(());

impl Stream {
    pub(crate) fn of(state: Rc<State>) -> Self {
        Self { state }
    }

    /// Runs a kernel. What it does wrong is told by [`Stream::synchronize`].
    ///
    /// # Errors
    /// When the launch or its arguments are not what the kernel or the device takes.
    ///
    /// # Safety
    /// The kernel's code is run as it is: its author is trusted as far as a checker does not watch it.
    pub unsafe fn launch(
        &self,
        kernel: &Kernel,
        launch: Launch,
        arguments: &Arguments,
    ) -> Result<(), EmulatorError> {
        self.state.launch(kernel, launch, arguments)
    }

    /// Copies host memory to `to`, from byte `at` on, where it fits.
    pub fn upload(&self, from: &[u8], to: &DeviceMemory, at: usize) {
        to.0.write(at, from);
        to.0.fill(at..at + from.len());
    }

    /// Copies these bytes of `from` to host memory of as many bytes.
    pub fn download(&self, from: &DeviceMemory, bytes: Range<usize>, to: &mut [u8]) {
        to.copy_from_slice(from.0.bytes_of(bytes));
    }

    /// Copies these bytes of `from` to `to`, from byte `at` on, where they fit.
    pub fn copy(&self, from: &DeviceMemory, bytes: Range<usize>, to: &DeviceMemory, at: usize) {
        let end = at + bytes.len();
        from.0.copy_to(bytes, &to.0, at);
        to.0.fill(at..end);
    }

    /// From here on the event stands for everything that was queued so far.
    pub fn record(&self, _: &Event) {}

    /// What is queued from here on comes after the event.
    pub fn wait(&self, _: &Event) {}

    /// Waits for everything that was queued.
    ///
    /// # Errors
    /// What the checker found since the last time.
    pub fn synchronize(&self) -> Result<(), EmulatorError> {
        self.state.synchronize()
    }
}
